package embed

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/indexer/lexical"

	"github.com/contexture-dev/contexture/indexer/vector"
)

func cosine(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// The index relies on this: a chunk that is embedded alone has the same bytes as one embedded with
// all others.
func TestEmbedAllEqualsEmbed(t *testing.T) {
	docs := random(700, 11, 2)
	table := tableOf(t, newCorpus(docs), 40)
	docs[5] = map[string]int{}
	docs[6] = map[string]int{"never seen": 3}
	docs[7] = map[string]int{"topic3word3": 255, "noise1": 1}
	src := newCorpus(docs)
	for _, threads := range []int{0, 1, 3, 9} {
		rows, err := table.EmbedAll(context.Background(), src, threads, func() {})
		if err != nil {
			t.Fatal(err)
		}
		want := make([]int8, 40)
		for d, weights := range docs {
			clear(want)
			if v := table.Embed(of(weights)); v != nil {
				vector.Quantize(want, v)
			}
			if got := rows[d*40:][:40]; !slices.Equal(got, want) {
				t.Fatalf("document %d with %d threads: %v, alone %v", d, threads, got, want)
			}
		}
	}
}

func TestEmbed(t *testing.T) {
	table := tableOf(t, newCorpus(random(300, 5, 3)), 8)
	a := table.Embed([]lexical.QueryTerm{{Text: "topic1word1", Weight: 2}, {Text: "topic1word2", Weight: 1}, {Text: "unheard", Weight: 9}})
	if length := cosine(a, a); math.Abs(length-1) > 1e-6 {
		t.Errorf("length² is %v", length)
	}
	b := table.Embed([]lexical.QueryTerm{{Text: "topic1word2", Weight: 1}, {Text: "topic1word1", Weight: 0.5}, {Text: "topic1word1", Weight: 1.5}})
	if !slices.Equal(a, b) {
		t.Error("order and repetition show in the vector")
	}
	for name, terms := range map[string][]lexical.QueryTerm{
		"none":      nil,
		"unknown":   {{Text: "unheard", Weight: 1}, {Text: "", Weight: 1}},
		"no weight": {{Text: "topic1word1", Weight: 0}, {Text: "topic1word2", Weight: -1}, {Text: "topic1word3", Weight: math.NaN()}, {Text: "topic1word4", Weight: math.Inf(1)}},
	} {
		if v := table.Embed(terms); v != nil {
			t.Errorf("%s: %v instead of nothing", name, v)
		}
	}
}

// TestShipped: texts that share no word are close when they say the same.
func TestShipped(t *testing.T) {
	table := Shipped()
	if n := len(table.ends); n < 20_000 || table.Dimensions() != 192 {
		t.Fatalf("%d terms of %d", n, table.Dimensions())
	}
	embed := func(terms ...string) []float32 {
		var list []lexical.QueryTerm
		for _, x := range terms {
			list = append(list, lexical.QueryTerm{Text: x, Weight: 1})
		}
		return table.Embed(list)
	}
	for _, c := range []struct{ query, near, far []string }{
		{[]string{"login", "user"}, []string{"authent", "password"}, []string{"render", "pixel"}},
		{[]string{"remov", "file"}, []string{"unlink", "path"}, []string{"socket", "accept"}},
		{[]string{"wait", "again", "fail"}, []string{"retri", "backoff"}, []string{"color", "theme"}},
		{[]string{"speed", "up", "lookup"}, []string{"cach", "hit"}, []string{"licens", "author"}},
		{[]string{"text", "exact", "charact"}, []string{"string", "rune"}, []string{"socket", "accept"}},
	} {
		q := embed(c.query...)
		if near, far := cosine(q, embed(c.near...)), cosine(q, embed(c.far...)); near < far+.1 {
			t.Errorf("%v: %.2f to %v, %.2f to %v", c.query, near, c.near, far, c.far)
		}
	}
}

func TestEmbedAllFails(t *testing.T) {
	src := newCorpus(random(2000, 20, 5))
	table := tableOf(t, src, 32)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := table.EmbedAll(ctx, src, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	src.docs = 150
	if _, err := table.EmbedAll(context.Background(), src, 1, nil); err == nil {
		t.Error("postings beyond the documents: no error")
	}
}

func TestDecode(t *testing.T) {
	table := tableOf(t, newCorpus(random(60, 3, 9)), 8)
	b := table.Encode()
	got, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	q := []lexical.QueryTerm{{Text: "topic1word1", Weight: 1}, {Text: "noise5", Weight: 2}}
	if got.Digest() != table.Digest() || !slices.Equal(got.Encode(), b) || !slices.Equal(got.Embed(q), table.Embed(q)) {
		t.Error("decoded, it differs")
	}
	for at := range len(b) {
		if _, err := Decode(b[:at]); !errors.Is(err, errCorrupt) {
			t.Fatalf("cut at %d: %v", at, err)
		}
	}
	if _, err := Decode(append(b, 0)); !errors.Is(err, errCorrupt) {
		t.Errorf("a byte more: %v", err)
	}
	if _, err := New([]string{"b", "a"}, make([]float32, 16), 8); !errors.Is(err, errCorrupt) {
		t.Errorf("terms that do not ascend: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	b := tableOf(f, newCorpus(random(40, 3, 10)), 8).Encode()
	f.Add(b)
	f.Add(b[:headerSize])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, content []byte) {
		table, err := Decode(content)
		if err != nil {
			return
		}
		if !slices.Equal(table.Encode(), content) {
			t.Error("written again, it differs")
		}
		for i := range table.ends {
			if v := table.Embed([]lexical.QueryTerm{{Text: table.term(i), Weight: 1}}); v != nil && len(v) != table.dims {
				t.Errorf("term %d has %d components", i, len(v))
			}
		}
	})
}

// TestLikeness checks that the likeness of a term is the product of its vector and the text's.
func TestLikeness(t *testing.T) {
	table, err := New([]string{"boil", "clay", "pot"}, []float32{
		3, 0, 0, 0, 0, 0, 0, 0,
		0, 2, 0, 0, 0, 0, 0, 0,
		0, 4, 3, 0, 0, 0, 0, 0,
	}, 8)
	if err != nil {
		t.Fatal(err)
	}
	like := table.Likeness([]lexical.QueryTerm{{Text: "clay", Weight: 1}})
	for term, want := range map[string]float64{"boil": 0, "clay": 2, "pot": 4, "kettle": 0, "": 0} {
		if got := float64(like(term)); math.Abs(got-want) > .02 {
			t.Errorf("%q is like clay by %v, want %v", term, got, want)
		}
	}
	if table.Likeness([]lexical.QueryTerm{{Text: "kettle", Weight: 1}}) != nil || table.Likeness(nil) != nil {
		t.Error("a text of unknown terms is like something")
	}
}
