package secrets

import (
	"encoding/base64"
	"strings"
)

const (
	urlPassword = "url-password"
	authHeader  = "authorization-header"
)

// userinfoBytes are the bytes that may precede the @ of an address.
var userinfoBytes = func() *set {
	var s set
	for b := '!'; b < 256; b++ {
		s[b] = !strings.ContainsRune("/?#\"'`<>\\ ()[]{}|^,", b) || b >= 0x80
	}
	for _, b := range "{}$()[]" { // an unset variable is parsed as a whole and left unchanged
		s[b] = true
	}
	return &s
}()

// address matches at the :// of an address; the secret is the password before its @.
func address(c *scan, start, end int) {
	if start == 0 || !wordBytes[c.text[start-1]] {
		return
	}
	stop := forward(c.text, end, maxValue, userinfoBytes)
	// A password may hold unescaped signs that end the authority elsewhere, so the last @ in the
	// run counts.
	at := strings.LastIndexByte(c.text[end:stop], '@')
	if at < 0 {
		if at = loosePassword(c.text, end); at < 0 {
			return
		}
	}
	user, password, ok := strings.Cut(c.text[end:end+at], ":")
	if !ok || !worthy(password) {
		if ok || len(user) < 20 || !gibberish(user) {
			return
		}
		c.add(urlPassword, rankNamed, end, end+at) // a token in place of the user
		return
	}
	c.add(urlPassword, rankNamed, end+at-len(password), end+at)
}

// loosePassword is where the @ stands, from end on, of an address whose password holds a sign that
// should have been escaped: "://user:pa/ss#word@host".
func loosePassword(text string, end int) int {
	colon := forward(text, end, 64, nameBytes)
	if colon == len(text) || text[colon] != ':' {
		return -1
	}
	line := text[end:min(len(text), end+160)]
	if n := strings.IndexAny(line, " \t\r\n\"'`<>\\"); n >= 0 {
		line = line[:n]
	}
	at := strings.LastIndexByte(line, '@')
	if at <= colon-end+1 {
		return -1
	}
	if port := forward(text, colon+1, 6, digitBytes); port == len(text) || text[port] == '/' {
		return -1 // a port, and an @ in the path
	}
	if at+1 < len(line) && wordBytes[line[at+1]] {
		return at
	}
	return -1
}

// worthy reports whether the password of an address is a real one and not a manual's placeholder.
func worthy(password string) bool {
	if len(password) < 3 || isTemplate(password) {
		return false
	}
	switch strings.ToLower(strings.Trim(password, "*x.-_")) {
	case "", "pass", "password", "passwd", "pwd", "pw", "secret", "token", "user", "your_password", "yourpassword", "port":
		return false
	}
	return !allDigits(password) || len(password) > 5 // a port in place of a password
}

func allDigits(text string) bool { return forward(text, 0, len(text), digitBytes) == len(text) }

// dataSource matches at the @tcp( of a data source name in the format of MySQL's driver for Go:
// user:password@tcp(host).
func dataSource(c *scan, start, _ int) {
	from := start
	for from > 0 && start-from < 256 && c.text[from-1] > ' ' && !strings.ContainsRune("\"'`=", rune(c.text[from-1])) {
		from--
	}
	if _, password, ok := strings.Cut(c.text[from:start], ":"); ok && worthy(password) {
		c.add(urlPassword, rankNamed, start-len(password), start)
	}
}

// credentialBytes are allowed in the value of an authorization header.
var credentialBytes = bytesOf(letters + digits + "_-./+=~:%|")

// authorization matches at the scheme of an authorization header, or at its name; the secret is
// what follows.
func authorization(c *scan, start, end int) {
	if start > 0 && wordBytes[c.text[start-1]] && !escape(c.text, start-1) {
		return
	}
	basic := strings.EqualFold(c.text[start:end], "basic ")
	if named := end-start > len("bearer "); named {
		end = forward(c.text, end, 8, beforeValue)
		for _, scheme := range []string{"token ", "apikey ", "api-key ", "key ", "bot ", "digest "} {
			if n := end + len(scheme); n <= len(c.text) && strings.EqualFold(c.text[end:n], scheme) {
				end = n
			}
		}
	}
	stop := forward(c.text, end, maxToken, credentialBytes)
	value := strings.TrimRight(c.text[end:stop], ".:")
	if basic {
		if !userAndPassword(value) {
			return
		}
	} else if len(value) < 12 || isTemplate(value) || entropy(value) < 3 || !hasDigit(value) && len(value) < 20 || !gibberish(value) || identifier(value) {
		return
	}
	c.add(authHeader, rankNamed, end, end+len(value))
}

// escape reports whether the byte at i is the letter of an escape, such as the n of \n.
func escape(text string, i int) bool {
	return i > 0 && text[i-1] == '\\' && strings.IndexByte("nrtbfv", text[i]) >= 0
}

// userAndPassword reports whether value is base64 of a name, a colon and a password.
func userAndPassword(value string) bool {
	if len(value) < 8 {
		return false
	}
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil {
		return false
	}
	for _, b := range plain {
		if b < ' ' || b == 0x7f {
			return false
		}
	}
	_, password, ok := strings.Cut(string(plain), ":")
	return ok && len(password) >= 3
}
