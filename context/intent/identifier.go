package intent

import "strings"

// notIdentifiers are names of products and abbreviations that are spelled like code.
var notIdentifiers = set(`JavaScript TypeScript GitHub GitLab macOS iOS iPadOS iPhone iPad PostgreSQL MySQL MariaDB MongoDB DevOps YouTube LinkedIn
	OpenAI ChatGPT JetBrains IntelliJ LaTeX PowerShell CoffeeScript StackOverflow VSCode WhatsApp FreeBSD OpenBSD NetBSD PhD McDonald
	GraphQL NoSQL DoS DDoS IoT SaaS PaaS SoC eBay LibreOffice WordPress DuckDB CentOS RedHat OpenSSL BitBucket`)

// languageWords are keywords and types of languages: even in backticks or before a bracket they
// name nothing.
var languageWords = set(`if else for while do switch case return func function def class struct enum interface type var let const import from export
	package use try catch except finally throw raise new delete in is not and or with as async await yield go defer select match fn pub impl
	static public private protected void int string bool float double char byte long short true false null nil none undefined self this super
	sizeof typeof assert print elif lambda pass break continue end then begin unless until loop mut ref where extends implements any object`)

// everydayCalls are called in all code, so that they are no evidence in pasted code.
var everydayCalls = set(`main get set map filter reduce collect unwrap expect push pop append len new print println printf range open close read write add
	iter into format join split then catch log error str list dict init test describe it route copy cap panic require await sum max min sort
	find update remove insert clone run call apply bind sprintf errorf fatal items keys values next of exit debug info warn assert equal`)

// commitTypes precede a scope in brackets: "fix(parser): …".
var commitTypes = set("feat fix test tests docs doc chore refactor perf style build ci revert")

// isEmphasis reports whether the underscore that begins s is Markdown's: "_works_",
// "_No response_".
func isEmphasis(s string, f field) bool {
	if f.fenced || f.inCode || strings.HasPrefix(s, "__") {
		return false
	}
	if strings.HasSuffix(s, "_") {
		return !strings.Contains(strings.Trim(s, "_"), "_")
	}
	return strings.HasSuffix(f.rest, "_") || strings.Contains(f.rest, "_ ") || strings.Contains(f.rest, "_.")
}

// readIdentifiers calls found for each code-like word of a field.
func readIdentifiers(f field, found func(string)) {
	if f.inCode {
		if id := strings.TrimLeft(f.text, "$@#~*&"); isPlainName(id) && !languageWords[strings.ToLower(id)] {
			found(id)
			return
		}
	}
	text := f.text
	for i := 0; i < len(text); {
		if !isIdent(text[i]) && text[i] != '$' {
			i++
			continue
		}
		start := i
		i = identifierEnd(text, i)
		if start > 0 && text[start-1] == '.' { // a chain without its owner: each part separately
			if dot := strings.IndexByte(text[start:i], '.'); dot > 0 {
				i = start + dot
			}
		}
		name := text[start:i]
		hyphened := start > 0 && text[start-1] == '-' && !strings.HasPrefix(text, "--") || i < len(text) && text[i] == '-'
		if isCodeLike(name, hyphened, f) || i == len(text) && f.after == '(' && isCall(name, f) {
			found(strings.TrimLeft(name, "$"))
		}
	}
}

// identifierEnd returns the end of the identifier at i, including the parts joined by '.', '::' or
// '#'.
func identifierEnd(s string, i int) int {
	for {
		for i < len(s) && (isIdent(s[i]) || s[i] == '$' || s[i] >= 0x80) {
			i++
		}
		joint := 0
		switch {
		case strings.HasPrefix(s[i:], "::"):
			joint = 2
		case i < len(s) && (s[i] == '.' || s[i] == '#'):
			joint = 1
		}
		if joint == 0 || i+joint >= len(s) || !isIdent(s[i+joint]) || isDigit(s[i+joint]) {
			return i
		}
		i += joint
	}
}

// isPlainName reports whether s, alone in backticks, names something: two characters or more, a
// letter among them, and only characters of names. "--flags" and numbers are not names.
func isPlainName(s string) bool {
	letters := 0
	for i := range len(s) {
		switch c := s[i]; {
		case isLower(c) || isUpper(c) || c >= 0x80:
			letters++
		case i == 0 && c != '_':
			return false
		case !isIdent(c) && c != '.' && c != ':' && c != '-' && c != '#' && c != '$':
			return false
		}
	}
	return letters > 0 && len(s) > 1
}

// isCodeLike distinguishes an identifier from a word by its spelling.
func isCodeLike(s string, hyphened bool, f field) bool {
	if len(s) < 3 || len(s) > 200 || isDigit(s[0]) || notIdentifiers[s] {
		return false
	}
	if s[0] == '$' {
		return !isDigit(s[1]) && !strings.Contains(s[1:], "$")
	}
	if strings.Contains(s, "::") {
		return true
	}
	if strings.ContainsAny(s, ".#") {
		return isDotted(s)
	}
	if s[0] == '_' && isEmphasis(s, f) {
		return false
	}
	if strings.Contains(strings.Trim(s, "_"), "_") || s[0] == '_' && s[1] != '_' || strings.HasPrefix(s, "__") && strings.Trim(s, "_") != "" {
		return strings.Trim(s, "_0123456789") != ""
	}
	return !hyphened && isCamel(s)
}

// isCamel reports whether s has inner capitals: "camelCase", "HTTPServer", but not plurals of
// abbreviations ("URLs", "IDs").
func isCamel(s string) bool {
	for i := 1; i < len(s); i++ {
		if !isUpper(s[i]) {
			continue
		}
		if isLower(s[i-1]) || isDigit(s[i-1]) && i > 1 && strings.Trim(s[:i], "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return true
		}
		if i+3 < len(s) && isLower(s[i+1]) && isLower(s[i+2]) && isLower(s[i+3]) {
			return true
		}
	}
	return false
}

// isDotted distinguishes "http.Client" from a sentence without a space after its dot, from
// abbreviations ("e.g") and from hosts.
func isDotted(s string) bool {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '.' || r == '#' })
	if len(parts) < 2 || brands[strings.ToLower(s)] {
		return false
	}
	long := false
	for _, p := range parts {
		if p == "" || isDigit(p[0]) {
			return false
		}
		long = long || len(p) > 2
	}
	last := parts[len(parts)-1]
	switch {
	case extensions[last] && !memberExtensions[last]:
		return false
	case !long || len(last) < 2 && len(parts) == 2:
		return false
	case domains[last] && strings.ToLower(s) == s:
		return false
	case len(parts) == 2 && isUpper(last[0]) && (stopWords[strings.ToLower(last)] || stopWords[strings.ToLower(parts[0])]):
		return false
	}
	return true
}

// isCall reports whether name, which is followed by a bracket, is a call. In prose a bracket may
// enclose a plural ("file(s)") or a remark.
func isCall(name string, f field) bool {
	last := name[strings.LastIndexAny(name, ".:")+1:]
	if len(last) < 2 || isDigit(last[0]) || languageWords[last] {
		return false
	}
	inside, _, closed := strings.Cut(f.rest[1:], ")")
	if f.fenced {
		return !everydayCalls[last]
	}
	if commitTypes[name] && strings.HasPrefix(f.rest[1+len(inside):], "):") {
		return false
	}
	switch inside {
	case "s", "es", "ies", "d", "ed", "r", "n":
		return false
	}
	return closed && len(inside) <= 80 && (!strings.Contains(inside, " ") || strings.ContainsAny(inside, ",\"'=.:_&*"))
}
