package retrieve

import (
	"context"
	"math"
	"math/bits"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// The features that the fitted model reads of a candidate. The model depends on their order: after
// a change it must be fitted again (go run ./cmd/train rank).
const (
	fChunk        = iota // keyword score of the chunk, relative to the best one's
	fFile                // keyword score of the file
	fPath                // score of the path's words
	fHistory             // score of the commits that touched the file
	fMeaning             // cosine, relative to the best one's
	fCosine              // cosine, absolute
	fSum                 // weighted sum of the rankers, relative to the best one's
	fInFile              // the sum, relative to the best one's in the file
	fPiece               // its rank by the sum among the file's pieces
	fIdeal               // keyword score, relative to that of a chunk of nothing but the query
	fHeld                // share of the query's words in the chunk, by rarity
	fFileHeld            // the same for the file
	fRarest              // the chunk has the rarest of the query's words that the workspace has
	fSymbolHeld          // share of the query's words in the chunk's names, by rarity
	fSymbolWhole         // the largest share of a name's words that the query has
	fOuterHeld           // share of the query's words in what encloses the chunk
	fPathHeld            // share of the query's words in the path
	fStem                // the query has all words of the file's name: higher in a short query
	fStemPart            // share of the words of the file's name in the query
	fFolder              // share of the words of the folder's name in the query
	fDefines             // defines an identifier that the query spells as code does
	fDefinesWord         // defines something that the query names by a common word
	fClass               // class of the file
	fAboutTests          // the query asks for tests
	fAboutDocs           // the query asks for documents
	fTerms               // logarithm of the number of the query's terms
	fKnown               // share of the query's words that the workspace has, by weight
	fQuestion            // the query is a question
	fIdentifiers         // number of code-like words in the query
	fTokens              // logarithm of the chunk's size
	fFirst               // it is the file's first chunk
	fBestHeld            // the largest fHeld of the query
	fBestIdeal           // the largest fIdeal
	fBestCosine          // the largest cosine
	fBestSymbol          // the largest fSymbolHeld
	fStandsOut           // the best chunk's keyword score relative to the tenth's
	fRarity              // rarity of the rarest of the query's words that the workspace has
	fBestPathHeld        // the largest fPathHeld
	fMentions            // refers to what the query names
	fUses                // the query asks for uses
	fStemHeld            // share of the query's words in the file's name, by rarity
	fStemNamed           // a word of the query is the file's name: 1 if it has an inner capital or a separator, else .5
	fStemAt              // position of the file's name in the query, from 0 to 1; 1 = not in it
	fFileSymbol          // the most words of a name that the query has whole, of the file's candidates
	fKind                // kind of the chunk
	fBeside              // the best keyword score of the chunks directly before and after it
	fRespelt             // weight of the replacements for words that the workspace spells differently
	fStrange             // words that the workspace does not have, except function words of other languages
	fForeign             // function words of other languages
	fBestMeant           // how surely the query names a definition
	numFeatures
)

// NumFeatures is the number of features of an Observation; the other constants are indices into it.
const (
	NumFeatures        = numFeatures
	FeatureDefinesWord = fDefinesWord
	FeatureMentions    = fMentions
)

// FeatureNames are the names of the features in reports.
var FeatureNames = [numFeatures]string{
	"chunk", "file", "path", "history", "meaning", "cosine", "sum", "inFile", "piece", "ideal", "held", "fileHeld",
	"rarest", "symbolHeld", "symbolWhole", "outerHeld", "pathHeld", "stem", "stemPart", "folder", "defines",
	"definesWord", "class", "aboutTests", "aboutDocs", "terms", "known", "question",
	"identifiers", "tokens", "first", "bestHeld", "bestIdeal", "bestCosine", "bestSymbol",
	"standsOut", "rarity", "bestPathHeld", "mentions", "uses",
	"stemHeld", "stemNamed", "stemAt", "fileSymbol", "kind", "beside",
	"respelt", "strange", "foreign", "bestMeant",
}

// Observation is what the fitted model reads of a candidate.
type Observation struct {
	Chunk    int
	Features [NumFeatures]float32
	Answers  float64 // how surely it is what the request asks for besides, see Answered; not a feature of the model
	// Together is the evidence that the prompt's words are together in it for a reason, see
	// together, and Words how many of them it has, by weight. Both are read by the model of a
	// prompt's topic.
	Together, Words float64
	Named           float64 // how surely the prompt names its file, points at it or quotes it; read by the same
}

// Observe returns the wording of the prompt, and the features of each candidate of a request.
// cmd/train fits the models to them.
func Observe(ctx context.Context, s *indexer.Snapshot, req Request, now func() time.Time) (read Wording, out []Observation) {
	req.observe = func(o Observation) { out = append(out, o) }
	read = Run(ctx, s, req, now).read
	return read, out
}

// featureBuilder computes the features of one query's candidates.
type featureBuilder struct {
	*search
	query   [numFeatures]float32 // of the query itself
	weights []float64            // of the query's terms, by rarity
	term    map[string]int       // index into weights
	total   float64              // of the weights
	topSum  float32
	ideal   float64
	rare    []float64 // of the query's terms: minus the logarithm of the share of chunks with it
	size    float64   // mean size of the candidates
	files   map[int]*fileFeatures
	matches map[string]nameMatch
	spelt   map[string]float32 // the query's words without case and marks, see fStemNamed
}

// fileFeatures is what the candidates of a file share.
type fileFeatures struct {
	held                uint64 // the query's terms in it
	pathHeld            float32
	stem, stemPart, dir float32
	best, class         float32
	stemHeld, stemNamed float32
	stemAt, names       float32
	seen                int // number of its pieces so far
}

// features returns the features of the candidates, whose scores are the weighted sums, best first.
func (r *judgement) features() []Observation {
	g := &featureBuilder{search: r.search, files: map[int]*fileFeatures{}, matches: make(map[string]nameMatch, 2*len(r.out.Candidates))}
	g.noteMentions()
	g.measure()
	g.spell()
	out := make([]Observation, len(r.out.Candidates))
	for i, c := range r.out.Candidates {
		out[i].Chunk = c.Chunk
		out[i].Features = g.query
		g.observe(&out[i], c)
	}
	g.relate(out)
	return out
}

// measure computes what all candidates share.
func (g *featureBuilder) measure() {
	n := g.s.LiveChunks()
	unknown := 0.0
	g.term = map[string]int{}
	rarest := 0.0
	for i, t := range g.words.Terms {
		rarity := lexical.Rarity(n, t.Docs)
		g.weights = append(g.weights, t.Weight*rarity)
		g.rare = append(g.rare, -math.Log(float64(max(1, t.Docs))/float64(max(1, n))))
		g.term[t.Text] = i
		g.total += t.Weight * rarity
		g.ideal += t.Weight * lexical.IDF(n, t.Docs)
		rarest = max(rarest, rarity)
	}
	for _, t := range g.terms {
		_, found := g.term[t.Text]
		switch {
		case functionWords[t.Text]:
			g.query[fForeign]++
		case !found:
			unknown += t.Weight
			g.query[fStrange]++
		}
	}
	q := &g.query
	if sum := g.total + unknown; sum > 0 {
		q[fKnown] = float32(g.total / sum)
	}
	g.total = max(g.total+unknown, faint)
	g.ideal = max(g.ideal*(chunkParams.K1+1), faint)
	q[fRarity], q[fRespelt] = float32(rarest), float32(g.respelt)
	q[fTerms] = float32(math.Log2(1 + float64(len(g.terms))))
	q[fIdentifiers] = float32(min(4, len(g.req.Intent.Identifiers)))
	q[fAboutTests], q[fAboutDocs], q[fQuestion] = flag(g.req.Intent.AboutTests), flag(g.req.Intent.AboutDocs), flag(g.req.Intent.Question)
	q[fUses] = flag(g.asksUses())
	for _, e := range g.evidence {
		q[fBestMeant] = max(q[fBestMeant], float32(max(e.defines, e.word)))
	}
	if len(g.out.Candidates) > 0 {
		for _, c := range g.out.Candidates {
			g.size += float64(g.chunk(c.Chunk).Tokens) / float64(len(g.out.Candidates))
		}
		for _, c := range g.out.Candidates {
			g.topSum = max(g.topSum, float32(c.Score))
		}
		if len(g.out.Candidates) > 9 {
			if v := part(g.words.Doc, g.out.Candidates[9].Chunk, g.top.chunk); v > 0 {
				q[fStandsOut] = min(5, 1/v)
			}
		}
	}
}

func flag(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// part returns a score relative to the best one, 0 where there is none.
func part(scores []float32, at int, top float32) float32 {
	if top <= 0 || at >= len(scores) {
		return 0
	}
	return positive(scores[at]) / top
}

// weigh returns the weight of the terms with a bit set, relative to that of the whole query.
func (g *featureBuilder) weigh(held uint64) float32 {
	sum := 0.0
	for ; held != 0; held &= held - 1 {
		sum += g.weights[bits.TrailingZeros64(held)]
	}
	return float32(sum / g.total)
}

// together returns minus the logarithm of how many chunks of a size would have the terms with a
// bit set if words were strewn over the workspace by chance, and the sum of the terms' weights.
// Words of a prompt about something else meet in a chunk about as often as chance has it; those of
// a prompt about the chunk do so against all odds. Of several translations of a word the rarest
// counts, and of words that were guessed by their spelling none.
func (g *featureBuilder) together(held uint64, tokens int) (surprise, words float64) {
	larger := math.Log(max(1, float64(tokens)/max(1, g.size)))
	surprise = -math.Log(float64(max(1, g.s.LiveChunks())))
	var translated map[int][2]float64 // by word: its surprise and its weight
	for ; held != 0; held &= held - 1 {
		i := bits.TrailingZeros64(held)
		t := g.words.Terms[i]
		weight, word := min(1, t.Weight), g.meant[t.Text]
		rare := weight * max(0, g.rare[i]-larger)
		switch {
		case word == guessed:
			continue
		case word > 0:
			if translated == nil {
				translated = map[int][2]float64{}
			}
			before := translated[word]
			translated[word] = [2]float64{max(rare, before[0]), max(weight, before[1])}
			rare, weight = max(0, rare-before[0]), max(0, weight-before[1])
		}
		surprise += rare
		words += weight
	}
	return surprise, words
}

// nameMatch is what a name has of the query: the bits of the query's terms in it, the number of its
// words, and how many of those are in the query.
type nameMatch struct {
	held       uint64
	all, asked int
}

// match matches a name. It caches the result, since names recur.
func (g *featureBuilder) match(name string) (held uint64, all, asked int) {
	m, known := g.matches[name]
	if !known {
		lexical.Parts([]byte(name), func(term string) {
			m.all++
			if i, found := g.term[term]; found {
				m.held |= 1 << i
				m.asked++
			}
		})
		g.matches[name] = m
	}
	return m.held, m.all, m.asked
}

// file returns what the candidates of a file share.
func (g *featureBuilder) file(file int) *fileFeatures {
	if f := g.files[file]; f != nil {
		return f
	}
	f := &fileFeatures{}
	g.files[file] = f
	first, end := g.s.FileChunks(file)
	f.held = g.words.Held.Over(first, end)
	p := g.s.Path(file)
	f.class = float32(g.classOf(file))
	dir, base := path.Split(p)
	var heldInPath uint64
	for segment := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		held, all, asked := g.match(segment)
		heldInPath |= held
		if all > 0 {
			f.dir = float32(asked) / float32(all) // of the innermost folder
		}
	}
	held, all, asked := g.match(strings.TrimSuffix(base, path.Ext(base)))
	f.pathHeld = g.weigh(heldInPath | held)
	f.stemHeld, f.stemAt = g.weigh(held), 1
	if all > 0 {
		f.stemPart = float32(asked) / float32(all)
		f.stemNamed = g.spelt[plainName(strings.TrimSuffix(base, path.Ext(base)))]
		for i, t := range g.terms {
			if at, found := g.term[t.Text]; found && held&(1<<at) != 0 {
				f.stemAt = float32(i) / float32(len(g.terms))
				break
			}
		}
		if asked == all {
			f.stem = min(1, 8/float32(max(1, len(g.terms))))
		}
	}
	return f
}

func (g *featureBuilder) observe(o *Observation, c *item.Item) {
	x := &o.Features
	id := g.s.FileOf(c.Chunk)
	k, f := g.chunk(c.Chunk), g.file(id)
	sum := float32(c.Score)
	x[fChunk], x[fFile] = part(g.words.Doc, c.Chunk, g.top.chunk), part(g.words.Group, id, g.top.file)
	x[fPath], x[fHistory] = part(g.paths, id, g.top.path), part(g.history.Files, id, g.top.history)
	x[fMeaning] = part(g.meaning, c.Chunk, g.top.meaning)
	if c.Chunk < len(g.meaning) {
		x[fCosine] = g.meaning[c.Chunk]
	}
	if g.topSum > 0 {
		x[fSum] = sum / g.topSum
	}
	if f.seen == 0 {
		f.best = sum
	}
	if f.best > 0 {
		x[fInFile] = sum / f.best
	}
	x[fPiece] = float32(min(8, f.seen))
	f.seen++
	if c.Chunk < len(g.words.Doc) {
		x[fIdeal] = float32(float64(g.words.Doc[c.Chunk]) / g.ideal)
	}
	held := g.words.Held.Over(c.Chunk, c.Chunk+1)
	x[fHeld], x[fFileHeld] = g.weigh(held), g.weigh(f.held)
	x[fRarest] = float32(held & 1)
	o.Together, o.Words = g.together(held, k.Tokens)
	var inSymbols, inOuter uint64
	for _, s := range k.Symbols {
		h, all, asked := g.match(s)
		inSymbols |= h
		if all > 0 {
			x[fSymbolWhole] = max(x[fSymbolWhole], float32(asked)/float32(all))
			if asked == all {
				f.names = max(f.names, float32(all))
			}
		}
	}
	for _, s := range k.Enclosing {
		h, _, _ := g.match(s)
		inOuter |= h
	}
	x[fSymbolHeld], x[fOuterHeld], x[fPathHeld] = g.weigh(inSymbols), g.weigh(inOuter), f.pathHeld
	x[fStemHeld], x[fStemNamed], x[fStemAt] = f.stemHeld, f.stemNamed, f.stemAt
	x[fStem], x[fStemPart], x[fFolder] = f.stem, f.stemPart, f.dir
	if e := g.evidence[c.Chunk]; e != nil {
		x[fDefines], x[fDefinesWord], x[fMentions] = float32(e.defines), float32(e.word), float32(e.mentions)
		o.Answers, o.Named = e.answers, max(e.named, e.pointed, e.message)
	}
	first, end := g.s.FileChunks(id)
	for _, other := range []int{c.Chunk - 1, c.Chunk + 1} {
		if other >= first && other < end {
			x[fBeside] = max(x[fBeside], part(g.words.Doc, other, g.top.chunk))
		}
	}
	x[fClass], x[fFirst], x[fKind] = f.class, flag(first == c.Chunk), kinds[k.Kind]
	x[fTokens] = float32(math.Log2(1 + float64(k.Tokens)))
}

// spell records the words of the query in the form in which a file's name may have them.
func (g *featureBuilder) spell() {
	g.spelt = map[string]float32{}
	for word := range strings.FieldsFuncSeq(g.english, func(c rune) bool { return !isNameRune(c) && c != '-' }) {
		if !lexical.IsWord(word) {
			continue
		}
		weight := float32(.5)
		first, size := utf8.DecodeRuneInString(word)
		if strings.IndexFunc(word[size:], func(c rune) bool { return unicode.IsUpper(c) || c == '_' || c == '-' }) >= 0 ||
			unicode.IsUpper(first) && !strings.HasPrefix(g.asked, word) {
			weight = 1
		}
		g.spelt[plainName(word)] = max(g.spelt[plainName(word)], weight)
	}
}

// plainName returns a name in lower case, without separators between its words.
func plainName(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '_' || c == '-' {
			return -1
		}
		return unicode.ToLower(c)
	}, name)
}

// kinds numbers the kinds of chunks.
var kinds = map[string]float32{
	string(chunk.KindFunction): 1, string(chunk.KindMethod): 2, string(chunk.KindType): 3, string(chunk.KindBlock): 4,
	string(chunk.KindSection): 5, string(chunk.KindParagraph): 6, string(chunk.KindFile): 7,
}

// relate fills in the features that depend on the best candidates.
func (g *featureBuilder) relate(list []Observation) {
	for i := range list {
		list[i].Features[fFileSymbol] = g.file(g.s.FileOf(list[i].Chunk)).names
	}
	for _, pair := range [][2]int{{fBestHeld, fHeld}, {fBestIdeal, fIdeal}, {fBestCosine, fCosine}, {fBestSymbol, fSymbolHeld}, {fBestPathHeld, fPathHeld}} {
		top := float32(0)
		for i := range list {
			top = max(top, list[i].Features[pair[1]])
		}
		for i := range list {
			list[i].Features[pair[0]] = top
		}
	}
}
