package ollama

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// estimate returns an upper bound on text's tokens for most tokenizers: one for every four letters
// of a word, one for every digit and mark, one for every letter of scripts without word boundaries,
// one for every line. The server decides: it refuses a text that is too long, which is then halved.
func estimate(text string) int {
	n, run := 0, 0
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf && (r|0x20 >= 'a' && r|0x20 <= 'z'):
			if run%4 == 0 {
				n++
			}
			run++
			continue
		case r == '\n':
			n++
		case r == ' ', r == '\t', r == '\r':
		case r >= 0x2E80 || !unicode.IsLetter(r):
			n++
			if r >= 0x10000 {
				n++
			}
		default: // letters of alphabets other than Latin: about two per token
			if run%2 == 0 {
				n++
			}
			run++
			continue
		}
		run = 0
	}
	return n
}

// split cuts text into parts of at most limit tokens by estimate: at the end of a line if there is
// one in the second half of a part, else at a space, else between any two runes. The parts
// concatenated are text.
func split(text string, limit int) []string {
	var parts []string
	for estimate(text) > limit {
		at := fit(text, limit)
		if at == len(text) {
			break // a single rune
		}
		parts = append(parts, text[:at])
		text = text[at:]
	}
	return append(parts, text)
}

// fit returns the length in bytes of the first part of text, which is longer than limit tokens. At
// least one rune fits.
func fit(text string, limit int) int {
	low, high := 0, len(text) // the estimate of text[:low] is within limit, that of text[:high] is not
	for high-low > 1 {
		mid := border(text, (low+high)/2)
		if mid <= low {
			break
		}
		if estimate(text[:mid]) <= limit {
			low = mid
		} else {
			high = mid
		}
	}
	if low == 0 {
		_, size := utf8.DecodeRuneInString(text)
		return size
	}
	return cutAt(text, low)
}

// halve cuts text in two near its middle. ok is false if it cannot be cut.
func halve(text string) (left, right string, ok bool) {
	at := border(text, len(text)/2)
	if at == 0 {
		_, at = utf8.DecodeRuneInString(text)
	}
	if at = cutAt(text, at); at == 0 || at >= len(text) {
		return "", "", false
	}
	return text[:at], text[at:], true
}

// cutAt returns the best offset to cut at in the second half of text[:most].
func cutAt(text string, most int) int {
	for _, mark := range []string{"\n", " "} {
		if at := strings.LastIndex(text[:most], mark); at >= most/2 {
			return at + 1
		}
	}
	return most
}

// border returns the start of the rune that contains offset at.
func border(text string, at int) int {
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
