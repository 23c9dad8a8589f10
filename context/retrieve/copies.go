package retrieve

import (
	"context"
	"slices"

	"github.com/contexture-dev/contexture/indexer"
)

const (
	fewDefined = 2   // names that a source defines at least
	copyPool   = 40  // candidates that are compared
	copyNames  = 400 // definitions of a file that are compared
)

// copies finds what a tool built from others.
type copies struct {
	*search
	names map[int]map[string]bool // of a file's definitions
	built map[[2]int]bool         // whether the first file was built from the second
}

// candidates places what a tool built below the source that it was built from.
func (r *copies) candidates(context.Context) {
	r.sortCandidates()
	r.names, r.built = map[int]map[string]bool{}, map[[2]int]bool{}
	pool := r.out.Candidates[:min(copyPool, len(r.out.Candidates))]
	for _, c := range pool {
		file := r.s.FileOf(c.Chunk)
		for _, source := range pool {
			from := r.s.FileOf(source.Chunk)
			if from != file && source.Score <= c.Score && r.shareName(c.Chunk, source.Chunk) && r.isBuilt(file, from) {
				c.Score, c.Named = min(c.Score, source.Score*belowSource), c.Named && source.Named
			}
		}
	}
}

// defined returns the names that a file defines.
func (r *copies) defined(file int) map[string]bool {
	if r.names[file] == nil {
		r.names[file] = map[string]bool{}
		list := r.s.Symbols().InFile(file)
		for _, d := range list[:min(copyNames, len(list))] {
			r.names[file][d.Name] = true
		}
	}
	return r.names[file]
}

// isBuilt reports whether a file was built from another. It remembers the answers.
func (r *copies) isBuilt(file, source int) bool {
	key := [2]int{file, source}
	if _, known := r.built[key]; !known {
		r.built[key] = r.builtFrom(file, source)
	}
	return r.built[key]
}

// shareName reports whether two chunks define the same name.
func (r *copies) shareName(a, b int) bool {
	of := r.chunk(b).Symbols
	return slices.ContainsFunc(r.chunk(a).Symbols, func(name string) bool { return slices.Contains(of, name) })
}

// builtFrom reports whether a file was built from another and from more.
func (r *copies) builtFrom(file, source int) bool {
	if r.classOf(file) != code || r.classOf(source) != code {
		return false
	}
	whole, part := r.defined(file), r.defined(source)
	if len(part) < fewDefined || float64(len(whole)) < builtMore*float64(len(part)) {
		return false
	}
	has, elsewhere := 0, 0
	for name := range part {
		if whole[name] {
			has++
		}
	}
	if float64(has) < builtShare*float64(len(part)) {
		return false
	}
	for name := range whole {
		if slices.ContainsFunc(r.s.Symbols().Definitions(name, maxSources), func(d indexer.Symbol) bool { return d.File != file && r.classOf(d.File) == code }) {
			elsewhere++
		}
	}
	return float64(elsewhere) >= builtShare*float64(len(whole))
}

// maxSources is the number of definitions of a name that are searched for one in another file.
const maxSources = 8
