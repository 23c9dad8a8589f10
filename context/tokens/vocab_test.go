package tokens

import (
	"encoding/binary"
	"strings"
	"testing"
)

// ranks returns an unpacked vocabulary of the 256 single bytes and the given tokens.
func ranks(more ...string) string {
	lengths, blob := strings.Repeat("\x01", 256), make([]byte, 256)
	for i := range blob {
		blob[i] = byte(i)
	}
	for _, t := range more {
		lengths += string([]byte{byte(len(t))})
		blob = append(blob, t...)
	}
	return string(binary.LittleEndian.AppendUint32(nil, uint32(len(lengths)))) + lengths + string(blob)
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
	for name, test := range map[string]struct{ data, want string }{
		"empty":         {"", "no number"},
		"cut off":       {ranks()[:100], "256 tokens, but only 96 bytes"},
		"a token short": {ranks()[:4+256+255], "want 256"},
		"a byte more":   {ranks() + "x", "257 bytes"},
		"empty token":   {ranks(""), "0 bytes"},
		"twice":         {ranks("ab", "ab"), "two ranks"},
		"a byte is not": {"\x01\x00\x00\x00\x01a", "1 of 256"},
		"too many":      {"\xff\xff\xff\xff", "at most"},
	} {
		if _, err := parseVocab([]byte(test.data)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, test.want)
		}
	}
}

// TestVocabIsSmall bounds the memory that an encoding's ranks take.
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
