package tokens_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/contexture-dev/contexture/context/tokens"
)

// nasty holds texts that reveal a wrong splitter or merge.
var nasty = []string{
	"", " ", "\n", "\r\n", "a", "'", "''", "'s", "'S", "don't", "DON'T", "it'S x", "we'Ll", "I'LLbe", "x'l", "x'll's", "'re're",
	"'\u017f", "it'\u017f", "\u212a'm", "'\u0130", // folds of s, k and i that the engine does not make
	"HTTPServer", "getHTTPResponse", "ABCdef", "ABCDE", "aBcD", "IDs", "McDonald's",
	"\u01c5\u01c5a", "\u01c5\u02b0A", "A\u02b0", "\u02b0A\u02b0B", // title case, modifier letters
	"\u6f22\u5b57", "\u6f22ABC", "\u6f22ABCd", "AB\u6f22CD", " \u6f22AB", "\u3042\u30a2A\u3042AA", "\u6f22'sA",
	"\u0301", "\u0301\u0301", "a\u0301", "\u0301A", "\u0301AB", "\u0301AB\u0301", "\u0301a", ".\u0301", "..\u0301", ".\u0301A", ".\u0301AB",
	"\u0301's", "\u0301ABC's", " \u0301", "  \u0301", "\n\u0301A", "1\u0301A", "A\u0301\u0301B",
	"1", "12", "123", "1234", "1234567", "\u0661\u0662\u0663\u0664", "\u00bd\u00be", "x1y22z333", " 123", "\u2167\u2168",
	"a b", "a  b", "a   b", "a\tb", "a\t\tb", "a \t b", "a   ", "   a", " \n ", " \n a", "  \n\n  \n  a", "\n\n\n", "a\n\n\nb", "\r\r\n\n a",
	"\u00a0", "\u00a0a", "a\u00a0\u00a0b", "\u3000\u3000x", "\u2028\u2029x", "\u0085x", "\u0085\u0085x", "\v\f x", "\u200b\u200bx", "\ufeffpackage x",
	"//", "a//b", "a // b\n", "//\n//\n", "/\n/\r/x", "*/\n\n/x", ")/\n.", "...\n", "...\r\n\r\n x", " ...", "  ...", "\t...", "!?/!/\n!", "</div>\n</div>",
	"!\n", "!\n\n a", "! \n", "a,b", ",b", ", b", "_a", "__a", "$a$", "a_b_c", "#include <a.h>",
	"\U0001f600", "\U0001f469\u200d\U0001f469\u200d\U0001f467", "\U0001f44d\U0001f3fd!", "\U0001f1e9\U0001f1ea", "\u2764\ufe0f",
	"\xff", "\xff\xfe", "a\xffb", " \xff", "\xe2\x82", "\xe2\x82x", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80", "\xf0\x9f\x98", "\xffA\xff'\xff", "1\xff\n/\xff",
	"\ufffd", "\x00", "\x00\x00a", "\x7f", "\u0378\u0379", "\ue000", "\U0010ffff",
	"<|endoftext|>", "<|fim_prefix|><|endofprompt|>",
	strings.Repeat("a", 70), strings.Repeat("ab", 40), strings.Repeat(" ", 140) + "x", strings.Repeat("=", 90), strings.Repeat("\t", 80), strings.Repeat("-=", 50),
	strings.Repeat("\n", 70), strings.Repeat("\U0001f600", 30), strings.Repeat("\u6f22", 40) + "A",
	"Pneumonoultramicroscopicsilicovolcanoconiosis", "aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQ=", "supercalifragilisticexpialidocious" + strings.Repeat("Xq", 40),
}

var encodings = []tokens.Encoding{tokens.O200k, tokens.CL100k}

// same fails the test if our count of s differs from the reference's.
func same(t testing.TB, s string) {
	t.Helper()
	for _, e := range encodings {
		if got, want := counter(t, e).Count(s), len(reference(t, e).EncodeOrdinary(s)); got != want {
			t.Errorf("%s %q: %d tokens, want %d", e, s, got, want)
		}
	}
}

func TestNasty(t *testing.T) {
	for i, s := range nasty {
		same(t, s)
		same(t, "x"+s+" y")
		same(t, s+nasty[(i*7+3)%len(nasty)])
	}
}

// TestManyRunes counts runes in positions where their class matters: as a word's prefix, in a word
// of either case, in a number, before and after spaces and a contraction. TestClasses checks the
// class of every rune.
func TestManyRunes(t *testing.T) {
	step := rune(1)
	if testing.Short() {
		step = 7
	}
	var b strings.Builder
	for r := rune(0); r <= unicode.MaxRune; r += step {
		if r >= 0x3100 && r/step%211 != 0 {
			continue
		}
		fmt.Fprintf(&b, "%cb C%cD 1%[1]c2%[1]c3  %[1]c\n %[1]c'd'%[1]c.%[1]c/", r, r)
		if b.Len() > 1000 || r > unicode.MaxRune-step {
			same(t, b.String())
			b.Reset()
		}
	}
}

// pool holds the fragments of generated texts.
var pool = append([]string{
	"a", "B", "z", "T", "é", "É", "ß", "ǅ", "ʰ", "漢", "ا", "\u0301", "\u0e31", "1", "٣", "Ⅷ", "½", " ", "  ", "\t", "\n", "\r", "\r\n", "\u00a0", "\u2028", "\u3000",
	"'", "'s", "'LL", "'re", "'v", "’", "/", ".", ",", "(", "{", "_", "-", "=", "\"", "\U0001f600", "\u200d", "\ufe0f", "\xff", "\xe2\x82", "\x00",
	"func", "return", "Error", "HTTP", "Name", "string", "err != nil", "Größe", "привет", "ПРИВЕТ", "日本語", "カタカナ", "한국어", "สวัสดี", "नमस्ते",
}, nasty...)

func TestGenerated(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	texts := 6000
	if testing.Short() {
		texts = 1000
	}
	for range texts {
		var b strings.Builder
		for range 1 + rng.IntN(24) {
			if rng.IntN(12) == 0 {
				b.WriteRune(rune(rng.IntN(0x3000)))
				continue
			}
			b.WriteString(pool[rng.IntN(min(len(pool), 20<<rng.IntN(5)))])
		}
		same(t, b.String())
	}
}

func TestGoSource(t *testing.T) {
	step := 3 // the reference takes half a second for a megabyte
	if testing.Short() {
		step = 18
	}
	for i, s := range source(t) {
		if i%step == 0 {
			same(t, s)
		}
	}
}

func FuzzCount(f *testing.F) {
	for _, s := range nasty {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 2000 {
			return // the reference is quadratic
		}
		same(t, s)
		for _, e := range encodings {
			checkTruncate(t, counter(t, e), s, len(s)/5)
		}
	})
}
