package extract

import "strings"

// inline finds the anchors inside one line: code in backticks, URLs, commands, paths, identifiers, versions, numbers
// with units.
func inline(s string, found func(string)) {
	for i := 0; i < len(s); {
		if s[i] == '`' {
			if n := strings.IndexByte(s[i+1:], '`'); n > 0 && n <= 200 {
				found(s[i+1 : i+1+n])
				i += n + 2
				continue
			}
			i++
			continue
		}
		if isSpace(s[i]) {
			i++
			continue
		}
		end := i
		for end < len(s) && !isSpace(s[end]) && s[end] != '`' {
			end++
		}
		if n := commandEnd(s[i:]); n > 0 {
			found(s[i : i+n])
		}
		field(s[i:end], s[end:], found)
		i = end
	}
}

func isSpace(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }

// field finds the anchor that a run without spaces is or holds. rest is what follows it.
func field(f, rest string, found func(string)) {
	if i := strings.Index(f, "://"); i > 0 {
		start := i
		for start > 0 && (wordByte(f[start-1]) || f[start-1] == '+') {
			start--
		}
		if start < i {
			found(strings.TrimRight(f[start:], `.,;:!?)]}>'"*`))
			return
		}
	}
	f = strings.Trim(f, `,;!?"'<>[]{}*|=`+"“”‘’„«»")
	f = strings.TrimRight(f, ".:")
	if strings.HasPrefix(f, "(") {
		f = strings.TrimPrefix(f, "(")
		if !strings.Contains(f, "(") {
			f = strings.TrimRight(f, ").,:")
		}
	} else if strings.HasSuffix(f, ")") && !strings.Contains(f, "(") {
		f = strings.TrimRight(f, ").,:")
	}
	if len(f) < 2 || len(f) > longestAnchor {
		return
	}
	switch {
	case quantity(f, rest, found):
	case isPath(f), isIdentifier(f), isVersion(f):
		found(f)
	case strings.ContainsAny(f, ",=:;([|") && !strings.HasPrefix(f, ":"):
		for _, part := range strings.FieldsFunc(f, func(r rune) bool { return strings.ContainsRune(",=;:([])|{}\"'", r) }) {
			if part != f && len(part) > 2 && (isPath(part) || isIdentifier(part) || isVersion(part)) {
				found(part)
			}
		}
	}
}

// units that stand behind a number with a space between.
var units = wordSet(`ms s sec secs seconds second minutes minute min mins hours hour h days day weeks week months years ns µs us kb mb gb tb kib mib gib
	tib bytes byte b bits bit hz khz mhz ghz px pt em rem % percent tokens lines files rows requests req/s rps qps mb/s gb/s kb/s ops/s cores
	threads workers replicas retries connections usd eur dollars km m cm mm kg g °c °f v w kw mbps gbps x fps messages turns items columns users`)

// quantity finds a number with its unit: "150ms", "40 %", "$20", "3.5 GB".
func quantity(f, rest string, found func(string)) bool {
	n := 0
	if f[0] == '$' || f[0] == '~' || f[0] == '-' || f[0] == '+' {
		n++
	} else if strings.HasPrefix(f, "€") || strings.HasPrefix(f, "£") {
		n += len("£")
		if f[0] == 0xE2 {
			n = len("€")
		}
	}
	money := n > 0 && f[0] != '~' && f[0] != '-' && f[0] != '+'
	start := n
	for n < len(f) && (f[n] >= '0' && f[n] <= '9' || (f[n] == '.' || f[n] == ',' || f[n] == '_') && n > start && n+1 < len(f) && f[n+1] >= '0' && f[n+1] <= '9') {
		n++
	}
	if n == start {
		return false
	}
	if n < len(f) {
		if units[strings.ToLower(f[n:])] || money {
			found(f)
			return true
		}
		return false
	}
	if money {
		found(f)
		return true
	}
	next := strings.TrimLeft(rest, " ")
	gap := len(rest) - len(next)
	end := 0
	for end < len(next) && !isSpace(next[end]) && strings.IndexByte(",;.!?)]:", next[end]) < 0 {
		end++
	}
	if gap == 1 && end > 0 && units[strings.ToLower(next[:end])] {
		found(f + rest[:gap+end])
		return true
	}
	return false
}

// isVersion tells "v1.2", "1.26.3", "2026-10-31", "1.0.0-rc1".
func isVersion(f string) bool {
	t := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(f, "^"), "~"), "v")
	if t == "" || t[0] < '0' || t[0] > '9' || len(t) > 40 {
		return false
	}
	dots, dashes, letters := 0, 0, 0
	for i := range len(t) {
		switch b := t[i]; {
		case b >= '0' && b <= '9':
		case b == '.' && i+1 < len(t) && t[i+1] >= '0' && t[i+1] <= '9':
			dots++
		case b == '-':
			dashes++
		case wordByte(b) || b == '+' || b == '.':
			letters++
		default:
			return false
		}
	}
	return dots > 0 && (letters == 0 || dashes > 0 || dots > 1) || dashes == 2 && letters == 0 && len(t) == 10 || dots == 0 && f[0] == 'v' && letters == 0
}

var fileEnds = wordSet(`go mod sum rs py pyi js mjs cjs ts tsx jsx vue svelte java kt kts scala c h cc cpp hpp cs fs rb php swift m mm lua vim sh bash zsh
	fish ps1 bat sql md mdx rst txt json jsonl yaml yml toml ini cfg conf env lock xml html htm css scss less svg png jpg jpeg gif pdf csv tsv
	proto graphql tf hcl dockerfile gradle cmake mk log out diff patch zig ex exs erl hs ml mli clj r jl dart nix db sqlite parquet gz zip tar`)

// isPath tells a path or the name of a file, with a place in it ("a.go:12:3") or not.
func isPath(f string) bool {
	for i := len(f); i > 0; { // a place at the end
		j := strings.LastIndexByte(f[:i], ':')
		if j <= 0 || !isNumber(f[j+1:i]) {
			f = f[:i]
			break
		}
		i = j
		f = f[:i]
	}
	if strings.HasPrefix(f, `\\`) || len(f) > 3 && f[1] == ':' && f[2] == '\\' {
		return true
	}
	slash := strings.IndexByte(f, '/')
	if slash < 0 {
		dot := strings.LastIndexByte(f, '.')
		return dot >= 0 && dot+1 < len(f) && fileEnds[strings.ToLower(f[dot+1:])] && pathBytes(f) && (dot > 0 || len(f) > 3) && !isVersion(f)
	}
	if !pathBytes(f) || strings.Contains(f, "//") {
		return false
	}
	for _, p := range [...]string{"./", "../", "~/", "/"} {
		if strings.HasPrefix(f, p) && len(f) > len(p) && !isNumber(f[len(p):]) {
			return true
		}
	}
	last := f[strings.LastIndexByte(f, '/')+1:]
	if dot := strings.LastIndexByte(last, '.'); dot > 0 && dot+1 < len(last) || strings.HasPrefix(last, ".") && len(last) > 2 {
		return true
	}
	return last == "" && len(f) > 2 || strings.Count(f, "/") > 1 && strings.Trim(f, "0123456789/") != "" || strings.ContainsAny(f, "_@") && f[0] != '@' ||
		f[0] == '@' && slash > 1
}

func pathBytes(f string) bool {
	for i := range len(f) {
		if b := f[i]; b < 0x80 && !wordByte(b) && strings.IndexByte("/.-_@+~#:*[]{}$%", b) < 0 {
			return false
		}
	}
	return true
}

// brands are names that are spelled like code and are none.
var brands = wordSet(`JavaScript TypeScript GitHub GitLab macOS iOS iPadOS iPhone iPad PostgreSQL MySQL MariaDB MongoDB DevOps YouTube LinkedIn OpenAI
	ChatGPT JetBrains IntelliJ PowerShell VSCode WhatsApp FreeBSD GraphQL NoSQL IoT SaaS PaaS eBay WordPress DuckDB CentOS OpenSSL`)

// isIdentifier tells a name in code by its spelling: camelCase, snake_case, a.B, a::b, f(), --flag, @name, $NAME, #12,
// ABC-123, a commit.
func isIdentifier(f string) bool {
	if brands[f] {
		return false
	}
	name, called, _ := strings.Cut(f, "(")
	if len(name) < len(f) && strings.HasSuffix(called, ")") && name != "" {
		return plainName(name) && len(name) > 1 && called != "s)" && called != "es)"
	}
	switch {
	case strings.HasPrefix(f, "--") && len(f) > 3 && plainName(strings.ReplaceAll(f[2:], "-", "_")):
		return true
	case (f[0] == '@' || f[0] == '$') && len(f) > 2 && plainName(f[1:]) && !isNumber(f[1:]):
		return true
	case f[0] == '#' && isNumber(f[1:]):
		return true
	case isTicket(f) || isCommit(f):
		return true
	}
	if !plainName(f) {
		return false
	}
	if strings.Contains(f, "::") {
		return len(strings.Trim(f, ":")) > 1
	}
	if strings.Contains(strings.Trim(f, "_"), "_") || len(f) > 1 && f[0] == '_' && wordByte(f[1]) || strings.HasSuffix(f, "_") && len(f) > 1 {
		return strings.Trim(f, "_0123456789") != ""
	}
	if strings.Contains(f, ".") {
		return dotted(f)
	}
	return camel(f)
}

func plainName(f string) bool {
	for i := range len(f) {
		if b := f[i]; b < 0x80 && !wordByte(b) && b != '.' && b != ':' {
			return false
		}
	}
	return f != "" && (f[0] < '0' || f[0] > '9') && f[0] != '.' && f[0] != ':' && !strings.HasSuffix(f, ".")
}

// camel reports whether a capital stands inside f, plurals of abbreviations aside.
func camel(f string) bool {
	for i := 1; i < len(f); i++ {
		if f[i] < 'A' || f[i] > 'Z' {
			continue
		}
		if f[i-1] >= 'a' && f[i-1] <= 'z' {
			return len(f) > 3
		}
		if i+3 < len(f) && f[i+1] >= 'a' && f[i+1] <= 'z' && f[i+2] >= 'a' && f[i+2] <= 'z' && f[i+3] >= 'a' && f[i+3] <= 'z' {
			return true
		}
	}
	return false
}

// dotted tells "http.Client" and "config.retry.max" from a sentence without a space and from abbreviations.
func dotted(f string) bool {
	parts := strings.Split(f, ".")
	long := false
	for _, p := range parts {
		if p == "" || p[0] >= '0' && p[0] <= '9' {
			return false
		}
		long = long || len(p) > 2
	}
	last := parts[len(parts)-1]
	return long && len(last) > 1 && !stopWords[strings.ToLower(last)] && !stopWords[strings.ToLower(parts[0])]
}

// isTicket tells "ABC-123".
func isTicket(f string) bool {
	head, tail, ok := strings.Cut(f, "-")
	return ok && len(head) > 1 && len(head) < 11 && isNumber(tail) && strings.ToUpper(head) == head && head[0] >= 'A' && head[0] <= 'Z'
}

// isCommit tells a hash in hex from a word and a number.
func isCommit(f string) bool {
	digits := 0
	for i := range len(f) {
		switch b := f[i]; {
		case b >= '0' && b <= '9':
			digits++
		case b < 'a' || b > 'f':
			return false
		}
	}
	return len(f) >= 7 && len(f) <= 64 && digits > 0 && digits < len(f)
}

// Names calls found for each path and identifier of a text, in order; one may be found several times.
func Names(text string, found func(string)) {
	inline(text, func(s string) {
		if isPath(s) || isIdentifier(s) {
			found(s)
		}
	})
}
