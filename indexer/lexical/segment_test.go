package lexical

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSegmentRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, groups := range []int{0, 1, 2, 7, 40} {
		c := randomCorpus(r, groups)
		s := c.build()
		data := s.Marshal()
		got, err := Unmarshal(data)
		if err != nil {
			t.Fatalf("%d groups: %v", groups, err)
		}
		if !slices.Equal(got.Marshal(), data) || got.Docs() != s.Docs() || got.Groups() != groups || got.Terms() != s.Terms() {
			t.Errorf("%d groups: not what was written", groups)
		}
		for d := range s.Docs() {
			g := int(got.groupOf[d])
			if first, end := got.GroupDocs(g); d < first || d >= end {
				t.Errorf("document %d: group %d holds %d to %d", d, g, first, end)
			}
		}
	}
}

// Every prefix of a segment's bytes is rejected.
func TestCutSegment(t *testing.T) {
	data := randomCorpus(rand.New(rand.NewPCG(11, 12)), 4).build().Marshal()
	for n := range data {
		if _, err := Unmarshal(data[:n]); err == nil {
			t.Fatalf("%d of %d bytes were taken for a segment", n, len(data))
		}
	}
}

// A segment with a document outside all groups is rejected, because a search would look up its
// group.
func TestGroupsCoverDocuments(t *testing.T) {
	for name, groups := range map[string][]uint32{"none": {}, "the first is missed": {1}, "behind the end": {0, 3}} {
		s := corpusOf{{{{Body, "needle"}}, {{Body, "needle hay"}}}}.build()
		s.groups = groups
		if _, err := Unmarshal(s.Marshal()); err == nil {
			t.Errorf("%s: taken for a segment", name)
		}
	}
}

// search reads every part of a segment that a query or a merge reads.
func search(t *testing.T, s *Segment) {
	t.Helper()
	var terms []QueryTerm
	for i := range s.Terms() {
		terms = append(terms, QueryTerm{Text: s.Term(i), Weight: 1})
		if n := len(s.Postings(i, nil)); n != s.Count(i) {
			t.Fatalf("term %d: %d postings, counted %d", i, n, s.Count(i))
		}
	}
	for d := range s.Docs() {
		if s.Groups() > 0 {
			_ = s.groupOf[d]
		}
	}
	if _, err := Measure([]Part{{Segment: s}}).Score(context.Background(), terms, docParams, groupParams); err != nil {
		t.Fatal(err)
	}
	Merge([]*Segment{s, s}, []Live{nil, nil})
}

func FuzzUnmarshal(f *testing.F) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, groups := range []int{0, 1, 3} {
		f.Add(randomCorpus(r, groups).build().Marshal())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := Unmarshal(data); err == nil {
			search(t, s)
		}
	})
}
