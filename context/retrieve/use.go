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
	isCalled            bool
}

// newNameUse returns the use of a name that has a qualifier before it and rest behind it.
func newNameUse(line, name, qualifier, rest, language string) nameUse {
	before := strings.TrimSuffix(strings.TrimSuffix(line, rest), name)
	member := strings.HasSuffix(before, ".") || strings.HasSuffix(before, "->")
	return nameUse{qualifier, language, member, callsWith(rest)}
}

var (
	// bareCallers are the languages that call a method without brackets, or a function as if it
	// were a member of its first argument.
	bareCallers = []string{"ruby", "scala", "kotlin", "elixir", "haskell", "groovy", "swift"}
	// globals are the objects that have a module's functions, or the program's.
	globals = []string{"exports", "module", "window", "globalThis", "global"}
)

// isOther reports whether the use means something else than a definition: a member of a value where
// the definition is a function of no type, as in import.meta.glob(…) for a function glob, or where
// nothing is called, as in the field x.Login for a method Login. isKnown reports whether the file
// imports the qualifier, or declares it to be of the definition's type.
func (n nameUse) isOther(d indexer.Symbol, isKnown func() bool) bool {
	if n.qualifier == "" || !n.isMember || !IsCallable(d) || slices.Contains(selves, n.qualifier) || slices.Contains(bareCallers, n.language) {
		return false
	}
	owner := containerName(d)
	if owner != "" && (n.isCalled || strings.EqualFold(owner, n.qualifier)) || inPackage(d.Path, n.qualifier) || slices.Contains(globals, n.qualifier) {
		return false
	}
	return !isKnown()
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
