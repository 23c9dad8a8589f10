package server

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/rpc"
	"go.lsp.dev/jsonrpc2"
)

// executeCommand runs a command on the state as it is at the command's place in the order of messages; so it is with
// what is in memory (see [order]).
func (s *Session) executeCommand(raw json.RawMessage) rpc.Work {
	name, arguments, err := readCommand(raw)
	if err != nil {
		return refuse("workspace/executeCommand", err)
	}
	c := s.commands(name, len(raw))
	return rpc.Work{Run: func(ctx context.Context) (any, error) {
		defer c.leave()
		result, err := c.run(ctx, name, arguments)
		if err != nil {
			return nil, wireError(err)
		}
		encoded, err := rpc.Encode(result) // in the command's own place
		return json.RawMessage(encoded), err
	}}
}

// commands takes a view, and a place in all orders, for a command whose request has so many bytes; leave must be called.
func (s *Session) commands(name string, bytes int) commands {
	kept := disciplines[name]
	return commands{
		view: s.view(), arrived: s.server.now(), kept: kept, ticket: s.order.take(kept.changes), slot: s.slot(kept.class, bytes),
	}
}

// leave ends a command, whatever became of it.
func (c commands) leave() {
	c.slot.give()
	c.ticket.leave()
}

// run runs a command when its turn has come. The error is a *command.Error.
func (c commands) run(ctx context.Context, name string, arguments []json.RawMessage) (any, error) {
	err := c.kept.keep(ctx, c.ticket)
	if err == nil && !c.kept.free {
		err = c.slot.take(ctx, c.slot.class)
	}
	if err != nil {
		c.session.server.metrics.request(err)
		return nil, command.Cancelled()
	}
	result, err := command.Dispatch(ctx, c, name, arguments)
	c.session.server.metrics.request(err)
	return result, err
}

// wireError turns a command's error into an answer's.
func wireError(err error) error {
	var e *command.Error
	if !errors.As(err, &e) || e == nil {
		return err
	}
	return &jsonrpc2.Error{Code: jsonrpc2.Code(e.Code), Message: e.Error(), Data: jsonrpc2.RawMessage(e.DataJSON())}
}

// commands are the commands on one view. What is not here is not available yet.
type commands struct {
	command.Unimplemented
	*view
	arrived time.Time
	kept    discipline
	ticket  ticket
	slot    *slot
}

var _ command.Commands = commands{}
