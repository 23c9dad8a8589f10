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
		return rpc.Refuse(command.CodeInvalidParams, "workspace/executeCommand: %v", err)
	}
	c := commands{view: s.view(), arrived: s.server.now()}
	kept := disciplines[name]
	c.ticket = s.order.take(kept.changes)
	return rpc.Work{Run: func(ctx context.Context) (any, error) {
		defer c.ticket.leave()
		if err := kept.keep(ctx, c.ticket); err != nil {
			s.server.metrics.request(err)
			return nil, wireError(command.Cancelled())
		}
		result, err := command.Dispatch(ctx, c, name, arguments)
		s.server.metrics.request(err)
		return result, wireError(err)
	}}
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
	ticket  ticket
}

var _ command.Commands = commands{}
