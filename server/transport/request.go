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

// request passes a request to the handler in order, and runs its work.
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

// run runs the work of a request and answers it.
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

// guard calls f and converts a panic into an error. The stack is logged; the peer does not receive
// it.
func (c *Conn) guard(method string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("handler panicked", "method", method, "panic", panicked(p), "stack", string(debug.Stack()))
			err = jsonrpc2.Errorf(jsonrpc2.InternalError, "%s failed unexpectedly; the log has the details", Clip(method))
		}
	}()
	return f()
}

// panicked returns a description of a panic; it includes the text only of the runtime's own panics,
// which contains no user data.
func panicked(p any) string {
	if err, ok := p.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", p)
}

// begin registers a request; false if its id is in use.
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

// answer answers a request, once: afterwards its id is free and cannot be cancelled.
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
	if r.bytes > 0 { // it was admitted, and only this goroutine changes that now
		c.mu.Lock()
		c.pending--
		c.held -= r.bytes
		c.mu.Unlock()
		poke(c.fewer)
	}
}

// CancelledID returns the id in the parameters of a notification that cancels a request. Error: the
// parameters are no JSON object.
func CancelledID(params json.RawMessage) (id jsonrpc2.ID, err error) {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return id, err
	}
	var number int64
	var text string
	switch {
	case json.Unmarshal(p.ID, &number) == nil:
		id = jsonrpc2.NewNumberID(number)
	case json.Unmarshal(p.ID, &text) == nil:
		id = jsonrpc2.NewStringID(text)
	}
	return id, nil
}

// cancel cancels the request named by params. It ignores one that is not running.
func (c *Conn) cancel(params json.RawMessage) {
	id, err := CancelledID(params)
	if err != nil {
		c.log.Warn("notification failed", "method", methodCancel, "err", err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.running[id]; r != nil {
		r.cancelled = true
		r.cancel()
	}
}

// write sends a message; if that fails, the connection is over.
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

// waiting counts the bytes that the peer has not read, and reports when congestion starts or ends.
func (c *Conn) waiting(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.unsent > maxUnsent
	c.unsent += n
	if now := c.unsent > maxUnsent; before != now && c.opts.Congested != nil {
		c.opts.Congested(now) // under the lock: the last call must be the current state
	}
}
