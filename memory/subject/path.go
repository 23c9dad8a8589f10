package subject

import (
	"path"
	"strings"
	"unicode"
)

// path adds the file or folder that a token names, and reports whether it names one.
func (c *collector) path(t token) bool {
	s, symbol := withoutPlace(strings.TrimLeft(t.text, "-+:#"))
	if c.pathsOnly {
		symbol = ""
	}
	if len(s) < 3 || len(s) > maxPathBytes || strings.HasPrefix(s, "~") || isAddress(s) {
		return false
	}
	if !strings.ContainsAny(s, `/\`) {
		if t.called > 0 || !isBareFile(s) && (t.where != inline || !plainNames[s]) {
			return false
		}
		c.add(Path, s)
		c.add(Symbol, symbol)
		return true
	}
	s = strings.ReplaceAll(s, `\`, "/")
	if t.isInDiff(s) {
		s = withoutSide(s)
	}
	if strings.HasPrefix(s, "/") || hasDrive(s) {
		c.absolute(path.Clean(s))
		return true
	}
	if p := below(s); isPath(p, s, t.where) {
		c.add(Path, p)
		c.add(Symbol, symbol)
		return true
	}
	return false
}

// isAddress reports whether a token is an address, or a package with its version.
func isAddress(s string) bool {
	at := strings.IndexByte(s, '@')
	return at > 0 && s[at-1] != '/'
}

// isInDiff reports whether a path is in the header of a diff: after ---, +++ or --git, or after the
// path of the other side.
func (t token) isInDiff(p string) bool {
	switch t.before {
	case "---", "+++", "--git":
		return true
	}
	return strings.HasPrefix(t.before, "a/") && strings.HasPrefix(p, "b/")
}

// withoutSide returns a path of a diff without its prefix a/ or b/.
func withoutSide(s string) string {
	if rest, ok := strings.CutPrefix(s[1:], "/"); ok && (s[0] == 'a' || s[0] == 'b') {
		return rest
	}
	return s
}

// withoutPlace removes from a path the line (:12, :12:7, #L3-L9) or the name within the file
// (::test_x) that follows it.
func withoutPlace(s string) (p, symbol string) {
	if i := strings.Index(s, "::"); i > 0 && strings.ContainsRune(s[:i], '.') && isFileName(path.Base(s[:i]), true) {
		symbol = strings.ReplaceAll(s[i+2:], "::", ".")
		if !isChain(symbol) {
			symbol = ""
		}
		return s[:i], symbol
	}
	if i := strings.IndexByte(s, '#'); i > 0 {
		s = s[:i]
	}
	from := 0
	if len(s) > 2 && s[1] == ':' && isLetter(s[0]) {
		from = 2 // a drive
	}
	if i := strings.IndexByte(s[from:], ':'); i > 0 && !strings.ContainsAny(s[from+i:], `/\`) {
		s = s[:from+i]
	}
	return s, ""
}

// isPath reports whether a string with a separator is a path; p is cleaned, s as written.
func isPath(p, s string, w where) bool {
	parts := strings.Split(p, "/")
	for _, part := range parts {
		if !isComponent(part) {
			return false
		}
	}
	first, last := parts[0], parts[len(parts)-1]
	explicit := strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../")
	switch {
	case p == "" || !explicit && isDomain(first):
		return false
	case explicit || isFileName(last, true):
		return true
	case strings.HasSuffix(s, "/"):
		return len(parts) > 1 || w != prose && len(p) > 2
	}
	// Folders count only in backticks, and only if they do not look like something else.
	if w != inline || len(parts) < 2 || notFolders[first] || slashWords[strings.ToLower(p)] || len(parts[0]) < 2 {
		return false
	}
	for _, part := range parts {
		if !strings.ContainsFunc(part, unicode.IsLower) {
			return false
		}
	}
	return true
}

// isComponent reports whether a string may be a component of a path.
func isComponent(s string) bool {
	if s == "" || len(s) > 128 {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return !isIdentRune(r) && !strings.ContainsRune(".-@+~[]()%", r) })
}

// isDomain reports whether a path's first component is a host: example.com/x.html is not a file of
// the workspace.
func isDomain(s string) bool {
	i := strings.LastIndexByte(s, '.')
	return i > 0 && topDomains[s[i+1:]] || strings.HasPrefix(s, "localhost")
}

// isBareFile reports whether a token without a separator is the name of a file.
func isBareFile(s string) bool {
	if !isComponent(s) || strings.Contains(s, "..") {
		return false
	}
	return isFileName(s, false)
}

// isFileName reports whether a name is typical of files, by its extension or as a whole. Within a
// path more extensions are accepted.
func isFileName(s string, inPath bool) bool {
	if bareNames[s] || inPath && plainNames[s] {
		return true
	}
	dot := strings.LastIndexByte(s, '.')
	if dot < 0 {
		return false
	}
	stem, ext := s[:dot], s[dot+1:]
	if stem == "" {
		return inPath || dotFiles[ext]
	}
	if !extensions[ext] && !(inPath && pathExtensions[ext]) {
		return false
	}
	letters := strings.ContainsFunc(stem, unicode.IsLetter)
	switch {
	case inPath:
		return true
	case !letters || len(ext) == 1 && len(stem) == 1:
		return false // 3.c, a.m
	case ext == "js" && products[strings.ToLower(stem)]:
		return false
	}
	return true
}
