package impact

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

const (
	maxMentioned  = 80 // names that documents and settings are searched for
	maxNamesPiece = 60 // pieces of documents and settings with a name, above which it is a word of the language
	maxLinesOf    = 2  // lines of a file that are listed for one name
)

// mentions finds the documents and settings that name a touched definition or a changed file.
func (f *finder) mentions(ctx context.Context) {
	var names []string
	add := func(name string) {
		if len(names) < maxMentioned && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	called := map[string]int{}
	f.s.Paths(func(_ int, p string) { called[path.Base(p)]++ })
	for i := range f.changed {
		file := &f.changed[i]
		if file.isTest() {
			continue
		}
		if base := path.Base(file.Path); called[base] < 2 {
			add(base) // which its path has, too
		} else {
			add(file.Path)
		}
		for _, d := range file.touched() {
			if isDistinct(d.Name) && (retrieve.IsCode(file.Language) || d.Kind == "key") {
				add(d.Name)
			}
		}
	}
	changed := map[string]bool{}
	for _, c := range f.changed {
		changed[c.Path] = true
	}
	for _, name := range names {
		if ctx.Err() != nil {
			f.out.Partial = true
			return
		}
		f.mentioned(name, changed)
	}
}

// isDistinct reports whether a name is no word that prose and settings have in its own meaning: it
// has several parts.
func isDistinct(name string) bool {
	n := 0
	lexical.Parts([]byte(name), func(string) { n++ })
	return n > 1
}

// mentioned lists the lines of documents and settings that have a name.
func (f *finder) mentioned(name string, changed map[string]bool) {
	var words []string
	lexical.Terms([]byte(name), func(term string) { words = append(words, term) })
	if len(words) == 0 {
		return
	}
	documents, settings := map[int][]int{}, map[int][]int{} // pieces by file
	pieces := 0
	for _, chunk := range f.s.Words().Having(words) {
		file := f.s.FileOf(chunk)
		p, language := f.s.Path(file), f.s.Language(file)
		switch {
		case changed[p] || retrieve.IsTest(p):
		case retrieve.IsDocument(p, language):
			documents[file] = append(documents[file], chunk)
			pieces++
		case retrieve.IsSettings(p, language):
			settings[file] = append(settings[file], chunk)
			pieces++
		}
	}
	if pieces > maxNamesPiece {
		return
	}
	f.out.Documents = joined(f.out.Documents, f.linesOf(documents, name))
	f.out.Settings = joined(f.out.Settings, f.linesOf(settings, name))
}

// joined appends lines with a name to those with others, a line once.
func joined(list, more []Place) []Place {
	for _, p := range more {
		if i := slices.IndexFunc(list, func(q Place) bool { return q.compare(p) == 0 }); i >= 0 {
			list[i].Why += ", " + p.Name
		} else {
			list = append(list, p)
		}
	}
	return list
}

// linesOf returns the first lines of each file that have a name as a whole.
func (f *finder) linesOf(files map[int][]int, name string) (out []Place) {
	for file := range files {
		text, gate := f.reader.File(file)
		if gate != "" {
			continue
		}
		n, found := 0, 0
		for line := range strings.Lines(string(text)) {
			if retrieve.HasName(line, name) {
				out = append(out, Place{Path: f.s.Path(file), Line: n, EndLine: n, Name: name, Why: "names " + name})
				if found++; found == maxLinesOf {
					break
				}
			}
			n++
		}
	}
	slices.SortFunc(out, Place.compare)
	return out
}
