package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"go.lsp.dev/jsonrpc2"
)

// request lets the handler take a request at its place in the order, and runs its work.
func (c *Conn) request(ctx context.Context, h Handler, m *jsonrpc2.Call) {
	ctx, cancel := context.WithCancel(ctx)
	if !c.begin(m.ID(), cancel) {
		cancel()
		c.write(jsonrpc2.NewResponse(m.ID(), nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "request %q is still running", m.ID())))
		return
	}
	var work Work
	err := c.guard(m.Method(), func() error {
		work = h.Request(ctx, m.Method(), json.RawMessage(m.Params()))
		return nil
	})
	switch {
	case err != nil:
		c.answer(m.ID(), nil, err)
	case work.Inline:
		c.run(ctx, m, work)
	default:
		c.work.Go(func() { c.run(ctx, m, work) })
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
		result, err = encode(value)
		return err
	})
	c.answer(m.ID(), result, err)
}

// guard calls f and turns a panic into an error. The log gets the stack; the peer does not.
func (c *Conn) guard(method string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("handler panicked", "method", method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = jsonrpc2.Errorf(jsonrpc2.InternalError, "%s failed unexpectedly; the log has the details", method)
		}
	}()
	return f()
}

// begin notes a request; false when its id is in use.
func (c *Conn) begin(id jsonrpc2.ID, cancel context.CancelFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running[id] != nil {
		return false
	}
	c.running[id] = &request{cancel: cancel}
	return true
}

// answer answers a request, once: from here on its id is free and cannot be cancelled.
func (c *Conn) answer(id jsonrpc2.ID, result []byte, err error) {
	c.mu.Lock()
	r := c.running[id]
	delete(c.running, id)
	c.mu.Unlock()
	r.cancel()
	if r.cancelled {
		err = jsonrpc2.NewError(CodeRequestCancelled, "request cancelled")
	}
	var coded *jsonrpc2.Error
	if err != nil && !errors.As(err, &coded) {
		err = jsonrpc2.NewError(jsonrpc2.InternalError, err.Error())
	}
	c.write(jsonrpc2.NewResponse(id, result, err))
}

// cancel cancels the request that params name. One that is not running, or not any more, is passed over.
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
		err = c.out.Write(body)
	}
	if err != nil {
		c.shut(err)
	}
}
