package bundle

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
	"golang.org/x/text/unicode/norm"
)

const (
	// maxMissing bounds the missing files that a bundle names. A prompt that names maxListed or
	// more of them is a list of files from elsewhere.
	maxMissing, maxListed = 3, 6
	// maxNearest bounds the suggestions for one missing file.
	maxNearest = 3
	// maxPositions bounds the number of positions (file and line) in a prompt that may name
	// missing files; a prompt with more holds a trace or a log.
	maxPositions = 2
	// manyCalled is the number of files with the same name from which the name no longer identifies
	// one of them.
	manyCalled = 4

	missingPrefix = "missing:"
)

// IsMissing reports whether an item is the notice that a file does not exist.
func IsMissing(id string) bool { return strings.HasPrefix(id, missingPrefix) }

// missing makes the notices of the files that the prompt names and the workspace lacks, each with
// the nearest files. Without any near file there is a notice only when the prompt is a question and
// the path is in a folder of the workspace: an order may be to create the file.
func (b *answer) missing() (notices []*item.Item) {
	if b.src.Snapshot == nil || b.src.Indexing {
		return nil
	}
	names := slices.Clone(b.out.Signals.Asked)
	if frames := b.out.Signals.Frames; len(frames) <= maxPositions {
		for _, f := range frames {
			if f.Function == "" && !slices.Contains(names, f.File) {
				names = append(names, f.File)
			}
		}
	}
	var gone []wantedFile
	for _, name := range names {
		if w, ok := newWanted(name); ok {
			gone = append(gone, w)
		}
	}
	if gone = b.lookUp(gone); len(gone) >= maxListed {
		return nil
	}
	said := 0
	for _, w := range gone {
		near := w.nearest()
		if len(near) == 0 && !(b.out.Signals.Question && w.folderExists) || said == maxMissing {
			continue
		}
		said++
		d := b.notice(w.name, near)
		if b.omitted[d.ID] {
			b.exclude(d)
			continue
		}
		notices = append(notices, d)
	}
	return notices
}

// notice makes the notice that a file does not exist.
func (b *answer) notice(name string, near []string) *item.Item {
	body := name + " does not exist in the workspace."
	if len(near) > 0 {
		body += " Nearest: " + strings.Join(near, ", ")
	}
	it := item.Item{
		ID: missingPrefix + name, Kind: item.Notice, Layer: item.L5JIT, Name: body, Reason: "the prompt names a file that does not exist", Score: 1, Value: 1,
		Required: true, Body: body, Attrs: []item.Attr{{Name: "missing", Value: name}},
	}
	it.Forms = []item.Form{b.form(it, "full", 1)}
	return &it
}

// wantedFile is a file that a prompt names, with the files of the workspace that may be meant.
type wantedFile struct {
	name, folder, stem, ext string // folder, stem and extension folded, the folder without its slash
	exists, folderExists    bool
	called                  int // how many files have its name
	near                    []nearFile
}

// nearFile is a file that may be meant.
type nearFile struct {
	path    string
	far     int // edits between the names; 0: the same name in another folder
	folders int // common folders at the end of both paths
}

// newWanted parses a name; ok is false for what is outside the workspace or on a host.
func newWanted(name string) (w wantedFile, ok bool) {
	clean := strings.TrimPrefix(path.Clean(norm.NFC.String(name)), "./")
	first, _, _ := strings.Cut(clean, "/")
	if strings.HasPrefix(clean, "/") || strings.HasPrefix(clean, "~") || first == ".." || strings.ContainsAny(clean, "*?<>{}$%") ||
		first != clean && strings.Contains(strings.TrimLeft(first, "."), ".") {
		return w, false
	}
	w.name = clean
	w.folder, w.stem, w.ext = partsOf(clean)
	return w, true
}

// partsOf splits a path into its folder, the folded stem of its name and its folded extension.
func partsOf(name string) (folder, stem, ext string) {
	folder, base := path.Split(strings.ToLower(name))
	ext = path.Ext(base)
	if ext == base { // of a name that begins with its only dot
		ext = ""
	}
	return strings.TrimSuffix(folder, "/"), strings.TrimSuffix(base, ext), ext
}

// lookUp returns the files that do not exist, each with the files near it.
func (b *answer) lookUp(list []wantedFile) (gone []wantedFile) {
	if len(list) == 0 {
		return nil
	}
	for i := range list {
		list[i].exists = b.req.Exists != nil && b.req.Exists(list[i].name)
	}
	b.src.Snapshot.Paths(func(file int, p string) {
		folder, stem, ext := partsOf(norm.NFC.String(p))
		for i := range list {
			w := &list[i]
			if w.exists {
				continue
			}
			w.meet(p, folder, stem, ext, func() bool { return b.req.Keep == nil || b.req.Keep(p, b.src.Snapshot.Language(file)) })
		}
	})
	for _, w := range list {
		if !w.exists {
			gone = append(gone, w)
		}
	}
	return gone
}

// meet records how a file of the workspace relates to the wanted one.
func (w *wantedFile) meet(p, folder, stem, ext string, kept func() bool) {
	same := stem == w.stem && ext == w.ext
	if same && (folder == w.folder || w.folder == "" || strings.HasSuffix(folder, "/"+w.folder)) {
		w.exists = true
		return
	}
	w.folderExists = w.folderExists || w.folder != "" && strings.HasPrefix(folder+"/", w.folder+"/")
	far := 0
	switch {
	case same:
		w.called++
	case stem == w.stem && family(ext) == family(w.ext):
		far = 1
	case family(ext) == family(w.ext):
		if far = typos(stem, w.stem); far == 0 {
			return
		}
	default:
		return
	}
	if kept() {
		w.near = append(w.near, nearFile{p, far, sharedEnd(folder, w.folder)})
	}
}

// nearest returns the files that may be meant, the best first.
func (w *wantedFile) nearest() []string {
	list := w.near
	if w.called > manyCalled { // every folder has one
		list = slices.DeleteFunc(list, func(n nearFile) bool { return n.far == 0 && n.folders == 0 })
	}
	slices.SortFunc(list, func(x, y nearFile) int {
		return cmp.Or(cmp.Compare(x.far, y.far), cmp.Compare(y.folders, x.folders), cmp.Compare(len(x.path), len(y.path)), cmp.Compare(x.path, y.path))
	})
	var out []string
	for _, n := range list[:min(maxNearest, len(list))] {
		out = append(out, n.path)
	}
	return out
}

// families maps extensions that are often confused to a common family.
var families = map[string]string{
	".yml": ".yaml", ".htm": ".html", ".mdx": ".md", ".markdown": ".md", ".cpp": ".cc", ".cxx": ".cc", ".hpp": ".h", ".hh": ".h",
	".jsx": ".js", ".mjs": ".js", ".cjs": ".js", ".tsx": ".ts", ".mts": ".ts", ".cts": ".ts", ".kts": ".kt", ".pyi": ".py",
}

func family(ext string) string { return cmp.Or(families[ext], ext) }

// typos returns how many letters must be added, removed, replaced or swapped to turn one name into
// the other; 0 where that is too many for a typo, or where the names differ in their numbers, since
// those are different files.
func typos(a, b string) int {
	letters := utf8.RuneCountInString(b)
	most := max(1, int(typoShare*float64(letters)))
	if far := utf8.RuneCountInString(a) - letters; letters < minTypoLength || far > most || -far > most || digits(a) != digits(b) {
		return 0
	}
	if n := retrieve.Edits(a, b, most); n <= most {
		return n
	}
	return 0
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// sharedEnd returns how many folders two paths have in common at their ends.
func sharedEnd(a, b string) int {
	n := 0
	for a != "" && b != "" {
		x, y := path.Base(a), path.Base(b)
		if x != y {
			break
		}
		n++
		a, b = parent(a), parent(b)
	}
	return n
}

func parent(p string) string {
	i := strings.LastIndexByte(p, '/')
	return p[:max(i, 0)]
}
