package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"go.lsp.dev/jsonrpc2"
)

// request lets the handler take a request at its place in the order, and runs its work.
func (c *Conn) request(h Handler, m *jsonrpc2.Call, r *request) {
	var work Work
	err := c.guard(m.Method(), func() error {
		work = h.Request(r.ctx, m.Method(), json.RawMessage(m.Params()))
		return nil
	})
	switch {
	case err != nil:
		c.answer(m.ID(), nil, err)
	case work.Inline:
		c.run(r.ctx, m, work)
	default:
		c.work.Go(func() { c.run(r.ctx, m, work) })
	}
}

// run does the work of a request and answers it.
func (c *Conn) run(ctx context.Context, m *jsonrpc2.Call, work Work) {
	var result []byte
	err := c.guard(m.Method(), func() error {
		value, err := work.Run(ctx)
		if err != nil {
			return err
		}
		result, err = Encode(value)
		return err
	})
	c.answer(m.ID(), result, err)
}

// guard calls f and turns a panic into an error. The log gets the stack; the peer does not.
func (c *Conn) guard(method string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("handler panicked", "method", method, "panic", panicked(p), "stack", string(debug.Stack()))
			err = jsonrpc2.Errorf(jsonrpc2.InternalError, "%s failed unexpectedly; the log has the details", Clip(method))
		}
	}()
	return f()
}

// panicked returns what a panic was about; its text only where that is the runtime's own, which
// holds none of anybody's.
func panicked(p any) string {
	if err, ok := p.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", p)
}

// begin notes a request; false when its id is in use.
func (c *Conn) begin(ctx context.Context, id jsonrpc2.ID) (*request, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running[id] != nil {
		return nil, false
	}
	r := &request{}
	r.ctx, r.cancel = context.WithCancel(ctx)
	c.running[id] = r
	return r, true
}

// answer answers a request, once: from here on its id is free and cannot be cancelled.
func (c *Conn) answer(id jsonrpc2.ID, result []byte, err error) {
	c.mu.Lock()
	r := c.running[id]
	delete(c.running, id)
	c.mu.Unlock()
	r.cancel()
	r.release()
	if r.cancelled {
		err = jsonrpc2.NewError(CodeRequestCancelled, "request cancelled")
	}
	var coded *jsonrpc2.Error
	if err != nil && !errors.As(err, &coded) {
		err = jsonrpc2.NewError(jsonrpc2.InternalError, err.Error())
	}
	c.write(jsonrpc2.NewResponse(id, result, err))
	if r.bytes > 0 { // it was admitted, and nobody else changes that now
		c.mu.Lock()
		c.pending--
		c.held -= r.bytes
		c.mu.Unlock()
		poke(c.fewer)
	}
}

// cancel cancels the request that params name. One that is not running, or not any more, is passed
// over.
func (c *Conn) cancel(params json.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		c.log.Warn("notification failed", "method", methodCancel, "err", err)
		return
	}
	var id jsonrpc2.ID
	var number int64
	var text string
	switch {
	case json.Unmarshal(p.ID, &number) == nil:
		id = jsonrpc2.NewNumberID(number)
	case json.Unmarshal(p.ID, &text) == nil:
		id = jsonrpc2.NewStringID(text)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.running[id]; r != nil {
		r.cancelled = true
		r.cancel()
	}
}

// write sends a message; where that fails the connection is over.
func (c *Conn) write(m jsonrpc2.Message) {
	body, err := jsonrpc2.EncodeMessage(m)
	if err == nil {
		c.waiting(len(body))
		err = c.out.Write(body)
		c.waiting(-len(body))
	}
	if err != nil {
		c.shut(err)
	}
}

// waiting counts the bytes that wait for the peer, and tells where they become too many or few
// enough.
func (c *Conn) waiting(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.unsent > maxUnsent
	c.unsent += n
	if now := c.unsent > maxUnsent; before != now && c.opts.Congested != nil {
		c.opts.Congested(now) // under the lock: the last word counts
	}
}
