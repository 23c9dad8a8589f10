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
	maxMentions = 2000     // chunks that mention a name
	maxRead     = 24       // of them that are read
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

// resolve returns the definitions that a name most likely means in a file: those of its qualifier,
// of the file, of its folder, or all when they are few. Code outside of tests does not call tests.
func (r *search) resolve(name, qualifier string, file int) (out []indexer.Symbol) {
	m := r.meaningsOf(name)
	for _, k := range m.in(file, qualifier) {
		out = append(out, m.all[k])
	}
	return out
}

// meanings holds the definitions of a name and what decides in which files each of them is meant,
// for callers that ask about many files.
type meanings struct {
	*search
	all   []indexer.Symbol
	about []definedAt // of each
	fit   []int       // the last result of in
}

type definedAt struct {
	dir, language string
	test          bool
}

func (r *search) meaningsOf(name string) *meanings {
	const most = 64
	m := &meanings{search: r, all: r.s.Definitions(name, most)}
	for _, d := range m.all {
		m.about = append(m.about, definedAt{path.Dir(d.Path), r.s.Language(d.File), IsTest(d.Path)})
	}
	return m
}

// in returns the definitions that the name most likely means in a file, as indices into all. The
// result is valid until the next call.
func (m *meanings) in(file int, qualifier string) []int {
	from, language := m.s.Path(file), m.s.Language(file)
	known, fromTest := false, false
	callsTests := func() bool {
		if !known {
			known, fromTest = true, IsTest(from)
		}
		return fromTest
	}
	m.fit = m.fit[:0]
	for k, d := range m.all {
		if d.File == file || callsInto(language, m.about[k].language) && (!m.about[k].test || callsTests()) {
			m.fit = append(m.fit, k)
		}
	}
	few, dir := len(m.fit) <= manyMeanings, path.Dir(from)
	for _, fits := range []func(k int) bool{
		func(k int) bool {
			return qualifier != "" && (strings.EqualFold(containerName(m.all[k]), qualifier) || inPackage(m.all[k].Path, qualifier))
		},
		func(k int) bool { return m.all[k].File == file },
		func(k int) bool { return m.about[k].dir == dir },
		func(int) bool { return few },
	} {
		if slices.ContainsFunc(m.fit, fits) {
			m.fit = slices.DeleteFunc(m.fit, func(k int) bool { return !fits(k) })
			return m.fit
		}
	}
	return nil
}

// means reports whether the name most likely means a definition in a file, possibly among others.
func (m *meanings) means(d indexer.Symbol, file int) bool {
	return slices.ContainsFunc(m.in(file, ""), func(k int) bool { return m.all[k] == d })
}

// called is a definition that a text refers to.
type called struct {
	indexer.Symbol
	score float64
}

// calledBy adds what a definition calls and uses, the specific before what is used everywhere.
func (a *surroundings) calledBy(d indexer.Symbol, weight float64) {
	referred := map[string]bool{}
	a.s.Referred(d.File, func(name string) { referred[name] = true })
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
	var list []called
	for _, name := range order {
		defs := a.resolve(name, qualifiers[name], d.File)
		if slices.ContainsFunc(defs, func(o indexer.Symbol) bool { return within(o, d) }) {
			continue // its own
		}
		share := math.Sqrt(float64(counts[name])) * a.rarity(name) / float64(len(defs))
		for _, o := range defs {
			list = append(list, called{o, share * a.beside(d, o.File)})
		}
	}
	slices.SortStableFunc(list, func(x, y called) int { return cmp.Compare(y.score, x.score) })
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
func (r *search) beside(d indexer.Symbol, file int) float64 {
	c := r.classOf(file)
	if c == r.classOf(d.File) {
		return 1
	}
	return r.req.classFactor(c)
}

// within reports whether a definition is within the lines of another.
func within(d, outer indexer.Symbol) bool {
	return d.File == outer.File && outer.Line <= d.Line && d.EndLine <= outer.EndLine
}

// rarity returns how rare a name is in the workspace.
func (r *search) rarity(name string) float64 {
	last := ""
	lexical.Terms([]byte(name), func(term string) { last = term })
	return lexical.Rarity(r.s.LiveChunks(), max(1, r.s.TermCount(last)))
}

// body returns the text of a definition's lines.
func (a *surroundings) body(d indexer.Symbol) string {
	text, gate := a.reader.File(d.File)
	if gate != "" {
		return ""
	}
	start := 0
	for range d.Line {
		next := slices.Index(text[start:], '\n')
		if next < 0 {
			return ""
		}
		start += next + 1
	}
	end := start
	for range d.EndLine - d.Line + 1 {
		next := slices.Index(text[end:], '\n')
		if next < 0 || end-start > maxBody {
			end = min(len(text), start+maxBody)
			break
		}
		end += next + 1
	}
	return string(text[start:end])
}

// mention is a chunk that may call a definition.
type mention struct {
	chunk  int
	factor float64 // of its file
	far    int     // 0 in the same file, 1 in the same folder, 2 elsewhere
	why    string  // set once it is read
}

// callersOf adds the places that call or use a definition: calls before other uses, near ones
// first, tests last.
func (a *surroundings) callersOf(ctx context.Context, d indexer.Symbol, weight float64) {
	var calls, others []mention
	for _, m := range a.mentions(d) {
		if ctx.Err() != nil {
			break
		}
		chunk, text, gate := a.reader.Chunk(m.chunk)
		if gate != "" {
			continue
		}
		switch used, called := a.usesIn(string(text), d, chunk); {
		case called && IsCallable(d):
			m.why = "calls " + d.Name
			calls = append(calls, m)
		case used:
			m.why = "uses " + d.Name
			others = append(others, m)
		}
	}
	list := append(calls, others...)
	for i, m := range list[:min(callerMost, len(list))] {
		a.add(m.chunk, callerWeight*weight*m.factor*math.Pow(listDecay, float64(i)), m.why, false)
	}
}

// mentions lists the chunks that may call a definition, the likely ones first.
func (a *surroundings) mentions(d indexer.Symbol) []mention {
	var list []mention
	named, file, means, looked := a.meaningsOf(d.Name), -1, false, 0
	a.s.Mentions(d.Name, func(c int) bool {
		if f := a.s.FileOf(c); f != file {
			file = f
			means = a.keeps(f) && named.means(d, f)
		}
		if looked++; !means || a.seen[c] {
			return looked < maxMentions
		}
		m := mention{chunk: c, factor: a.beside(d, file), far: 2}
		switch {
		case file == d.File:
			m.far = 0
		case path.Dir(a.s.Path(file)) == path.Dir(d.Path):
			m.far = 1
		}
		list = append(list, m)
		return looked < maxMentions
	})
	slices.SortStableFunc(list, func(x, y mention) int {
		return cmp.Or(cmp.Compare(y.factor, x.factor), cmp.Compare(x.far, y.far))
	})
	return list[:min(maxRead, len(list))]
}

// definedIn returns the lines of a chunk, counted from its first, that define a name.
func (r *search) definedIn(name string, chunk indexer.Chunk) (lines []int) {
	const most = 64
	for _, d := range r.s.Definitions(name, most) {
		if d.File == chunk.File && chunk.StartLine <= d.Line && d.Line <= chunk.EndLine {
			lines = append(lines, d.Line-chunk.StartLine)
		}
	}
	return lines
}

// comments are the prefixes of lines that are comments.
var comments = []string{"//", "/*", "*", "--", "# ", ";"}

// usesIn reports whether the text of a chunk uses a definition, and whether it calls it.
func (a *surroundings) usesIn(text string, d indexer.Symbol, chunk indexer.Chunk) (found, calls bool) {
	language := a.s.Language(chunk.File)
	var imports map[string]bool
	return uses(text, d.Name, a.definedIn(d.Name, chunk), func(line, qualifier, rest string) bool {
		return newNameUse(line, d.Name, qualifier, rest, language).isOther(d, func() bool {
			if imports == nil {
				whole, gate := a.reader.File(chunk.File)
				if gate != "" {
					return true // unread: nothing shows that the use means something else
				}
				imports = importedNames(strings.Split(string(whole), "\n"), language)
			}
			return imports[qualifier] || d.Container != ""
		})
	})
}

// uses reports whether a text mentions a name outside of comments and of the lines that define it,
// and whether it calls it. It leaves out the uses for which isOther returns true.
func uses(text, name string, defined []int, isOther func(line, qualifier, rest string) bool) (found, calls bool) {
	n := 0
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		isComment := slices.ContainsFunc(comments, func(mark string) bool { return strings.HasPrefix(trimmed, mark) })
		if !slices.Contains(defined, n) && !isComment && strings.Contains(line, name) {
			eachName(line, func(at, qualifier, rest string) {
				if at == name && !isOther(line, qualifier, rest) {
					found = true
					calls = calls || callsWith(rest)
				}
			})
		}
		n++
	}
	return found, calls
}

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
	if len(last) < 2 {
		return nil, last, container
	}
	defs = r.s.Definitions(last, 64)
	if container == "" {
		return defs, last, container
	}
	var within []indexer.Symbol
	for _, d := range defs {
		if strings.EqualFold(strings.TrimLeft(d.Container, "*"), container) || inPackage(d.Path, container) {
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
