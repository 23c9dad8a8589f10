package retrieve

import (
	"cmp"
	"context"
	"maps"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

const (
	maxOccurrenceFiles = 400  // files that are read for one name
	maxLineText        = 200  // bytes of a line that are shown
	maxCounted         = 2000 // occurrences that are counted
	readTogether       = 16   // files that are read between two checks of the time
	maxTyped           = 64   // definitions of a name up to which a variable's type is determined
)

// occurrences finds the lines that use the name: tests last, certain uses before uncertain ones,
// calls before other uses, near files before distant ones.
func (l *lookup) occurrences(ctx context.Context) {
	found := l.used(ctx)
	slices.SortStableFunc(found, func(a, b Occurrence) int {
		return cmp.Or(compareBool(IsTest(a.Path), IsTest(b.Path)), cmp.Compare(b.Chance, a.Chance), compareBool(b.Calls, a.Calls), cmp.Compare(a.order, b.order))
	})
	for i := 0; i < len(found) && len(l.all) == 0; i++ {
		l.parsed(found[i].File)
	}
	shown := min(l.query.Limit, len(found))
	l.answer.Occurrences, l.answer.MoreOccurrences = found[:shown], len(found)-shown
}

// used returns the lines that use the name, in the order in which their files are read.
func (l *lookup) used(ctx context.Context) (found []Occurrence) {
	files := l.filesWith()
	together := readTogether
	if l.enough != nil { // what is parsed together is parsed on all processors
		together = min(readTogether, 2*runtime.GOMAXPROCS(0))
	}
	for n, file := range files {
		begins := n%together == 0
		if begins && l.enough != nil && l.enough(found) {
			break
		}
		if ctx.Err() != nil || n == l.filesMost || len(found) >= maxCounted {
			l.answer.Partial = true
			break
		}
		if begins && len(l.targets) > 0 {
			l.bindings.Read(files[n:min(n+together, l.filesMost, len(files))])
		}
		found = l.usesIn(file, n, found)
	}
	l.estimate(found)
	return found
}

// usesIn adds the lines of a file that use the name: by its types where its language has any, else
// by the words of the lines.
func (l *lookup) usesIn(file, order int, found []Occurrence) []Occurrence {
	if len(l.targets) > 0 {
		if uses, ok := l.bindings.Uses(file); ok {
			l.mentionedIn(file)
			return l.boundIn(file, order, uses, found)
		}
	}
	return l.inFile(file, order, found)
}

// filesWith lists the files that may use the name in reading order: those that the index knows to
// refer to it, then those that have its words.
func (l *lookup) filesWith() []int {
	refers := map[int]bool{}
	looked := 0
	note := func(known bool) func(chunk int) bool {
		return func(chunk int) bool {
			if file := l.s.FileOf(chunk); l.s.Path(file) != "" {
				refers[file] = refers[file] || known
			}
			looked++
			return looked < maxNameChunks
		}
	}
	l.s.Symbols().Mentions(l.name, note(true))
	switch term := l.rarestTerm(); {
	case term == "": // the index of words has no such name: has, and
		l.s.Paths(func(file int, _ string) {
			l.s.Symbols().Referred(file, func(name string) { refers[file] = refers[file] || name == l.name })
		})
		for _, d := range l.targets { // the arguments of macros are no references
			refers[d.File] = true
		}
		maps.DeleteFunc(refers, func(_ int, refers bool) bool { return !refers })
	case !(l.indexed && len(refers) > 0):
		l.s.Words().Chunks(term, note(false))
	}
	return l.inReadingOrder(refers)
}

// inReadingOrder sorts files, given by whether the index knows that they refer to the name: tests
// first if that is wanted, then those that refer to it, those that run, and the nearest.
func (l *lookup) inReadingOrder(refers map[int]bool) []int {
	own, folders := map[int]bool{}, map[string]bool{}
	for _, d := range l.targets {
		own[d.File], folders[path.Dir(d.Path)] = true, true
	}
	type ranked struct {
		file, rank int
		path       string
	}
	list := make([]ranked, 0, len(refers))
	for file, known := range refers {
		p := l.s.Path(file)
		of, _ := l.s.Class(file, classify)
		rank := int(of) << 2
		switch {
		case own[file]:
		case folders[path.Dir(p)]:
			rank |= 1
		default:
			rank |= 2
		}
		if !known {
			rank |= 1 << 16
		}
		if l.testsFirst && class(of) != test {
			rank |= 1 << 17
		}
		list = append(list, ranked{file, rank, p})
	}
	slices.SortFunc(list, func(a, b ranked) int { return cmp.Or(a.rank-b.rank, strings.Compare(a.path, b.path)) })
	files := make([]int, len(list))
	for i, f := range list {
		files[i] = f.file
	}
	return files
}

func (l *lookup) rarestTerm() string {
	rarest, least := "", 0
	lexical.Terms([]byte(l.name), func(term string) {
		if n := l.s.Words().Count(term); n > 0 && (rarest == "" || n < least) {
			rarest, least = term, n
		}
	})
	return rarest
}

// imports matches a line that only imports a name.
var imports = regexp.MustCompile(`^\s*(import\b(?:[^.(]|$)|from\s+\S+\s+import\b|use\s|using\s|#\s*include\b|export\s*[{*]|require\b|(const|let|var)\s.*\brequire\()`)

// importWords are the words that imports begins with, and bindingWords those that it also needs
// "require(" after; comparing a few bytes rules most lines out.
var (
	importWords  = []string{"import", "from", "use", "using", "#", "export", "require"}
	bindingWords = []string{"const", "let", "var"}
)

func isImport(line, trimmed string) bool {
	begins := func(word string) bool { return strings.HasPrefix(trimmed, word) }
	return (slices.ContainsFunc(importWords, begins) || slices.ContainsFunc(bindingWords, begins) && strings.Contains(trimmed, "require(")) && imports.MatchString(line)
}

// inFile adds the lines of one file.
func (l *lookup) inFile(file, order int, out []Occurrence) []Occurrence {
	lines := l.lines(file)
	if lines == nil {
		return out
	}
	language := l.s.Language(file)
	if !codeLanguage(language) && len(l.all) > 0 {
		return out
	}
	var symbols []indexer.Symbol
	skip := lineFilter{language: language, marks: commentsOf(language)}
	defined := l.definedIn(file, lines)
	for n, line := range lines {
		if language == "vue" && l.element != "" {
			line = strings.ReplaceAll(line, l.element, "<"+l.name) // <my-button> is <MyButton>
		}
		if skip.over(line) || !strings.Contains(line, l.name) || defined[n] || l.headers[placeOf{file, n}] {
			continue
		}
		if symbols == nil {
			symbols = l.s.Symbols().InFile(file)
		}
		in, inside := holder(symbols, n)
		from := useSite{file: file, continues: followsDot(lines, n)}
		if inside {
			from.container, from.lines, from.inBody = containerName(in), lines[min(in.Line, n):n+1], isType(in)
		}
		used, calls, sure := l.uses(codeOf(line, language), from)
		if !used {
			continue
		}
		switch {
		case !inside && slices.Contains(prototyped, language) && calls:
			if isPrototype(line, l.name) {
				continue
			}
		case language == "haskell":
			calls = inside && l.isFunction() // a call without brackets: its arguments follow
		}
		out = append(out, Occurrence{
			File: file, Path: l.s.Path(file), Line: n, Text: lineText(lines[n]), Whole: lines[n], In: fullName(in), Calls: calls, Chance: sureness(sure), order: order,
		})
	}
	return out
}

// sureness returns the probability of a use in a language whose types are not examined.
func sureness(sure bool) float64 {
	if sure {
		return 1
	}
	return isOpen
}

// prototyped are the languages that declare a function before it is defined.
var prototyped = []string{"c", "cpp", "objc"}

// isPrototype reports whether a line outside of functions, which has a name followed by a bracket,
// declares a function: a type precedes the name and nothing is computed.
func isPrototype(line, name string) bool {
	before, _, _ := strings.Cut(line, name)
	return !strings.ContainsAny(before, "=({,#") && strings.TrimSpace(before) != ""
}

// isFunction reports whether one of the targets is callable.
func (l *lookup) isFunction() bool { return slices.ContainsFunc(l.targets, IsCallable) }

// definedIn returns the lines of a file that define the name.
func (l *lookup) definedIn(file int, lines []string) map[int]bool {
	out := map[int]bool{}
	for _, d := range l.all {
		if d.File == file {
			out[foundAt(lines, d)] = true
		}
	}
	return out
}

// uses reports whether a line uses the name, whether it calls it, and whether it certainly means
// one of the targets.
func (l *lookup) uses(line string, from useSite) (used, calls, sure bool) {
	language := l.s.Language(from.file)
	eachName(line, func(at, qualifier, rest string) {
		if at != l.name {
			return
		}
		means, certain := l.means(qualifier, from)
		n := newNameUse(line, at, qualifier, rest, language)
		n.isBare = n.isBare && !(from.continues && strings.HasPrefix(strings.TrimSpace(line), at))
		if !means || l.isOther(n, from) {
			return
		}
		used, sure = true, sure || certain
		calls = calls || callsWith(rest)
	})
	return used, calls, sure
}

// isOther reports whether a use of the name means something that is none of the targets.
func (l *lookup) isOther(n nameUse, from useSite) bool {
	return len(l.targets) > 0 && !slices.ContainsFunc(l.targets, func(d indexer.Symbol) bool {
		return !n.isOther(d, func() bool {
			if n.isBare {
				return from.inBody || l.binds(from.file)
			}
			return l.imported(from.file, n.qualifier) || l.isOf(from, n.qualifier, containerName(d)) || isAccessor(l.lines(d.File), d)
		})
	})
}

// imported reports whether a file imports a name.
func (l *lookup) imported(file int, name string) bool {
	names, ok := l.imports[file]
	if !ok {
		names = importedNames(l.lines(file), l.s.Language(file))
		l.imports[file] = names
	}
	return names[name]
}

// selves are the words for the object whose method runs.
var selves = []string{"self", "this", "cls", "super", "Self", "@"}

// useSite is where a name is used: its file, the type whose method uses it, and the lines of the
// function up to there.
type useSite struct {
	file      int
	container string
	lines     []string
	continues bool // the line before ends with a dot
	inBody    bool // directly in the body of a type, where methods have no owner yet
}

// isOf reports whether the function at a site declares a variable of a type: a parameter, a
// receiver or a local variable.
func (l *lookup) isOf(at useSite, variable, container string) bool {
	var declares *regexp.Regexp
	for _, line := range at.lines {
		if !strings.Contains(line, container) || !strings.Contains(line, variable) {
			continue
		}
		if declares == nil {
			declares = l.declaration(variable, container)
		}
		if declares.MatchString(line) {
			return true
		}
	}
	return false
}

// declaration returns a pattern for a line that declares a variable of a type.
func (l *lookup) declaration(variable, container string) *regexp.Regexp {
	pair := [2]string{variable, container}
	if known := l.declares[pair]; known != nil {
		return known
	}
	v, c := regexp.QuoteMeta(variable), regexp.QuoteMeta(container)
	l.declares[pair] = regexp.MustCompile(`\b` + v + `\b[\s:=]+(?:new\s+|mut\s+|await\s+|[*&'"])*(?:\w+(?:\.|::))*(?:[nN]ew)?` + c + `\b|\b` + c + `(?:<[^<>]*>)?\s*[*&]?\s*\b` + v + `\b`)
	return l.declares[pair]
}

// means reports whether a use of the name with a qualifier may mean one of the targets, and whether
// it cannot mean anything else.
func (l *lookup) means(qualifier string, at useSite) (may, surely bool) {
	if len(l.all) == 0 {
		return l.qualifier == "" || qualifier == "" || strings.EqualFold(qualifier, l.qualifier), true
	}
	from := l.s.Path(at.file)
	language := l.s.Language(at.file)
	can := slices.DeleteFunc(slices.Clone(l.all), func(d indexer.Symbol) bool {
		return d.File != at.file && (IsTest(d.Path) && !IsTest(from) || !Reaches(from, language, d, l.s.Language(d.File)))
	})
	member := func(d indexer.Symbol) bool { return d.Container != "" }
	inFile := func(d indexer.Symbol) bool { return d.File == at.file }
	switch {
	case qualifier == "":
		can = prefer(can, func(d indexer.Symbol) bool { return !member(d) || inFile(d) })
		can = prefer(can, inFile)
		can = prefer(can, func(d indexer.Symbol) bool { return sameFolder(d.Path, from) })
	case slices.Contains(selves, qualifier):
		can = prefer(can, member)
		can = prefer(can, func(d indexer.Symbol) bool { return containerName(d) == at.container })
	default:
		named := func(d indexer.Symbol) bool {
			return strings.EqualFold(containerName(d), qualifier) || !member(d) && inPackage(d.Path, qualifier)
		}
		typed := func(d indexer.Symbol) bool {
			return len(can) <= maxTyped && member(d) && l.isOf(at, qualifier, containerName(d))
		}
		if slices.ContainsFunc(can, typed) {
			can = prefer(can, typed)
		} else if slices.ContainsFunc(can, named) {
			can = prefer(can, named)
		} else {
			can = prefer(can, member)
		}
	}
	hits := 0
	for _, d := range can {
		if slices.Contains(l.targets, d) {
			hits++
		}
	}
	return hits > 0, hits == len(can)
}

// prefer returns the symbols that fit, or all of them when none does.
func prefer(list []indexer.Symbol, fits func(indexer.Symbol) bool) []indexer.Symbol {
	if !slices.ContainsFunc(list, fits) {
		return list
	}
	return slices.DeleteFunc(list, func(d indexer.Symbol) bool { return !fits(d) })
}

// holder returns the innermost function or type around a line.
func holder(symbols []indexer.Symbol, line int) (in indexer.Symbol, ok bool) {
	for _, d := range symbols {
		if d.Line > line {
			break
		}
		if line <= d.EndLine && (IsCallable(d) || isType(d)) {
			in, ok = d, true
		}
	}
	return in, ok
}

// fullName returns a definition's name with the type that it belongs to.
func fullName(d indexer.Symbol) string {
	if d.Container == "" {
		return d.Name
	}
	return containerName(d) + "." + d.Name
}

// codeOf returns a line without string literals that end on it, and without the comment at its end.
func codeOf(line, language string) string {
	mark := "//"
	switch language {
	case "python", "ruby", "bash", "elixir", "julia", "r":
		mark = " #"
	case "ocaml":
		mark = " (*"
	case "haskell", "lua", "sql":
		mark = " --"
	}
	code, _, _ := strings.Cut(withoutStrings(line, language), mark)
	return code
}

// withoutStrings blanks the string literals that end on their line.
func withoutStrings(line, language string) string {
	quotes := "\"`"
	if slices.Contains([]string{"python", "javascript", "typescript", "tsx", "jsx", "ruby", "php", "lua", "bash", "dart", "r"}, language) {
		quotes += "'"
	}
	if !strings.ContainsAny(line, quotes) {
		return line
	}
	out := []byte(line)
	for i := 0; i < len(out); i++ {
		if !strings.Contains(quotes, string(line[i])) {
			continue
		}
		end := closing(line, i)
		if end < 0 {
			break
		}
		for k := i + 1; k < end && !isExpression(line[:i], language); k++ {
			out[k] = ' '
		}
		i = end
	}
	return string(out)
}

// vueDirective matches the beginning of a line up to an attribute whose value is an expression.
var vueDirective = regexp.MustCompile(`(?:^|\s)(?:v-|[:@#])[^\s="'<>]*=$`)

// isExpression reports whether the quotation after the beginning of a line is an expression of a
// template: the value of a directive of Vue, or in Svelte of any attribute.
func isExpression(before, language string) bool {
	switch language {
	case "vue":
		return vueDirective.MatchString(before)
	case "svelte":
		return strings.HasSuffix(before, "=")
	}
	return false
}

// closing returns the index where the quotation that opens at i ends, -1 when it does not.
func closing(line string, i int) int {
	for k := i + 1; k < len(line); k++ {
		switch line[k] {
		case '\\':
			k++
		case line[i]:
			return k
		}
	}
	return -1
}
