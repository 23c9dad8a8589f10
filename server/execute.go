package server

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/session"
	"github.com/contexture-dev/contexture/server/transport"
	"go.lsp.dev/jsonrpc2"
)

// Execute implements Host: it runs a command on the state at the command's position in the order of
// messages, both of documents and of memory (see [order]).
func (h host) Execute(s *session.Session, name string, arguments []json.RawMessage, bytes int) transport.Work {
	c := h.server.commands(s, name, bytes)
	w := transport.Work{Run: func(ctx context.Context) (any, error) {
		defer c.leave()
		result, err := c.run(ctx, name, arguments)
		if err != nil {
			return nil, wireError(err)
		}
		encoded, err := transport.Encode(result) // at the command's position in the order
		return json.RawMessage(encoded), err
	}}
	if h.line != nil {
		return h.line.stoppable(w)
	}
	return w
}

// commands takes a view, and a position in all orders, for a command whose request has the given
// size; leave must be called.
func (v *Server) commands(s *session.Session, name string, bytes int) commands {
	kept := disciplines[name]
	return commandsOf(&call{
		server: v, View: s.View(), arrived: v.Now(), kept: kept, ticket: s.Ticket(kept.changes), slot: s.Slot(kept.class, bytes),
	})
}

// leave ends a command, whatever its outcome.
func (c *call) leave() {
	c.slot.Give()
	c.ticket.Leave()
}

// run runs a command when its turn has come. The error is a *command.Error.
func (c commands) run(ctx context.Context, name string, arguments []json.RawMessage) (any, error) {
	err := c.kept.keep(ctx, c.ticket)
	if err == nil && !c.kept.free {
		err = c.slot.Take(ctx)
	}
	if err != nil {
		c.answered(name, nil, err)
		return nil, command.Cancelled()
	}
	result, err := command.Dispatch(ctx, c, name, arguments)
	c.answered(name, result, err)
	return result, err
}

// answered counts and records the answer to a command.
func (c *call) answered(name string, result any, err error) {
	v := c.server
	v.metrics.request(err)
	v.recent.request(name, c.arrived, v.Now().Sub(c.arrived), result, err)
}

// wireError returns a command's error as that of an answer.
func wireError(err error) error {
	var e *command.Error
	if !errors.As(err, &e) || e == nil {
		return err
	}
	return &jsonrpc2.Error{Code: jsonrpc2.Code(e.Code), Message: e.Error(), Data: jsonrpc2.RawMessage(e.DataJSON())}
}

// commands implements the commands on one view, each family by a type of its own.
type commands struct {
	*call
	bundleCommands
	captureCommands
	conversationCommands
	deskCommands
	indexCommands
	knowledgeCommands
	lookupCommands
	teamCommands
}

func commandsOf(c *call) commands {
	return commands{c, bundleCommands{c}, captureCommands{c}, conversationCommands{c}, deskCommands{c}, indexCommands{c}, knowledgeCommands{c}, lookupCommands{c}, teamCommands{c}}
}

// The families of commands, in the files of their names.
type (
	bundleCommands       struct{ *call } // with predictions
	captureCommands      struct{ *call }
	conversationCommands struct{ *call }
	deskCommands         struct{ *call } // tasks, board and cabinet
	indexCommands        struct{ *call } // with syntax, metrics and settings
	knowledgeCommands    struct{ *call }
	lookupCommands       struct{ *call } // what answers a question in the middle of a turn
	teamCommands         struct{ *call }
)

// call is one call of a command on a view.
type call struct {
	*session.View
	server  *Server
	arrived time.Time
	kept    discipline
	ticket  session.Ticket
	slot    *session.Slot
}

var _ command.Commands = commands{}

// orderPatience bounds how long a command with a deadline of its own waits for earlier changes.
const orderPatience = 100 * time.Millisecond

// discipline is how a command respects the order, and which slot it needs.
type discipline struct {
	changes bool // later commands wait for it
	itself  bool // it waits by itself where needed
	hasty   bool // it waits at most for orderPatience

	class engine.Class
	free  bool // it takes its slot itself, or needs none
}

// disciplines are those of all commands by name, as the contract's directives state them.
var disciplines = func() map[string]discipline {
	classes := map[string]engine.Class{"interactive": engine.Interactive, "quick": engine.Quick, "write": engine.Write, "large": engine.Large}
	all := map[string]discipline{}
	for _, info := range command.Infos {
		all[info.Name] = discipline{
			changes: info.Writes == "memory" && !info.Unordered, itself: info.Waits == "itself", hasty: info.Waits == "briefly",
			class: classes[info.Slot], free: info.OwnSlot,
		}
	}
	return all
}()

// keep waits as a command's discipline requires.
func (d discipline) keep(ctx context.Context, t session.Ticket) error {
	switch {
	case d.itself:
		return nil
	case d.hasty:
		hurry, cancel := context.WithTimeout(ctx, orderPatience)
		defer cancel()
		_ = t.Wait(hurry, session.Visible) // it answers from the state so far
		return ctx.Err()
	}
	return t.Wait(ctx, session.Visible)
}

// queueShare is the share of its time that a command waits for a slot before it answers without a
// search.
const queueShare = .7

// await waits, but at most for d, while something a command needs, the index of a root or the
// memory, is being opened. Errors are reported to those who use it.
func (c *call) await(ctx context.Context, r *session.RootView, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	if r != nil && r.Opening != nil {
		_, _ = r.Opening.Wait(ctx)
	}
	if set := c.settingsOf(r); set.Enabled && set.Memory.Enabled {
		c.server.MemoryHolder.Await(ctx)
	}
}

// enter takes the slot of a command that has until work ends. late means that none was free in
// time: then it has a slot for answering without a search. The error is ctx's.
func (c *call) enter(ctx, work context.Context, r *session.RootView) (late bool, err error) {
	c.await(work, r, c.left(work)/2)
	queue, cancel := context.WithTimeout(ctx, time.Duration(float64(c.left(work))*queueShare))
	defer cancel()
	if err = c.slot.Take(queue); err == nil {
		return false, nil
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return true, c.slot.TakeAs(ctx, engine.Quick)
}

// enterPatiently takes the slot of a command without a deadline. The error is ctx's.
func (c *call) enterPatiently(ctx context.Context, r *session.RootView, patience time.Duration) error {
	c.await(ctx, r, patience)
	return c.slot.Take(ctx)
}
