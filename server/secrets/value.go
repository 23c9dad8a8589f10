package secrets

import "strings"

// readValue finds the operator after a name that ends at i, and the value. It reports whether both
// exist.
func (a *assignedTo) readValue(text string, left, i int) bool {
	name := i
	i = skipQuote(text, i)
	closed := i > name // the name is in quotes
	blank := forward(text, i, 32, bytesOfBlanks)
	if blank == len(text) {
		return false
	}
	if j := paired(text, i); j > 0 {
		return a.pair(text, j)
	}
	op := text[blank]
	switch {
	case op == '=' || op == ':':
		return a.assigned(text, left, forward(text, blank, 3, bytesOfEquals), op)
	case closed:
		return op == ',' && a.argument(text, forward(text, blank+1, 8, bytesOfBlanks), op)
	case op == '>':
		return a.element(text, blank+1)
	case blank == i:
		return op == '(' && a.argument(text, forward(text, blank+1, 8, bytesOfBlanks), op)
	case op == '|':
		return a.loose(text, forward(text, blank+1, 8, bytesOfBlanks))
	}
	if eq := declared(text, blank); eq > 0 {
		return a.assigned(text, left, eq, op)
	}
	return a.flag(text, left, blank)
}

// assigned parses the value after the operator op, which ends at i.
func (a *assignedTo) assigned(text string, left, i int, op byte) bool {
	at := forward(text, i, 32, emphasis)
	if at < len(text) && text[at] == '>' {
		at = forward(text, at+1, 8, bytesOfBlanks) // =>
	}
	if inner := skipQuote(text, at); inner > at {
		a.form = quoted
		return a.string(text, inner)
	}
	if op == ':' {
		if eq := declared(text, at); eq > 0 {
			at = forward(text, eq, 8, bytesOfBlanks)
			inner := skipQuote(text, at)
			a.form = quoted
			return inner > at && a.string(text, inner)
		}
	}
	a.bare(text, left, at, op == '=' && i == at)
	return true
}

var (
	bytesOfBlanks = bytesOf(blanks)
	bytesOfEquals = bytesOf("=:")
	emphasis      = bytesOf(blanks + "*")
	typeBytes     = bytesOf(letters + digits + blanks + "_.&'*[]<>?|")
)

// declared returns where the value begins if there is a type at i and an equals sign after it:
// `password: string = "x"`.
func declared(text string, i int) int {
	j := forward(text, i, 40, typeBytes)
	if j > i && j+1 < len(text) && text[j] == '=' && text[j+1] != '=' {
		return j + 1
	}
	return 0
}

// skipQuote skips a quote at i, escaped or not, single or triple.
func skipQuote(text string, i int) int {
	j := forward(text, i, 8, bytesOfBackslash)
	if j == len(text) || text[j] != '"' && text[j] != '\'' && text[j] != '`' {
		return i
	}
	if j+2 < len(text) && text[j+1] == text[j] && text[j+2] == text[j] {
		return j + 3
	}
	return j + 1
}

var bytesOfBackslash = bytesOf(`\`)

// string takes the value from i to the quote that stands before it, escaped as often as that one
// is.
func (a *assignedTo) string(text string, i int) bool {
	mark := text[i-1]
	depth := i - 1 - backward(text, i-1, 8, bytesOfBackslash)
	limit := min(len(text), i+maxValue+1)
	for j := i; j < limit; j++ {
		switch text[j] {
		case '\n', '\r':
			return false
		case '\\':
			k := forward(text, j, limit-j, bytesOfBackslash)
			if depth > 0 && k < limit && text[k] == mark && k-j <= depth {
				a.value = span{i, j}
				return true
			}
			if k < limit && text[k] == mark && (depth > 0 || (k-j)%2 == 1) {
				k++ // a quote inside the value
			}
			j = k - 1
		case mark:
			a.value = span{i, j}
			return true
		}
	}
	a.value = span{i, limit}
	return limit == len(text) // truncated
}

// element takes the value of `<password>value</password>`.
func (a *assignedTo) element(text string, i int) bool {
	n := strings.IndexByte(text[i:min(len(text), i+maxValue)], '<')
	if n <= 0 || i+n+1 >= len(text) || text[i+n+1] != '/' || strings.ContainsAny(text[i:i+n], "\r\n") {
		return false
	}
	a.value, a.form = span{i, i + n}, quoted
	return true
}

// argument takes the string at i, which follows a name and a comma, or an opening parenthesis.
func (a *assignedTo) argument(text string, i int, op byte) bool {
	inner := skipQuote(text, i)
	if inner == i {
		return false
	}
	a.form = argument
	if op == '(' && a.kind == aPassword {
		a.form = quoted
	}
	return a.string(text, inner)
}

// paired is where the value of a pair begins, as lists of settings have them: `{name: X, value:
// y}`; 0 when the text at i is no such thing.
func paired(text string, i int) int {
	j := forward(text, i, 40, pairBytes)
	if j == i || j+6 >= len(text) || !strings.EqualFold(text[j:j+5], "value") {
		return 0
	}
	j = skipQuote(text, j+5)
	if j = forward(text, j, 4, bytesOfBlanks); text[min(j, len(text)-1)] != ':' && text[min(j, len(text)-1)] != '=' {
		return 0
	}
	return forward(text, j+1, 8, bytesOfBlanks)
}

var pairBytes = bytesOf(blanks + breaks + ",\"'\\")

// pair takes the value of a pair.
func (a *assignedTo) pair(text string, i int) bool {
	if inner := skipQuote(text, i); inner > i {
		a.form = quoted
		return a.string(text, inner)
	}
	a.form = setting
	a.value = span{i, forward(text, i, maxValue, unquotedBytes)}
	return true
}

// flag takes the value of `--password value`, of `password value` in a .netrc file, and of
// `password "value"`.
func (a *assignedTo) flag(text string, left, i int) bool {
	line := text[max(0, left-200):left]
	if strings.HasPrefix(a.name, "--") || strings.Contains(line, "login ") || strings.Contains(line, "machine ") {
		a.form = setting
		a.value = span{i, forward(text, i, maxValue, unquotedBytes)}
		return true
	}
	return a.loose(text, i)
}

// loose takes the value after a name without an operator: "the password is x", a cell of a table.
func (a *assignedTo) loose(text string, i int) bool {
	for _, word := range []string{"is ", "by ", "was ", "to "} {
		if strings.HasPrefix(text[i:], word) {
			i += len(word)
		}
	}
	if inner := skipQuote(text, i); inner > i {
		a.form = argument
		return a.string(text, inner)
	}
	a.value = span{i, forward(text, i, maxValue, unquotedBytes)}
	for a.value.end > i && strings.IndexByte(".:!?)*", text[a.value.end-1]) >= 0 {
		a.value.end--
	}
	return true
}

// unquotedBytes are allowed in a value without quotes.
var unquotedBytes = func() *set {
	var s set
	for b := '!'; b < 256; b++ {
		s[b] = !strings.ContainsRune("\"'`\\;,", b) || b >= 0x80
	}
	return &s
}()

// entity is a quotation mark in HTML.
const entity = "&quot;"

// bare parses the value without quotes at at, and decides whether it is part of a program or of a
// list of settings. It is tight if it follows its equals sign without a blank.
func (a *assignedTo) bare(text string, left, at int, tight bool) {
	if value, ok := inEntities(text, at); ok {
		a.value, a.form = value, quoted
		return
	}
	stop := forward(text, at, maxValue, unquotedBytes)
	if tight {
		if n := strings.IndexByte(text[at:stop], '&'); n > 0 { // a query parameter
			stop = at + n
		}
	}
	stop = at + len(untag(text[at:stop]))
	a.value, a.form = span{at, stop}, expression
	if opensLine(text, left) && endsLine(text, stop) || isWrapped(text, left, stop) ||
		tight && (isParameter(text, left) || endsSetting(text, stop)) {
		a.form = setting
	}
}

// inEntities returns the value at i between two HTML quotation marks.
func inEntities(text string, i int) (span, bool) {
	value, ok := strings.CutPrefix(text[i:min(len(text), i+maxValue)], entity)
	if !ok {
		return span{}, false
	}
	n := strings.Index(value, entity)
	start := i + len(entity)
	return span{start, start + n}, n > 0
}

// opensLine reports whether a name at left is the first on its line, after blanks, quotes, a dash,
// export or ENV.
func opensLine(text string, left int) bool {
	before := text[max(0, left-64):left]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	if strings.Trim(before, " \t-\"'") == "" || strings.HasSuffix(before, `\n`) {
		return true
	}
	before = strings.TrimSpace(before)
	return strings.HasSuffix(before, "export") || strings.HasSuffix(before, "ENV")
}

// endsLine reports whether the line, or that of an escaped text, ends at i.
func endsLine(text string, i int) bool {
	rest := text[i:min(len(text), i+2)]
	return rest == "" || rest[0] == '\n' || rest[0] == '\r' || rest == `\n` || rest == `\r`
}

// isWrapped reports whether text[left:stop] is between two quotes.
func isWrapped(text string, left, stop int) bool {
	return left > 0 && stop < len(text) && text[left-1] == text[stop] && (text[stop] == '"' || text[stop] == '\'')
}

// isParameter reports whether a name at left is that of a query parameter.
func isParameter(text string, left int) bool {
	return left > 0 && (text[left-1] == '?' || text[left-1] == '&')
}

// endsSetting reports whether the text after a value at i separates settings on one line.
func endsSetting(text string, i int) bool {
	return i < len(text) && strings.IndexByte("; &\"", text[i]) >= 0
}

// untag returns a value without the closing tag, parentheses or brackets around it.
func untag(value string) string {
	if i := strings.Index(value, "</"); i >= 0 {
		value = value[:i]
	}
	for _, pair := range []string{"()", "[]", "{}"} {
		for strings.HasSuffix(value, pair[1:]) && strings.Count(value, pair[:1]) < strings.Count(value, pair[1:]) {
			value = value[:len(value)-1]
		}
	}
	return value
}
