package embed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/indexer/vector"
)

// synthetic makes documents about topics: each topic prefers some words, and there is noise.
func synthetic(docs, topics int, seed uint64) []map[string]int {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]map[string]int, docs)
	for d := range out {
		out[d] = map[string]int{}
		for range 20 {
			out[d][fmt.Sprintf("topic%dword%d", d%topics, r.IntN(12))]++
		}
		for range 10 {
			out[d][fmt.Sprintf("noise%d", r.IntN(300))]++
		}
	}
	return out
}

func mustTrain(t testing.TB, src Source, opts Options) *Model {
	t.Helper()
	m, err := Train(context.Background(), src, opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func cosine(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

func TestTrainIsDeterministic(t *testing.T) {
	src := newCorpus(synthetic(3000, 40, 1))
	opts := Options{Dimensions: 64, SampleDocs: 1700, MaxTerms: 700, Seed: 9}
	var want []byte
	for _, threads := range []int{1, 1, 2, 7} {
		opts.Threads = threads
		m := mustTrain(t, src, opts)
		got, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		} else if !slices.Equal(got, want) {
			t.Errorf("%d threads: other bytes", threads)
		}
	}
	opts.Seed = 10
	if got, _ := mustTrain(t, src, opts).MarshalBinary(); slices.Equal(got, want) {
		t.Error("another seed gives the same bytes: it is not used")
	}
}

// The index relies on this: a chunk folded in alone has the same bytes as one folded in with all
// others.
func TestEmbedAllEqualsEmbed(t *testing.T) {
	docs := synthetic(700, 11, 2)
	docs[5] = map[string]int{}
	docs[6] = map[string]int{"never seen": 3}
	docs[7] = map[string]int{"topic3word3": 255, "noise1": 1}
	src := newCorpus(docs)
	m := mustTrain(t, src, Options{Dimensions: 40})
	dims := m.Dimensions()
	for _, threads := range []int{0, 1, 3} {
		rows, err := m.EmbedAll(context.Background(), src, threads)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != len(docs)*dims {
			t.Fatalf("%d components for %d documents of %d", len(rows), len(docs), dims)
		}
		want := make([]int8, dims)
		for d, weights := range docs {
			clear(want)
			if v := m.Embed(of(weights)); v != nil {
				vector.Quantize(want, v)
			}
			if got := rows[d*dims:][:dims]; !slices.Equal(got, want) {
				t.Fatalf("document %d with %d threads: %v, alone %v", d, threads, got, want)
			}
		}
	}
}

func TestEmbed(t *testing.T) {
	m := mustTrain(t, newCorpus(synthetic(300, 5, 3)), Options{Dimensions: 8})
	a := m.Embed([]Term{{"topic1word1", 2}, {"topic1word2", 1}, {"unheard", 9}})
	if length := cosine(a, a); math.Abs(length-1) > 1e-6 {
		t.Errorf("length² is %v", length)
	}
	b := m.Embed([]Term{{"topic1word2", 1}, {"topic1word1", 0.5}, {"topic1word1", 1.5}})
	if !slices.Equal(a, b) {
		t.Error("order and repetition show in the vector")
	}
	for name, terms := range map[string][]Term{
		"none":      nil,
		"unknown":   {{"unheard", 1}, {"", 1}},
		"no weight": {{"topic1word1", 0}, {"topic1word2", -1}, {"topic1word3", math.NaN()}, {"topic1word4", math.Inf(1)}},
	} {
		if v := m.Embed(terms); v != nil {
			t.Errorf("%s: %v instead of nothing", name, v)
		}
	}
	same := cosine(m.Embed([]Term{{"topic1word1", 1}}), m.Embed([]Term{{"topic1word7", 1}}))
	other := cosine(m.Embed([]Term{{"topic1word1", 1}}), m.Embed([]Term{{"topic2word7", 1}}))
	if same < other+0.3 {
		t.Errorf("cosine within a topic %.2f, across %.2f", same, other)
	}
}

// The classic case: "car" and "automobile" never occur together, but their neighbours do.
func TestParaphraseBeatsLexical(t *testing.T) {
	var docs []map[string]int
	add := func(text string) {
		words := map[string]int{}
		for _, w := range strings.Fields(text) {
			words[w]++
		}
		docs = append(docs, words)
	}
	for i := range 6 {
		for _, vehicle := range []string{"car", "automobile"} {
			add(vehicle + " engine wheel driver road " + []string{"fuel", "brake", "gear"}[i%3])
			add(vehicle + " garage engine brake wheel")
		}
		add("bread flour oven yeast dough " + []string{"salt", "water", "butter"}[i%3])
		add("cake flour oven butter sugar dough")
		add("violin string bow orchestra music " + []string{"note", "hall", "tune"}[i%3])
		add("piano key orchestra music note hall")
	}
	m := mustTrain(t, newCorpus(docs), Options{})
	embed := func(text string) []float32 {
		var terms []Term
		for _, w := range strings.Fields(text) {
			terms = append(terms, Term{w, 1})
		}
		return m.Embed(terms)
	}
	for _, c := range []struct{ name, query, near, far string }{
		{"documents on one topic", "car engine wheel road", "automobile garage brake", "bread flour oven"},
		{"documents on another", "violin string bow", "piano music hall", "automobile garage brake"},
		{"a word and what it never met", "automobile", "car engine driver road", "cake oven sugar"},
		{"paraphrase over shared word", "car engine music", "automobile wheel driver brake", "piano key note music hall"},
		{"paraphrase over shared word", "dough yeast brake", "cake flour butter", "car garage brake gear"},
	} {
		q := embed(c.query)
		near, far := cosine(q, embed(c.near)), cosine(q, embed(c.far))
		if near < far+0.1 {
			t.Errorf("%s: %q: %.2f to %q, %.2f to %q", c.name, c.query, near, c.near, far, c.far)
		}
	}
}

func TestSmallCorpora(t *testing.T) {
	for _, c := range []struct {
		docs int
		want error
	}{{0, ErrTooSmall}, {1, ErrTooSmall}, {3, ErrTooSmall}, {10, nil}, {30, nil}, {100, nil}} {
		src := newCorpus(synthetic(c.docs, 3, 4))
		m, err := Train(context.Background(), src, Options{})
		if !errors.Is(err, c.want) {
			t.Errorf("%d documents: error %v, want %v", c.docs, err, c.want)
		}
		if err != nil {
			continue
		}
		if d := m.Dimensions(); d > max(laneStep, c.docs/2) || d%laneStep != 0 {
			t.Errorf("%d documents: %d dimensions", c.docs, d)
		}
		if m.Docs() != c.docs {
			t.Errorf("Docs() = %d, want %d", m.Docs(), c.docs)
		}
		four := func(topic, from int) []float32 {
			var terms []Term
			for w := from; w < from+4; w++ {
				terms = append(terms, Term{fmt.Sprintf("topic%dword%d", topic, w), 1})
			}
			return m.Embed(terms)
		}
		within, across := cosine(four(1, 0), four(1, 4)), cosine(four(1, 0), four(2, 4))
		if c.docs >= 30 && within < across+0.3 {
			t.Errorf("%d documents: cosine within a topic %.2f, across %.2f", c.docs, within, across)
		}
	}
	same := make([]map[string]int, 50) // no term distinguishes documents
	for i := range same {
		same[i] = map[string]int{"a": 1, "b": 1}
	}
	if _, err := Train(context.Background(), newCorpus(same), Options{}); !errors.Is(err, ErrTooSmall) {
		t.Errorf("equal documents: %v", err)
	}
}

// A matrix of rank two has two directions, whatever number was requested.
func TestRankDeficientCorpus(t *testing.T) {
	docs := make([]map[string]int, 100)
	for d := range docs {
		docs[d] = map[string]int{}
		for w := range 10 {
			docs[d][fmt.Sprintf("group%dword%d", d%2, w)] = 1
		}
	}
	m := mustTrain(t, newCorpus(docs), Options{Dimensions: 32})
	a, b := m.Embed([]Term{{"group0word1", 1}}), m.Embed([]Term{{"group0word2", 1}})
	c := m.Embed([]Term{{"group1word1", 1}})
	if cosine(a, b) < 0.999 || math.Abs(cosine(a, c)) > 0.001 {
		t.Errorf("within %.4f, across %.4f", cosine(a, b), cosine(a, c))
	}
}

func TestCancel(t *testing.T) {
	src := newCorpus(synthetic(2000, 20, 5))
	m := mustTrain(t, src, Options{Dimensions: 32})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Train(ctx, src, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Train: %v", err)
	}
	if _, err := m.EmbedAll(ctx, src, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("EmbedAll: %v", err)
	}
}

func TestBrokenSource(t *testing.T) {
	src := newCorpus(synthetic(200, 4, 6))
	m := mustTrain(t, src, Options{})
	src.docs = 150
	if _, err := Train(context.Background(), src, Options{}); err == nil || errors.Is(err, ErrTooSmall) {
		t.Errorf("Train with postings beyond the documents: %v", err)
	}
	if _, err := m.EmbedAll(context.Background(), src, 1); err == nil {
		t.Error("EmbedAll with postings beyond the documents: no error")
	}
}

func TestDrift(t *testing.T) {
	src := newCorpus(synthetic(1000, 20, 7))
	for _, limit := range []int{0, 200} {
		m := mustTrain(t, src, Options{MaxTerms: limit})
		if got := m.Drift(src); got > 1e-6 {
			t.Errorf("limit %d: drift %.4f on the corpus trained on", limit, got)
		}
		foreign := synthetic(1000, 20, 7)
		for _, doc := range foreign {
			for w, n := range doc {
				delete(doc, w)
				doc["other"+w] = n
			}
		}
		if got := m.Drift(newCorpus(foreign)); got != 1 {
			t.Errorf("limit %d: drift %.4f on a foreign corpus", limit, got)
		}
		half := newCorpus(append(synthetic(1000, 20, 7), foreign...))
		got := m.Drift(half)
		if got < 0.3 || got > 0.7 {
			t.Errorf("limit %d: drift %.4f on a half foreign corpus", limit, got)
		}
		if fast := m.Drift(counted{half}); fast != got {
			t.Errorf("limit %d: drift by frequencies %.4f, by postings %.4f", limit, fast, got)
		}
	}
}

func TestSamplingIsEven(t *testing.T) {
	for _, c := range []struct{ docs, limit int }{{10, 16}, {16, 16}, {17, 16}, {50_000, 16_000}, {1001, 1000}, {7, 1}} {
		s := newSampling(c.docs, c.limit)
		next, last := uint32(0), -1
		for d := range c.docs {
			if !s.has(uint32(d)) {
				continue
			}
			if got := s.column(uint32(d)); got != next {
				t.Fatalf("%v: document %d is column %d, want %d", c, d, got, next)
			}
			if gap := d - last; last >= 0 && gap > c.docs/min(c.docs, c.limit)+1 {
				t.Errorf("%v: gap of %d", c, gap)
			}
			next, last = next+1, d
		}
		if want := min(c.docs, c.limit); int(next) != want {
			t.Errorf("%v: %d documents, want %d", c, next, want)
		}
	}
}
