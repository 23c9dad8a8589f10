package transport

import (
	"context"
	"encoding/json"
	"errors"

	"go.lsp.dev/jsonrpc2"
)

// incoming is a message that was read and must be handled.
type incoming struct {
	message jsonrpc2.Message // nil for a refused message
	request *request         // of a call that must be answered
	bytes   int
	release func() // releases the message's bytes from the budget; may be called more than once

	// Of a refused message: the error for the peer, and whether the answer can name its id.
	code jsonrpc2.Code
	text string
	id   jsonrpc2.ID
}

// read puts messages into the inbox until the stream ends or the connection is over. Cancels and
// answers to calls must not wait for the handler, so they take effect here.
func (c *Conn) read(ctx context.Context) error {
	admit := func(bytes int64) (func(), error) { return c.opts.Budget.acquire(ctx, bytes) }
	for {
		body, release, err := c.in.next(admit)
		var large *TooLargeError
		var m incoming
		switch {
		case errors.As(err, &large):
			m = incoming{code: jsonrpc2.InvalidRequest, text: err.Error(), release: release}
		case err != nil:
			return err
		default:
			m = c.decode(ctx, body)
			m.bytes, m.release = len(body), release
		}
		if m.request != nil {
			m.request.release = m.release
		}
		if m.message == nil && m.text == "" {
			m.release()
			continue // it has taken effect
		}
		if !c.inbox.put(m, c.stop) {
			m.release()
			return nil
		}
	}
}

// decode parses a message and registers a request for its answer.
func (c *Conn) decode(ctx context.Context, body []byte) incoming {
	if !json.Valid(body) {
		return incoming{code: jsonrpc2.ParseError, text: "the message is not JSON"}
	}
	message, err := jsonrpc2.DecodeMessage(body)
	if err != nil {
		return incoming{code: jsonrpc2.InvalidRequest, text: "the message is neither a request nor an answer of JSON-RPC 2.0, nor a notification"}
	}
	switch m := message.(type) {
	case *jsonrpc2.Call:
		r, ok := c.begin(ctx, m.ID())
		if !ok {
			return incoming{code: jsonrpc2.InvalidRequest, text: "a request of this id is still running", id: m.ID()}
		}
		return incoming{message: m, request: r}
	case *jsonrpc2.Notification:
		if m.Method() == methodCancel {
			c.cancel(json.RawMessage(m.Params()))
			return incoming{}
		}
	case *jsonrpc2.Response:
		c.deliver(m)
		return incoming{}
	}
	return incoming{message: message}
}

// handleAll handles messages until there are no more or the connection is over.
func (c *Conn) handleAll(ctx context.Context, h Handler) {
	defer c.inbox.discard()
	for {
		m, ok := c.inbox.take(c.stop)
		if !ok {
			return
		}
		if m.request != nil && !c.admit(ctx, m) {
			c.answer(m.message.(*jsonrpc2.Call).ID(), nil, errEnded)
			continue
		}
		if !c.handle(ctx, h, m) {
			return
		}
	}
}

// errEnded is the answer to requests that were read but never handled, because the peer sends no
// more.
var errEnded = jsonrpc2.NewError(CodeRequestCancelled, "the connection has ended")

// admit blocks until the number of pending requests permits one more. It reports false if the
// connection ends first.
func (c *Conn) admit(ctx context.Context, m incoming) bool {
	for {
		c.mu.Lock()
		room := c.pending == 0 || c.pending < maxPending && c.held+m.bytes <= maxHeld
		if room || m.request.cancelled {
			c.pending++
			c.held += m.bytes
			m.request.bytes = m.bytes
			c.mu.Unlock()
			return true
		}
		c.mu.Unlock()
		select {
		case <-c.fewer:
		case <-m.request.ctx.Done():
		case <-c.inbox.ended:
			return false
		case <-c.stop:
			return false
		}
		if ctx.Err() != nil {
			return false
		}
	}
}

// handle handles one message; it reports false when the connection is over.
func (c *Conn) handle(ctx context.Context, h Handler, m incoming) bool {
	c.handling.Lock()
	defer c.handling.Unlock()
	if c.over {
		return false
	}
	switch message := m.message.(type) {
	case nil:
		c.refuse(m)
	case *jsonrpc2.Call:
		c.request(h, message, m.request)
	case *jsonrpc2.Notification:
		c.notification(ctx, h, message)
		m.release()
	}
	select {
	case <-c.stop:
		return false
	default:
		return true
	}
}

// refuse answers a message that is not an executable request.
func (c *Conn) refuse(m incoming) {
	m.release()
	c.log.Warn("message refused", "reason", m.text)
	c.write(jsonrpc2.NewResponse(m.id, nil, jsonrpc2.NewError(m.code, m.text)))
}

func (c *Conn) notification(ctx context.Context, h Handler, m *jsonrpc2.Notification) {
	err := c.guard(m.Method(), func() error { return h.Notify(ctx, m.Method(), json.RawMessage(m.Params())) })
	if err != nil {
		c.log.Warn("notification failed", "method", m.Method(), "err", err)
	}
}
