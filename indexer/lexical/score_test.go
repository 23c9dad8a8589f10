package lexical

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// text is one field of a document.
type text struct {
	field Field
	words string
}

// corpusOf is a list of groups, each a list of documents, each a list of texts.
type corpusOf [][][]text

func (c corpusOf) build() *Segment {
	b := NewBuilder()
	for _, g := range c {
		b.Group()
		for _, d := range g {
			for _, x := range d {
				b.Add(x.field, []byte(x.words))
			}
			b.Close()
		}
	}
	return b.Seal()
}

var vocabulary = strings.Fields("retryCount parse http server index token budget flush memtable chunk grammar symbol lexical vector walk ignore branch commit history overlay")

// randomCorpus makes groups of up to four documents, some of them empty.
func randomCorpus(r *rand.Rand, groups int) corpusOf {
	c := make(corpusOf, groups)
	for g := range c {
		c[g] = make([][]text, r.IntN(5))
		for d := range c[g] {
			for _, f := range []Field{Body, Symbol, Scope} {
				var words []string
				for range r.IntN(12) {
					words = append(words, vocabulary[r.IntN(len(vocabulary))])
				}
				c[g][d] = append(c[g][d], text{f, strings.Join(words, " ")})
			}
		}
	}
	return c
}

// frequencies counts a document's terms by the weights of its fields.
func frequencies(d []text) map[string]float64 {
	tf := map[string]float64{}
	for _, x := range d {
		Terms([]byte(x.words), func(t string) { tf[t] += float64(x.field) / Unit })
	}
	return tf
}

// naive computes BM25F by its formula, over documents that are bags of weighted terms. live selects
// the documents that count; the length of a document is the sum of its terms' weights, in the
// stored half units.
func naive(docs []map[string]float64, live []bool, terms []QueryTerm, p Params) []float64 {
	n, total := 0, 0.0
	lens := make([]float64, len(docs))
	for i, d := range docs {
		for _, w := range d {
			lens[i] += w * Unit
		}
		if live[i] {
			n++
			total += lens[i]
		}
	}
	out := make([]float64, len(docs))
	for _, t := range terms {
		df := 0
		for i, d := range docs {
			if live[i] && d[t.Text] > 0 {
				df++
			}
		}
		for i, d := range docs {
			if tf := d[t.Text]; tf > 0 && live[i] {
				norm := p.K1 * (1 - p.B + p.B*lens[i]/(total/float64(n)))
				idf := math.Log(1 + (float64(n-df)+.5)/(float64(df)+.5))
				out[i] += t.Weight * idf * tf * (p.K1 + 1) / (tf + norm)
			}
		}
	}
	return out
}

// flatten returns the corpus as bags, by document and by group, and which of them are live.
func (c corpusOf) flatten(alive func(g int) bool) (docs, groups []map[string]float64, liveDocs, liveGroups []bool) {
	for g, list := range c {
		sum := map[string]float64{}
		for _, d := range list {
			tf := frequencies(d)
			docs, liveDocs = append(docs, tf), append(liveDocs, alive(g))
			for t, w := range tf {
				sum[t] += w
			}
		}
		groups, liveGroups = append(groups, sum), append(liveGroups, alive(g))
	}
	return docs, groups, liveDocs, liveGroups
}

type deadGroups struct {
	s    *Segment
	dead map[int]bool
}

func (d deadGroups) Group(g int) bool { return !d.dead[g] }
func (d deadGroups) Doc(n int) bool   { return !d.dead[int(d.s.groupOf[n])] }

var (
	docParams   = Params{K1: 1.2, B: .75}
	groupParams = Params{K1: .9, B: .4}
)

func score(t *testing.T, terms []QueryTerm, parts ...Part) Scores {
	t.Helper()
	s, err := Measure(parts).Score(context.Background(), terms, docParams, groupParams)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func near[A, B float32 | float64](t *testing.T, what string, got []A, want []B) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d scores, want %d", what, len(got), len(want))
	}
	for i := range got {
		if d := math.Abs(float64(got[i]) - float64(want[i])); d > 1e-4*(1+math.Abs(float64(want[i]))) || math.IsNaN(d) {
			t.Fatalf("%s %d: %g, want %g", what, i, float64(got[i]), float64(want[i]))
		}
	}
}

func TestScoreIsBM25F(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		c := randomCorpus(r, 1+r.IntN(20))
		seg := c.build()
		dead := map[int]bool{}
		for g := range c {
			if r.IntN(4) == 0 {
				dead[g] = true
			}
		}
		live := deadGroups{seg, dead}
		query := Query([]byte("retryCount budget budget http server walking " + vocabulary[r.IntN(len(vocabulary))]))
		docs, groups, liveDocs, liveGroups := c.flatten(live.Group)
		got := score(t, query, Part{Segment: seg, Live: live})
		near(t, "document", got.Doc, naive(docs, liveDocs, query, docParams))
		near(t, "group", got.Group, naive(groups, liveGroups, query, groupParams))
	}
}

// Any division of the same documents into segments has the same scores, and so does a merge of the
// segments.
func TestSegmentsDoNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	query := Query([]byte("memtable flush history of the branch token lexical RetryCount"))
	for range 40 {
		c := randomCorpus(r, 2+r.IntN(25))
		whole := score(t, query, Part{Segment: c.build()})
		var segs []*Segment
		var parts []Part
		for rest := c; len(rest) > 0; {
			n := 1 + r.IntN(len(rest))
			segs = append(segs, rest[:n].build())
			parts = append(parts, Part{Segment: segs[len(segs)-1]})
			rest = rest[n:]
		}
		split := score(t, query, parts...)
		near(t, "document", split.Doc, whole.Doc)
		near(t, "group", split.Group, whole.Group)
		merged := score(t, query, Part{Segment: Merge(segs, make([]Live, len(segs)))})
		near(t, "merged document", merged.Doc, whole.Doc)
		near(t, "merged group", merged.Group, whole.Group)
	}
}

// A merge omits dead groups as if they had never existed, byte for byte.
func TestMergeEqualsBuilding(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 30 {
		a, b := randomCorpus(r, r.IntN(12)), randomCorpus(r, 1+r.IntN(12))
		sa, sb := a.build(), b.build()
		dead := map[int]bool{0: true, 3: true}
		var want corpusOf
		for g := range a {
			if !dead[g] {
				want = append(want, a[g])
			}
		}
		want = append(want, b...)
		got := Merge([]*Segment{sa, sb}, []Live{deadGroups{sa, dead}, nil})
		if !slices.Equal(got.Marshal(), want.build().Marshal()) {
			t.Fatalf("merged %d+%d groups differ from the same built at once", len(a), len(b))
		}
	}
}

func TestUnion(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	segs := []*Segment{randomCorpus(r, 3).build(), randomCorpus(r, 0).build(), randomCorpus(r, 5).build()}
	want := map[string]bool{}
	for _, s := range segs {
		for i := range s.Terms() {
			want[s.Term(i)] = true
		}
	}
	var got []string
	Union(segs, func(term string, at []int) bool {
		got = append(got, term)
		for k, s := range segs {
			if i := s.find(term); i != at[k] {
				t.Errorf("%q stands at %d in segment %d, want %d", term, at[k], k, i)
			}
		}
		return true
	})
	if !slices.IsSorted(got) || len(got) != len(want) {
		t.Errorf("%d terms, sorted %v; want %d sorted", len(got), slices.IsSorted(got), len(want))
	}
	calls := 0
	Union(segs, func(string, []int) bool { calls++; return false })
	if calls != 1 {
		t.Errorf("went on %d terms after being told to stop", calls)
	}
}

func TestQuery(t *testing.T) {
	q := Query([]byte("retry the retry of retries in http"))
	if len(q) != 2 || q[0].Text != "retri" || q[1].Text != "http" {
		t.Fatalf("terms %v", q)
	}
	if want := 1 + math.Log(3); math.Abs(q[0].Weight-want) > 1e-12 || q[1].Weight != 1 {
		t.Errorf("weights %v, want %g and 1", q, want)
	}
}

// Only the rarest terms of a very long query count.
func TestLongQuery(t *testing.T) {
	var names []string
	for i := range 3 * MaxQueryTerms {
		names = append(names, "word"+string(rune('a'+i/26%26))+string(rune('a'+i%26))+string(rune('a'+i/676)))
	}
	all := strings.Join(names, " ")
	c := corpusOf{{{{Body, all}}, {{Body, all}}}, {{{Body, "needle"}}}}
	s := score(t, Query([]byte(all+" needle")), Part{Segment: c.build()})
	if s.Matched != MaxQueryTerms {
		t.Errorf("%d terms matched, want the bound %d", s.Matched, MaxQueryTerms)
	}
	if s.Doc[2] == 0 {
		t.Error("the rarest term was left out")
	}
}

func TestScoreStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := Measure([]Part{{Segment: corpusOf{{{{Body, "needle"}}}}.build()}})
	got, err := c.Score(ctx, Query([]byte("needle")), docParams, groupParams)
	if !errors.Is(err, context.Canceled) || len(got.Doc) != 1 || len(got.Group) != 1 {
		t.Errorf("scores %v, error %v", got, err)
	}
}

func TestEmptyCorpus(t *testing.T) {
	for name, parts := range map[string][]Part{
		"none": nil, "an empty segment": {{Segment: corpusOf{}.build()}}, "empty groups": {{Segment: corpusOf{nil, nil}.build()}},
	} {
		if s := score(t, Query([]byte("needle")), parts...); s.Matched != 0 {
			t.Errorf("%s: matched %d", name, s.Matched)
		}
	}
}

// A term that occurs very often in a document saturates; its stored weight must not overflow.
func TestManyRepetitions(t *testing.T) {
	for _, n := range []int{100, 127, 128, 300, 20_000, 40_000} {
		few := corpusOf{{{{Body, "needle"}}, {{Symbol, strings.Repeat("needle ", n)}}}}
		s := score(t, Query([]byte("needle")), Part{Segment: few.build()})
		if s.Doc[1] <= 0 {
			t.Errorf("%d repetitions score %g", n, s.Doc[1])
		}
		seg := few.build()
		if w := seg.Postings(seg.find("needl"), nil)[1].Weight; int(w) < min(255, 4*n) {
			t.Errorf("%d repetitions are stored as %d", n, w)
		}
	}
}

// Having returns the live documents with all of the terms, for any division into segments.
func TestHaving(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for range 60 {
		c := randomCorpus(r, 2+r.IntN(15))
		cut := r.IntN(len(c))
		first, second := c[:cut].build(), c[cut:].build()
		dead := deadGroups{first, map[int]bool{r.IntN(cut + 1): true}}
		var terms []string
		for range r.IntN(4) {
			terms = append(terms, termsOf(vocabulary[r.IntN(len(vocabulary))])[0])
		}
		docs, _, live, _ := c.flatten(func(g int) bool { return g >= cut || dead.Group(g) })
		var want []int
		for i, d := range docs {
			all := len(terms) > 0 && live[i]
			for _, term := range terms {
				all = all && d[term] > 0
			}
			if all {
				want = append(want, i)
			}
		}
		if got := Measure([]Part{{Segment: first, Live: dead}, {Segment: second}}).Having(terms); !slices.Equal(got, want) {
			t.Fatalf("documents with %q: %v, want %v", terms, got, want)
		}
	}
}
