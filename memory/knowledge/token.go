package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// class of a token.
type class byte

const (
	word    class = iota // letters, with inner apostrophes and hyphens
	literal              // quoted text of a few words, or code: kept as it is written
	number
	mark // punctuation, one character
)

// token is a piece of a sentence.
type token struct {
	text  string // as it is written, quotes included
	low   string // lower case; of a literal what is between its quotes, as it is written
	class class
	space bool // something blank stands before it
}

func (t token) is(low string) bool { return t.low == low && t.class != literal }

// maxLiteral bounds quoted text that counts as a name or value, in bytes; longer quotes are speech.
const maxLiteral = 48

// tokenize cuts a line of prose.
func tokenize(s string) []token {
	out := make([]token, 0, len(s)/5+1)
	space := true
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			space, i = true, i+size
			continue
		}
		t := token{space: space}
		n := quoted(s[i:], space || openBefore(out))
		switch {
		case n > 0:
			t.text, t.class = s[i:i+n], literal
			_, left := utf8.DecodeRuneInString(t.text)
			_, right := utf8.DecodeLastRuneInString(t.text)
			t.low = t.text[left : len(t.text)-right]
		case unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_@/.$#~%+-", r) && wordy(s[i+size:]):
			n = span(s[i:])
			t.text = s[i : i+n]
			t.low, t.class = norm.NFC.String(strings.ToLower(t.text)), classify(t.text)
			if t.class == literal {
				t.low = t.text
			}
			t.low = strings.ReplaceAll(t.low, "’", "'")
		default:
			n = size
			t.text, t.low, t.class = s[i:i+n], s[i:i+n], mark
		}
		out = append(out, t)
		i, space = i+n, false
	}
	return out
}

// openBefore reports whether the last token opens something, so that a quote after it opens too.
func openBefore(ts []token) bool {
	return len(ts) == 0 || ts[len(ts)-1].class == mark && strings.Contains("([{:-–—\"“", ts[len(ts)-1].text)
}

// wordy reports whether s goes on with a letter or digit.
func wordy(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
}

// quoted gives the length of a short quotation at the beginning of s, 0 where there is none.
func quoted(s string, opens bool) int {
	r, size := utf8.DecodeRuneInString(s)
	end := r
	switch r {
	case '`':
	case '\'', '"':
		if !opens {
			return 0
		}
	case '“':
		end = '”'
	case '‘':
		end = '’'
	default:
		return 0
	}
	for i, c := range s[size:] {
		switch {
		case i > maxLiteral || c == '\n':
			return 0
		case c == end && i > 0:
			n := size + i + utf8.RuneLen(c)
			if r == '`' || !wordy(s[n:]) && strings.Count(s[size:size+i], " ") <= 2 {
				return n
			}
		}
	}
	return 0
}

// span gives the length of the word, number or piece of code at the beginning of s: what joins letters counts only
// between them.
func span(s string) int {
	i := 0
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		rest := s[i+size:]
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.IsMark(r) && i > 0:
		case i == 0 || strings.ContainsRune("'’-./@:#$*\\=&%~", r) && wordy(rest):
		case r == '(' && strings.HasPrefix(rest, ")") || r == '[' && strings.HasPrefix(rest, "]") || r == ':' && strings.HasPrefix(rest, ":"):
			size++
		case r == '+' || r == '#': // C++, C#
		default:
			return i
		}
		i += size
	}
	return i
}

// classify tells words from numbers and from code.
func classify(s string) class {
	digits, letters, code := 0, 0, false
	for i, r := range s {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
			if unicode.IsUpper(r) && i > 0 && letters > 1 && strings.ToUpper(s) != s && !strings.ContainsAny(s, "-'’") {
				code = true // camelCase
			}
		case r == '\'' || r == '’' || r == '-' && i > 0:
		default:
			code = true
		}
	}
	switch {
	case letters == 0 && digits > 0:
		return number
	case code || digits > 0:
		return literal
	}
	return word
}
