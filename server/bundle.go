package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/context/budget"
	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/history"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/session"
	"github.com/contexture-dev/contexture/server/settings"
)

// assemblyShare is the share of a deadline reserved for the negotiation, the rendering and the
// transport to the client.
const assemblyShare = .15

// openShare is the share of its time that a bundle waits for the memory to be opened; searching the
// code needs the rest.
const openShare = .75

// Bundle implements command.Commands.
func (c bundleCommands) Bundle(ctx context.Context, args *command.BundleArgs) (*command.BundleResult, error) {
	r, err := c.Root(args.Workspace)
	if err != nil {
		return nil, err
	}
	set := c.settingsOf(r)
	withDefaults(args, set)
	req, err := bundleRequest(args)
	if err != nil {
		return nil, err
	}
	counter, err := counterOf(args.Encoding)
	if err != nil {
		return nil, err
	}
	work, cancel := c.within(ctx, args.DeadlineMS)
	defer cancel()
	late, err := c.enter(ctx, work, r)
	if err != nil {
		return nil, err
	}
	src := session.Overloaded(r)
	if !late {
		if src, err = c.OpenForMemory(work, r); err != nil {
			return nil, err
		}
	}
	defer src.Release()
	from := &bundleInputs{root: r, source: src, counter: counter, late: late}
	asked := *args // placing it changes it
	c.place(args, req, src)
	done, err := c.build(ctx, work, args, req, from)
	if err != nil {
		return nil, err
	}
	out := c.deliver(args, done, r)
	c.server.metrics.bundle(out)
	c.server.predictions.asked(rootPath(r), &asked, done.bundle)
	return out, nil
}

// counterOf returns the counter of an encoding.
func counterOf(name string) (*tokens.Counter, error) {
	encoding, err := tokens.Parse(name)
	if err != nil {
		return nil, err
	}
	return tokens.For(encoding)
}

// bundleInputs holds the inputs of a bundle.
type bundleInputs struct {
	root    *session.RootView
	source  *session.Source
	counter *tokens.Counter
	late    bool // there was no time to search
}

// builtBundle is a bundle as it was built, before it was delivered.
type builtBundle struct {
	bundle *bundle.Bundle
	result *command.BundleResult // without what belongs to one answer alone; immutable
	memory *memory.Workspace     // that records who gets it; nil for none
}

// deliver returns the answer for a bundle, and records it for feedback.
func (c bundleCommands) deliver(args *command.BundleArgs, m *builtBundle, r *session.RootView) *command.BundleResult {
	out := *m.result
	out.ID = c.server.bundleID()
	if m.memory != nil {
		m.memory.RememberBundle(out.ID, shownItems(m.bundle))
	}
	out.Cache = c.prefixOf(rootPath(r), args.ConversationID, m.bundle)
	if !args.IncludeText {
		out.Text = ""
	}
	return &out
}

// build builds a bundle until work ends.
func (c bundleCommands) build(ctx, work context.Context, args *command.BundleArgs, req *bundle.Request, from *bundleInputs) (*builtBundle, error) {
	r, src, set := from.root, from.source, c.settingsOf(from.root)
	req.Query, req.Builtin = c.Query(r, args.Prompt), src.Models == nil
	req.Deadline = max(time.Millisecond, c.left(work))
	sources := bundle.Sources{
		Snapshot: src.Snapshot, Personal: c.personal(r, args.Exclude), IsRule: c.server.personal.isRule, Count: from.counter.Memo().Count, Now: c.server.Now,
		Filter: src.Models.Filter(set), Judge: src.Models.Judge(set),
	}
	past, closePast, lack := c.past(work, args, req.Query, from)
	defer closePast()
	if past != nil {
		sources.Past, sources.Item = past, past.Item
		if set.Budget.Adaptive {
			var err error
			if req.Learned, err = past.Learned(); err != nil {
				lack = append(lack, command.Degradation{Stage: "memory", Reason: "error", Detail: err.Error()})
			}
		}
	}
	b, err := bundle.Build(work, *req, sources)
	if err := errors.Join(ctx.Err(), bundleError(err)); err != nil {
		return nil, err
	}
	out := &builtBundle{bundle: b, result: c.bundleResult(args, b, src)}
	out.result.Degraded = slices.Concat(out.result.Degraded, src.Lacks(), src.Models.LacksChat(set), lack)
	if past != nil {
		onBoard, err := past.OnBoard()
		if err != nil {
			out.result.Degraded = append(out.result.Degraded, command.Degradation{Stage: "memory", Reason: "error", Detail: err.Error()})
		}
		out.result.Board = boardItems(onBoard)
		out.memory = past.Workspace()
	}
	return out, nil
}

// past returns the bundle's view of memory for a query: nil when memory is switched off or cannot
// be read, with the reason in lack. release ends its reading.
func (c bundleCommands) past(ctx context.Context, args *command.BundleArgs, query string, from *bundleInputs) (past *remember.Past, release func(), lack []command.Degradation) {
	r, set := from.root, c.settingsOf(from.root)
	switch {
	case !set.Memory.Enabled:
		return nil, func() {}, nil
	case from.late:
		return nil, func() {}, []command.Degradation{{Stage: "memory", Reason: "overloaded", Detail: session.OverloadedDetail}}
	}
	fail := func(err error) (*remember.Past, func(), []command.Degradation) {
		reason := "error"
		if errors.Is(err, context.DeadlineExceeded) {
			reason = "timeout"
		}
		return nil, func() {}, []command.Degradation{{Stage: "memory", Reason: reason, Detail: err.Error()}}
	}
	wait, cancel := context.WithTimeout(ctx, time.Duration(float64(c.left(ctx))*openShare))
	defer cancel()
	w, err := c.memoryOf(wait, r)
	if err != nil {
		return fail(err)
	}
	view := w.View()
	start, stop := context.WithTimeout(ctx, c.left(ctx)/2) // searching the code needs the rest
	defer stop()
	view.Until(start)
	past, err = remember.NewPast(view, remember.Options{
		Conversation: args.ConversationID, Prompt: query, Strategy: history.Strategy(args.HistoryStrategy), Ticklers: set.Ticklers.Max,
		Budget: args.Budget, Count: from.counter.Memo().Count, Terms: engine.Terms,
	})
	if err != nil {
		view.Close()
		return fail(err)
	}
	view.Until(ctx)
	return past, view.Close, nil
}

// within bounds the part of a command that may be cut short: its deadline, counted from the arrival
// of the command, less what the rest needs.
func (c *call) within(ctx context.Context, deadlineMS int) (context.Context, context.CancelFunc) {
	deadline := time.Duration(float64(deadlineMS)*(1-assemblyShare)) * time.Millisecond
	return context.WithDeadline(ctx, c.arrived.Add(deadline))
}

// left returns the time until ctx's deadline.
func (c *call) left(ctx context.Context) time.Duration {
	at, ok := ctx.Deadline()
	if !ok {
		return time.Second
	}
	return at.Sub(c.server.Now())
}

// rootPath returns the real path of a root, "" for none.
func rootPath(r *session.RootView) string {
	if r == nil {
		return ""
	}
	return r.Real
}

// settingsOf returns the settings that apply to a root, or without one.
func (c *call) settingsOf(r *session.RootView) *settings.Settings {
	if r == nil {
		return &c.View.Settings
	}
	return &r.Settings
}

// withDefaults fills in from the settings what the caller left out.
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

// bundleRequest converts the arguments that do not depend on the state.
func bundleRequest(a *command.BundleArgs) (*bundle.Request, error) {
	depth, _ := budget.ParseDepth(a.KnowledgeDepth) // checked when it was decoded
	req := &bundle.Request{
		Prompt: a.Prompt, Budget: a.Budget, Frame: intent.Frame(a.Frame), Depth: depth, PrioritizeHistory: a.PrioritizeHistory,
		Order: render.Order(a.Order), Fill: retrieve.Fill(a.Fill), Include: a.Include, Omit: a.Omit, Overrides: map[item.Layer]budget.Override{},
	}
	for name, o := range a.Layers {
		layer, ok := item.ParseLayer(name)
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

// place fills in what the person is looking at and what they exclude.
func (c bundleCommands) place(a *command.BundleArgs, req *bundle.Request, src *session.Source) {
	uris := a.VisibleDocuments
	if a.TextDocument != nil {
		uris = append([]string{a.TextDocument.URI}, uris...)
	}
	for _, uri := range uris {
		if path, ok := src.Path(uri); ok && !slices.Contains(req.Open, path) {
			req.Open = append(req.Open, path)
		}
	}
	req.At = c.PlaceOf(src, a)
	req.Exists = func(path string) bool {
		if src.Root == nil || !filepath.IsLocal(filepath.FromSlash(path)) {
			return false
		}
		_, err := os.Lstat(filepath.Join(src.Root.Real, filepath.FromSlash(path)))
		return err == nil
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
