package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/context/budget"
	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/settings"
)

// assemblyShare is what is kept of a deadline for the negotiation, the text and its way to the client.
const assemblyShare = .15

// Bundle implements command.Commands.
func (c commands) Bundle(ctx context.Context, args *command.BundleArgs) (*command.BundleResult, error) {
	r, err := c.root(args.Workspace)
	if err != nil {
		return nil, err
	}
	set := c.settingsOf(r)
	withDefaults(args, set)
	req, err := bundleRequest(args)
	if err != nil {
		return nil, err
	}
	encoding, err := tokens.Parse(args.Encoding)
	if err != nil {
		return nil, err
	}
	counter, err := tokens.For(encoding)
	if err != nil {
		return nil, err
	}

	work, cancel := c.within(ctx, args.DeadlineMS)
	defer cancel()
	src, err := c.openFor(work, r)
	if err != nil {
		return nil, err
	}
	defer src.release()
	c.place(args, req, src)
	req.Deadline = max(time.Millisecond, c.left(work))
	b, err := bundle.Build(work, *req, bundle.Sources{
		Snapshot: src.snapshot, Personal: c.personal(r, args.Exclude), Count: counter.Count, Now: c.session.server.now,
	})
	if err := errors.Join(ctx.Err(), bundleError(err)); err != nil {
		return nil, err
	}
	out := c.bundleResult(args, b, src)
	out.Degraded = append(out.Degraded, src.lacks()...)
	out.Cache = c.prefixOf(args.ConversationID, b, counter)
	c.session.server.metrics.bundle(out)
	if !args.IncludeText {
		out.Text = ""
	}
	return out, nil
}

// within bounds the part of a command that may be cut: the deadline, which began when the command arrived, less what
// the rest needs.
func (c commands) within(ctx context.Context, deadlineMS int) (context.Context, context.CancelFunc) {
	deadline := time.Duration(float64(deadlineMS)*(1-assemblyShare)) * time.Millisecond
	return context.WithDeadline(ctx, c.arrived.Add(deadline))
}

// left is the time until ctx's deadline.
func (c commands) left(ctx context.Context) time.Duration {
	at, ok := ctx.Deadline()
	if !ok {
		return time.Second
	}
	return at.Sub(c.session.server.now())
}

// openFor opens the source of a command that searches. Half of the time at most goes into waiting for an index that
// is being opened.
func (c commands) openFor(ctx context.Context, r *rootView) (*searched, error) {
	wait, cancel := context.WithTimeout(ctx, c.left(ctx)/2)
	defer cancel()
	leave, ok := c.session.server.enter(wait)
	if !ok {
		return &searched{root: r, overloaded: true, release: func() {}}, nil
	}
	src, err := c.open(ctx, wait, r)
	if err != nil {
		leave()
		return nil, err
	}
	release := src.release
	src.release = func() { release(); leave() }
	return src, nil
}

// settingsOf are the settings that hold for a root, or for none.
func (c commands) settingsOf(r *rootView) *settings.Settings {
	if r == nil {
		return &c.view.settings
	}
	return &r.settings
}

// withDefaults fills in what the caller left to the settings.
func withDefaults(a *command.BundleArgs, set *settings.Settings) {
	if a.Budget == 0 {
		a.Budget = set.Budget.Default
	}
	if a.Encoding == "" {
		a.Encoding = set.Budget.Encoding
	}
	if a.Order == "" {
		a.Order = set.Order
	}
	if a.HistoryStrategy == "" {
		a.HistoryStrategy = set.History.Strategy
	}
}

// bundleRequest converts what does not depend on the state.
func bundleRequest(a *command.BundleArgs) (*bundle.Request, error) {
	depth, _ := budget.ParseDepth(a.KnowledgeDepth) // checked when it was decoded
	req := &bundle.Request{
		Prompt: a.Prompt, Budget: a.Budget, Frame: intent.Frame(a.Frame), Depth: depth, PrioritizeHistory: a.PrioritizeHistory,
		Order: render.Order(a.Order), Overrides: map[budget.Layer]budget.Override{},
	}
	for name, o := range a.Layers {
		layer, ok := budget.ParseLayer(name)
		if !ok {
			return nil, command.InvalidParams("layers."+name, "is not a layer")
		}
		over := budget.Override{Min: o.Min, Ideal: o.Ideal, Max: o.Max, Elasticity: o.Elasticity}
		if o.Priority != nil {
			priority := int(*o.Priority + .5)
			over.Priority = &priority
		}
		if o.Min != nil && o.Max != nil && *o.Min > *o.Max {
			return nil, command.InvalidParams("layers."+name+".min", "is above max")
		}
		req.Overrides[layer] = over
	}
	return req, nil
}

// place says what the person looks at and what they do not want.
func (c commands) place(a *command.BundleArgs, req *bundle.Request, src *searched) {
	uris := a.VisibleDocuments
	if a.TextDocument != nil {
		uris = append([]string{a.TextDocument.URI}, uris...)
	}
	for _, uri := range uris {
		if path, ok := src.path(uri); ok && !slices.Contains(req.Open, path) {
			req.Open = append(req.Open, path)
		}
	}
	if exclude := newGlobs(a.Exclude); len(exclude) > 0 {
		req.Keep = func(path, _ string) bool { return !exclude.match(path) }
	}
}

// bundleError converts the caller's mistakes.
func bundleError(err error) error {
	var over *budget.OverrideError
	var exceeds *bundle.PromptExceedsError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exceeds):
		return command.PromptExceedsBudget(exceeds.Needed)
	case errors.As(err, &over):
		return command.InvalidParams(fmt.Sprintf("layers.%s.%s", over.Layer, over.Field), "contradicts the layer's other figures")
	}
	return err
}

func (c commands) bundleResult(a *command.BundleArgs, b *bundle.Bundle, src *searched) *command.BundleResult {
	v := c.session.server
	out := &command.BundleResult{
		ID: v.bundleID(), Text: b.Text, Tokens: b.Tokens, Budget: a.Budget, Encoding: a.Encoding, Order: a.Order,
		Frame: string(b.Signals.Frame), Intent: intentResult(b.Signals), Stages: stageResults(b.Stages), Degraded: degradations(b.Degraded),
		Versions: command.Versions{Index: b.IndexVersion},
	}
	for i, l := range b.Layers {
		out.Layers = append(out.Layers, command.Layer{
			Layer: budget.Layer(i).String(), Min: l.Min, Ideal: l.Ideal, Max: l.Max, Priority: float64(l.Priority), Elasticity: l.Elasticity,
			Allocated: l.Allocated, Used: l.Used,
		})
	}
	for _, it := range b.Items {
		out.Items = append(out.Items, c.item(it, src))
	}
	for _, d := range b.Dropped {
		out.Dropped = append(out.Dropped, command.Dropped{ID: d.ID, Kind: d.Kind, Reason: d.Reason})
	}
	return out
}

// item converts one item; a place in the workspace gets its URI and range.
func (c commands) item(it bundle.Item, src *searched) command.Item {
	out := command.Item{
		ID: it.ID, Layer: it.Layer, Kind: it.Kind, Title: it.Title, Tokens: it.Tokens, Score: it.Score, Format: it.Format, Reason: it.Reason,
		URI: it.URI, Symbols: it.Symbols, Span: &command.Span{Start: it.Span.Start, End: it.Span.End},
	}
	if it.Path != "" {
		out.URI = src.uri(it.Path)
		out.Range = c.session.encoding.lineRange(it.StartLine, it.EndLine, it.LastLine)
	}
	return out
}

// intentResult converts the signals; hints in a fixed order, the strongest first.
func intentResult(s intent.Signals) command.Intent {
	out := command.Intent{Question: s.Question, Greeting: s.Greeting, Recency: s.Recency, Keywords: s.Keywords, Identifiers: s.Identifiers}
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

func stageResults(stages []retrieve.Stage) []command.Stage {
	out := make([]command.Stage, len(stages))
	for i, s := range stages {
		out[i] = command.Stage{Name: s.Name, MS: milliseconds(s.Took), Outcome: s.Outcome, Count: s.Count}
	}
	return out
}

func degradations(list []retrieve.Degraded) []command.Degradation {
	out := make([]command.Degradation, len(list))
	for i, d := range list {
		out[i] = command.Degradation{Stage: d.Stage, Reason: d.Reason, Detail: d.Detail}
	}
	return out
}

// milliseconds is a duration with microseconds behind the point.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
