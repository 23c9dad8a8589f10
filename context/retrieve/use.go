package retrieve

import (
	"regexp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer"
)

// nameUse is a use of a name in a line.
type nameUse struct {
	qualifier, language string
	isMember            bool // the name follows a dot or arrow
	isBare              bool // nothing precedes the name that could own it
	isCalled            bool
}

// newNameUse returns the use of a name that has a qualifier before it and rest behind it.
func newNameUse(line, name, qualifier, rest, language string) nameUse {
	before := strings.TrimSuffix(strings.TrimSuffix(line, rest), name)
	member := strings.HasSuffix(before, ".") || strings.HasSuffix(before, "->")
	bare := qualifier == "" && !member && !strings.HasSuffix(before, "::") && !strings.HasSuffix(before, "#")
	return nameUse{qualifier, language, member, bare, callsWith(rest)}
}

var (
	// bareCallers are the languages that call a method without brackets, or a function as if it
	// were a member of its first argument.
	bareCallers = []string{"ruby", "scala", "kotlin", "elixir", "haskell", "groovy", "swift", "ocaml", "julia"}
	// ownerCallers are the languages that call a method only by what it belongs to.
	ownerCallers = []string{"go", "python", "rust", "javascript", "jsx", "typescript", "tsx"}
	// globals are the objects that have a module's functions, or the program's.
	globals = []string{"exports", "module", "window", "globalThis", "global"}
)

// isOther reports whether the use means something else than a definition: a member of a value where
// the definition is a function of no type, as in import.meta.glob(…) for a function glob; one that
// is not called, as the field x.Login for a method Login; or a bare call for a method. isKnown
// reports whether the file imports the qualifier, or declares it to be of the definition's type;
// for a bare name, whether the file gives it to something.
func (n nameUse) isOther(d indexer.Symbol, isKnown func() bool) bool {
	if n.isBare && n.isCalled && slices.Contains(ownerCallers, n.language) {
		owner := containerName(d)
		return d.Kind == "method" && !slices.Contains(globals, owner) && !slices.Contains(selves, owner) && !isKnown()
	}
	if n.qualifier == "" || !n.isMember || !IsCallable(d) || slices.Contains(selves, n.qualifier) || slices.Contains(bareCallers, n.language) {
		return false
	}
	owner := containerName(d)
	if owner != "" && (n.isCalled || strings.EqualFold(owner, n.qualifier)) || inPackage(d.Path, n.qualifier) || slices.Contains(globals, n.qualifier) {
		return false
	}
	return !isKnown()
}

// followsDot reports whether the line before the n-th ends with a dot.
func followsDot(lines []string, n int) bool {
	return n > 0 && strings.HasSuffix(strings.TrimSpace(lines[n-1]), ".")
}

// binds reports whether a file gives the name to a variable or a parameter, which may hold a
// method: the name stands there alone and is not called, outside of imports.
func (l *lookup) binds(file int) bool {
	known, ok := l.bound[file]
	if ok {
		return known
	}
	lines, language := l.lines(file), l.s.Language(file)
	skip := lineFilter{language: language, marks: commentsOf(language)}
	for _, line := range lines {
		if known {
			break
		}
		if !skip.over(line) && strings.Contains(line, l.name) {
			code := codeOf(line, language)
			eachName(code, func(at, qualifier, rest string) {
				n := newNameUse(code, at, qualifier, rest, language)
				known = known || at == l.name && n.isBare && !n.isCalled
			})
		}
	}
	l.bound[file] = known
	return known
}

// accessor matches a line that makes the method after it, or in it, one that is read as a field is.
var accessor = regexp.MustCompile(`@(?:\w+\.)?\w*property\b|^\s*(?:static\s+)?get\s`)

// isAccessor reports whether a method is read as a field is.
func isAccessor(lines []string, d indexer.Symbol) bool {
	const above = 3 // lines of decorators
	first, last := max(d.Line-above, 0), min(d.Line+above, d.EndLine, len(lines)-1)
	return first <= last && slices.ContainsFunc(lines[first:last+1], accessor.MatchString)
}

// importedNames returns the names in a file's imports.
func importedNames(lines []string, language string) map[string]bool {
	names := map[string]bool{}
	skip, continues := lineFilter{language: language, marks: commentsOf(language)}, false
	for _, line := range lines {
		if !continues {
			continues = isImport(line, strings.TrimSpace(line))
		}
		skip.over(line)
		if continues {
			eachName(line, func(name, _, _ string) { names[name] = true })
			continues = skip.until != ""
		}
	}
	return names
}
