package retrieve

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// discourse is what a conversation was about and what is related to that: what calls it and what it
// calls, what its files contain, and what is named like it except for a word of the prompt. A
// prompt that continues the conversation usually means one of these places, and its few words
// choose among them.
type discourse struct {
	*search
	places  map[int]*tie       // by chunk
	rare    map[string]float64 // rarity of words of names
	files   []discourseFile    // those of the conversation and of what it named, the most important first
	terms   []discourseTerm    // of the prompt
	own     float64            // how far the prompt itself determines its object
	topic   []topicTerm        // of the prompt, see topicTerms
	known   float64            // the share of the prompt's topic in places of the discourse
	strange int                // words of the prompt that the workspace does not have
	topical int                // words of the prompt's topic
}

// tie is how a chunk is related to the conversation.
type tie struct {
	probability float64 // that a prompt without content of its own means it
	why         string
	match       float64 // its share of the prompt's words, relative to the best place's
}

type discourseFile struct {
	file   int
	weight float64 // 1 for what the conversation was about last
	why    string
}

// discourseTerm is a term of the prompt that some of the places of the discourse have.
type discourseTerm struct {
	text string
	bit  int // in Held
}

// Limits of the work for one prompt.
const (
	maxDiscourseSubjects = 4   // symbols whose surroundings are read
	maxDiscourseFiles    = 4   // files that are scanned
	maxFileChunks        = 250 // chunks of each
	maxDiscoursePlaces   = 40  // places that are candidates
)

// newDiscourse gathers the places of the discourse; nil where there was none.
func newDiscourse(ctx context.Context, r *search) *discourse {
	if len(r.req.Recent)+len(r.req.Said) == 0 || r.req.Mode != Hybrid || r.reckons() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, share(r.req.Deadline, discourseTimeShare))
	defer cancel()
	t := &discourse{search: r, places: map[int]*tie{}, rare: map[string]float64{}}
	t.topic, t.topical, t.strange = r.topicTerms()
	t.own = r.subjectOf(t.topic, t.topical, t.strange).own
	for i, u := range r.words.Terms {
		if !functionWords[u.Text] && !kindWords[u.Text] && !useWords[u.Text] {
			t.terms = append(t.terms, discourseTerm{u.Text, i})
		}
	}
	t.said(ctx)
	subjects := t.subjects()
	t.analogues(subjects)
	if r.req.Intent.AboutTests {
		t.testsOf(subjects)
	}
	t.tieFiles()
	for _, s := range subjects[:min(maxDiscourseSubjects, len(subjects))] {
		if ctx.Err() != nil {
			break
		}
		t.surround(ctx, s)
	}
	t.match()
	if ctx.Err() != nil {
		r.degrade("keyword", "timeout", "not everything that the conversation was about was searched")
	}
	return t
}

// discourseSymbol is a definition that the conversation named.
type discourseSymbol struct {
	indexer.Symbol
	weight float64
}

// subjects ties what the conversation itself was about and returns the definitions that it named.
func (t *discourse) subjects() (out []discourseSymbol) {
	paths, names := 0, 0
	for _, m := range t.req.Recent {
		weight := 1.0
		if m.Earlier {
			weight = earlierShare * (1 - t.own)
		}
		if m.Path != "" {
			if file, ok := t.s.File(m.Path); ok && paths < maxDiscourseNames && t.keeps(file) {
				t.file(file, weight*math.Pow(recentDecay, float64(paths)), conversationReason)
				paths++
			}
			continue
		}
		defined := t.meant(m.Symbol)
		if len(defined) == 0 || names == maxDiscourseNames {
			continue
		}
		weight *= math.Pow(recentDecay, float64(names))
		for _, d := range defined {
			if t.keeps(d.File) {
				t.define(d, tiedDefined*weight, conversationReason)
				t.file(d.File, weight*definedFile, conversationReason)
				out = append(out, discourseSymbol{d, weight})
			}
		}
		names++
	}
	slices.SortStableFunc(t.files, func(a, b discourseFile) int { return cmp.Compare(b.weight, a.weight) })
	return out
}

// said ties the places that match the words of the last turns best.
func (t *discourse) said(ctx context.Context) {
	var terms []lexical.QueryTerm
	at := map[string]int{}
	for i, text := range t.req.Said {
		weight := math.Pow(turnDecay, float64(i))
		for _, q := range lexical.Query([]byte(text[:min(len(text), saidBytes)])) {
			if functionWords[q.Text] || kindWords[q.Text] {
				continue
			}
			if k, found := at[q.Text]; found {
				terms[k].Weight += q.Weight * weight
				continue
			}
			at[q.Text] = len(terms)
			terms = append(terms, lexical.QueryTerm{Text: q.Text, Weight: q.Weight * weight})
		}
	}
	if terms = t.telling(terms); len(terms) == 0 {
		return
	}
	scores, err := t.s.Words().Score(ctx, terms, chunkParams, fileParams)
	defer t.s.Words().Release(scores)
	if err != nil {
		return // newDiscourse reports that there was no time
	}
	t.rate(scores.Doc, t.s.FileOf)
	t.rate(scores.Group, func(file int) int { return file })
	for _, f := range best(scores.Group, maxDiscourseFiles) {
		if t.keeps(f) {
			t.file(f, 0, bySaid) // its places take part, as possible subjects of a follow-up; it does not help by itself
		}
	}
	if top := maximum(scores.Doc); top > 0 {
		for _, c := range best(scores.Doc, saidPlaces) {
			w := float64(scores.Doc[c] / top)
			t.tie(c, tiedSaid*w*w, bySaid)
		}
	}
}

// telling returns the terms that best identify the places of the last turns: scoring all of them
// would take longer than the prompt itself.
func (t *discourse) telling(terms []lexical.QueryTerm) []lexical.QueryTerm {
	worth := make(map[string]float64, len(terms))
	for _, q := range terms {
		if n := t.s.Words().Count(q.Text); n > 0 && n <= saidChunks {
			worth[q.Text] = q.Weight * lexical.Rarity(t.s.LiveChunks(), n)
		}
	}
	terms = slices.DeleteFunc(terms, func(q lexical.QueryTerm) bool { return worth[q.Text] == 0 })
	slices.SortStableFunc(terms, func(a, b lexical.QueryTerm) int { return cmp.Compare(worth[b.Text], worth[a.Text]) })
	return terms[:min(saidTerms, len(terms))]
}

// rate multiplies scores by the factor of their file's class.
func (t *discourse) rate(scores []float32, fileOf func(i int) int) {
	for _, i := range best(scores, rated) {
		scores[i] *= float32(t.req.classFactor(t.classOf(fileOf(i))))
	}
}

// Limits of the last turns' words.
const (
	saidBytes  = 2 << 10 // of a turn
	saidTerms  = 48
	saidChunks = 20000 // a word in more chunks is no evidence
	saidPlaces = 24
	rated      = 200
)

const bySaid = "the last turns speak of it"

// conversationReason is the reason for something that the conversation was about.
const conversationReason = "the conversation is about it"

// tie records that a chunk is related to the conversation.
func (t *discourse) tie(chunk int, probability float64, why string) {
	if chunk < 0 || !t.keeps(t.s.FileOf(chunk)) {
		return
	}
	if p := t.places[chunk]; p == nil {
		t.places[chunk] = &tie{probability: probability, why: why}
	} else if probability > p.probability {
		p.probability, p.why = probability, why
	}
}

// define ties a definition's pieces.
func (t *discourse) define(d indexer.Symbol, probability float64, why string) {
	first := t.chunkOf(d)
	t.tie(first, probability, why)
	if last, ok := t.s.ChunkAt(d.File, d.EndLine); ok && first >= 0 {
		for c := first + 1; c <= min(last, first+pieceMost); c++ {
			t.tie(c, probability*tiedPiece/tiedDefined, why)
		}
	}
}

// file adds a file of the discourse.
func (t *discourse) file(file int, weight float64, why string) {
	for i := range t.files {
		if f := &t.files[i]; f.file == file {
			f.weight = max(f.weight, weight)
			return
		}
	}
	t.files = append(t.files, discourseFile{file, weight, why})
}

// surround ties what a symbol calls and what calls it, and the type that it belongs to.
func (t *discourse) surround(ctx context.Context, s discourseSymbol) {
	a := &surroundings{search: t.search, seen: map[int]bool{}, file: s.File}
	if s.Container != "" {
		for _, c := range t.resolve(containerName(s.Symbol), "", s.File) {
			if !IsCallable(c) {
				a.add(t.chunkOf(c), containerOf, "declares "+c.Name+", which "+s.Name+" belongs to", false)
			}
		}
	}
	a.calledBy(s.Symbol, 1)
	a.callersOf(ctx, s.Symbol, 1)
	a.methodsOf(s.Symbol, 1)
	for _, n := range a.list {
		t.tie(n.chunk, tiedNear*n.weight*s.weight, n.why)
	}
}

// tieFiles ties the pieces of the files of the discourse.
func (t *discourse) tieFiles() {
	for _, f := range t.files[:min(maxDiscourseFiles, len(t.files))] {
		first, end := t.s.FileChunks(f.file)
		for c := first; c < min(end, first+maxFileChunks); c++ {
			t.tie(c, tiedInFile*f.weight, f.why)
		}
	}
}

// match measures how much of the prompt's words each place has. Words that few of the places have
// count more; a word in a name counts twice.
func (t *discourse) match() {
	const inName = 2
	var use, mask uint64
	for _, term := range t.terms {
		mask |= 1 << term.bit
	}
	held := make(map[int]uint64, len(t.places))
	var count [64]int
	for c := range t.places {
		held[c] = t.words.Held.Over(c, c+1) & mask
		for b := held[c]; b != 0; b &= b - 1 {
			count[bits.TrailingZeros64(b)]++
		}
		use |= held[c]
	}
	t.known = t.shareOf(use)
	if use == 0 {
		return
	}
	var weight [64]float64
	at := map[string]int{}
	for _, term := range t.terms {
		if n := count[term.bit]; n > 0 {
			weight[term.bit], at[term.text] = math.Log1p(float64(len(t.places))/float64(n)), term.bit
		}
	}
	top := 0.0
	for c, b := range held {
		if b == 0 {
			continue // its names are in its text
		}
		p := t.places[c]
		for rest := b; rest != 0; rest &= rest - 1 {
			p.match += weight[bits.TrailingZeros64(rest)]
		}
		k := t.chunk(c)
		named := uint64(0)
		for _, name := range append(slices.Clone(k.Symbols), k.Enclosing...) {
			for _, part := range t.parts(name) {
				if bit, ok := at[part]; ok && named&(1<<bit) == 0 {
					named |= 1 << bit
					p.match += weight[bit] * (inName - 1)
				}
			}
		}
		top = max(top, p.match)
	}
	top += matchFaint
	// The rankers have used the words of a long prompt; those of a short one they could not use
	// well.
	few := min(1, fewTerms/float64(max(1, len(t.search.terms))))
	for _, p := range t.places {
		p.match *= few / top
	}
}

// matchFaint is a match without much evidence, fewTerms is how many words a prompt has whose match
// counts in full, and matchOdds is the factor of the odds of a place that has all words which the
// places of the discourse have at all.
const (
	matchFaint = 1
	fewTerms   = 6
	matchOdds  = 12
)

// helps returns the probability that a place helps, for a prompt that determines its object itself
// to the degree own.
func (p *tie) helps(own float64) float64 {
	return Raise(p.probability, 1+matchOdds*p.match*p.match) * (ownObject*own + 1 - own)
}

// shareOf returns the share of the prompt's topic, by rarity, whose bits are in a set; -1 for a
// prompt without a topic. A word that the workspace lacks counts as its rarest one, except in a
// prompt in another language.
func (t *discourse) shareOf(set uint64) float64 {
	has, all := 0.0, 0.0
	for _, term := range t.topic {
		if askedVerbTerms[term.text] {
			continue
		}
		all += term.rarity
		if slices.ContainsFunc(t.terms, func(o discourseTerm) bool { return o.text == term.text && set&(1<<o.bit) != 0 }) {
			has += term.rarity
		}
	}
	if !t.foreign() {
		all += float64(t.strange)
	}
	if all == 0 {
		return -1
	}
	return has / all
}

// goesOn reports whether the prompt continues the discourse: the workspace has all its words, and
// places of the discourse have its topic, or it has none. Within a conversation one word that
// nothing in the workspace has may be the topic of a question or an order: "why is this slow?". Of
// a question in another language the topic cannot be known: only a short one continues.
func (t *discourse) goesOn() bool {
	const shortWords = 4
	i := t.req.Intent
	switch {
	case t.strange > 0 && !t.isOwn():
		return false
	case t.strange > 1:
		return i.Question && t.isMostlyStrange() && len(strings.Fields(t.asked)) <= shortWords
	case t.strange == 1:
		return t.topical == 1 && (i.Question || i.Order != "")
	case t.known >= 0:
		return t.known >= knownShare
	}
	return i.Frame != intent.Conversation && (i.Question || len(i.Keywords) == 0 || !intent.Routine(i.Keywords))
}

// isOwn reports whether the discourse is the conversation's own, not only that of earlier ones.
func (t *discourse) isOwn() bool {
	return len(t.req.Said) > 0 || slices.ContainsFunc(t.req.Recent, func(m Recent) bool { return !m.Earlier })
}

// isMostlyStrange reports whether the workspace has so few of the prompt's words that the prompt is
// in another language.
func (t *discourse) isMostlyStrange() bool {
	return float64(t.strange) > strangeShare*float64(len(strings.Fields(t.asked)))
}

// foreign reports whether the prompt is in another language than most names.
func (t *discourse) foreign() bool {
	return slices.ContainsFunc(t.search.terms, func(q lexical.QueryTerm) bool { return functionWords[q.Text] }) ||
		strings.ContainsFunc(t.asked, func(c rune) bool { return c > unicode.MaxLatin1 && unicode.IsLetter(c) })
}

var askedVerbTerms = termSet(strings.Join(slices.Collect(maps.Keys(askedVerbs)), " "))
