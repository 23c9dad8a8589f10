// Package bundle joins everything into the context of one prompt: it reads the intent, retrieves, takes out what is
// there twice, lets the layers negotiate the budget, and renders the text with its exact count of tokens.
//
// Build never fails because something is slow, absent or wrong: it answers with what it has and says so in Degraded.
// The errors it gives are the caller's: a prompt over its budget, overrides that contradict each other.
package bundle

import (
	"context"
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/context/budget"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/context/retrieve/swarm"
	"github.com/contexture-dev/contexture/indexer"
)

// Request is what a bundle is wanted for.
type Request struct {
	Prompt string // as it is shown
	// Query is the prompt as it may be searched with and sent to a model: without secrets. "" = Prompt.
	Query             string
	Budget            int          // tokens
	Frame             intent.Frame // "" = classified
	Depth             budget.Depth
	PrioritizeHistory bool
	Order             render.Order
	Deadline          time.Duration
	// Fill says whether the bundle ends where help ends (the zero value) or fills the budget.
	Fill retrieve.Fill
	// Builtin says that no model outside the program may be asked, whatever the index goes by.
	Builtin bool
	// Open are the files in view, relative to the root, the one with the cursor first.
	Open []string
	// At is where in them the person is.
	At retrieve.Place
	// Keep reports whether a file may be answered; nil = all.
	Keep func(path, language string) bool
	// Exists reports whether there is a file on disk by a path relative to the root, indexed or not; nil = none that is
	// not indexed.
	Exists    func(path string) bool
	Overrides map[budget.Layer]budget.Override
	// Learned is what the layers' ideals are multiplied by, as use has taught; 0 leaves one as it is.
	Learned [budget.NumLayers]float64
}

// Sources are where a bundle's content comes from.
type Sources struct {
	Snapshot *indexer.Snapshot // nil without a workspace
	Personal []Personal        // identity and preferences, in order
	Count    func(string) int  // exact, in the bundle's encoding
	Filter   *swarm.Swarm      // asks a chat model what is about the prompt; nil = scores alone
	Judge    *swarm.Swarm      // asks a chat model what goes in, where and how; nil = all, by score
	Past     Past              // nil = no memory
	Now      func() time.Time
	// Indexing says that the index is still behind the disk.
	Indexing bool
}

// Item is one thing in a bundle.
type Item struct {
	ID, Layer, Kind, Title string
	Tokens                 int
	Score                  float64
	Format, Reason         string
	Path                   string // relative to the root; "" for what is no place in the workspace
	URI                    string // for what lies outside the root (a file of the person's own)
	StartLine, EndLine     int    // from 0, inclusive
	Symbols                []string
	ConversationID, TurnID string
	MessageIDs             []string
	Span                   render.Span
	// LastLine is the text of the last line, for the range's end.
	LastLine string
}

// Dropped is a candidate that was left out.
type Dropped struct {
	ID, Kind, Reason string
	Score            float64 // the probability that it would have helped; 0 where that is not known
}

// Bundle is the answer.
type Bundle struct {
	Text    string
	Tokens  int
	Signals intent.Signals
	// Focus is what the conversation is about and code was raised for, the latest first.
	Focus        []retrieve.Focus
	Layers       [budget.NumLayers]budget.Allocation
	Items        []Item
	Dropped      []Dropped
	Stages       []retrieve.Stage
	Degraded     []retrieve.Degraded
	StablePrefix int // bytes
	IndexVersion uint64
	// KnowledgeVersion is that of the memory; 0 without one.
	KnowledgeVersion uint64
	// Read are the files that were read from the disk, relative to the root, in their order.
	Read []string
}

// PromptExceedsError says that the prompt alone is over the budget.
type PromptExceedsError = budget.PromptExceedsError

// draft is one item on its way into the bundle.
type draft struct {
	layer    budget.Layer
	item     Item
	group    string
	score    float64
	required bool
	forms    []form
	place    *found   // nil for what is no place in the workspace
	says     []string // Memo.Says
	ignored  bool     // Memo.ignored
}

type form struct {
	render render.Item
	format string
	worth  float64
	tokens int
	// start and end are the lines that this form shows.
	start, end int
}

// build is one bundle under way.
type build struct {
	req    Request
	src    Sources
	out    Bundle
	drafts []draft
	stages map[string]retrieve.Stage
	// likes is how much the drafts of places repeat each other.
	likes alike
	// factors are what feedback has taught of the places, by their ids.
	factors map[string]float64
	// fileTop is the best score of each file's places.
	fileTop map[string]float64
	asked   map[string]bool // terms of the question; nil until they are needed
	reader  *indexer.Reader
	lines   map[int][][]byte // of files, see linesOf
	// topicCount is the number of introductions.
	topicCount int
	// known and reminders are what memory has on the prompt; work and board stand in every bundle.
	known, reminders []Memo
	work, board      noteList
	// talk is the conversation so far, quoted the lines that it shows; its drafts are those from beforeTalk on.
	talk       Conversation
	quoted     quoted
	beforeTalk int
	// steady and arc are what history and arc were laid out for, spare what the history has besides; leftOut names the
	// turns that it has no room for.
	steady, arc, spare int
	leftOut            string
}

// maxDropped bounds the list of what was left out.
const maxDropped = 200

// Build makes the bundle. Errors: *PromptExceedsError, *budget.OverrideError.
func Build(ctx context.Context, req Request, src Sources) (*Bundle, error) {
	if req.Query == "" {
		req.Query = req.Prompt
	}
	b := &build{req: req, src: src, quoted: newQuoted(), stages: map[string]retrieve.Stage{}}
	start := src.Now()
	b.out.Signals = intent.Classify(req.Query, intent.Context{Frame: req.Frame})
	plan := intent.PlanFor(b.out.Signals)
	b.timed("classify", start, "ok", len(b.out.Signals.Entities))
	b.addPrompt()
	b.addPersonal()
	b.addMissing()
	if prompt := b.drafts[0].forms[0].tokens; prompt > req.Budget {
		return nil, &PromptExceedsError{Needed: prompt}
	}
	if plan.Retrieve && src.Snapshot != nil {
		found := b.find(ctx)
		b.remember(ctx, plan)
		b.retrieve(ctx, found())
	} else {
		b.remember(ctx, plan)
		b.addMemories(ctx, nil, nil)
		for _, name := range []string{"keyword", "vector", "filter", "judge", "dedup"} {
			b.stages[name] = retrieve.Stage{Name: name, Outcome: "skipped"}
		}
	}
	if src.Snapshot != nil {
		b.out.IndexVersion = src.Snapshot.Version()
		if src.Indexing {
			b.out.Degraded = append(b.out.Degraded, retrieve.Degraded{Stage: "keyword", Reason: "indexing", Detail: "files changed that are not indexed yet"})
		}
	}
	if err := b.negotiate(); err != nil {
		return nil, err
	}
	b.listStages()
	if b.reader != nil {
		b.out.Read = b.reader.Paths()
	}
	return &b.out, nil
}

func (b *build) timed(name string, start time.Time, outcome string, count int) {
	b.stages[name] = retrieve.Stage{Name: name, Took: b.src.Now().Sub(start), Outcome: outcome, Count: count}
}

// listStages gives the stages in their order.
func (b *build) listStages() {
	for _, name := range []string{"classify", "keyword", "vector", "filter", "judge", "dedup", "negotiate", "assemble"} {
		if s, ok := b.stages[name]; ok {
			b.out.Stages = append(b.out.Stages, s)
		}
	}
}

func (b *build) addPrompt() {
	r := render.Item{Kind: "prompt", Layer: budget.L7Message.String(), Body: b.req.Prompt, Raw: true}
	b.drafts = append(b.drafts, draft{
		layer: budget.L7Message, required: true, score: 1,
		item:  Item{ID: "prompt", Kind: "prompt", Title: "The prompt", Reason: "what was asked", Score: 1},
		forms: []form{b.form(r, "full", 1)},
	})
}

func (b *build) form(r render.Item, format string, worth float64) form {
	return form{render: r, format: format, worth: worth, tokens: b.src.Count(render.Block(r))}
}

func (b *build) drop(id, kind, reason string) { b.dropScored(id, kind, reason, 0) }

// dropScored notes what was left out and how probably it would have helped.
func (b *build) dropScored(id, kind, reason string, score float64) {
	if len(b.out.Dropped) < maxDropped {
		b.out.Dropped = append(b.out.Dropped, Dropped{id, kind, reason, score})
	}
}

// joinRounds bounds how often what joining freed is offered again.
const joinRounds = 3

// negotiate lets the layers settle. What nobody needs is offered to notes that found no room in their share, and then
// tells more of the conversation. Pieces of one file that were chosen side by side become one, and what that frees is
// offered again.
func (b *build) negotiate() error {
	start := b.src.Now()
	plan, err := b.settle()
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return b.refill(&plan, b.unpin(plan)) },
		func() error { return b.refill(&plan, b.widen(plan)) },
		func() error { plan, err = b.deepen(plan); return err },
		func() error { return b.refill(&plan, b.unpin(plan)) },
		func() error { return b.refill(&plan, b.dropRepeated(plan)) },
		func() error { return b.refill(&plan, b.dropShown(plan)) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	b.dropNotes()
	if b.leftOut != "" {
		b.drop(b.leftOut, "turn", budget.ReasonBudget)
	}
	for round := 0; round < joinRounds && b.join(plan); round++ {
		if plan, err = b.fill(); err != nil {
			return err
		}
	}
	if n := len(b.drafts); b.sign(plan) {
		signed, err := b.fill()
		if err != nil {
			return err
		}
		plan = b.unlessWorse(plan, signed, n)
	}
	b.timed("negotiate", start, "ok", len(b.drafts))
	start = b.src.Now()
	b.assemble(plan)
	b.timed("assemble", start, "ok", len(b.out.Items))
	return nil
}

// refill fills anew where the drafts have changed.
func (b *build) refill(plan *budget.Plan, changed bool) (err error) {
	if changed {
		*plan, err = b.fill()
	}
	return err
}

func (b *build) fill() (budget.Plan, error) {
	items := make([]budget.Item, len(b.drafts))
	for i, d := range b.drafts {
		it := budget.Item{Layer: d.layer, Group: d.group, Score: b.worth(d.group, d.score), Required: d.required}
		for _, f := range d.forms {
			it.Forms = append(it.Forms, budget.Form{Format: f.format, Tokens: f.tokens, Worth: f.worth})
		}
		items[i] = it
	}
	return budget.Fill(b.input(), items, b.similarity(), budget.Options{Decay: fileDecay})
}

// input is the situation that the layers negotiate in.
func (b *build) input() budget.Input {
	in := budget.Input{
		Total: b.req.Budget, PromptTokens: b.drafts[0].forms[0].tokens, Depth: b.req.Depth,
		PrioritizeHistory: b.req.PrioritizeHistory, Overrides: b.req.Overrides,
		MessageCount: b.talk.Messages, ConversationTokens: b.talk.Tokens, HasConversation: b.talk.Messages > 0,
		HistorySpare: b.spare, Learned: b.req.Learned,
	}
	for _, d := range b.drafts {
		switch d.layer {
		case budget.L2Topic:
			in.Topics++
			if d.isProfile() { // what a topic tells need not be searched for
				in.TopicBundleTokens += d.forms[0].tokens
			}
		case budget.L3Entity:
			in.Entities++
		}
	}
	return in
}

// assemble renders the chosen forms.
func (b *build) assemble(plan budget.Plan) {
	var chosen []render.Item
	for i, c := range plan.Choices {
		d := b.drafts[i]
		if c.Form < 0 {
			b.dropScored(d.item.ID, d.item.Kind, c.Reason, d.item.Score)
			continue
		}
		f := d.forms[c.Form]
		it := d.item
		it.Layer, it.Tokens, it.Format = d.layer.String(), f.tokens, f.format
		if f.end > 0 || f.start > 0 {
			it.StartLine, it.EndLine = f.start, f.end
		}
		b.out.Items = append(b.out.Items, it)
		b.out.Tokens += f.tokens // tokens of elements add up: see package render
		chosen = append(chosen, f.render)
	}
	r := render.Assemble(chosen, b.req.Order)
	for i := range b.out.Items {
		b.out.Items[i].Span = r.Spans[i]
	}
	sortBySpan(b.out.Items)
	b.out.Text, b.out.StablePrefix, b.out.Layers = r.Text, r.StablePrefix, plan.Layers
	if b.out.Tokens > b.req.Budget { // the plan forbids it
		b.out.Degraded = append(b.out.Degraded, retrieve.Degraded{Stage: "assemble", Reason: "error",
			Detail: fmt.Sprintf("%d tokens for a budget of %d", b.out.Tokens, b.req.Budget)})
	}
}
