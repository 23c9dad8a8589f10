package usage

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	minNameBytes   = 5 // of a compound name
	minDottedBytes = 6 // of a dotted or a quoted one
	maxNameBytes   = 200
)

// identifiers calls yield for each distinctive identifier of a text, some of them more than once:
// compound names (retryCount, retry_count, HTTPServer, TS2345), dotted ones (store.Apply,
// config.yaml), paths with at least a dotted last part or three parts, and the compound parts of
// these; flags (--dry-run); and plain words of six letters or more between quotes or backticks,
// which are prefixed with a backtick, so that they match only quoted words. Household names do not
// count.
func identifiers(text string, yield func(name string)) {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !nameRune(r) {
			i += n
			continue
		}
		start := i
		for i < len(text) && text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z' { // the bulk of most texts
			i++
		}
		for i < len(text) {
			r, n := utf8.DecodeRuneInString(text[i:])
			if !nameRune(r) && !strings.HasPrefix(text[i:], "::") && (i == start || text[i-1] != ':' || r != ':') {
				break
			}
			i += n
		}
		if i-start <= maxNameBytes {
			quoted := start > 0 && i < len(text) && text[start-1] == text[i] && strings.IndexByte("`'\"", text[i]) >= 0
			token(text[start:i], quoted, yield)
		}
	}
}

func nameRune(r rune) bool {
	switch r {
	case '_', '.', '/', '-':
		return true
	case utf8.RuneError:
		return false
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// token yields the distinctive names in a run of name characters.
func token(run string, quoted bool, yield func(name string)) {
	whole := strings.Trim(run, "./-:")
	if !quoted && run[0] != '-' && isPlainWord(whole) || isHousehold(whole) {
		return
	}
	atoms := []string{whole}
	if strings.ContainsAny(whole, "./-:") {
		atoms = strings.FieldsFunc(whole, isSeparator)
	}
	isPath := strings.Contains(whole, "/")
	if len(atoms) == 0 || idioms[atoms[0]] && !isPath {
		return
	}
	switch {
	case isPath:
		pathNames(whole, yield)
	case isFlag(run, whole):
		yield("--" + whole)
	case dotted(whole):
		yield(whole)
	case quoted && len(whole) >= minDottedBytes && letters(whole):
		yield("`" + whole)
	}
	for _, a := range atoms {
		if compound(a) && (len(atoms) == 1 || !isHousehold(a)) {
			yield(a)
		}
	}
}

// isSeparator reports whether a character separates the names of a run.
func isSeparator(r rune) bool { return r == '.' || r == '/' || r == '-' || r == ':' }

// isFlag reports whether a run is a command's flag. whole is the run without its hyphens.
func isFlag(run, whole string) bool {
	return strings.HasPrefix(run, "--") && len(whole) >= minNameBytes && letters(whole)
}

// pathNames yields a path if it is distinctive, and its last part if that is.
func pathNames(whole string, yield func(name string)) {
	last := whole[strings.LastIndexByte(whole, '/')+1:]
	isFile := dotted(last)
	if isFile || strings.Count(whole, "/") >= 2 && letters(whole) {
		yield(whole)
	}
	if isFile && !isHousehold(last) {
		yield(last)
	}
}

// isHousehold reports whether a name, in any case, is a household one.
func isHousehold(name string) bool {
	if len(name) > longestHousehold {
		return false
	}
	var lower [longestHousehold]byte
	for i := range len(name) {
		c := name[i]
		if c >= utf8.RuneSelf {
			return household[strings.ToLower(name)]
		}
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	return household[string(lower[:len(name)])]
}

// isPlainWord reports whether a name is only lower-case ASCII letters, except for the first, like
// most words.
func isPlainWord(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (i > 0 || c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// dotted reports whether a name is two or more names joined by dots or double colons, two of them
// of two letters or more: not "e.g", "v1.2" or "3.14".
func dotted(name string) bool {
	if len(name) < minDottedBytes || !strings.ContainsAny(name, ".:") {
		return false
	}
	long := 0
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '.' || r == ':' }) {
		if len(part) >= 2 && letters(part) {
			long++
		}
	}
	return long >= 2
}

func letters(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// compound reports whether a name without separators consists of several words or is a code:
// retryCount, HTTPServer, retry_count, E0382. A plural s after capitals is not a second word: URLs.
func compound(name string) bool {
	if len(name) < minNameBytes {
		return false
	}
	inner := strings.Trim(name, "_")
	if strings.Contains(inner, "_") && letters(inner) {
		return true
	}
	var buffer [64]rune // longer ones go to the heap
	runes := buffer[:0]
	for _, r := range inner {
		runes = append(runes, r)
	}
	digits := 0
	for i, r := range runes {
		if unicode.IsDigit(r) {
			digits++
		}
		if i == 0 || !unicode.IsUpper(r) {
			continue
		}
		if unicode.IsLower(runes[i-1]) {
			return true
		}
		if unicode.IsUpper(runes[i-1]) && i+2 < len(runes) && unicode.IsLower(runes[i+1]) && unicode.IsLower(runes[i+2]) {
			return true
		}
	}
	return digits >= 3 && len(runes) > 0 && unicode.IsUpper(runes[0])
}

// idioms begin dotted names that every program in some language has.
var idioms = words(`fmt os io strings strconv errors context testing math time bytes sort slices maps sync http json self this
	console Object Array Promise System String Math JSON Number document window process module exports std np pd plt t tb err
	e.g i.e www super cls`)

// longestHousehold is no less than the bytes of any household name.
const longestHousehold = 24

// household are compound in form and identify nothing. Lower case.
var household = words(`javascript typescript github gitlab bitbucket postgresql mysql sqlite mongodb graphql openai
	chatgpt macos linkedin youtube devops nodejs node.js next.js vue.js vscode intellij webassembly github.com gitlab.com
	example.com readme.md package.json package-lock.json tsconfig.json go.mod go.sum main.go main.py main.rs main.c lib.rs
	mod.rs index.js index.ts index.tsx index.html app.js app.py __init__ __init__.py __main__ __name__ requirements.txt
	cargo.toml setup.py pyproject.toml docker-compose.yml tostring foreach settimeout usestate useeffect indexof
	addeventlistener innerhtml stringify hasownproperty println printf errorf instanceof isinstance
	string return import export public private static struct interface function default package boolean integer object
	switch continue method module require include extends implements finally throws
	number result status message config server client values length`)

func words(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}
