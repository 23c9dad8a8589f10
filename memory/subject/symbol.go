package subject

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// symbol adds the name that a token consists of, qualified or not, and reports whether it is one.
func (c *collector) symbol(s string, t token) bool {
	s = strings.Trim(s, ".#")
	if s == "" || len(s) > maxNameBytes || !isChain(s) {
		return false
	}
	parts := Mention{Symbol, s}.parts()
	var ok bool
	if len(parts) == 1 {
		ok = isSymbol(s, t)
	} else {
		ok = isQualified(s, parts, t)
	}
	if ok {
		c.add(Symbol, s)
	}
	return ok
}

// isChain reports whether s consists of identifiers joined by separators (. :: -> #).
func isChain(s string) bool {
	for {
		end := strings.IndexFunc(s, func(r rune) bool { return !isIdentRune(r) })
		if end == 0 || s == "" || isDigit(s[0]) {
			return false
		}
		if end < 0 {
			return true
		}
		s = s[end:]
		switch {
		case strings.HasPrefix(s, "::") || strings.HasPrefix(s, "->"):
			s = s[2:]
		case s[0] == '.' || s[0] == '#':
			s = s[1:]
		default:
			return false
		}
	}
}

// isSymbol reports whether an unqualified identifier is a name in code.
func isSymbol(s string, t token) bool {
	word := strings.Trim(s, "_$")
	switch {
	case utf8.RuneCountInString(word) < 2 || keywords[s]:
		return false
	case isCompound(s):
		return true
	case t.where == inline:
		return true
	case t.where == fenced:
		return declares[t.before] || t.called > 0 && len(s) > 2 && !builtins[s]
	}
	return t.called == 2 && !functionWords[strings.ToLower(s)]
}

// isQualified reports whether a qualified identifier is a name in code, rather than two sentences
// without a space between them, a host or an abbreviation.
func isQualified(s string, parts []string, t token) bool {
	distinct := slices.ContainsFunc(parts, startsUpper) || slices.ContainsFunc(parts, isCompound)
	evident := t.called > 0 || distinct || len(parts) > 2
	if t.where != prose {
		return t.where == inline || evident
	}
	if slices.ContainsFunc(parts, isSingleRune) {
		return false
	}
	switch {
	case strings.Contains(s, "::"):
		return true
	case strings.ContainsAny(s, "#>"):
		return distinct || t.called > 0
	}
	return evident && !isWebName(parts, t) && !titles[strings.ToLower(parts[0])] && !isProse(parts, t)
}

func isSingleRune(s string) bool { return utf8.RuneCountInString(s) < 2 }

// isWebName reports whether a dotted name is a host, or a product named like a file: Node.js.
func isWebName(parts []string, t token) bool {
	first, last := parts[0], parts[len(parts)-1]
	return t.called == 0 && topDomains[strings.ToLower(last)] || len(parts) == 2 && last == "js" && products[strings.ToLower(first)]
}

// isProse reports whether a dotted name is the end of one sentence and the start of the next,
// judging by its function words.
func isProse(parts []string, t token) bool {
	if t.called > 0 {
		return false
	}
	first := parts[0]
	if functionWords[strings.ToLower(first)] && !selves[first] {
		return true
	}
	isFunctionWord := func(p string) bool { return functionWords[strings.ToLower(p)] }
	return slices.ContainsFunc(parts[1:], isFunctionWord) && !slices.ContainsFunc(parts, isCompound)
}

func startsUpper(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

// isCompound reports whether an identifier joins several words in a way that prose does not:
// snake_case, camelCase, PascalCase.
func isCompound(s string) bool {
	if dunders[s] {
		return true
	}
	s = strings.Trim(s, "_$")
	if strings.Contains(s, "_") {
		return isSnake(s)
	}
	if len(s) < 5 || brands[strings.ToLower(s)] {
		return false
	}
	humps, digits, shortest := 0, 0, len(s)
	start := 0
	runes := []rune(s)
	for i := 1; i <= len(runes); i++ {
		if i < len(runes) && unicode.IsDigit(runes[i]) {
			digits++
		}
		if i < len(runes) && !humpBegins(runes, i) {
			continue
		}
		humps++
		shortest = min(shortest, i-start)
		start = i
	}
	switch {
	case humps < 2 || isPlural(s) || isSurname(s, humps):
		return false
	case len(s) >= 16 && (digits*3 > len(s) || humps*3 > len(s)):
		return false // a key or a hash
	}
	return unicode.IsLower(runes[0]) || shortest > 1 || humps > 2
}

// humpBegins reports whether a word of a compound begins at i: userName, HTTPServer.
func humpBegins(s []rune, i int) bool {
	if !unicode.IsUpper(s[i]) {
		return false
	}
	return !unicode.IsUpper(s[i-1]) || i+1 < len(s) && unicode.IsLower(s[i+1]) && (s[i+1] != 's' || i+2 < len(s))
}

func isSnake(s string) bool {
	longest := 0
	for p := range strings.SplitSeq(s, "_") {
		if strings.ContainsFunc(p, unicode.IsLetter) {
			longest = max(longest, len(p))
		}
	}
	return longest > 1 && len(s) > 3 && len(s) <= 80
}

// isPlural reports whether s is the plural of an abbreviation: URLs, PDFs.
func isPlural(s string) bool {
	return strings.HasSuffix(s, "s") && strings.ToUpper(s[:len(s)-1]) == s[:len(s)-1]
}

// isSurname reports whether s is a person's name rather than a type's: McKinsey, DeBruijn.
func isSurname(s string, humps int) bool {
	if humps != 2 {
		return false
	}
	for _, p := range []string{"Mc", "Mac", "De", "Di", "Du", "La", "Le", "Van", "Fitz"} {
		if rest, ok := strings.CutPrefix(s, p); ok && startsUpper(rest) {
			return true
		}
	}
	return false
}
