package secrets

import "strings"

const (
	assignedPassword = "assigned-password"
	assignedSecret   = "assigned-secret"
)

// assigned is a name and what is given to it.
type assignedTo struct {
	name  string
	value span
	form  form
	kind  kind
}

// form is how a value is given to its name; the less it looks like program text, the less the value must prove.
type form int

const (
	// expression is a value without quotes in the middle of a line: in most cases a name, a number, a call.
	expression form = iota
	// argument is a quoted value behind a quoted name and a comma: two arguments, or two items of a list.
	argument
	// quoted is a string that is given to a name.
	quoted
	// setting is a value without quotes that takes a line of its own, as in .env and .properties files, or stands in a
	// connection string.
	setting
)

// kind is what the name says that its value is.
type kind int

const (
	noSecret kind = iota
	aPassword
	aSecret // a key or a token
	anAuth  // base64 of a name and a password, or a token
)

// assignmentOf matches at a word such as password or key within a name, and looks for the value that the name is given.
func assignmentOf(c *scan, start, end int) {
	a, ok := readAssignment(c.text, start, end)
	if !ok {
		return
	}
	value := c.text[a.value.start:a.value.end]
	if !a.convinces(value) {
		return
	}
	rule := assignedSecret
	if a.kind == aPassword {
		rule = assignedPassword
	}
	c.add(rule, rankGeneric, a.value.start, a.value.end)
}

// readAssignment reads the name around a word and the value behind it.
func readAssignment(text string, start, end int) (assignedTo, bool) {
	right := forward(text, end, 24, nameBytes)
	if right < len(text) && right-end == 24 {
		return assignedTo{}, false
	}
	left := backward(text, start, 64, nameBytes)
	if left > 0 && escape(text, left) {
		left++ // the n of \n
	}
	a := assignedTo{name: text[left:right]}
	if a.kind = kindOf(strings.TrimRight(a.name, ".-_0123456789")); a.kind == noSecret {
		return a, false
	}
	if a.name == "PASS" && right < len(text) && text[right] == ':' {
		return a, false // a test's verdict
	}
	ok := a.readValue(text, left, right)
	return a, ok && a.value.end > a.value.start && a.value.end-a.value.start <= maxValue
}

// kindOf says what a name calls its value. What counts is how the name ends: a password_field is none.
func kindOf(name string) kind {
	var buf [96]byte
	plain := buf[:0]
	for i := range len(name) {
		if b := name[i]; b != '_' && b != '-' && b != '.' {
			if isUpper(b) {
				b |= 0x20
			}
			plain = append(plain, b)
		}
	}
	text := string(plain)
	for _, e := range endings {
		if !strings.HasSuffix(text, e.text) {
			continue
		}
		if e.alone && !endsWithPart(name, len(e.text)) {
			continue
		}
		for _, not := range e.but {
			if strings.HasSuffix(text, not) {
				return noSecret
			}
		}
		return e.kind
	}
	return noSecret
}

// endsWithPart says whether the last n letters of a name are a word of their own in it.
func endsWithPart(name string, n int) bool {
	at := len(name) - n
	if at <= 0 {
		return at == 0
	}
	return !isLetter(name[at-1]) || isUpper(name[at]) && !isUpper(name[at-1])
}

// endings are how the names of secrets end, without their signs and in lower case; the first that fits decides.
var endings = []struct {
	text  string
	kind  kind
	alone bool     // it must be a word of its own in the name
	but   []string // longer endings that are no secrets
}{
	{text: "password", kind: aPassword, but: []string{"forgotpassword", "resetpassword", "changepassword", "nopassword"}},
	{text: "passwd", kind: aPassword},
	{text: "passphrase", kind: aPassword},
	{text: "passwort", kind: aPassword},
	{text: "passcode", kind: aPassword},
	{text: "pwd", kind: aPassword, alone: true},
	{text: "pass", kind: aPassword, alone: true, but: []string{"bypass", "compass"}},
	{text: "pw", kind: aPassword, alone: true},
	{text: "passe", kind: aPassword, alone: true},
	{text: "apikey", kind: aSecret},
	{text: "apikeys", kind: aSecret},
	{text: "accesskey", kind: aSecret},
	{text: "secretkey", kind: aSecret},
	{text: "privatekey", kind: aSecret},
	{text: "accountkey", kind: aSecret},
	{text: "encryptionkey", kind: aSecret},
	{text: "signingkey", kind: aSecret},
	{text: "masterkey", kind: aSecret},
	{text: "authkey", kind: aSecret},
	{text: "servicekey", kind: aSecret},
	{text: "storagekey", kind: aSecret},
	{text: "adminkey", kind: aSecret},
	{text: "rootkey", kind: aSecret},
	{text: "clientkey", kind: aSecret},
	{text: "licensekey", kind: aSecret},
	{text: "sshkey", kind: aSecret},
	{text: "deploykey", kind: aSecret},
	{text: "jwtkey", kind: aSecret},
	{text: "hmackey", kind: aSecret},
	{text: "appkey", kind: aSecret},
	{text: "applicationkey", kind: aSecret},
	{text: "sharedkey", kind: aSecret},
	{text: "presharedkey", kind: aSecret},
	{text: "secretaccess", kind: aSecret},
	{text: "secretkeybase", kind: aSecret},
	{text: "keybase", kind: aSecret},
	{text: "secret", kind: aSecret},
	{text: "secrets", kind: aSecret},
	{text: "token", kind: aSecret, but: []string{"csrftoken", "pagetoken", "nexttoken", "continuationtoken", "canceltoken", "cancellationtoken", "synctoken", "resumetoken", "publickeytoken"}},
	{text: "authorization", kind: anAuth},
	{text: "auth", kind: anAuth, alone: true},
	{text: "credential", kind: aSecret},
	{text: "credentials", kind: aSecret},
}

// readValue finds the operator behind a name that ends at i, and the value.
func (a *assignedTo) readValue(text string, left, i int) bool {
	name := i
	i = skipQuote(text, i)
	closed := i > name
	blank := forward(text, i, 32, bytesOfBlanks)
	if blank == len(text) {
		return false
	}
	op := text[blank]
	if j := paired(text, i); j > 0 {
		return a.pair(text, j)
	}
	switch {
	case op == '=' || op == ':':
		i = forward(text, blank, 3, bytesOfEquals)
	case op == '>' && !closed:
		return a.element(text, blank+1)
	case op == ',' && closed, op == '(' && !closed && blank == i:
		i = forward(text, blank+1, 8, bytesOfBlanks)
		if i = skipQuote(text, i); i == forward(text, blank+1, 8, bytesOfBlanks) {
			return false
		}
		a.form = argument
		if op == '(' && a.kind == aPassword {
			a.form = quoted
		}
		return a.string(text, i)
	case blank > i && op == '|' && !closed:
		return a.loose(text, forward(text, blank+1, 8, bytesOfBlanks))
	case blank > i && !closed:
		if eq := declared(text, blank); eq > 0 {
			i = eq
			break
		}
		return a.flag(text, left, blank)
	default:
		return false
	}
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
	return a.bare(text, left, i, at, op)
}

var (
	bytesOfBlanks = bytesOf(blanks)
	bytesOfEquals = bytesOf("=:")
	emphasis      = bytesOf(blanks + "*")
	typeBytes     = bytesOf(letters + digits + blanks + "_.&'*[]<>?|")
)

// declared is where the value begins when a type stands at i and an equals sign behind it: `password: string = "x"`.
func declared(text string, i int) int {
	j := forward(text, i, 40, typeBytes)
	if j > i && j+1 < len(text) && text[j] == '=' && text[j+1] != '=' {
		return j + 1
	}
	return 0
}

// skipQuote steps over a quote at i, escaped or not, single or triple.
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

// string takes the value from i to the quote that stands before it, escaped as often as that one is.
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
				k++ // a quote within the value
			}
			j = k - 1
		case mark:
			a.value = span{i, j}
			return true
		}
	}
	a.value = span{i, limit}
	return limit == len(text) // cut off
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

// paired is where the value of a pair begins, as lists of settings have them: `{name: X, value: y}`; 0 when the text at i
// is no such thing.
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

// flag takes the value of `--password value`, of `password value` in a .netrc file, and of `password "value"`.
func (a *assignedTo) flag(text string, left, i int) bool {
	line := text[max(0, left-200):left]
	if strings.HasPrefix(a.name, "--") || strings.Contains(line, "login ") || strings.Contains(line, "machine ") {
		a.form = setting
		a.value = span{i, forward(text, i, maxValue, unquotedBytes)}
		return true
	}
	return a.loose(text, i)
}

// loose takes what stands behind a name without an operator: "the password is x", a cell of a table.
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

// unquotedBytes may stand in a value without quotes.
var unquotedBytes = func() *set {
	var s set
	for b := '!'; b < 256; b++ {
		s[b] = !strings.ContainsRune("\"'`\\;,", b) || b >= 0x80
	}
	return &s
}()

// entity is a quote in HTML.
const entity = "&quot;"

// bare takes a value without quotes, and says whether its line is one of a program or of a list of settings.
func (a *assignedTo) bare(text string, left, operator, at int, op byte) bool {
	if value, ok := strings.CutPrefix(text[at:min(len(text), at+maxValue)], entity); ok {
		if n := strings.Index(value, entity); n > 0 {
			a.value, a.form = span{at + len(entity), at + len(entity) + n}, quoted
			return true
		}
	}
	stop := forward(text, at, maxValue, unquotedBytes)
	if op == '=' && stop > at {
		if n := strings.IndexByte(text[at:stop], '&'); n > 0 && operator == at { // a query's parameter
			stop = at + n
		}
	}
	stop = at + len(untag(text[at:stop]))
	a.value = span{at, stop}
	before := text[max(0, left-64):left]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	rest := text[stop:min(len(text), stop+2)]
	ends := rest == "" || rest[0] == '\n' || rest[0] == '\r' || strings.HasPrefix(rest, `\n`) || strings.HasPrefix(rest, `\r`)
	wraps := left > 0 && stop < len(text) && text[left-1] == text[stop] && (text[stop] == '"' || text[stop] == '\'')
	opens := strings.Trim(before, " \t-\"'") == "" || strings.HasSuffix(strings.TrimSpace(before), "export") ||
		strings.HasSuffix(strings.TrimSpace(before), "ENV") || strings.HasSuffix(before, `\n`)
	switch {
	case op == '=' && operator == at && (opens && ends || rest != "" && (rest[0] == ';' || rest[0] == ' ' || rest[0] == '&' || rest[0] == '"')):
		a.form = setting
	case opens && ends, wraps:
		a.form = setting
	default:
		a.form = expression
	}
	return true
}

// untag is a value without what closes the element, the parentheses or the brackets around it.
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
