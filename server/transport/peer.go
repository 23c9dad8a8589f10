package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/jsonrpc2"
)

// Call sends a request to the peer and decodes its answer into result, which may be nil. It must
// not be called from a Handler's methods, only from Work or another goroutine: the answer could not
// be read. When ctx ends, the peer is told to cancel. Errors: the peer's *jsonrpc2.Error, ctx's, or
// the reason why the connection ended.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	raw, err := encodeParams(params)
	if err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	answer := make(chan *jsonrpc2.Response, 1)
	c.mu.Lock()
	c.next++
	id := c.next
	c.calls[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.calls, id)
		c.mu.Unlock()
	}()
	c.write(jsonrpc2.NewCall(jsonrpc2.NewNumberID(id), method, raw))
	select {
	case r := <-answer:
		if r.Err() != nil {
			return fmt.Errorf("call %s: %w", method, r.Err())
		}
		if result == nil {
			return nil
		}
		if err := json.Unmarshal(r.Result(), result); err != nil {
			return fmt.Errorf("call %s: read answer: %w", method, err)
		}
		return nil
	case <-ctx.Done():
		c.Notify(methodCancel, map[string]int64{"id": id}) // the answer is no longer needed
		return fmt.Errorf("call %s: %w", method, ctx.Err())
	case <-c.stop:
		return fmt.Errorf("call %s: %w", method, ErrStopped)
	}
}

// deliver passes an answer to the call that waits for it. It ignores an answer to no call.
func (c *Conn) deliver(r *jsonrpc2.Response) {
	n, ok := r.ID().Number()
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer := c.calls[n]; ok && answer != nil {
		delete(c.calls, n)
		answer <- r // the buffer holds the only answer
	}
}

// Notify sends a notification, after earlier ones. It never blocks: if the peer does not read,
// notifications beyond a thousand are dropped and logged.
func (c *Conn) Notify(method string, params any) {
	raw, err := encodeParams(params)
	if err != nil {
		c.log.Error("notification not sent", "method", method, "err", err)
		return
	}
	body, err := jsonrpc2.EncodeMessage(jsonrpc2.NewNotification(method, raw))
	if err != nil {
		c.log.Error("notification not sent", "method", method, "err", err)
		return
	}
	select {
	case c.posts <- body:
	default:
		c.log.Warn("notification lost: the peer does not read", "method", method)
	}
}

// NotifyInOrder sends a notification before anything that the caller sends next, calls included. It
// blocks until the peer has read it or the connection is over.
func (c *Conn) NotifyInOrder(method string, params any) {
	raw, err := encodeParams(params)
	if err != nil {
		c.log.Error("notification not sent", "method", method, "err", err)
		return
	}
	c.write(jsonrpc2.NewNotification(method, raw))
}

// post writes the queued notifications in order.
func (c *Conn) post(ctx context.Context) {
	for {
		select {
		case body := <-c.posts:
			if err := c.out.Write(body); err != nil {
				c.shut(err)
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// encodeParams omits missing parameters: null is not an object.
func encodeParams(v any) ([]byte, error) {
	if v == nil {
		return nil, nil
	}
	return Encode(v)
}

// Encode returns v as JSON for the wire: without the escapes that only HTML needs.
func Encode(v any) ([]byte, error) {
	if v == nil {
		return []byte("null"), nil
	}
	if raw, ok := v.(json.RawMessage); ok {
		return raw, nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
