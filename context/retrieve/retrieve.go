// Package retrieve finds the places of a workspace that a prompt is about. It runs the rankers of
// the index concurrently under shares of a deadline, fuses their scores, puts exact matches of what
// a prompt names first, and passes the rest through the filter and the judge. Run never fails:
// Degraded names what is late, missing or broken, and the answer is made of the rest.
package retrieve

import (
	"context"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/lexical"
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

// Result holds the candidates, best first.
type Result struct {
	Candidates []*item.Item
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
	InFile map[int][]float64
	// Committed holds, by file, scores of the lines that commits with messages like the prompt
	// added, see [indexer.HistoryMatch].
	Committed map[int]map[uint32]float64
	Stages    []item.Stage
	Degraded  []item.Degradation

	// Pays is the probability that the places spare an assistant a search of its own, so that their
	// names are worth their tokens unasked.
	Pays float64

	read Wording
	pays [NumPays]float64
}

// maxQueryBytes bounds the text that the rankers see: the head states the request, the tail of a
// long prompt is usually a log.
const maxQueryBytes = 16 << 10

// Run searches a snapshot. It returns what it has when the stages' shares of req.Deadline are used
// up or ctx is done.
func Run(ctx context.Context, s *indexer.Snapshot, req Request, now func() time.Time) Result {
	if req.Mode == "" {
		req.Mode = Hybrid
	}
	if req.Mode == Symbols {
		return searchSymbols(ctx, s, req, now)
	}
	text := strings.TrimSpace(req.Query[:min(len(req.Query), maxQueryBytes)])
	r := &search{s: s, reader: s.NewReader(), req: req, now: now, asked: text, terms: lexical.Query([]byte(text))}
	if len(r.terms) == 0 && req.Literal {
		return r.literal(ctx)
	}
	(&reading{r}).choose(text)
	r.out.Words = rareWords(s, r.terms)
	(&rankers{r}).rank(ctx)
	return r.fuse(ctx)
}

// search is one search under way.
type search struct {
	s       *indexer.Snapshot
	reader  *indexer.Reader
	req     Request
	now     func() time.Time
	asked   string              // the head of the query
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
	near     fileShares            // of the files in view
	held     map[int]float64       // chunks that contain the only word of a query, and of files with that name; nil for others
	respelt  float64               // likeness of the respelt terms
	recased  map[string]string     // the terms by which names are found that the query has in another case, by its words
	meant    map[string]int        // by term: the number of the word that it translates, from 1, or guessed
	chunks   map[int]indexer.Chunk // of the pool that were read
	names    map[string][]string   // the words of names, see parts
	evidence map[int]*evidence     // by chunk
	used     []nameMention         // names that the prompt uses

	discourse *discourse // what the conversation was about; nil without one

	words   lexical.Scores
	paths   []float32
	history indexer.HistoryMatch
	meaning []float32
}

func (r *search) stage(s item.Stage) { r.out.Stages = append(r.out.Stages, s) }

func (r *search) degrade(stage item.StageName, reason item.Reason, detail string) {
	r.out.Degraded = append(r.out.Degraded, item.Degradation{Stage: stage, Reason: reason, Detail: detail})
}
