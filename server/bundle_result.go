package server

import (
	"slices"
	"time"

	"github.com/contexture-dev/contexture/context/budget"
	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/server/command"
)

// bundleResult converts a bundle; all places become URIs and ranges in the session's encoding.
func (c commands) bundleResult(a *command.BundleArgs, b *bundle.Bundle, src *searched) *command.BundleResult {
	out := &command.BundleResult{
		Text: b.Text, Tokens: b.Tokens, Budget: a.Budget, Encoding: a.Encoding, Order: a.Order,
		Frame: string(b.Signals.Frame), Intent: intentResult(b.Signals, focusResults(b.Focus, src)), Stages: stageResults(b.Stages), Degraded: degradations(b.Degraded),
		Versions: command.Versions{Index: b.IndexVersion, Knowledge: b.KnowledgeVersion},
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
		out.Dropped = append(out.Dropped, command.Dropped{ID: d.ID, Kind: d.Kind, Reason: d.Reason, Score: d.Score})
	}
	return out
}

// item converts one item; a place in the workspace gets its URI and range.
func (c commands) item(it bundle.Item, src *searched) command.Item {
	out := command.Item{
		ID: it.ID, Layer: it.Layer, Kind: it.Kind, Title: it.Title, Tokens: it.Tokens, Score: it.Score, Format: it.Format, Reason: it.Reason,
		URI: it.URI, Symbols: it.Symbols, ConversationID: it.ConversationID, TurnID: it.TurnID, MessageIDs: it.MessageIDs,
		Span: &command.Span{Start: it.Span.Start, End: it.Span.End},
	}
	if it.Path != "" {
		out.URI = src.uri(it.Path)
		out.Range = lineRange(c.session.encoding, it.StartLine, it.EndLine, it.LastLine)
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
func focusResults(list []retrieve.Focus, src *searched) []command.Focus {
	out := make([]command.Focus, len(list))
	for i, f := range list {
		out[i] = command.Focus{Kind: "file", Name: f.Path, URI: src.uri(f.File), From: "conversation"}
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
