package gguf

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestSameBytes(t *testing.T) {
	for name, file := range map[string]func() []byte{
		"bert":    Embedder{}.File,
		"nomic":   Embedder{Architecture: "nomic-bert", Seed: 3, Poison: "x"}.File,
		"decoder": Decoder{Answer: "the same"}.File,
		"llama":   Decoder{Architecture: "llama", Answer: "the same", Endless: true}.File,
	} {
		if a, b := file(), file(); !bytes.Equal(a, b) {
			t.Errorf("%s: two files differ", name)
		}
	}
	if bytes.Equal(Embedder{}.File(), Embedder{Seed: 1}.File()) {
		t.Error("two seeds give one model")
	}
}

// TestEncode compares a file with one assembled by hand from the format's description.
func TestEncode(t *testing.T) {
	f := &file{}
	f.set("k", "v")
	f.set("n", uint32(7))
	f.set("b", true)
	f.set("f", float32(1))
	f.set("s", []string{"x"})
	f.set("i", []int32{-1})
	f.set("g", []float32{2})
	f.add("t", []float32{1, 2, 3, 4, 5, 6}, 3, 2)
	f.fill("u", 1, 1)
	var want bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			if s, ok := v.(string); ok {
				want.WriteString(s)
			} else if err := binary.Write(&want, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	name := func(s string) { put(uint64(len(s)), s) }
	put("GGUF", uint32(3), uint64(2), uint64(7))
	name("k")
	put(uint32(8), uint64(1), "v")
	name("n")
	put(uint32(4), uint32(7))
	name("b")
	put(uint32(7), uint8(1))
	name("f")
	put(uint32(6), float32(1))
	name("s")
	put(uint32(9), uint32(8), uint64(1), uint64(1), "x")
	name("i")
	put(uint32(9), uint32(5), uint64(1), int32(-1))
	name("g")
	put(uint32(9), uint32(6), uint64(1), float32(2))
	name("t")
	put(uint32(2), uint64(3), uint64(2), uint32(0), uint64(0))
	name("u")
	put(uint32(1), uint64(1), uint32(0), uint64(32))
	fill := func() {
		for want.Len()%32 != 0 {
			want.WriteByte(0)
		}
	}
	fill()
	put([]float32{1, 2, 3, 4, 5, 6})
	fill()
	put(float32(1))
	fill()
	if got := f.encode(); !bytes.Equal(got, want.Bytes()) {
		t.Errorf("got\n%x\nwant\n%x", got, want.Bytes())
	}
}

// TestDirections measures the angles that the models rely on.
func TestDirections(t *testing.T) {
	cosine := func(a, b []float32) float64 {
		var dot float64
		for i := range a {
			dot += float64(a[i]) * float64(b[i])
		}
		return dot / float64(len(a)) // both have a root mean square of 1
	}
	const dims = 4096 // many, so that chance has little influence
	a, b, c := direction(1, "a", dims), direction(1, "b", dims), direction(1, "c", dims)
	for _, x := range []struct {
		what      string
		got, want float64
	}{
		{"a vector and itself", cosine(a, a), 1},
		{"two names", cosine(a, b), 0},
		{"two seeds", cosine(a, direction(2, "a", dims)), 0},
		{"a word and its group", cosine(a, near(a, b)), closeness},
		{"two words of a group", cosine(near(a, b), near(a, c)), closeness * closeness},
	} {
		if math.Abs(x.got-x.want) > 0.05 {
			t.Errorf("%s: cosine %.3f, want %.3f", x.what, x.got, x.want)
		}
	}
}

// TestVocabulary checks that no token occurs twice, as the server requires, and that a word in two
// groups counts for the first.
func TestVocabulary(t *testing.T) {
	e := Embedder{Dims: 4, Synonyms: [][]string{{"File", "ab"}, {"file", "x"}}, Poison: "Bad"}
	v := words(e)
	if slices.Equal(Embedder{}.File(), e.File()) {
		t.Fatal("the fields do not count")
	}
	at := func(token string) []float32 {
		i := slices.Index(v.tokens, token)
		if i < 0 || slices.Index(v.tokens[i+1:], token) >= 0 {
			t.Fatalf("%q is not there once", token)
		}
		return v.vectors[4*i : 4*i+4]
	}
	if want := near(direction(0, "group 0", 4), direction(0, "file", 4)); !slices.Equal(at("▁file"), want) || !slices.Equal(at("file"), want) {
		t.Error("a word is not near its group")
	}
	if bad := at("▁bad"); !math.IsNaN(float64(bad[0])) {
		t.Errorf("the poison is %v", bad)
	}
	for _, token := range []string{"ab", "▁ab", "x", "{", "▁zz"} {
		at(token)
	}
	if len(v.tokens) != len(v.kinds) || 4*len(v.tokens) != len(v.vectors) || v.tokens[tokenLast] != "[SEP]" {
		t.Errorf("%d tokens, %d kinds, %d numbers", len(v.tokens), len(v.kinds), len(v.vectors))
	}
}

// FuzzPieces checks that the pieces of any answer are distinct tokens that make up the answer.
func FuzzPieces(f *testing.F) {
	for _, s := range []string{"", "a", "aa", "he he", "the same the same the same", "\x00\xff日本", strings.Repeat(" ", 9), "ab abab ab"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		v := pieces(answer)
		var b strings.Builder
		seen := map[int]bool{}
		for _, i := range v.answer {
			if seen[i] || i < 3 {
				t.Fatalf("%q: %q comes twice or is special", answer, v.tokens[i])
			}
			seen[i] = true
			b.WriteString(v.tokens[i])
		}
		if b.String() != readable(answer) {
			t.Fatalf("%q becomes %q", answer, b.String())
		}
		all := slices.Clone(v.tokens)
		slices.Sort(all)
		if len(slices.Compact(all)) != len(v.tokens) {
			t.Fatalf("%q: a token is there twice", answer)
		}
	})
}

// TestNonsense checks that a model that no server could load is rejected when it is built.
func TestNonsense(t *testing.T) {
	for name, file := range map[string]func() []byte{
		"architecture": Embedder{Architecture: "bart"}.File,
		"odd":          Embedder{Dims: 7}.File,
		"negative":     Embedder{Dims: -2}.File,
		"no room":      Embedder{Context: 2}.File,
		"decoder":      Decoder{Architecture: "bert"}.File,
		"endless":      Decoder{Endless: true}.File,
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: there is a model", name)
				}
			}()
			file()
		}()
	}
}

func BenchmarkFile(b *testing.B) {
	for b.Loop() {
		Embedder{}.File()
	}
}
