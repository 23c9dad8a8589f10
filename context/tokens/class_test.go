package tokens

import (
	"testing"
	"unicode"
)

func TestClasses(t *testing.T) {
	buildClasses()
	if len(classPages) > 256 {
		t.Fatalf("%d pages do not fit a byte", len(classPages))
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		var want class
		if unicode.In(r, unicode.Lu, unicode.Lt, unicode.Lm, unicode.Lo, unicode.M) {
			want |= upper
		}
		if unicode.In(r, unicode.Ll, unicode.Lm, unicode.Lo, unicode.M) {
			want |= lower
		}
		if unicode.IsLetter(r) {
			want |= letter
		}
		if unicode.IsNumber(r) {
			want |= number
		}
		if unicode.IsSpace(r) {
			want |= space
		}
		if r == '\n' || r == '\r' {
			want |= newline
		}
		if r >= 0xd800 && r < 0xe000 {
			continue // surrogates: no text contains them
		}
		if got, n := classAt(string(r), 0); got != want || n != len(string(r)) {
			t.Fatalf("class of %U is %b with %d bytes, want %b", r, got, n, want)
		}
	}
	if got, n := classAt("a", 1); got != end || n != 0 {
		t.Errorf("class past the text is %b with %d bytes", got, n)
	}
}

// TestFolds checks the claim of contraction's comment: only ASCII has s, t, r, e, v, m, l or d as
// its lower case.
func TestFolds(t *testing.T) {
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		switch unicode.ToLower(r) {
		case 's', 't', 'r', 'e', 'v', 'm', 'l', 'd', '\'':
			t.Errorf("%U folds to %q", r, unicode.ToLower(r))
		}
	}
}
