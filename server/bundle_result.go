package server

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/usage"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/session"
	"github.com/zeebo/xxh3"
)

// bundleResult converts a bundle; all places become URIs and ranges in the session's encoding.
func (c bundleCommands) bundleResult(a *command.BundleArgs, b *bundle.Bundle, src *session.Source) *command.BundleResult {
	out := &command.BundleResult{
		Text: b.Text, Tokens: b.Tokens, Budget: a.Budget, Encoding: a.Encoding, Order: a.Order,
		Frame: string(b.Signals.Frame), Intent: intentResult(b.Signals, focusResults(b.Focus, src)), Stages: stageResults(b.Stages), Degraded: degradations(b.Degraded),
		Pays:     b.Pays,
		Versions: command.Versions{Index: b.IndexVersion, Knowledge: b.KnowledgeVersion},
	}
	for i, l := range b.Layers {
		out.Layers = append(out.Layers, command.Layer{
			Layer: item.Layer(i).String(), Min: l.Min, Ideal: l.Ideal, Max: l.Max, Priority: float64(l.Priority), Elasticity: l.Elasticity,
			Allocated: l.Allocated, Used: l.Used,
		})
	}
	for _, it := range b.Items {
		out.Items = append(out.Items, c.item(it, src))
	}
	for _, d := range b.Dropped {
		out.Dropped = append(out.Dropped, dropped(d, src))
	}
	return out
}

// dropped converts a candidate that was left out.
func dropped(d item.Omission, src *session.Source) command.Dropped {
	out := command.Dropped{ID: d.ID, Kind: string(d.Kind), Reason: string(d.Reason), Score: d.Score, Needed: d.Needed, Title: d.Title, Tokens: d.Tokens, URI: d.URI}
	if d.Path != "" {
		out.URI = src.URI(d.Path)
		out.Range = &command.Range{Start: command.Position{Line: d.StartLine}, End: command.Position{Line: d.EndLine + 1}}
	}
	return out
}

// item converts one item; a place in the workspace gets its URI and range. src is used only for
// places.
func (c bundleCommands) item(it item.Item, src *session.Source) command.Item {
	out := command.Item{
		ID: it.ID, Layer: it.Layer.String(), Kind: string(it.Kind), Title: it.Title, Tokens: it.Tokens, Score: it.Score, Format: it.Format, Reason: it.Reason,
		URI: it.URI, Symbols: it.Symbols, ConversationID: it.ConversationID, TurnID: it.TurnID, MessageIDs: it.MessageIDs, Derived: it.Derived,
		Span: &command.Span{Start: it.Span.Start, End: it.Span.End},
	}
	if len(it.Passages) > 0 {
		out.Anchor = &it.Anchor
	}
	for _, p := range it.Passages {
		at := command.Range{Start: command.Position{Line: p.StartLine}, End: command.Position{Line: p.EndLine + 1}}
		out.Passages = append(out.Passages, command.Passage{Range: at, Matched: p.Matched, Score: p.Score, Price: p.Price})
	}
	if it.Path != "" {
		out.URI = src.URI(it.Path)
		out.Range = session.LineRange(c.Session.Encoding, it.StartLine, it.EndLine, it.LastLine)
	}
	return out
}

// intentResult converts the signals; hints in a fixed order, the strongest first.
func intentResult(s intent.Signals, focus []command.Focus) command.Intent {
	out := command.Intent{Focus: focus, Question: s.Question, Greeting: s.Greeting, Recency: s.Recency, Keywords: s.Keywords, Identifiers: s.Identifiers}
	for hint, weight := range s.Hints {
		if weight > 0 {
			out.Hints = append(out.Hints, hint)
		}
	}
	slices.SortFunc(out.Hints, func(a, b string) int {
		switch {
		case s.Hints[a] > s.Hints[b]:
			return -1
		case s.Hints[a] < s.Hints[b]:
			return 1
		case a < b:
			return -1
		}
		return 1
	})
	for _, e := range s.Entities {
		if !slices.Contains(out.Entities, e.Text) {
			out.Entities = append(out.Entities, e.Text)
		}
	}
	return out
}

// focusResults converts what the conversation is about.
func focusResults(list []retrieve.Focus, src *session.Source) []command.Focus {
	out := make([]command.Focus, len(list))
	for i, f := range list {
		out[i] = command.Focus{Kind: "file", Name: f.Path, URI: src.URI(f.File), From: "conversation"}
		if f.Symbol != "" {
			out[i].Kind, out[i].Name = "symbol", f.Symbol
		}
		if f.Turn > 0 {
			out[i].TurnID = dialogue.TurnID(f.Turn)
		}
		if f.Earlier {
			out[i].From, out[i].TurnID = "earlier", ""
		}
	}
	return out
}

func stageResults(stages []item.Stage) []command.Stage {
	out := make([]command.Stage, len(stages))
	for i, s := range stages {
		out[i] = command.Stage{Name: string(s.Name), MS: command.Milliseconds(s.Took), Outcome: string(s.Outcome), Count: s.Count}
	}
	return out
}

func degradations(list []item.Degradation) []command.Degradation {
	out := make([]command.Degradation, len(list))
	for i, d := range list {
		out[i] = command.Degradation{Stage: string(d.Stage), Reason: string(d.Reason), Detail: d.Detail}
	}
	return out
}

// maxConversations bounds the conversations whose last bundle is cached.
const maxConversations = 1024

// prefixes caches how the last bundle of each conversation began, without its text: a hash for each
// item's end. Safe for concurrent use.
type prefixes struct {
	mu    *sync.Mutex // guards all below
	last  map[string][]mark
	order []string // conversations, the least recently used first
}

// mark is a hash of a text up to the end of one item.
type mark struct {
	end  int
	hash uint64
}

func newPrefixes() prefixes { return prefixes{mu: new(sync.Mutex), last: map[string][]mark{}} }

// swap stores the marks of a conversation's bundle and returns those of the previous one.
func (p *prefixes) swap(conversation string, marks []mark) []mark {
	p.mu.Lock()
	defer p.mu.Unlock()
	before, known := p.last[conversation]
	p.last[conversation] = marks
	if known {
		for i, c := range p.order {
			if c == conversation {
				p.order = append(p.order[:i], p.order[i+1:]...)
				break
			}
		}
	}
	p.order = append(p.order, conversation)
	if len(p.order) > maxConversations {
		delete(p.last, p.order[0])
		p.order = p.order[1:]
	}
	return before
}

// marksOf hashes the text up to the end of each item.
func marksOf(b *bundle.Bundle) []mark {
	h := xxh3.New()
	at := 0
	var out []mark
	for _, it := range b.Items {
		if it.Span.End <= at {
			continue
		}
		_, _ = h.WriteString(b.Text[at:it.Span.End]) // a hash never fails
		at = it.Span.End
		out = append(out, mark{at, h.Sum64()})
	}
	return out
}

// common returns the length of the common beginning of two texts, in whole items.
func common(a, b []mark) int {
	n := 0
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			break
		}
		n = a[i].end
	}
	return n
}

// prefixOf compares a bundle with the previous one of its conversation in the same root, whichever
// session asked for that.
func (c bundleCommands) prefixOf(root, conversation string, b *bundle.Bundle) command.Cache {
	stable := b.Text[:b.StablePrefix]
	out := command.Cache{StablePrefixTokens: tokensTo(b, b.StablePrefix), StablePrefixHash: fmt.Sprintf("%016x", xxh3.HashString(stable))}
	if conversation != "" {
		marks := marksOf(b)
		if n := common(c.server.prefix.swap(root+"\x00"+conversation, marks), marks); n > 0 {
			out.ReusedPrefixTokens = tokensTo(b, n)
		}
	}
	return out
}

// tokensTo returns the tokens of the text up to the end of an item. Tokens of elements add up: see
// package render.
func tokensTo(b *bundle.Bundle, end int) int {
	n := 0
	for _, it := range b.Items {
		if it.Span.End <= end {
			n += it.Tokens
		}
	}
	return n
}

// bundleID returns a new id; it contains the start time of the process, so that the ids of two
// processes differ.
func (v *Server) bundleID() string {
	return fmt.Sprintf("b-%x-%d", v.started.UnixMilli(), v.bundles.Add(1))
}

// Feedback implements command.Commands.
func (c bundleCommands) Feedback(ctx context.Context, args *command.FeedbackArgs) (*command.FeedbackResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	used, err := w.Feedback(args.BundleID, args.Response, args.Followups)
	if err != nil {
		return nil, named(err, "bundle %q", args.BundleID)
	}
	out := &command.FeedbackResult{}
	for _, u := range used {
		out.Items = append(out.Items, command.Usage{ID: u.ID, Overlap: u.Overlap, Referenced: u.Referenced, Boost: u.Boost})
	}
	c.server.metrics.feedback(out.Items)
	return out, nil
}

// shownItems returns the items of a bundle that feedback applies to: those included because they
// probably help. The person's own words and what is in every bundle are not among them, since
// feedback would change nothing.
func shownItems(b *bundle.Bundle) []usage.ShownItem {
	var out []usage.ShownItem
	for _, it := range b.Items {
		switch it.Kind {
		case "prompt", "identity", "preference", "arc", "task", "blocker", "notice":
			continue
		}
		if it.Format == "pointer" {
			continue // whether it is opened shows only in the calls that follow
		}
		if it.Layer == item.L6History || remember.IsStanding(it.ID) {
			continue
		}
		out = append(out, usage.ShownItem{
			ID: it.ID, Text: it.Title + "\n" + it.Path + "\n" + b.Text[it.Span.Start:it.Span.End], Layer: it.Layer.String(), Tokens: it.Tokens,
		})
	}
	return out
}
