package profile

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// unmarked returns a text without diacritics: addresses and handles are written without them.
func unmarked(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s))
}
