package main

import (
	"context"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/transport"
)

// hookActTime replaces hookTime while the assistant acts: it is not to be held up.
const hookActTime = 50 * time.Millisecond

// act returns what was stated about the file that is about to be edited, or about the failure.
func (h *hooked) act(ctx context.Context, c *transport.Client) (string, error) {
	args := map[string]any{"conversationId": h.conversation(), "deadlineMs": min(max(5, (time.Until(h.until)-hookReserve).Milliseconds()), 60_000)}
	if e := h.event; e.Kind == hosts.Editing {
		args["path"] = e.File
	} else {
		args["output"] = e.Output[max(0, len(e.Output)-command.MostOutput):]
		if n := len(e.Command); 0 < n && n <= command.MostCommand {
			args["command"] = e.Command
		}
	}
	var found command.ActResult
	if err := execute(ctx, c, "contexture.act", args, &found); err != nil {
		return "", err
	}
	text, ids := hosts.ActText(h.event.Kind, found.Statements, h.given())
	h.give(ids)
	return text, nil
}
