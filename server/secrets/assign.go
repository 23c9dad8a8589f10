package secrets

import "strings"

const (
	assignedPassword = "assigned-password"
	assignedSecret   = "assigned-secret"
)

// assignedTo is a name and the value assigned to it.
type assignedTo struct {
	name  string
	value span
	form  form
	kind  kind
}

// form is how a value is assigned to its name; the less it looks like program text, the less
// evidence is required of the value.
type form int

const (
	// expression is a value without quotes in the middle of a line: in most cases a name, a number
	// or a call.
	expression form = iota
	// argument is a quoted value after a quoted name and a comma: two arguments, or two items of a
	// list.
	argument
	// quoted is a string that is assigned to a name.
	quoted
	// setting is a value without quotes on a line of its own, as in .env and .properties files, or
	// in a connection string.
	setting
)

// kind is the kind of value that the name announces.
type kind int

const (
	noSecret kind = iota
	aPassword
	aSecret // a key or a token
	anAuth  // base64 of a name and a password, or a token
)

// assignmentOf matches at a word such as password or key within a name, and looks for the value
// that is assigned to the name.
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

// readAssignment parses the name around a word and the value after it.
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
		return a, false // the outcome of a test
	}
	ok := a.readValue(text, left, right)
	return a, ok && a.value.end > a.value.start && a.value.end-a.value.start <= maxValue
}

// kindOf returns the kind of value that a name announces. The end of the name decides: a
// password_field is not a password.
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

// endsWithPart reports whether the last n letters of a name are a separate word in it.
func endsWithPart(name string, n int) bool {
	at := len(name) - n
	if at <= 0 {
		return at == 0
	}
	return !isLetter(name[at-1]) || isUpper(name[at]) && !isUpper(name[at-1])
}

// endings are the ends of names of secrets, in lower case and without signs; the first match
// decides.
var endings = []struct {
	text  string
	kind  kind
	alone bool     // it must be a separate word in the name
	but   []string // longer endings that do not announce secrets
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
