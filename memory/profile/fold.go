package profile

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// unmarked is a text without the marks over its letters: addresses and handles are written without
// them.
func unmarked(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s))
}
