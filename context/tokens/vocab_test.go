package tokens

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// ranks returns a rank file of the 256 single bytes and the given tokens.
func ranks(more ...string) string {
	var b strings.Builder
	for i := range 256 {
		fmt.Fprintf(&b, "%s %d\n", base64.StdEncoding.EncodeToString([]byte{byte(i)}), i)
	}
	for i, t := range more {
		fmt.Fprintf(&b, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(t)), 256+i)
	}
	return b.String()
}

func TestParseVocab(t *testing.T) {
	v, err := parseVocab([]byte(ranks("ab", "abc", "hello world, this is long")))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]uint32{"ab": 256, "abc": 257, "hello world, this is long": 258, "ba": noRank, "abd": noRank} {
		if got := v.rank(text); got != want {
			t.Errorf("rank(%q) = %d, want %d", text, got, want)
		}
	}
	for name, test := range map[string]struct{ file, want string }{
		"no base64":     {ranks() + "?? 256\n", "line 257"},
		"wrong rank":    {ranks() + "YWI= 257\n", "want 256"},
		"no rank":       {ranks() + "YWI=\n", "want 256"},
		"empty token":   {ranks() + " 256\n", "0 bytes"},
		"long token":    {ranks(strings.Repeat("x", 256)), "256 bytes"},
		"twice":         {ranks("ab", "ab"), "two ranks"},
		"a byte is not": {"YQ== 0\n", "1 of 256"},
		"empty":         {"", "0 of 256"},
	} {
		if _, err := parseVocab([]byte(test.file)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, test.want)
		}
	}
}

// TestVocabIsSmall bounds the memory that an encoding's ranks keep.
func TestVocabIsSmall(t *testing.T) {
	v := mustLoad(t, O200k).vocab
	if size := len(v.blob) + 4*(cap(v.start)+len(v.slots)+len(v.pairs)); size > 8<<20 {
		t.Errorf("the ranks of %s take %d bytes", O200k, size)
	}
}

func TestEveryTokenIsFound(t *testing.T) {
	for _, e := range []Encoding{O200k, CL100k} {
		c := mustLoad(t, e)
		for r := range uint32(len(c.vocab.start) - 1) {
			text := c.vocab.token(r)
			if got, ok := c.vocab.find(text, hash(text)); !ok || got != r {
				t.Fatalf("%s: %q has rank %d, want %d", e, text, got, r)
			}
		}
	}
}
