package lexical

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// parted is a corpus of three segments, in one of which some groups are removed.
func parted(r *rand.Rand, scratch *Scratch) *Corpus {
	var parts []Part
	for i := range 3 {
		p := Part{Segment: randomCorpus(r, 5+r.IntN(20)).build()}
		if i == 1 {
			p.Live = deadGroups{p.Segment, map[int]bool{1: true, 3: true}}
		}
		parts = append(parts, p)
	}
	c := Measure(parts)
	c.Scratch = scratch
	return c
}

// Among and Holders agree with Having.
func TestHoldersAndAmong(t *testing.T) {
	r := rand.New(rand.NewPCG(90, 1))
	for range 50 {
		c := parted(r, &Scratch{})
		query := Query([]byte(vocabulary[r.IntN(len(vocabulary))] + " " + vocabulary[r.IntN(len(vocabulary))] + " absentword"))
		s, err := c.ScoreHeld(context.Background(), query, Params{1.2, .75}, Params{1.2, .5})
		if err != nil {
			t.Fatal(err)
		}
		nd := len(s.Doc)
		for i, term := range s.Terms {
			docs := c.Having([]string{term.Text})
			if len(docs) != term.Docs {
				t.Fatalf("%s stands in %d documents, not %d", term.Text, len(docs), term.Docs)
			}
			for doc := range nd {
				if got := s.Held.Over(doc, doc+1)>>i&1 == 1; got != slices.Contains(docs, doc) {
					t.Fatalf("%s in document %d: %v", term.Text, doc, got)
				}
			}
		}
		var candidates []int
		for doc := range nd {
			if r.IntN(3) == 0 {
				candidates = append(candidates, doc)
			}
		}
		for _, terms := range [][]string{nil, {query[0].Text}, {query[0].Text, query[1].Text}, {"absentword"}} {
			all := c.Having(terms)
			want := slices.DeleteFunc(slices.Clone(all), func(doc int) bool { return !slices.Contains(candidates, doc) })
			if n, held := c.Among(terms, candidates); n != len(all) || !slices.Equal(held, want) {
				t.Fatalf("%q: %d documents, %v of the candidates; want %d, %v", terms, n, held, len(all), want)
			}
			if n, held, ok := s.Held.Among(terms, candidates); ok && (n != len(all) || !slices.Equal(held, want)) || ok != (len(all) > 0) && len(terms) < 2 {
				t.Fatalf("%q by what is decoded: %d documents, %v of the candidates, %v; want %d, %v", terms, n, held, ok, len(all), want)
			}
		}
	}
	var none *Holders
	if none.Over(0, 5) != 0 {
		t.Error("nothing holds something")
	}
}

// Scores are the same in new and in reused lists.
func TestScratch(t *testing.T) {
	r := rand.New(rand.NewPCG(90, 2))
	scratch := &Scratch{}
	for range 30 {
		seed := r.Uint64()
		fresh, lent := parted(rand.New(rand.NewPCG(seed, 0)), nil), parted(rand.New(rand.NewPCG(seed, 0)), scratch)
		for range 5 {
			query := Query([]byte(vocabulary[r.IntN(len(vocabulary))] + " " + vocabulary[r.IntN(len(vocabulary))]))
			want, err := fresh.ScoreHeld(context.Background(), query, Params{1.2, .75}, Params{1.2, .5})
			if err != nil {
				t.Fatal(err)
			}
			got, err := lent.ScoreHeld(context.Background(), query, Params{1.2, .75}, Params{1.2, .5})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Doc, want.Doc) || !slices.Equal(got.Group, want.Group) || got.Held.Over(0, 3) != want.Held.Over(0, 3) {
				t.Fatal("the scores differ")
			}
			lent.Release(got)
			fresh.Release(want)
		}
	}
	list := scratch.Floats(100)
	for i := range list {
		list[i] = 1
	}
	scratch.Return(list, nil)
	if again := scratch.Floats(90); slices.Max(again) != 0 || len(again) != 90 {
		t.Error("a list is lent with what it held")
	}
}

// Postings of which a part reads as zeros are either within the segment or empty.
func TestZeroedPostings(t *testing.T) {
	r := rand.New(rand.NewPCG(90, 3))
	for range 300 {
		s := randomCorpus(r, 30).build()
		sections := s.Sections()
		for i := range sections {
			sections[i] = slices.Clone(sections[i])
		}
		b := sections[r.IntN(4)]
		if len(b) == 0 {
			continue
		}
		clear(b[r.IntN(len(b)):])
		broken := &Segment{termBlob: sections[0], post: sections[2], lens: s.lens, groups: s.groups, groupOf: s.groupOf}
		whole, err := FromSections(s.Sections())
		if err != nil {
			t.Fatal(err)
		}
		broken.termOff, broken.postOff = whole.termOff, whole.postOff
		if &b[0] == &sections[1][0] || &b[0] == &sections[3][0] {
			view := func(b []byte) []uint32 {
				out := make([]uint32, len(b)/4)
				for i := range out {
					out[i] = uint32(b[4*i]) | uint32(b[4*i+1])<<8 | uint32(b[4*i+2])<<16 | uint32(b[4*i+3])<<24
				}
				return out
			}
			broken.termOff, broken.postOff = view(sections[1]), view(sections[3])
		}
		for i := range broken.Terms() {
			broken.find(broken.Term(i))
			broken.Count(i)
			for _, p := range broken.Postings(i, nil) {
				if int(p.Doc) >= len(s.lens) {
					t.Fatalf("a posting of document %d of %d", p.Doc, len(s.lens))
				}
			}
		}
	}
}

// seek finds the same as a binary search, in lists of any distribution.
func TestSeek(t *testing.T) {
	r := rand.New(rand.NewPCG(91, 1))
	for range 300 {
		span := uint32(1 + r.IntN(2000))
		var list []Posting
		for doc := range span {
			if skew := r.IntN(2) == 0 && doc < span/2; r.IntN(10) == 0 || skew && r.IntN(4) > 0 {
				list = append(list, Posting{Doc: doc})
			}
		}
		for doc := range span + 2 {
			want, _ := slices.BinarySearchFunc(list, doc, func(x Posting, doc uint32) int { return int(x.Doc) - int(doc) })
			if got := seek(list, doc); got != want {
				t.Fatalf("%d in %v: %d, want %d", doc, list, got, want)
			}
		}
	}
}

// The tops and counts of scores agree with a scan of all scores.
func TestTopsAndCount(t *testing.T) {
	r := rand.New(rand.NewPCG(92, 1))
	for range 50 {
		c := parted(r, &Scratch{})
		query := Query([]byte(vocabulary[r.IntN(len(vocabulary))] + " " + vocabulary[r.IntN(len(vocabulary))]))
		s, err := c.Score(context.Background(), query, Params{1.2, .75}, Params{1.2, .5})
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, v := range s.Doc {
			if v > 0 {
				count++
			}
		}
		if s.DocCount != count || s.TopDoc != max(0, slices.Max(s.Doc)) || s.TopGroup != max(0, slices.Max(s.Group)) {
			t.Fatalf("%d documents up to %v, groups up to %v; want %d, %v, %v", s.DocCount, s.TopDoc, s.TopGroup, count, slices.Max(s.Doc), slices.Max(s.Group))
		}
	}
}
