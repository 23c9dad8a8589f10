package retrieve

import (
	"cmp"
	"context"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/contexture-dev/contexture/context/binding"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
)

// SymbolQuery asks what a workspace knows about a name.
type SymbolQuery struct {
	// Name as written in code, optionally qualified: Acquire, Pool.Acquire, pool::acquire,
	// (*Pool).Acquire().
	Name string
	// Path of a file or folder that contains the definition; "" = anywhere.
	Path string
	// Limit of each list.
	Limit int
}

// Definition is a definition as its file on disk has it now.
type Definition struct {
	indexer.Symbol
	Chunk     int    // in which it begins
	Signature string // in one line
	Text      string // with the comment above it, cut at maxDefinitionLines; set only when there are few definitions
	First     int    // line of the text's beginning, from 0
	LastLine  string // text of EndLine
}

// Occurrence is a line that uses a name outside of comments, strings and definitions.
type Occurrence struct {
	File   int
	Path   string
	Line   int     // from 0
	Text   string  // of the line, trimmed
	Whole  string  // the line
	In     string  // the definition that contains it, "" for none
	Calls  bool    // it calls the name
	Chance float64 // the probability that it means one of the definitions
	order  int
}

// SymbolAnswer is what is known about a name. The lists are in display order.
type SymbolAnswer struct {
	Name            string // unqualified
	Definitions     []Definition
	Occurrences     []Occurrence
	Mentions        []Occurrence // lines of comments and strings, in languages whose types are examined
	Implementations []Definition
	Similar         []Definition // the nearest names, when there is no definition
	// Unparsed lists the languages of files with the name, or at the path, that have no definitions
	// in the index.
	Unparsed []string
	// How many more were found and left out because of the limit.
	MoreDefinitions, MoreOccurrences, MoreImplementations, MoreMentions int
	// Partial means that the search was incomplete: the name is too common, or time ran out.
	Partial bool
}

const (
	maxDefinitions     = 4096 // of one name that are examined
	shownWhole         = 3    // definitions up to which their text is returned
	maxDefinitionLines = 80
	maxSimilar         = 8
	maxSignature       = 300 // bytes
)

// LookUp answers a query. It reads files until ctx ends and returns what it has by then.
func LookUp(ctx context.Context, s *indexer.Snapshot, q SymbolQuery) *SymbolAnswer {
	l := newLookup(s, s.NewReader(), q)
	defer l.bindings.Close()
	if q.Name == "" {
		l.listed()
	}
	l.definitions()
	switch {
	case q.Name == "":
	case len(l.all) == 0:
		l.occurrences(ctx)
		l.similar(ctx)
	case len(l.targets) == 0:
		l.similar(ctx)
	default:
		l.implementations(ctx)
		l.occurrences(ctx)
	}
	l.answer.Partial = l.answer.Partial || ctx.Err() != nil
	return &l.answer
}

// listed makes the symbols at the path the targets, in the order of their files' paths and lines.
func (l *lookup) listed() {
	l.s.Paths(func(file int, path string) {
		if l.under(path) {
			l.parsed(file)
			l.targets = append(l.targets, l.s.Symbols().InFile(file)...)
		}
	})
	slices.SortStableFunc(l.targets, func(a, b indexer.Symbol) int { return strings.Compare(a.Path, b.Path) })
}

// parsed records the language of a file that has no definitions in the index.
func (l *lookup) parsed(file int) {
	language := l.s.Language(file)
	if language == "" || !codeLanguage(language) && language != "html" || chunk.HasSymbols(language) || slices.Contains(l.answer.Unparsed, language) {
		return
	}
	l.answer.Unparsed = append(l.answer.Unparsed, language)
}

// newLookup returns a lookup for the query with the possible meanings of its name.
func newLookup(s *indexer.Snapshot, reader *indexer.Reader, q SymbolQuery) *lookup {
	name, qualifier := splitName(q.Name)
	l := &lookup{
		s: s, reader: reader, query: q, name: name, qualifier: qualifier, texts: map[int][]string{}, imports: map[int]map[string]bool{}, bound: map[int]bool{}, headers: map[placeOf]bool{},
		declares: map[[2]string]*regexp.Regexp{}, filesMost: maxOccurrenceFiles,
	}
	l.name = l.spelling()
	l.answer.Name, l.element = l.name, elementOf(l.name)
	l.bindings = binding.New(s, reader, l.name)
	l.all = distinct(s.Symbols().Definitions(l.name, maxDefinitions))
	l.targets = slices.DeleteFunc(slices.Clone(l.all), func(d indexer.Symbol) bool { return !l.wanted(d) })
	if l.qualifier != "" {
		l.targets = prefer(l.targets, func(d indexer.Symbol) bool { return containerName(d) == l.qualifier })
	}
	slices.SortStableFunc(l.targets, l.before)
	return l
}

// spelling returns the name as the workspace has it: as it was typed, or else in the case and with
// the separators of the spelling that has most of the wanted definitions.
func (l *lookup) spelling() string {
	names := l.s.Symbols().Spellings(l.name)
	if slices.Contains(names, l.name) {
		return l.name
	}
	best, most := l.name, 0
	for _, name := range names {
		n := 0
		for _, d := range l.s.Symbols().Definitions(name, maxDefinitions) {
			if l.wanted(d) {
				n++
			}
		}
		if n > most {
			best, most = name, n
		}
	}
	return best
}

// lookup answers one query about a symbol: it collects the definitions of the name, chooses those
// that are meant, the targets, and reads files for uses of these until there are enough. Not safe
// for concurrent use.
type lookup struct {
	s               *indexer.Snapshot
	reader          *indexer.Reader
	query           SymbolQuery
	name, qualifier string
	element         string // the beginning of the tag by which Vue's templates may use the name; "" for none
	all, targets    []indexer.Symbol
	texts           map[int][]string              // lines by file; nil for one that cannot be shown
	imports         map[int]map[string]bool       // by file: the names in its imports
	bound           map[int]bool                  // by file: whether it gives the name to a variable
	headers         map[placeOf]bool              // of types, by whether each implements a target
	declares        map[[2]string]*regexp.Regexp  // patterns for a declaration of a variable of a type
	filesMost       int                           // bound of the files that are read
	indexed         bool                          // when the index has files that refer to the name, only those are read
	testsFirst      bool                          // read before other files
	enough          func(found []Occurrence) bool // whether no further use matters; nil when each does
	bindings        *binding.Resolver
	known, meant    int // uses of the name whose meaning is known, and those of them that mean a target
	answer          SymbolAnswer
}

// elementOf returns the beginning of the tag by which Vue's templates may use a component, "" for a
// name that is no component's: <my-button for MyButton.
func elementOf(name string) string {
	var b strings.Builder
	for i, r := range name {
		if up := unicode.IsUpper(r); up && i > 0 {
			b.WriteByte('-')
		} else if !up && i == 0 {
			return ""
		}
		b.WriteRune(unicode.ToLower(r))
	}
	if !strings.Contains(b.String(), "-") {
		return ""
	}
	return "<" + b.String()
}

// special matches the names of destructors and operators of C++, qualified or not.
var special = regexp.MustCompile(`^((?:\w+(?:\.|::))*)(~\w+|operator[-+*/%^&|~!=<>,\[\]()]+)$`)

// splitName splits a name as people write it into the name and its qualifier.
func splitName(text string) (name, qualifier string) {
	if m := special.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		if before := strings.FieldsFunc(m[1], func(r rune) bool { return !isNameRune(r) }); len(before) > 0 {
			qualifier = before[len(before)-1]
		}
		return m[2], qualifier
	}
	text = strings.NewReplacer("(*", "", "(&", "", ").", ".", "*", "", "&", "", "`", "").Replace(strings.TrimSpace(text))
	text, _, _ = strings.Cut(text, "(")
	if words := strings.Fields(text); len(words) > 0 {
		text = words[len(words)-1] // func Acquire, class Pool
	}
	list := strings.FieldsFunc(text, func(r rune) bool { return !isNameRune(r) && r != '-' && r != '?' && r != '!' })
	if len(list) == 0 {
		return strings.TrimSpace(text), ""
	}
	name = list[len(list)-1]
	if len(list) > 1 {
		qualifier = list[len(list)-2]
	}
	return name, qualifier
}

// placeOf is a line of a file.
type placeOf struct{ file, line int }

func distinct(list []indexer.Symbol) []indexer.Symbol {
	seen := map[placeOf]bool{}
	return slices.DeleteFunc(list, func(d indexer.Symbol) bool {
		p := placeOf{d.File, d.Line}
		known := seen[p]
		seen[p] = true
		return known
	})
}

// wanted reports whether a definition is what the query asks for.
func (l *lookup) wanted(d indexer.Symbol) bool {
	if l.qualifier != "" && !strings.EqualFold(containerName(d), l.qualifier) && !inPackage(d.Path, l.qualifier) {
		return false
	}
	return l.under(d.Path)
}

// under reports whether a path is the query's, or below it.
func (l *lookup) under(path string) bool {
	p := strings.Trim(strings.TrimPrefix(l.query.Path, "./"), "/")
	return p == "" || p == "." || path == p || strings.HasPrefix(path, p+"/") || strings.HasSuffix(path, "/"+p)
}

// dataKinds are the kinds of names in data, which a question about code seldom means.
var dataKinds = []string{"", "key", "section", "stage", "target", "field", "property", "resource"}

// before orders definitions: the workspace's own code, then examples and tests; code before data.
func (l *lookup) before(a, b indexer.Symbol) int {
	return cmp.Or(
		cmp.Compare(classOf(a.Path, l.s.Language(a.File)), classOf(b.Path, l.s.Language(b.File))),
		compareBool(slices.Contains(dataKinds, a.Kind), slices.Contains(dataKinds, b.Kind)),
		compareBool(l.bare(a), l.bare(b)),
		strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line),
	)
}

// bare reports whether a definition is a mere declaration: a method of an interface, a prototype.
func (l *lookup) bare(d indexer.Symbol) bool {
	if lines := l.lines(d.File); slices.Contains(prototyped, l.s.Language(d.File)) && d.EndLine < len(lines) {
		return IsCallable(d) && d.Kind != "macro" && !strings.Contains(strings.Join(lines[d.Line:d.EndLine+1], " "), "{")
	}
	return IsCallable(d) && d.Line == d.EndLine
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// definitions fills in the definitions of the targets.
func (l *lookup) definitions() {
	for _, d := range l.targets {
		if len(l.answer.Definitions) == l.query.Limit {
			l.answer.MoreDefinitions++
			continue
		}
		if shown, ok := l.define(d, len(l.targets) <= shownWhole && l.query.Name != ""); ok {
			l.answer.Definitions = append(l.answer.Definitions, shown)
		}
	}
}

// lines returns a file's current lines; nil when it may not be shown.
func (l *lookup) lines(file int) []string {
	if lines, ok := l.texts[file]; ok {
		return lines
	}
	var lines []string
	if text, gate := l.reader.File(file); gate == "" {
		lines = strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	}
	l.texts[file] = lines
	return lines
}

// define reads a definition; ok is false when it no longer exists. Lines that moved since the file
// was indexed are found by the name.
func (l *lookup) define(d indexer.Symbol, whole bool) (out Definition, ok bool) {
	lines := l.lines(d.File)
	at := foundAt(lines, d)
	if at == notFound {
		return out, false
	}
	last := d.EndLine
	if at < d.Line || at > d.EndLine { // it moved
		last += at - d.Line
	}
	d.Line, d.EndLine = at, min(last, len(lines)-1)
	out = Definition{Symbol: d, Chunk: -1, Signature: signature(lines[d.Line : d.EndLine+1]), First: d.Line, LastLine: lines[d.EndLine]}
	if c, found := l.s.ChunkAt(d.File, d.Line); found {
		out.Chunk = c
	}
	if whole {
		out.First = commentAbove(lines, d.Line)
		out.Text = strings.Join(lines[out.First:min(d.EndLine+1, out.First+maxDefinitionLines)], "\n")
	}
	return out, true
}

const (
	maxMoved   = 400 // distance in lines, from where it was indexed, within which a definition is searched for
	nameWithin = 8   // number of first lines of a definition, which may be decorators, that must include its name
	notFound   = -1
)

// foundAt returns the line that has a definition's name: within its first lines, else the nearest;
// -1 when none has it.
func foundAt(lines []string, d indexer.Symbol) int {
	if d.Kind == chunk.KindComponent && d.Line < len(lines) { // its name is the file's
		return d.Line
	}
	for at := d.Line; at <= min(d.EndLine, d.Line+nameWithin, len(lines)-1); at++ {
		if strings.Contains(lines[at], d.Name) {
			return at
		}
	}
	for off := range maxMoved {
		for _, at := range []int{d.Line + off, d.Line - off} {
			if 0 <= at && at < len(lines) && strings.Contains(lines[at], d.Name) {
				return at
			}
		}
	}
	return notFound
}

// maxCommentLines bounds the lines of the comment above a definition that are shown.
const maxCommentLines = 24

// commentAbove returns the first line of the comment and decorators directly above a line.
func commentAbove(lines []string, line int) int {
	first := line
	for first > 0 && line-first < maxCommentLines {
		above := strings.TrimSpace(lines[first-1])
		isComment := strings.HasPrefix(above, "@") || strings.HasPrefix(above, "#[") || strings.HasSuffix(above, "*/") || above == "#" ||
			slices.ContainsFunc(comments, func(mark string) bool { return strings.HasPrefix(above, mark) })
		if !isComment {
			break
		}
		first--
	}
	return first
}

// signature returns the beginning of a definition up to its body, in one line.
func signature(lines []string) string {
	const most = 8
	var b strings.Builder
	depth := 0
	for _, line := range lines[:min(most, len(lines))] {
		line = strings.TrimSpace(line)
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(line)
		depth += strings.Count(line, "(") - strings.Count(line, ")")
		if depth <= 0 && !strings.HasSuffix(line, ",") && !strings.HasSuffix(line, "<") && !strings.HasPrefix(line, "@") && !strings.HasPrefix(line, "#[") {
			break
		}
	}
	text := strings.TrimRight(strings.TrimSpace(b.String()), " {")
	if len(text) > maxSignature {
		cut := maxSignature
		for cut > 0 && text[cut]&0xC0 == 0x80 {
			cut--
		}
		text = text[:cut] + "…"
	}
	return text
}

// similar lists the nearest names: members of the qualifier, names that contain the name, and those
// that differ by a few letters.
func (l *lookup) similar(ctx context.Context) {
	type near struct {
		indexer.Symbol
		far int
	}
	var list []near
	seen := map[string]bool{}
	asked := strings.ToLower(l.name)
	err := l.s.Symbols().Containing(ctx, "", func(d indexer.Symbol) bool {
		id := d.Container + "\x00" + d.Name
		if seen[id] {
			return true
		}
		seen[id] = true
		far, ok := distance(asked, strings.ToLower(d.Name))
		if l.qualifier != "" && strings.EqualFold(containerName(d), l.qualifier) {
			far, ok = far-len(asked), true // of the type that was named
		}
		if slices.Contains(dataKinds, d.Kind) {
			far += 2
		}
		if ok {
			list = append(list, near{d, far})
		}
		return true
	})
	l.answer.Partial = l.answer.Partial || err != nil
	slices.SortStableFunc(list, func(a, b near) int { return cmp.Or(cmp.Compare(a.far, b.far), l.before(a.Symbol, b.Symbol)) })
	for _, n := range list {
		if len(l.answer.Similar) == maxSimilar {
			return
		}
		if d, ok := l.define(n.Symbol, false); ok {
			l.answer.Similar = append(l.answer.Similar, d)
		}
	}
}

// distance returns how far a name is from the requested one; ok is false when the two are not
// similar.
func distance(asked, name string) (far int, ok bool) {
	const least = 3 // letters that are distinctive
	if len(asked) >= least && strings.Contains(name, asked) || len(name) >= least && 3*len(name) >= 2*len(asked) && strings.Contains(asked, name) {
		return max(len(name)-len(asked), len(asked)-len(name)), true
	}
	most := max(1, len(asked)/4)
	if len(name)-len(asked) > most || len(asked)-len(name) > most {
		return len(asked), false
	}
	n := Edits(asked, name, most)
	return n, n <= most
}

// sameFolder reports whether two files are in the same folder.
func sameFolder(a, b string) bool { return path.Dir(a) == path.Dir(b) }
