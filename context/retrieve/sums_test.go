package retrieve

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// randomSums are sums of made-up scores: many chunks and files have 0, and some have equal ones.
func randomSums(s *indexer.Snapshot, r *rand.Rand) *sums {
	list := func(n int, part float64) []float32 {
		out := make([]float32, n)
		for i := range out {
			if r.Float64() < part {
				out[i] = float32(r.IntN(20)) / 8
			}
		}
		return out
	}
	q := &search{s: s, words: lexical.Scores{Doc: list(s.Chunks(), .4), Group: make([]float32, s.Files())}, meaning: list(s.Chunks(), .7)}
	for c, v := range q.words.Doc {
		q.words.Group[s.FileOf(c)] += v
	}
	for c := range q.meaning {
		if r.IntN(3) == 0 {
			q.meaning[c] *= -1
		}
	}
	q.top = tops{chunk: maximum(q.words.Doc), meaning: maximum(q.meaning)}
	w := hybrid
	switch r.IntN(5) {
	case 0:
		w = semantic
	case 1:
		q.meaning, q.top.meaning = nil, 0
	}
	if r.IntN(3) == 0 {
		q.req.Keep = func(path, _ string) bool { return len(path)%3 > 0 }
	}
	q.req.Intent.AboutTests = r.IntN(2) == 0
	return newSums(q, list(s.Files(), .5), w)
}

// Computing only some sums gives the same sums as computing all, and the same best ones.
func TestBestSumsAreThoseOfAll(t *testing.T) {
	files := map[string]string{}
	for i := range 60 {
		folder := []string{"lib", "test", "docs", "tests"}[i%4]
		text := "package lib\n"
		for k := range 1 + i%5 {
			text += fmt.Sprintf("\n// Made%dOf%d returns what it was made of, in the order in which it was made.\nfunc Made%dOf%d() []string {\n", k, i, k, i)
			for line := range 30 {
				text += fmt.Sprintf("\tadd(%d, \"line %d of %d\")\n", line, line, k)
			}
			text += "\treturn nil\n}\n"
		}
		files[fmt.Sprintf("%s/file%d.go", folder, i)] = text
	}
	s := index(t, files)
	if s.Chunks() < 2*len(files) {
		t.Fatalf("%d chunks are too few", s.Chunks())
	}
	for seed := range uint64(200) {
		made := func() *sums { return randomSums(s, rand.New(rand.NewPCG(seed, 7))) }
		whole := made()
		whole.fill()
		for _, n := range []int{1, 5, 40, 1000} {
			for _, many := range []int{1, manyFiles} {
				few := made()
				few.many = many
				if got, want := few.best(n), whole.best(n); !slices.Equal(got, want) {
					t.Fatalf("seed %d: the best %d are %v, want %v", seed, n, got, want)
				}
			}
		}
		one := made()
		for c := range s.Chunks() {
			if got := one.at(c); got != whole.all[c] {
				t.Fatalf("seed %d: the sum of %d is %v, want %v", seed, c, got, whole.all[c])
			}
		}
		one.add(3, 5)
		if got, want := one.at(3), whole.all[3]+5; got != want {
			t.Errorf("a sum that was changed is %v, want %v", got, want)
		}
	}
}
