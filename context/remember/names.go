package remember

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/subject"
)

// plainNames are names of so many definitions that a mention of one alone does not identify a
// location.
var plainNames = func() map[string]bool {
	out := map[string]bool{}
	for n := range strings.FieldsSeq(`main init new run start stop begin end open close read write get set put add remove delete update
		create make build load save parse format print log test tests setup teardown handle handler process execute apply call send receive
		next prev first last find search index count size len length name names value values key keys data item items list map config options
		option opts args params context ctx result results error errors err string text type types kind id ids path file files line lines node
		state status info user users request response req res body client server app base default defaults util utils helper helpers common
		render draw show hide reset clear clone copy equal equals compare less swap hash encode decode marshal unmarshal validate check
		connect disconnect listen serve wait done exit quit default constructor toString valueOf self this tostring`) {
		out[n] = true
	}
	return out
}()

// ordinary reports whether a name is so common that a turn must mention the file besides.
func ordinary(name string) bool {
	return utf8.RuneCountInString(name) < 3 || plainNames[strings.ToLower(strings.Trim(name, "_$"))]
}

// Symbol is a name in code.
type Symbol struct {
	Name      string
	Container string // the type, class or module that it belongs to, or ""
	File      string // where it is defined, "" for the location's own file
	// Unsure means that it may belong to any of several containers: a mention with any of them may
	// mean it.
	Unsure bool
}

// qualified returns the fully qualified name.
func (s Symbol) qualified() string {
	if s.Container == "" {
		return s.Name
	}
	return s.Container + "." + s.Name
}

// namedBy reports whether a mention means the symbol. If the mention has a qualifier, that must be
// the container or, for a symbol without one, its package, folder or file, or a variable.
// folder or file, a variable.
func (s Symbol) namedBy(mention, file string) (means, surely bool) {
	parts := partsOf(mention)
	if len(parts) == 0 || parts[len(parts)-1] != s.Name {
		return false, false
	}
	if len(parts) == 1 {
		return true, !ordinary(s.Name)
	}
	if s.Unsure {
		return true, !ordinary(s.Name)
	}
	q := parts[len(parts)-2]
	container := partsOf(s.Container)
	if len(container) > 0 && strings.EqualFold(q, container[len(container)-1]) {
		return true, true
	}
	folders := strings.Split(file, "/")
	base, _, _ := strings.Cut(folders[len(folders)-1], ".")
	if strings.EqualFold(q, base) || len(folders) > 1 && strings.EqualFold(q, folders[len(folders)-2]) {
		return true, true
	}
	return true, false
}

func partsOf(symbol string) []string {
	return strings.FieldsFunc(symbol, func(c rune) bool { return strings.ContainsRune(".:#->/\\", c) })
}

// fileNamedBy reports whether a mention of a path means the file: the path itself, its end, or more
// than the path from a folder above the root.
func fileNamedBy(mention, file string) bool {
	if mention == file || strings.HasSuffix(file, "/"+mention) && strings.Contains(mention, "/") {
		return true
	}
	return strings.Contains(file, "/") && strings.HasSuffix(mention, "/"+file)
}

// Place is the person's location in the code.
type Place struct {
	// Path of the file below the root, "" for one that has none.
	Path string
	// Symbols at the location: the one under the cursor first, then the enclosing ones from the
	// inside out.
	Symbols []Symbol
	// Alone reports whether at most one file of the workspace has a base name, so that the name
	// alone means it; nil reports false for all.
	Alone func(base string) bool
}

// meansFile reports whether one of the paths that a turn mentions is that of a file.
func (p *Place) meansFile(file string, paths []string) bool {
	if file == "" {
		return false
	}
	base := file[strings.LastIndexByte(file, '/')+1:]
	return slices.ContainsFunc(paths, func(m string) bool {
		return fileNamedBy(m, file) || m == base && p.Alone != nil && p.Alone(base)
	})
}

// common reports whether very many turns mention a symbol, judging by the best of those found for
// it alone.
func (s Symbol) common(found []subject.LookupHit) bool {
	best := 0.0
	for _, f := range found {
		for _, mention := range f.Symbols {
			if parts := partsOf(mention); len(parts) > 0 && parts[len(parts)-1] == s.Name {
				best = max(best, f.Score/s.weightOf(parts))
			}
		}
	}
	return best < commonScore
}

// weightOf returns the score that a turn of yesterday with this mention would have for a maximally
// rare name.
func (s Symbol) weightOf(mention []string) float64 {
	weight := 1.0
	if len(mention) > 1 {
		weight = lastPart
	}
	if s.Container != "" {
		match := lastPart
		if len(mention) > 1 {
			match = 0
			if slices.Equal(mention, partsOf(s.qualified())) {
				match = 1
			}
		}
		weight += secondName * match
	}
	return weight
}
