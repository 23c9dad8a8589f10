// Package bundle joins everything into the context of one prompt: it reads the intent, retrieves
// candidates, removes duplicates, lets the layers negotiate the budget, and renders the text with
// its exact count of tokens.
//
// Build never fails because something is slow, absent or wrong: it answers with what it has and
// names what is missing in Degraded. Its errors are the caller's: a prompt over its budget, or
// overrides that contradict each other.
package bundle

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/context/budget"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/context/retrieve/swarm"
	"github.com/contexture-dev/contexture/indexer"
)

// Request describes the bundle that is wanted.
type Request struct {
	Prompt string // as shown in the bundle
	// Query is the prompt in the form in which it may be searched for and sent to a model: without
	// secrets. "" means Prompt.
	Query             string
	Budget            int          // tokens
	Frame             intent.Frame // "" = classified from the prompt
	Depth             budget.Depth
	PrioritizeHistory bool
	Order             render.Order
	Deadline          time.Duration
	// Fill decides whether the bundle ends where further items stop helping (the zero value) or
	// fills the budget.
	Fill retrieve.Fill
	// Builtin forbids asking any model outside the program, whatever model the index uses.
	Builtin bool
	// Open lists the files in view, relative to the root, the one with the cursor first.
	Open []string
	// At is the person's location in those files.
	At retrieve.Place
	// Keep reports whether a file may appear in the answer; nil admits all.
	Keep func(path, language string) bool
	// Exists reports whether a file exists on disk at a path relative to the root, indexed or not;
	// nil means that only indexed files exist.
	Exists    func(path string) bool
	Overrides map[item.Layer]budget.Override
	// Include lists the ids of items that go in before all others, as far as they fit in the
	// budget, and Omit those that stay out. An id in both stays out.
	Include, Omit []string
	// Learned holds the factors, learned from use, by which the layers' ideals are multiplied; 0
	// leaves an ideal as it is.
	Learned [item.NumLayers]float64
}

// Sources supply a bundle's content.
type Sources struct {
	Snapshot *indexer.Snapshot // nil without a workspace
	Personal []Personal        // identity and preferences, in order
	Count    func(string) int  // exact, in the bundle's encoding
	// IsRule returns the probability that a sentence is a rule, by which preferences are shortened;
	// nil = unknown.
	IsRule func(sentence string) float64
	Filter *swarm.Swarm // asks a chat model what is relevant to the prompt; nil = scores alone
	Judge  *swarm.Swarm // asks a chat model what goes in, where and in which form; nil = all, by score
	Past   Past         // nil = no memory
	// Item returns what an id of memory names, in its forms from the longest to the shortest; no
	// form means that there is no such item. An error costs the bundle only that item. A nil Item
	// means no memory.
	Item func(ctx context.Context, id string) ([]item.Item, error)
	Now  func() time.Time
	// Indexing means that the index is still behind the disk.
	Indexing bool
}

// Bundle is the answer.
type Bundle struct {
	Text    string
	Tokens  int
	Signals intent.Signals
	// Focus lists what the conversation is about and code was boosted for, the latest first.
	Focus []retrieve.Focus
	// Pays is the probability that the places spare an assistant a search of its own.
	Pays         float64
	Layers       [item.NumLayers]budget.Allocation
	Items        []item.Item
	Dropped      []item.Omission
	Stages       []item.Stage
	Degraded     []item.Degradation
	StablePrefix int // bytes
	IndexVersion uint64
	// KnowledgeVersion is the version of the memory; 0 without one.
	KnowledgeVersion uint64
}

// PromptExceedsError means that the prompt alone is over the budget.
type PromptExceedsError = budget.PromptExceedsError

// answer holds what each part of a bundle needs: the request, its sources, and the bundle so far.
type answer struct {
	req Request
	src Sources
	out Bundle
	ledger
	files
	stages map[item.StageName]item.Stage
	timed  time.Time  // until when the time is in the stages
	quoted shownLines // the lines that the conversation shows
}

// build is one bundle being built.
type build struct {
	*answer
	*finding
	*memory
	*picks
	prompt *item.Item
	spare  int // tokens that the history gets besides those of its layer
}

// Build returns the bundle of a request. Errors: *PromptExceedsError, *budget.OverrideError.
func Build(ctx context.Context, req Request, src Sources) (*Bundle, error) {
	if req.Query == "" {
		req.Query = req.Prompt
	}
	a := &answer{
		req: req, src: src, timed: src.Now(), quoted: newQuoted(), stages: map[item.StageName]item.Stage{}, ledger: ledger{snapshot: src.Snapshot, count: src.Count},
	}
	b := &build{answer: a, finding: &finding{answer: a}, memory: &memory{answer: a}, picks: &picks{answer: a}}
	b.out.Signals = intent.Classify(req.Query, intent.Context{Frame: req.Frame})
	plan := intent.PlanFor(b.out.Signals)
	b.prompt = b.promptItem()
	if needed := b.prompt.Forms[0].Tokens; needed > req.Budget {
		return nil, &PromptExceedsError{Needed: needed}
	}
	b.take(ctx, b.prompt.Forms[0].Tokens)
	b.personal = b.personalItems()
	b.notices = b.missing()
	b.lap(item.Classify, item.OK, len(b.out.Signals.Entities))
	if plan.Retrieve && src.Snapshot != nil {
		found := b.find(ctx)
		b.remember(ctx, plan)
		b.retrieve(ctx, found())
	} else {
		b.remember(ctx, plan)
		b.memories = b.found(ctx, nil, nil)
		for _, name := range []item.StageName{item.Keyword, item.Vector, item.Filter, item.Judge, item.Dedup} {
			b.stages[name] = item.Stage{Name: name, Outcome: item.Skipped}
		}
	}
	if src.Snapshot != nil {
		b.out.IndexVersion = src.Snapshot.Version()
		if src.Indexing {
			b.out.Degraded = append(b.out.Degraded, item.Degradation{Stage: item.Keyword, Reason: item.Indexing, Detail: "files changed that are not indexed yet"})
		}
	}
	if err := b.negotiate(); err != nil {
		return nil, err
	}
	b.listStages()
	return &b.out, nil
}

// lap ends a step: what passed since the one before ended is its time, so that the stages sum to
// the whole. A step that has some time already gets it besides.
func (b *answer) lap(name item.StageName, outcome item.Outcome, count int) {
	now := b.src.Now()
	b.stages[name] = item.Stage{Name: name, Took: b.stages[name].Took + now.Sub(b.timed), Outcome: outcome, Count: count}
	b.timed = now
}

// listStages sorts the stages of the bundle into their fixed order.
func (b *answer) listStages() {
	for _, name := range item.Stages {
		if s, ok := b.stages[name]; ok {
			b.out.Stages = append(b.out.Stages, s)
		}
	}
}

// promptID is the id of the prompt.
const promptID = "prompt"

func (b *answer) promptItem() *item.Item {
	it := item.Item{
		ID: promptID, Layer: item.L7Message, Kind: item.Prompt, Name: "The prompt", Reason: "what was asked", Score: 1, Value: 1, Required: true, Body: b.req.Prompt,
	}
	it.Forms = []item.Form{b.form(it, "full", 1)}
	return &it
}

// negotiate lays out the conversation in the room that the layers agree on, removes what is there
// twice, and packs what remains.
func (b *build) negotiate() error {
	if err := b.layOut(); err != nil {
		return err
	}
	b.dropRepeated()
	b.dropShown()
	b.dropNotes()
	if b.talk.leftOut != "" {
		b.drop(item.Omission{ID: b.talk.leftOut, Kind: item.Turn, Reason: item.OverBudget})
	}
	list := b.all()
	plan, err := budget.Fill(b.input(), list)
	if err != nil {
		return err
	}
	b.lap(item.Negotiate, item.OK, len(list))
	b.assemble(plan, list)
	b.lap(item.Assemble, item.OK, len(b.out.Items))
	return nil
}

// input returns the situation in which the layers negotiate.
func (b *build) input() budget.Input {
	in := budget.Input{
		Total: b.req.Budget, PromptTokens: b.prompt.Forms[0].Tokens, Depth: b.req.Depth,
		PrioritizeHistory: b.req.PrioritizeHistory, Overrides: b.req.Overrides,
		MessageCount: b.conversation.Messages, ConversationTokens: b.conversation.Tokens, HasConversation: b.conversation.Messages > 0,
		HistorySpare: b.spare, Learned: b.req.Learned,
	}
	for _, d := range b.all() {
		switch d.Layer {
		case item.L2Topic:
			in.Topics++
			if isProfile(d) { // a topic's own text need not be searched for
				in.TopicBundleTokens += d.Forms[0].Tokens
			}
		case item.L3Entity:
			in.Entities++
		}
	}
	return in
}

// assemble renders the chosen forms.
func (b *build) assemble(plan budget.Plan, list []*item.Item) {
	chosen := b.choose(&plan, list)
	var blocks []int // of each item: its index in chosen
	for i, it := range chosen {
		b.out.Tokens += it.Tokens // tokens of elements add up: see package render
		shown := []item.Item{it}
		if len(it.Pointers) > 0 {
			shown = it.Pointers
		}
		for _, it := range shown {
			it.Title, it.Forms = cmp.Or(it.Title, it.Name), nil
			b.out.Items, blocks = append(b.out.Items, it), append(blocks, i)
		}
	}
	r := render.Assemble(chosen, b.req.Order)
	for i := 0; i < len(b.out.Items); {
		n := 1
		for i+n < len(blocks) && blocks[i+n] == blocks[i] {
			n++
		}
		for k, span := range pointerSpans(r.Text, r.Spans[blocks[i]], n) {
			b.out.Items[i+k].Span = span
		}
		i += n
	}
	sortBySpan(b.out.Items)
	b.settleDropped(b.out.Items)
	b.out.Dropped = b.list
	b.out.Text, b.out.StablePrefix, b.out.Layers = r.Text, r.StablePrefix, plan.Layers
	if most := b.req.Budget + b.takenTokens; b.out.Tokens > most { // the plan rules it out
		b.out.Degraded = append(b.out.Degraded, item.Degradation{Stage: item.Assemble, Reason: item.Error,
			Detail: fmt.Sprintf("%d tokens for a budget of %d", b.out.Tokens, most)})
	}
}

// choose returns the items that are in, each in its form, and records the others. What the caller
// included comes first.
func (b *build) choose(plan *budget.Plan, list []*item.Item) (chosen []item.Item) {
	for _, it := range b.taken {
		chosen = append(chosen, it.In(it.Forms[0]))
		row, tokens := &plan.Layers[it.Layer], it.Forms[0].Tokens
		row.Used, row.Allocated = row.Used+tokens, row.Allocated+tokens
		row.Max = max(row.Max, row.Allocated)
	}
	byItem := map[*item.Item]*place{}
	for _, p := range b.places {
		byItem[&p.Item] = p
	}
	var places []chosenPlace
	at := 0 // of the places in chosen
	for i, form := range plan.Forms {
		it := list[i]
		switch p := byItem[it]; {
		case form < 0 && p != nil:
			b.dropPlaces(p.all(), item.OverBudget)
		case form < 0:
			b.dropItem(it, item.OverBudget)
		case p != nil:
			places, at = append(places, chosenPlace{p, form}), len(chosen)
		default:
			chosen = append(chosen, it.In(it.Forms[form]))
		}
	}
	if b.req.Fill != retrieve.Full { // where some places are shown whole, their lines are not judged
		settlingFirst(places)
	}
	shown := make([]item.Item, len(places))
	for i, c := range places {
		var without []*place
		shown[i], without = c.chosen(c.form)
		b.dropPlaces(without, item.OverBudget)
	}
	return slices.Insert(chosen, at, shown...)
}

// dropPlaces records places that are left out, each for itself.
func (b *build) dropPlaces(list []*place, reason item.DropReason) {
	for _, p := range list {
		b.dropChunk(p.chunk, reason, p.Score)
	}
}
