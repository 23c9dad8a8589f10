// Package retrieve finds the places of a workspace that a prompt is about. It runs the rankers of
// the index concurrently under shares of a deadline, fuses their scores, lets the exact things a
// prompt names win, and passes what is left through the filter and the judge. Run never fails: what
// is late, missing or broken is said in Degraded, and the answer is made of the rest.
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

// Request is what to find.
type Request struct {
	Query    string
	Intent   intent.Signals
	Mode     Mode // "" = Hybrid
	Limit    int  // candidates wanted
	Deadline time.Duration
	// Keep reports whether a file may be answered; nil = all.
	Keep func(path, language string) bool
	// Near are the files that the person has in view, nearest first: what is close to them in the
	// reference graph is raised.
	Near []string
	// Literal is for who looks for a word as it is written: what holds the only word of a query
	// comes first, and a query without any term is looked for in the texts themselves, which takes
	// time.
	Literal bool
	// At is where the person is.
	At Place
	// Recent is what the conversation was about, what counts most first.
	Recent []Recent
	// Said are the last turns of the conversation, the latest first, as they were written.
	Said []string
	// Builtin says that no model outside the program may be asked, whatever the index goes by.
	Builtin bool

	observe func(Observation)
}

// Signal is one ranker's verdict on a candidate.
type Signal struct {
	Rank  int // from 1
	Score float64
}

// Candidate is a chunk that was found. It is no item.Item yet: it has a number in a snapshot and
// the rankers' signals, but nothing of it was read.
type Candidate struct {
	Chunk   int // in the snapshot
	Score   float64
	Signals map[string]Signal
	Reasons []string // why it is there, for people, best first
	Exact   bool     // the prompt names it
	Brief   bool     // its beginning says enough
	Near    bool     // the person is there, or it has to do with where they are
}

// Result is what was found, best first.
type Result struct {
	Candidates []Candidate
	// Elsewhere says that the prompt is probably not about the workspace. The candidates are what
	// is nearest all the same.
	Elsewhere bool
	// Focus is what the conversation is about and candidates were raised for, the latest first.
	Focus    []Focus
	Stages   []item.Stage
	Degraded []item.Degradation

	read Wording
}

// maxQueryBytes bounds the text that the rankers see: the head says what is wanted, the tail of a
// long prompt is mostly a log.
const maxQueryBytes = 16 << 10

// The shares of the deadline.
const (
	keywordShare = .10
	vectorShare  = .20
)

// Run searches a snapshot. It returns by the stages' shares of req.Deadline or when ctx is done,
// with what it has.
func Run(ctx context.Context, s *indexer.Snapshot, req Request, now func() time.Time) Result {
	if req.Mode == "" {
		req.Mode = Hybrid
	}
	if req.Mode == Symbols {
		return searchSymbols(ctx, s, req, now)
	}
	text := topic(req.Query)
	if text == "" {
		text = req.Query // which is a trailer
	}
	r := &run{s: s, req: req, now: now, asked: text, terms: lexical.Query([]byte(text))}
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
	r.respell()
	r.rank(ctx)
	return r.fuse(ctx)
}

// What a term that stands in for an unknown one counts beside it, and how many there may be.
const (
	respeltWeight = .6
	respeltMost   = 8
)

// respell adds, for words that the workspace does not have, those of it that are spelt much like
// them: a slip of the finger, or the same word in another language.
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
			r.terms = append(r.terms, lexical.QueryTerm{Text: near, Weight: t.Weight * likeness * respeltWeight})
			added++
			r.respelt += likeness
		}
	}
}

// topic returns the part of a query that says what it is about. Trailer lines of commit messages
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
	req     Request
	now     func() time.Time
	asked   string              // what of the query says the topic
	english string              // asked, its words in English where they were in another language
	terms   []lexical.QueryTerm // of english
	out     Result
	named   float64 // how surely the prompt names something of the workspace: 0 not at all, 1 without doubt

	// partial says that the keyword rankers were not done in time.
	partial bool
	// standIn says that keyword matches stand in for a search by meaning.
	standIn bool

	sums     *sums
	top      tops
	lent     loan
	near     loan                  // of the files in view
	held     map[int]float64       // chunks that hold the only word of a query, and of files that are called so; nil for others
	respelt  float64               // likeness of the terms that stand in for others
	chunks   map[int]indexer.Chunk // of the pool that were read
	names    map[string][]string   // the words of names, see parts
	evidence map[int]*evidence     // by chunk

	talk *talk // what the conversation was about; nil without one

	words   lexical.Scores
	paths   []float32
	history []float32
	meaning []float32
}

// verdict is what a ranker's goroutine hands back.
type verdict struct {
	scores indexer.Cosines
	took   time.Duration
	err    error
	model  error // why the model outside the program was not heard; the built-in embedder stood in
}

// rank runs the keyword rankers and the vector ranker concurrently, each within its share of the
// deadline.
func (r *run) rank(ctx context.Context) {
	start := r.now()
	vector := make(chan verdict, 1)
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
		if r.standIn = v.scores.Chunk == nil; r.standIn {
			r.keyword(ctx, r.now())
		} else {
			r.stage(item.Stage{Name: item.Keyword, Outcome: item.Skipped})
		}
		r.takeVector(v)
	case Lexical:
		r.keyword(ctx, start)
		r.stage(item.Stage{Name: item.Vector, Outcome: item.Skipped})
	default:
		r.keyword(ctx, start)
		r.takeVector(<-vector) // which looks at vctx after each segment
	}
}

// similar asks the model outside the program, where searches go by one, until vctx ends, and the
// built-in embedder where that gives nothing.
func (r *run) similar(ctx, vctx context.Context) verdict {
	start := r.now()
	v := verdict{}
	var asked bool
	if !r.req.Builtin {
		var scores []float32
		scores, asked, v.model = r.s.SimilarByModel(vctx, r.asked)
		v.scores = indexer.CosinesOf(scores)
	}
	if !asked || v.model != nil {
		if v.model != nil {
			vctx = ctx // its time is used up; what stands in takes a few milliseconds
		}
		v.scores, v.err = r.s.Similar(vctx, r.terms)
	}
	v.took = r.now().Sub(start)
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

func (r *run) takeVector(v verdict) {
	st := item.Stage{Name: item.Vector, Took: v.took, Outcome: item.OK, Count: v.scores.Count}
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
	if r.standIn {
		st.Outcome = item.Fallback
		r.tellStandIn(ready)
	}
	r.meaning, r.top.meaning = v.scores.Chunk, notFaint(v.scores.Top)
	r.stage(st)
}

// tellStandIn says that a search by meaning is answered by keyword matches, and why if nothing has
// said it yet. ready tells whether there are vectors.
func (r *run) tellStandIn(ready bool) {
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

// searchSymbols answers mode symbol: definitions whose name contains the query, the exact and the
// short ones first.
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
