// Package retrieve finds the places of a workspace that a prompt is about. It runs the rankers of
// the index concurrently under shares of a deadline, fuses their scores, puts exact matches of what
// a prompt names first, and passes the rest through the filter and the judge. Run never fails:
// Degraded names what is late, missing or broken, and the answer is made of the rest.
package retrieve

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/indexer/ollama"
)

// Mode chooses the rankers.
type Mode string

// The modes of a search. Hybrid is what a bundle uses.
const (
	Hybrid   Mode = "hybrid"
	Lexical  Mode = "lexical"
	Semantic Mode = "semantic"
	Symbols  Mode = "symbol"
)

// Request describes what to find.
type Request struct {
	Query    string
	Intent   intent.Signals
	Mode     Mode // "" = Hybrid
	Limit    int  // candidates wanted
	Deadline time.Duration
	// Keep reports whether a file may appear in the answer; nil admits all.
	Keep func(path, language string) bool
	// Near lists the files that the person has in view, nearest first; what is close to them in the
	// reference graph is raised.
	Near []string
	// Literal is for exact search: what contains the only word of a query comes first, and a query
	// without terms is searched for in the texts themselves, which is slow.
	Literal bool
	// At is the person's location.
	At Place
	// Recent lists what the conversation was about, the most important first.
	Recent []Recent
	// Said holds the text of the conversation's last turns, the latest first.
	Said []string
	// Messages is the number of the conversation's messages.
	Messages int
	// Builtin forbids asking any model outside the program, whatever model the index uses.
	Builtin bool

	observe func(Observation)
}

// Signal is one ranker's verdict on a candidate.
type Signal struct {
	Rank  int // from 1
	Score float64
}

// Candidate is a chunk that was found. It is not an item.Item yet: it has a number in a snapshot
// and the rankers' signals, but its text was not read.
type Candidate struct {
	Chunk   int // in the snapshot
	Score   float64
	Signals map[string]Signal
	Reasons []string // why it was found, for people, best first
	Exact   bool     // the prompt names it
	Lines   []int    // of its file, from 0: where the prompt points, or what it asks for is
	Near    bool     // the person is at it, or it is related to their location
}

// Result holds the candidates, best first.
type Result struct {
	Candidates []Candidate
	// Elsewhere means that the prompt is probably not about the workspace. The candidates are still
	// the nearest places.
	Elsewhere bool
	// Located means that the prompt is little more than a location or a message, such as a stack
	// trace: what it points at is wanted, and not what is around it.
	Located bool
	// Focus lists what the conversation is about and candidates were raised for, the latest first.
	Focus []Focus
	// Words are the words of the query that mean something, each with a weight that grows with its
	// rarity in the workspace, 0–1.
	Words []lexical.QueryTerm
	// InFile holds, by file of the best candidates, how rare each of Words is among the pieces of
	// the file, from 0 to 1.
	InFile   map[int][]float64
	Stages   []item.Stage
	Degraded []item.Degradation

	// Pays is the probability that the places spare an assistant a search of its own, so that their
	// names are worth their tokens unasked.
	Pays float64

	read Wording
	pays [NumPays]float64
}

// maxQueryBytes bounds the text that the rankers see: the head states the request, the tail of a
// long prompt is usually a log.
const maxQueryBytes = 16 << 10

// The shares of the deadline.
const (
	keywordShare = .10
	vectorShare  = .20
)

// Run searches a snapshot. It returns what it has when the stages' shares of req.Deadline are used
// up or ctx is done.
func Run(ctx context.Context, s *indexer.Snapshot, req Request, now func() time.Time) Result {
	if req.Mode == "" {
		req.Mode = Hybrid
	}
	if req.Mode == Symbols {
		return searchSymbols(ctx, s, req, now)
	}
	text := topic(req.Query)
	if text == "" {
		text = req.Query // the query is a trailer only
	}
	r := &run{s: s, reader: s.NewReader(), req: req, now: now, asked: text, terms: lexical.Query([]byte(text))}
	if len(r.terms) == 0 && req.Literal {
		return r.literal(ctx)
	}
	read, more := r.read(r.withoutFolders(text))
	r.out.read, r.english = read, read.English
	if english := read.English; req.Intent.Question {
		r.terms = QuestionTerms(english)
	} else if english != text {
		r.terms = lexical.Query([]byte(english))
	}
	r.terms = weigh(r.terms, more)
	r.countWords()
	r.otherCase()
	r.respell()
	r.out.Words = rareWords(s, r.terms)
	r.rank(ctx)
	return r.fuse(ctx)
}

// otherCase finds names that the query has in another case, as parts or as one word: payment_client
// and paymentclient for PaymentClient, and the reverse. A term that the workspace lacks is replaced
// by the other of the name, so that words which it has mean what they meant. The only word of a
// query is searched for with both.
func (r *run) otherCase() {
	r.own = len(r.terms)
	only := r.req.Literal && len(strings.Fields(r.asked)) == 1
	lexical.OtherCase([]byte(r.english), func(word []byte, term, other string) {
		at := slices.IndexFunc(r.terms, func(t lexical.QueryTerm) bool { return t.Text == term })
		missing := r.s.TermCount(term) == 0
		if at < 0 || !missing && !only || r.s.TermCount(other) == 0 || slices.ContainsFunc(r.terms, func(t lexical.QueryTerm) bool { return t.Text == other }) {
			return
		}
		if r.recased == nil {
			r.recased = map[string]string{}
		}
		if r.recased[string(word)] = other; missing {
			r.terms[at].Text = other
		} else {
			r.terms = append(r.terms, lexical.QueryTerm{Text: other, Weight: r.terms[at].Weight})
		}
	})
}

// The weight of a term that replaces an unknown one, and how many such terms there may be.
const (
	respeltWeight = .6
	respeltMost   = 8
)

// respell adds, for words that the workspace does not have, its words with a similar spelling: the
// word may be mistyped, or the same word in another language.
func (r *run) respell() {
	if r.req.Mode != Hybrid || r.req.Literal && len(r.terms) == 1 {
		return
	}
	have := map[string]bool{}
	for _, t := range r.terms {
		have[t.Text] = true
	}
	added := 0
	for _, t := range r.terms {
		if added == respeltMost || functionWords[t.Text] || r.s.TermCount(t.Text) > 0 {
			continue
		}
		if near, likeness := r.s.NearTerm(t.Text); near != "" && !have[near] {
			have[near] = true
			r.meant[near] = guessed
			r.terms = append(r.terms, lexical.QueryTerm{Text: near, Weight: t.Weight * likeness * respeltWeight})
			added++
			r.respelt += likeness
		}
	}
}

// guessed marks a term that replaces a word by its spelling: it is no evidence of what the prompt
// is about.
const guessed = -1

// countWords sums the weights of the prompt's words. Several translations of one word count once.
func (r *run) countWords() {
	seen := map[int]bool{}
	for _, t := range r.terms {
		if word := r.meant[t.Text]; functionWords[t.Text] || word > 0 && seen[word] {
			continue
		} else if word > 0 {
			seen[word] = true
		}
		r.out.read.Words += min(1, t.Weight)
	}
}

// topic returns the part of a query that determines its subject. Trailer lines of commit messages
// ("Reviewed-by: …") do not.
func topic(text string) string {
	if len(text) > maxQueryBytes {
		text = text[:maxQueryBytes]
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	kept := lines[:0:0]
	for _, l := range lines {
		if !isTrailer(l) {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}

// isTrailer reports whether a line is one of git's trailers: a hyphenated key, a colon, a value.
func isTrailer(line string) bool {
	key, _, ok := strings.Cut(line, ":")
	if !ok || !strings.Contains(key, "-") || len(key) > 40 || key[0] < 'A' || key[0] > 'Z' {
		return false
	}
	return !strings.ContainsFunc(key, func(r rune) bool {
		return r != '-' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// run is one search under way.
type run struct {
	s       *indexer.Snapshot
	reader  *indexer.Reader
	req     Request
	now     func() time.Time
	asked   string              // the part of the query that has the topic
	english string              // asked, with words of other languages translated
	terms   []lexical.QueryTerm // of english
	own     int                 // the first of terms, which stand for words of the query and not for others that are like them
	out     Result
	named   float64 // how surely the prompt names something of the workspace: 0 not at all, 1 without doubt

	// partial means that the keyword rankers were not done in time.
	partial bool
	// keywordsOnly means that keyword matches replace the semantic search.
	keywordsOnly bool

	sums     *sums
	top      tops
	lent     lentScores
	near     lentScores            // of the files in view
	held     map[int]float64       // chunks that contain the only word of a query, and of files with that name; nil for others
	respelt  float64               // likeness of the respelt terms
	recased  map[string]string     // the terms by which names are found that the query has in another case, by its words
	meant    map[string]int        // by term: the number of the word that it translates, from 1, or guessed
	chunks   map[int]indexer.Chunk // of the pool that were read
	names    map[string][]string   // the words of names, see parts
	evidence map[int]*evidence     // by chunk
	used     []nameUsed            // names that the prompt uses

	discourse *discourse // what the conversation was about; nil without one
	topic     float64    // the probability that the prompt is about the workspace
	fileHeld  float64    // the share of its words in the file of one of the best places, by rarity

	words   lexical.Scores
	paths   []float32
	history []float32
	meaning []float32
}

// rankerResult is the result of a ranker's goroutine.
type rankerResult struct {
	scores indexer.Cosines
	err    error
	model  error // why the model outside the program did not answer, so that the built-in embedder replaced it
}

// rank runs the keyword rankers and the vector ranker concurrently, each within its share of the
// deadline.
func (r *run) rank(ctx context.Context) {
	start := r.now()
	vector := make(chan rankerResult, 1)
	vctx, cancel := context.WithTimeout(ctx, share(r.req.Deadline, vectorShare))
	defer cancel()
	if r.req.Mode != Lexical {
		go func() { // waited for below, in every mode that starts it
			vector <- r.similar(ctx, vctx)
		}()
	}
	switch r.req.Mode {
	case Semantic:
		v := <-vector
		took := r.now().Sub(start)
		if r.keywordsOnly = v.scores.Chunk == nil; r.keywordsOnly {
			r.keyword(ctx, r.now())
		} else {
			r.stage(item.Stage{Name: item.Keyword, Outcome: item.Skipped})
		}
		r.takeVector(v, took)
	case Lexical:
		r.keyword(ctx, start)
		r.stage(item.Stage{Name: item.Vector, Outcome: item.Skipped})
	default:
		r.keyword(ctx, start)
		start = r.now()
		v := <-vector // which checks vctx after each segment
		r.takeVector(v, r.now().Sub(start))
	}
}

// similar asks the model outside the program, if the index uses one, until vctx ends, and the
// built-in embedder when that returns nothing.
func (r *run) similar(ctx, vctx context.Context) rankerResult {
	v := rankerResult{}
	var asked bool
	if !r.req.Builtin {
		var scores []float32
		scores, asked, v.model = r.s.SimilarByModel(vctx, r.asked)
		v.scores = indexer.CosinesOf(scores)
	}
	if !asked || v.model != nil {
		if v.model != nil {
			vctx = ctx // its time is used up; the built-in embedder takes a few milliseconds
		}
		v.scores, v.err = r.s.Similar(vctx, r.terms)
	}
	return v
}

func share(d time.Duration, part float64) time.Duration {
	if d <= 0 {
		d = time.Second
	}
	return time.Duration(float64(d) * part)
}

func (r *run) stage(s item.Stage) { r.out.Stages = append(r.out.Stages, s) }
func (r *run) degrade(stage item.StageName, reason item.Reason, detail string) {
	r.out.Degraded = append(r.out.Degraded, item.Degradation{Stage: stage, Reason: reason, Detail: detail})
}

func (r *run) keyword(ctx context.Context, start time.Time) {
	kctx, cancel := context.WithTimeout(ctx, share(r.req.Deadline, keywordShare))
	defer cancel()
	var err, perr, herr error
	r.words, err = r.s.Keyword(kctx, r.terms, chunkParams, fileParams)
	if err == nil {
		r.paths, perr = r.s.PathScores(kctx, r.terms)
	}
	if err == nil && perr == nil {
		r.history, herr = r.s.HistoryScores(kctx, r.terms)
	}
	st := item.Stage{Name: item.Keyword, Took: r.now().Sub(start), Outcome: item.OK, Count: r.words.DocCount}
	if err != nil || perr != nil || herr != nil {
		st.Outcome, r.partial = item.Partial, true
		r.degrade(item.Keyword, item.Timeout, "some rankings were not ready in time")
	}
	r.stage(st)
}

// takeVector takes what the vector ranker returned, and how long it was waited for: the keyword
// rankers run beside it.
func (r *run) takeVector(v rankerResult, took time.Duration) {
	st := item.Stage{Name: item.Vector, Took: took, Outcome: item.OK, Count: v.scores.Count}
	ready, pending := r.s.Embedded()
	switch {
	case v.err != nil:
		st.Outcome = item.Partial
		r.degrade(item.Vector, item.Timeout, "")
	case v.model != nil:
		st.Outcome = item.Fallback
		r.degrade(item.Vector, item.Reason(ollama.Reason(v.model)), "the built-in embedder was used: "+v.model.Error())
	case !ready && pending > 0:
		st.Outcome = item.Skipped
		r.degrade(item.Vector, item.Indexing, "the pieces have no vectors yet")
	case pending > 0:
		st.Outcome = item.Partial
		r.degrade(item.Vector, item.Indexing, "some pieces have no vectors yet")
	case v.scores.Chunk == nil:
		st.Outcome = item.Skipped
	}
	if r.keywordsOnly {
		st.Outcome = item.Fallback
		r.noteKeywordsOnly(ready)
	}
	r.meaning, r.top.meaning = v.scores.Chunk, notFaint(v.scores.Top)
	r.stage(st)
}

// noteKeywordsOnly records that keyword matches answer a semantic search, with the reason if none
// is recorded yet. ready reports whether there are vectors.
func (r *run) noteKeywordsOnly(ready bool) {
	const consequence = "keyword matches are shown"
	if n := len(r.out.Degraded); n > 0 && r.out.Degraded[n-1].Stage == item.Vector {
		d := &r.out.Degraded[n-1]
		d.Detail = strings.TrimPrefix(d.Detail+"; "+consequence, "; ")
		return
	}
	if ready {
		r.degrade(item.Vector, item.BadAnswer, "the embedder knows no word of the query; "+consequence)
	} else {
		r.degrade(item.Vector, item.ModelMissing, "the workspace is too small for the built-in embedder to learn from; "+consequence)
	}
}

// searchSymbols answers mode symbol: definitions whose name contains the query, exact matches and
// short names first.
func searchSymbols(ctx context.Context, s *indexer.Snapshot, req Request, now func() time.Time) Result {
	start := now()
	type found struct {
		indexer.Symbol
		score float64
	}
	query := strings.TrimSpace(req.Query)
	container := ""
	if i := strings.LastIndexAny(query, ".:#"); i > 0 {
		container, query = strings.Trim(query[:i], ".:#*&() "), query[i+1:]
	}
	var all []found
	err := s.Symbols(ctx, query, func(y indexer.Symbol) bool {
		if req.Keep == nil || req.Keep(y.Path, s.Language(y.File)) {
			score := float64(len(query)) / float64(len(y.Name))
			if y.Name == query {
				score++
			}
			if container != "" && strings.Contains(y.Container+" "+y.Path, container) {
				score++
			}
			all = append(all, found{y, score * req.factor(y.Path, s.Language(y.File))})
		}
		return len(all) < 50_000
	})
	slices.SortStableFunc(all, func(a, b found) int {
		if a.score != b.score {
			if a.score > b.score {
				return -1
			}
			return 1
		}
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	var out Result
	seen := map[int]bool{}
	for _, f := range all {
		id, ok := s.ChunkAt(f.File, f.Line)
		if !ok || seen[id] {
			continue
		}
		seen[id] = true
		out.Candidates = append(out.Candidates, Candidate{Chunk: id, Score: f.score, Exact: f.Name == query,
			Signals: map[string]Signal{"symbol": {len(out.Candidates) + 1, f.score}}, Reasons: []string{"defines " + f.Name}})
		if len(out.Candidates) == req.Limit {
			break
		}
	}
	st := item.Stage{Name: item.Keyword, Took: now().Sub(start), Outcome: item.OK, Count: len(all)}
	if err != nil {
		st.Outcome = item.Partial
		out.Degraded = append(out.Degraded, item.Degradation{Stage: item.Keyword, Reason: item.Timeout})
	}
	out.Stages = append(out.Stages, st)
	return out
}
