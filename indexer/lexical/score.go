package lexical

import (
	"context"
	"math"
	"slices"
	"strings"
)

// Params are BM25's parameters: k1 saturates repeated terms, b normalises by length (Robertson and
// Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, equations 3.15 and 3.18
// with one length for all fields).
type Params struct {
	K1, B float64
}

// QueryTerm is a term of a query with its weight.
type QueryTerm struct {
	Text   string
	Weight float64
}

// MaxQueryTerms bounds the number of a query's terms: only the rarest are used.
const MaxQueryTerms = 96

// Query returns the terms of a text; a term's weight grows with the logarithm of its number of
// occurrences.
func Query(text []byte) []QueryTerm {
	n := map[string]int{}
	var order []string
	Terms(text, func(t string) {
		if n[t] == 0 {
			order = append(order, t)
		}
		n[t]++
	})
	terms := make([]QueryTerm, len(order))
	for i, t := range order {
		terms[i] = QueryTerm{Text: t, Weight: 1 + math.Log(float64(n[t]))}
	}
	return terms
}

// Part is one segment of a searched list with its live documents. Totals are those of the live
// documents, nil when they are still to be counted.
type Part struct {
	Segment *Segment
	Live    Live
	Totals  *Totals
}

// Totals are how many documents and groups are live, and the weighted length of all of them.
type Totals struct {
	Docs, Groups int
	Length       float64
}

// Total returns the totals of the live documents of a segment.
func Total(s *Segment, live Live) *Totals {
	t := &Totals{}
	for g := range s.Groups() {
		if live != nil && !live.Group(g) {
			continue
		}
		t.Groups++
		first, end := s.GroupDocs(g)
		t.Docs += end - first
		for d := first; d < end; d++ {
			t.Length += float64(s.lens[d])
		}
	}
	return t
}

// Corpus is a list of segments searched as one: documents and groups are numbered consecutively
// across the segments.
type Corpus struct {
	Parts []Part
	// LiveDocs, LiveGroups and LiveLength are totals of the live documents; see Measure.
	LiveDocs, LiveGroups int
	LiveLength           float64
	// Scratch lends the lists of scores; nil allocates new ones. See Release.
	Scratch *Scratch
	longest int // length of the longest document or group, within maxNorms
}

// Measure returns a corpus of the parts. It reads only those whose totals are not known.
func Measure(parts []Part) *Corpus {
	c := &Corpus{Parts: parts}
	for _, p := range parts {
		_, longest := p.Segment.lengths() // no document is longer than its group
		c.longest = max(c.longest, min(longest, maxNorms-1))
		t := p.Totals
		if t == nil {
			t = Total(p.Segment, p.Live)
		}
		c.LiveDocs += t.Docs
		c.LiveGroups += t.Groups
		c.LiveLength += t.Length
	}
	return c
}

// Scores are a query's scores, by document and by group over the whole corpus; zero for one that
// contains none of the terms.
type Scores struct {
	Doc, Group []float32
	// TopDoc and TopGroup are the largest of them, DocCount is the number of documents whose score
	// is above 0.
	TopDoc, TopGroup float32
	DocCount         int
	// Matched is the number of the query's terms that occur anywhere.
	Matched int
	// Terms are the rarest maxHeld of those terms, and Held records which documents contain them.
	// Both are nil unless requested.
	Terms []TermUse
	Held  *Holders
}

// TermUse is a query's term with the number of live documents that contain it.
type TermUse struct {
	QueryTerm
	Docs int
}

// maxHeld is the number of terms that fit into a document's bits.
const maxHeld = 64

// termHits are one term's postings over the corpus.
type termHits struct {
	QueryTerm
	docs, groups int
	part         [][]Posting
}

// Score scores the query on both levels. It stops early when ctx is done and returns the scores so
// far with ctx's error.
func (c *Corpus) Score(ctx context.Context, terms []QueryTerm, doc, group Params) (Scores, error) {
	return c.score(ctx, terms, doc, group, false)
}

// ScoreHeld is like Score, and also records which terms occur in which documents.
func (c *Corpus) ScoreHeld(ctx context.Context, terms []QueryTerm, doc, group Params) (Scores, error) {
	return c.score(ctx, terms, doc, group, true)
}

func (c *Corpus) score(ctx context.Context, terms []QueryTerm, doc, group Params, held bool) (Scores, error) {
	nd, ng := 0, 0
	for _, p := range c.Parts {
		nd += p.Segment.Docs()
		ng += p.Segment.Groups()
	}
	out := Scores{Doc: c.Scratch.Floats(nd), Group: c.Scratch.Floats(ng)}
	if c.LiveDocs == 0 {
		return out, ctx.Err()
	}
	hits, all, err := c.collect(ctx, terms)
	if err != nil {
		return out, err
	}
	docNorms := c.newNorms(doc, c.LiveLength/float64(c.LiveDocs))
	groupNorms := c.newNorms(group, c.LiveLength/float64(max(1, c.LiveGroups)))
	for _, h := range hits {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		out.Matched++
		c.scoreTerm(h, &out, docNorms, groupNorms)
	}
	if held {
		out.Held, out.Terms = c.hold(hits)
		out.Held.all = all
	} else {
		c.Scratch.returnPostings(all)
	}
	return out, nil
}

// collect decodes the postings of the query's rarest terms. all holds the postings of all terms,
// one after another.
func (c *Corpus) collect(ctx context.Context, terms []QueryTerm) (hits []termHits, all []Posting, err error) {
	type found struct {
		QueryTerm
		at []int
		n  int
	}
	var known []found
	for _, t := range terms {
		f := found{QueryTerm: t, at: make([]int, len(c.Parts))}
		for k, p := range c.Parts {
			if f.at[k] = p.Segment.find(t.Text); f.at[k] >= 0 {
				f.n += p.Segment.Count(f.at[k])
			}
		}
		if f.n > 0 {
			known = append(known, f)
		}
	}
	if len(known) > MaxQueryTerms {
		slices.SortStableFunc(known, func(a, b found) int {
			if a.n != b.n {
				return a.n - b.n
			}
			return strings.Compare(a.Text, b.Text)
		})
		known = known[:MaxQueryTerms]
	}
	total := 0
	for _, f := range known {
		total += f.n
	}
	all = c.Scratch.lendPostings(total)
	hits = make([]termHits, 0, len(known))
	for _, f := range known {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		h := termHits{QueryTerm: f.QueryTerm, part: make([][]Posting, len(c.Parts))}
		for k, p := range c.Parts {
			if f.at[k] < 0 {
				continue
			}
			begin := len(all)
			all = p.Segment.Postings(f.at[k], all)
			list := all[begin:len(all):len(all)]
			if p.Live != nil {
				list = slices.DeleteFunc(list, func(x Posting) bool { return !p.Live.Doc(int(x.Doc)) })
			}
			h.part[k] = list
			h.docs += len(list)
			h.groups += p.Segment.countGroups(list)
		}
		if h.docs > 0 {
			hits = append(hits, h)
		}
	}
	return hits, all, nil
}

// Docs calls yield for every live document that contains a term, in ascending order, until yield
// returns false.
func (c *Corpus) Docs(term string, yield func(doc int) bool) {
	base := 0
	buf := c.Scratch.lendPostings(0)
	defer func() { c.Scratch.returnPostings(buf) }()
	for _, p := range c.Parts {
		if at := p.Segment.find(term); at >= 0 {
			buf = p.Segment.Postings(at, buf[:0])
			for _, x := range buf {
				if (p.Live == nil || p.Live.Doc(int(x.Doc))) && !yield(base+int(x.Doc)) {
					return
				}
			}
		}
		base += p.Segment.Docs()
	}
}

// Count returns the number of documents that contain a term, including deleted ones.
func (c *Corpus) Count(term string) int {
	n := 0
	for _, p := range c.Parts {
		if at := p.Segment.find(term); at >= 0 {
			n += p.Segment.Count(at)
		}
	}
	return n
}

// Having returns the live documents that contain all of the terms, in ascending order; none if
// terms is empty.
func (c *Corpus) Having(terms []string) []int {
	var out []int
	base := 0
	var buf []Posting
	for _, p := range c.Parts {
		for _, doc := range p.having(terms, &buf) {
			out = append(out, base+doc)
		}
		base += p.Segment.Docs()
	}
	return out
}

// Among returns the number of live documents that contain all of the terms, and those of docs,
// which must ascend, that do. It does not collect the others.
func (c *Corpus) Among(terms []string, docs []int) (n int, held []int) {
	base := 0
	buf := c.Scratch.lendPostings(0)
	defer func() { c.Scratch.returnPostings(buf) }()
	for _, p := range c.Parts {
		end := base + p.Segment.Docs()
		cut, _ := slices.BinarySearch(docs, end)
		wanted := docs[:cut]
		docs = docs[cut:]
		note := func(doc int) {
			n++
			for len(wanted) > 0 && wanted[0] < base+doc {
				wanted = wanted[1:]
			}
			if len(wanted) > 0 && wanted[0] == base+doc {
				held = append(held, wanted[0])
			}
		}
		if len(terms) == 1 {
			p.holding(terms[0], &buf, note)
		} else {
			for _, doc := range p.having(terms, &buf) {
				note(doc)
			}
		}
		base = end
	}
	return n, held
}

// holding calls yield for every live document of a part that contains a term, in ascending order.
// buf is reused.
func (p Part) holding(term string, buf *[]Posting, yield func(doc int)) {
	at := p.Segment.find(term)
	if at < 0 {
		return
	}
	*buf = p.Segment.Postings(at, (*buf)[:0])
	for _, x := range *buf {
		if p.Live == nil || p.Live.Doc(int(x.Doc)) {
			yield(int(x.Doc))
		}
	}
}

// having is Having for one part. buf is reused.
func (p Part) having(terms []string, buf *[]Posting) []int {
	at := make([]int, len(terms))
	for i, t := range terms {
		if at[i] = p.Segment.find(t); at[i] < 0 {
			return nil
		}
	}
	slices.SortFunc(at, func(a, b int) int { return p.Segment.Count(a) - p.Segment.Count(b) }) // the rarest first
	var docs []int
	for i, term := range at {
		*buf = p.Segment.Postings(term, (*buf)[:0])
		if i == 0 {
			for _, x := range *buf {
				if p.Live == nil || p.Live.Doc(int(x.Doc)) {
					docs = append(docs, int(x.Doc))
				}
			}
			continue
		}
		rest := *buf
		docs = slices.DeleteFunc(docs, func(doc int) bool {
			for len(rest) > 0 && int(rest[0].Doc) < doc {
				rest = rest[1:]
			}
			return len(rest) == 0 || int(rest[0].Doc) != doc
		})
	}
	return docs
}

func (s *Segment) countGroups(list []Posting) int {
	n, last := 0, -1
	for _, p := range list {
		if g := int(s.groupOf[p.Doc]); g != last {
			n, last = n+1, g
		}
	}
	return n
}

// Rarity returns the rarity of a term that occurs in df of n documents: from 0 if in all of them to
// 1 if in one.
func Rarity(n, df int) float64 {
	if n < 2 {
		return 1
	}
	return min(1, max(0, IDF(n, df)/IDF(n, 1)))
}

// IDF returns the inverse document frequency of a term that occurs in df of n documents: the
// probabilistic weight from the source cited at Params, kept above 0.
func IDF(n, df int) float64 {
	return math.Log(1 + (float64(n-df)+.5)/(float64(df)+.5))
}

// norms are the length-dependent part of BM25's denominator, by weighted length. Documents are
// short: few lengths exceed the table.
type norms struct {
	Params
	average float64
	table   []float64
	counts  []float32 // see usual
}

// maxNorms bounds the lengths in the table.
const maxNorms = 4096

func (c *Corpus) newNorms(p Params, average float64) *norms {
	n := &norms{Params: p, average: average, table: make([]float64, c.longest+1)}
	for length := range n.table {
		n.table[length] = n.compute(float64(length))
	}
	return n
}

func (n *norms) compute(length float64) float64 {
	return n.K1 * (1 - n.B + n.B*length/n.average)
}

// usual returns the score of a term of weight wd whose posting has usualWeight, by document length;
// nil if there are too few postings to justify the table.
func (n *norms) usual(wd float64, postings int) []float32 {
	const tf = float64(usualWeight) / Unit
	if postings < 2*len(n.table) {
		return nil
	}
	if n.counts == nil {
		n.counts = make([]float32, len(n.table))
	}
	for length, norm := range n.table {
		n.counts[length] = float32(wd * tf / (tf + norm))
	}
	return n.counts
}

func (n *norms) at(length uint32) float64 {
	if int(length) < len(n.table) {
		return n.table[length]
	}
	return n.compute(float64(length))
}

// scoreTerm adds a term's score, which is never below 0: scores only grow.
func (c *Corpus) scoreTerm(h termHits, out *Scores, doc, group *norms) {
	wd := h.Weight * IDF(c.LiveDocs, h.docs) * (doc.K1 + 1)
	wg := h.Weight * IDF(c.LiveGroups, h.groups) * (group.K1 + 1)
	docBase, groupBase := 0, 0
	topDoc, topGroup, fresh := out.TopDoc, out.TopGroup, 0
	for k, p := range c.Parts {
		s := p.Segment
		docs, groups := out.Doc[docBase:docBase+s.Docs()], out.Group[groupBase:groupBase+s.Groups()]
		lens, _ := s.lengths()
		g, sum := -1, 0.0
		flush := func() {
			if g >= 0 {
				v := groups[g] + float32(wg*sum/(sum+group.at(uint32(lens[g]))))
				if groups[g] = v; v > topGroup {
					topGroup = v
				}
			}
		}
		usual := doc.usual(wd, len(h.part[k]))
		for _, x := range h.part[k] {
			if of := int(s.groupOf[x.Doc]); of != g {
				flush()
				g, sum = of, 0
			}
			tf := float64(x.Weight) / Unit
			sum += tf
			was := docs[x.Doc]
			v := was
			if length := s.lens[x.Doc]; x.Weight == usualWeight && int(length) < len(usual) {
				v += usual[length]
			} else {
				v += float32(wd * tf / (tf + doc.at(length)))
			}
			if docs[x.Doc] = v; was == 0 && v > 0 {
				fresh++
			}
			if v > topDoc {
				topDoc = v
			}
		}
		flush()
		docBase += s.Docs()
		groupBase += s.Groups()
	}
	out.TopDoc, out.TopGroup = topDoc, topGroup
	out.DocCount += fresh
}
