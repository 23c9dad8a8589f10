package server

import (
	"context"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/memory/usage"
	"github.com/contexture-dev/contexture/server/command"
)

// Feedback implements command.Commands.
func (c commands) Feedback(ctx context.Context, args *command.FeedbackArgs) (*command.FeedbackResult, error) {
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
	c.session.server.metrics.feedback(out.Items)
	return out, nil
}

// shownItems are the items of a bundle that feedback can be about: what was brought because it probably helps. The
// person's own words and what stands in every bundle are none: their use changes nothing.
func shownItems(b *bundle.Bundle) []usage.Shown {
	var out []usage.Shown
	for _, it := range b.Items {
		switch it.Kind {
		case "prompt", "identity", "preference", "arc", "task", "blocker", "notice":
			continue
		}
		if _, signatures := bundle.Signed(it.ID); signatures {
			continue // they stand and fall with their place
		}
		if it.Layer == "L6_message_history" || remember.IsStanding(it.ID) {
			continue
		}
		out = append(out, usage.Shown{
			ID: it.ID, Text: it.Title + "\n" + it.Path + "\n" + b.Text[it.Span.Start:it.Span.End], Layer: it.Layer, Tokens: it.Tokens,
		})
	}
	return out
}
