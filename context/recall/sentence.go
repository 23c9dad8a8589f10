package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentences splits a text after '.', '!', '?' and '…' before white space, at line ends, and around
// a part in square brackets. The pieces are trimmed and not empty.
func sentences(text string) []string {
	var list []string
	start := 0
	cut := func(end int) {
		if s := strings.TrimSpace(text[start:end]); s != "" {
			list = append(list, s)
		}
		start = end
	}
	for i, r := range text {
		size := utf8.RuneLen(r)
		if size < 0 {
			size = 1
		}
		switch r {
		case '\n':
			cut(i)
		case '[':
			if i > 0 && text[i-1] == ' ' {
				cut(i)
			}
		case '.', '!', '?', '…', ']', '。', '！', '？':
			next, _ := utf8.DecodeRuneInString(text[i+size:])
			if unicode.IsSpace(next) || r > 0x7F {
				cut(i + size)
			}
		}
	}
	cut(len(text))
	return list
}
