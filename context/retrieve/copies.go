package retrieve

import (
	"slices"

	"github.com/contexture-dev/contexture/indexer"
)

// When a file is taken for one that a tool built from others: nearly everything that it defines is
// defined in other files too, and it has nearly everything that one of them defines and much more.
// Variants for several platforms and forks of one file have the same definitions, not more.
const (
	builtShare = .8
	builtMore  = 1.5
	fewDefined = 2   // names that a source defines at least
	copyPool   = 40  // candidates that are compared
	copyNames  = 400 // definitions of a file that are compared
)

// placeCopies places what a tool built below the source that it was built from.
func (r *run) placeCopies() {
	pool := r.out.Candidates[:min(copyPool, len(r.out.Candidates))]
	names := map[int]map[string]bool{} // of a file's definitions
	defined := func(file int) map[string]bool {
		if names[file] == nil {
			names[file] = map[string]bool{}
			list := r.s.FileSymbols(file)
			for _, d := range list[:min(copyNames, len(list))] {
				names[file][d.Name] = true
			}
		}
		return names[file]
	}
	built := map[[2]int]bool{}
	isBuilt := func(file, source int) bool {
		key := [2]int{file, source}
		if _, known := built[key]; !known {
			built[key] = r.builtFrom(file, source, defined)
		}
		return built[key]
	}
	for i := range pool {
		c := &pool[i]
		file := r.s.FileOf(c.Chunk)
		for _, source := range pool {
			from := r.s.FileOf(source.Chunk)
			if from != file && source.Score <= c.Score && r.shareName(c.Chunk, source.Chunk) && isBuilt(file, from) {
				const below = .99
				c.Score, c.Exact = min(c.Score, source.Score*below), c.Exact && source.Exact
			}
		}
	}
}

// shareName reports whether two chunks define the same name.
func (r *run) shareName(a, b int) bool {
	of := r.chunk(b).Symbols
	return slices.ContainsFunc(r.chunk(a).Symbols, func(name string) bool { return slices.Contains(of, name) })
}

// builtFrom reports whether a file was built from another and from more.
func (r *run) builtFrom(file, source int, defined func(file int) map[string]bool) bool {
	if r.classOf(file) != code || r.classOf(source) != code {
		return false
	}
	whole, part := defined(file), defined(source)
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
		if slices.ContainsFunc(r.s.Definitions(name, maxSources), func(d indexer.Symbol) bool { return d.File != file && r.classOf(d.File) == code }) {
			elsewhere++
		}
	}
	return float64(elsewhere) >= builtShare*float64(len(whole))
}

// maxSources is the number of definitions of a name that are searched for one in another file.
const maxSources = 8
