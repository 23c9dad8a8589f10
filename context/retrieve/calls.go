package retrieve

import (
	"cmp"
	"context"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

const (
	maxBody     = 64 << 10 // bytes of a definition that are scanned
	callerFiles = 12       // files that are read for the callers of a definition
)

// callable are the kinds of symbols that are called.
var callable = []string{"function", "method", "constructor", "macro", "rpc"}

// IsCallable reports whether a symbol is of a kind that is called.
func IsCallable(d indexer.Symbol) bool { return slices.Contains(callable, d.Kind) }

// kindName returns the word for a definition's kind.
func kindName(d indexer.Symbol) string {
	switch d.Kind {
	case "":
		return "definition"
	case "const":
		return "constant"
	case "var":
		return "variable"
	}
	return d.Kind
}

// containerName returns the name of the type that a method belongs to, without pointer marks.
func containerName(d indexer.Symbol) string { return strings.TrimLeft(d.Container, "*&") }

// families are groups of languages that can call each other's code.
var families = [][]string{
	{"c", "cpp", "objc"}, {"javascript", "typescript", "tsx", "jsx", "vue", "svelte", "astro"},
	{"java", "kotlin", "scala", "groovy"},
}

// callsInto reports whether code in one language may call code in another.
func callsInto(from, to string) bool {
	return from == to || slices.ContainsFunc(families, func(f []string) bool {
		return slices.Contains(f, from) && slices.Contains(f, to)
	})
}

// Reaches reports whether a file may use a definition by its name, judged by the languages of both:
// in Go, a name that begins with a small letter is known in its own folder only.
func Reaches(from, language string, d indexer.Symbol, of string) bool {
	if !callsInto(language, of) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(d.Name)
	return of != "go" || unicode.IsUpper(first) || sameFolder(from, d.Path)
}

// resolve returns the definitions that a name most likely means in a file: those of its qualifier,
// of the file, of its folder, or all when they are few. Code outside of tests does not call tests.
func (r *search) resolve(name, qualifier string, file int) []indexer.Symbol {
	const most = 64
	from, language := r.s.Path(file), r.s.Language(file)
	list := slices.DeleteFunc(r.s.Symbols().Definitions(name, most), func(d indexer.Symbol) bool {
		return d.File != file && (!callsInto(language, r.s.Language(d.File)) || IsTest(d.Path) && !IsTest(from))
	})
	few := len(list) <= manyMeanings
	for _, fits := range []func(d indexer.Symbol) bool{
		func(d indexer.Symbol) bool {
			return qualifier != "" && (strings.EqualFold(containerName(d), qualifier) || inPackage(d.Path, qualifier))
		},
		func(d indexer.Symbol) bool { return d.File == file },
		func(d indexer.Symbol) bool { return sameFolder(d.Path, from) },
		func(indexer.Symbol) bool { return few },
	} {
		if slices.ContainsFunc(list, fits) {
			return prefer(list, fits)
		}
	}
	return nil
}

// callee is a definition that a text refers to.
type callee struct {
	indexer.Symbol
	score float64
}

// calledBy adds what a definition calls and uses, the specific before what is used everywhere.
func (a *surroundings) calledBy(d indexer.Symbol, weight float64) {
	referred := map[string]bool{}
	a.s.Symbols().Referred(d.File, func(name string) { referred[name] = true })
	counts := map[string]int{}
	qualifiers := map[string]string{}
	var order []string
	eachName(a.body(d), func(name, qualifier string, _ string) {
		if !referred[name] || name == d.Name {
			return
		}
		if counts[name]++; counts[name] == 1 {
			order = append(order, name)
			qualifiers[name] = qualifier
		}
	})
	var list []callee
	for _, name := range order {
		defs := a.resolve(name, qualifiers[name], d.File)
		if slices.ContainsFunc(defs, func(o indexer.Symbol) bool { return within(o, d) }) {
			continue // its own
		}
		share := math.Sqrt(float64(counts[name])) * a.rarity(name) / float64(len(defs))
		for _, o := range defs {
			list = append(list, callee{o, share * a.beside(d, o.File)})
		}
	}
	slices.SortStableFunc(list, func(x, y callee) int { return cmp.Compare(y.score, x.score) })
	for i, o := range list[:min(calledMost, len(list))] {
		verb := "used"
		if IsCallable(o.Symbol) {
			verb = "called"
		}
		by := "by " + d.Name
		if d.Name == "" {
			by = "in the selection"
		}
		a.add(a.chunkOf(o.Symbol), calledWeight*weight*math.Pow(listDecay, float64(i)), verb+" "+by, false)
	}
}

// beside returns the weight of a file beside a definition; among files of one class, such as tests,
// it is full.
func (a *surroundings) beside(d indexer.Symbol, file int) float64 {
	c := a.classOf(file)
	if c == a.classOf(d.File) {
		return 1
	}
	return a.req.classFactor(c)
}

// within reports whether a definition is within the lines of another.
func within(d, outer indexer.Symbol) bool {
	return d.File == outer.File && outer.Line <= d.Line && d.EndLine <= outer.EndLine
}

// rarity returns how rare a name is in the workspace.
func (a *surroundings) rarity(name string) float64 {
	last := ""
	lexical.Terms([]byte(name), func(term string) { last = term })
	return lexical.Rarity(a.s.LiveChunks(), max(1, a.s.Words().Count(last)))
}

// body returns the text of a definition's lines.
func (a *surroundings) body(d indexer.Symbol) string {
	text, gate := a.reader.File(d.File)
	if gate != "" {
		return ""
	}
	lines := strings.SplitAfter(string(text), "\n")
	body := strings.Join(lines[min(d.Line, len(lines)):min(d.EndLine+1, len(lines))], "")
	return body[:min(len(body), maxBody)]
}

// callersOf adds the places that call or use a definition: calls before other uses, near ones
// first, tests last.
func (a *surroundings) callersOf(ctx context.Context, d indexer.Symbol, weight float64) {
	l := newLookup(a.s, a.reader, SymbolQuery{Name: d.Name})
	defer l.bindings.Close()
	l.name, l.targets, l.filesMost, l.indexed = d.Name, []indexer.Symbol{d}, callerFiles, true
	list := l.used(ctx)
	slices.SortStableFunc(list, func(x, y Occurrence) int {
		return cmp.Or(compareBool(y.Calls, x.Calls), cmp.Compare(a.beside(d, y.File), a.beside(d, x.File)))
	})
	n := 0
	for _, o := range list {
		c, ok := a.s.ChunkAt(o.File, o.Line)
		if !ok || a.seen[c] || n == callerMost {
			continue
		}
		why := "uses "
		if o.Calls && IsCallable(d) {
			why = "calls "
		}
		a.add(c, callerWeight*weight*a.beside(d, o.File)*math.Pow(listDecay, float64(n)), why+d.Name, false)
		n++
	}
}

// comments are the prefixes of lines that are comments.
var comments = []string{"//", "/*", "*", "--", "# ", ";"}

// callsWith reports whether the rest of a line after a name calls it, possibly with type arguments
// in brackets.
func callsWith(rest string) bool {
	rest = strings.TrimPrefix(strings.TrimLeft(rest, " !"), "::")
	for _, pair := range []string{"[]", "<>"} {
		if rest != "" && rest[0] == pair[0] {
			if end := strings.Index(rest, pair[1:]+"("); end > 0 {
				return true
			}
		}
	}
	return strings.HasPrefix(rest, "(")
}

// eachName calls yield for every identifier of a text, with its qualifier and the text after it.
func eachName(text string, yield func(name, qualifier, rest string)) {
	last, end := "", -1 // the previous identifier, and where it ends
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRuneInString(text[i:])
		if !isNameRune(c) {
			i += n
			continue
		}
		start := i
		for i < len(text) {
			if c, n = utf8.DecodeRuneInString(text[i:]); !isNameRune(c) {
				break
			}
			i += n
		}
		name, qualifier := text[start:i], ""
		if end >= 0 && slices.Contains(parts, text[end:start]) {
			qualifier = last
		}
		last, end = name, i
		if name[0] < '0' || name[0] > '9' {
			yield(name, qualifier, text[i:])
		}
	}
}

// parts are the separators between an owner's name and its member's.
var parts = []string{".", "::", "->", "?.", "#"}

func isNameRune(c rune) bool {
	return c == '_' || c == '$' || unicode.IsLetter(c) || unicode.IsDigit(c)
}

// meantBy returns the definitions that a name may mean, with its last part and the one before it:
// those within what the one before it names, if there are any.
func (r *search) meantBy(name string) (defs []indexer.Symbol, last, container string) {
	last = strings.TrimSuffix(name, "()")
	isNested := false
	if i := strings.LastIndexAny(last, ".:#/"); i >= 0 {
		container, last = strings.TrimRight(last[:i], ".:#/"), last[i+1:]
		if j := strings.LastIndexAny(container, ".:#/"); j >= 0 {
			container, isNested = container[j+1:], true
		}
	}
	if container = strings.Trim(container, "*&()"); len(last) < 2 {
		return nil, last, container
	}
	defs = r.s.Symbols().Definitions(last, 64)
	if container == "" {
		return defs, last, container
	}
	var within []indexer.Symbol
	for _, d := range defs {
		if strings.EqualFold(containerName(d), container) || inPackage(d.Path, container) {
			within = append(within, d)
		}
	}
	switch {
	case len(within) > 0:
		defs = within
	case isNested: // import.meta.glob is a member of a value, and no function glob
		defs = slices.DeleteFunc(defs, func(d indexer.Symbol) bool { return d.Container == "" && IsCallable(d) })
	}
	return defs, last, container
}

// inPackage reports whether a path is in a folder of the given name or is a file of it, as net/http
// is in http.
func inPackage(p, name string) bool {
	dir, base := path.Split(p)
	return path.Base(dir) == name || strings.TrimSuffix(base, path.Ext(base)) == name
}
