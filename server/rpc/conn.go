package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Codes of answers that a connection gives by itself.
const (
	CodeRequestCancelled = -32800
	methodCancel         = protocol.MethodCancelRequest
)

// Work is what a request asks for.
type Work struct {
	// Run does it. ctx ends when the request is cancelled or the connection is over. An error that is no
	// *jsonrpc2.Error is answered as InternalError.
	Run func(ctx context.Context) (any, error)
	// Inline runs it before the next message is read. For what changes the state that the next messages meet, and
	// for refusals.
	Inline bool
}

// Refuse is the work of answering with an error.
func Refuse(code int, format string, args ...any) Work {
	err := jsonrpc2.Errorf(jsonrpc2.Code(code), format, args...)
	return Work{Inline: true, Run: func(context.Context) (any, error) { return nil, err }}
}

// Handler is the session that a connection serves. Its methods are called one at a time, in the order of the
// messages, and must not block: what takes time belongs into Work.
type Handler interface {
	// Request takes what the work needs of the present state, and returns the work.
	Request(ctx context.Context, method string, params json.RawMessage) Work
	// Notify takes a notification. An error is logged; the connection goes on.
	Notify(ctx context.Context, method string, params json.RawMessage) error
}

// Conn is a connection. Call and Notify may be used concurrently while Serve runs.
type Conn struct {
	in     *FrameReader
	out    *FrameWriter
	closer io.Closer
	log    *slog.Logger
	stop   chan struct{}
	work   sync.WaitGroup // requests that run, and the outbox
	posts  chan []byte

	handling sync.Mutex // held while a message is handled; guards over
	over     bool       // no message is handled any more

	mu      sync.Mutex // guards all below
	stopped error      // why stop is closed; nil before
	next    int64
	calls   map[int64]chan<- *jsonrpc2.Response
	running map[jsonrpc2.ID]*request
}

// request is a request of the peer that has not been answered.
type request struct {
	cancel    context.CancelFunc
	cancelled bool // by the peer; guarded by Conn.mu
}

// errStopped is why a connection ended that was stopped from this side.
var errStopped = errors.New("connection stopped")

const (
	// maxPosts bounds the notifications that wait for a peer that does not read.
	maxPosts = 1024
	// patience is how long Serve waits at its end for work that does not mind its context, such as a write to a peer
	// that does not read.
	patience = 3 * time.Second
)

// NewConn makes a connection of a stream, which Serve closes.
func NewConn(stream io.ReadWriteCloser, log *slog.Logger) *Conn {
	return &Conn{
		in: NewFrameReader(stream), out: NewFrameWriter(stream), closer: stream, log: log, stop: make(chan struct{}),
		posts: make(chan []byte, maxPosts), calls: map[int64]chan<- *jsonrpc2.Response{}, running: map[jsonrpc2.ID]*request{},
	}
}

// Serve handles messages until the stream ends, Stop is called or ctx is done; it then cancels what runs and waits
// for it. It returns nil for a stream that ends between messages and for Stop. A read that cannot be interrupted, as
// of a terminal, is left behind; what it brings is thrown away.
func (c *Conn) Serve(ctx context.Context, h Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	read := make(chan error, 1)
	go func() { read <- c.read(ctx, h) }()
	c.work.Go(func() { c.post(ctx) })
	var err error
	select {
	case err = <-read:
	case <-c.stop:
	case <-ctx.Done():
		err = ctx.Err()
	}
	c.shut(err)
	c.handling.Lock()
	c.over = true
	c.handling.Unlock()
	cancel()
	if err := c.closer.Close(); err != nil {
		c.log.Debug("close stream", "err", err)
	}
	c.drain()
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(c.stopped, errStopped) || errors.Is(c.stopped, io.EOF) {
		return nil
	}
	return c.stopped
}

// drain waits for what runs.
func (c *Conn) drain() {
	done := make(chan struct{})
	go func() { c.work.Wait(); close(done) }()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		c.log.Warn("requests did not end with their connection")
	}
}

// Stop ends the connection from this side. It does not wait.
func (c *Conn) Stop() { c.shut(errStopped) }

// shut says why the connection is over, once, and ends the calls that wait.
func (c *Conn) shut(err error) {
	if err == nil {
		err = errStopped
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped == nil {
		c.stopped = err
		close(c.stop)
	}
}

// read handles messages until the stream ends or the connection is over.
func (c *Conn) read(ctx context.Context, h Handler) error {
	for {
		body, err := c.in.Next()
		var large *TooLargeError
		switch {
		case errors.As(err, &large):
			c.refuse(jsonrpc2.InvalidRequest, err.Error())
			continue
		case err != nil:
			return err
		}
		if !c.handle(ctx, h, body) {
			return nil
		}
	}
}

// handle handles one message; it reports false when the connection is over.
func (c *Conn) handle(ctx context.Context, h Handler, body []byte) bool {
	c.handling.Lock()
	defer c.handling.Unlock()
	if c.over {
		return false
	}
	if !json.Valid(body) {
		c.refuse(jsonrpc2.ParseError, "the message is not JSON")
		return true
	}
	message, err := jsonrpc2.DecodeMessage(body)
	if err != nil {
		c.refuse(jsonrpc2.InvalidRequest, "the message is neither a request nor an answer of JSON-RPC 2.0, nor a notification")
		return true
	}
	switch m := message.(type) {
	case *jsonrpc2.Call:
		c.request(ctx, h, m)
	case *jsonrpc2.Notification:
		c.notification(ctx, h, m)
	case *jsonrpc2.Response:
		c.deliver(m)
	}
	select {
	case <-c.stop:
		return false
	default:
		return true
	}
}

// refuse answers a message that has no id that could be read.
func (c *Conn) refuse(code jsonrpc2.Code, text string) {
	c.log.Warn("message refused", "reason", text)
	c.write(jsonrpc2.NewResponse(jsonrpc2.ID{}, nil, jsonrpc2.NewError(code, text)))
}

func (c *Conn) notification(ctx context.Context, h Handler, m *jsonrpc2.Notification) {
	if m.Method() == methodCancel {
		c.cancel(json.RawMessage(m.Params()))
		return
	}
	err := c.guard(m.Method(), func() error { return h.Notify(ctx, m.Method(), json.RawMessage(m.Params())) })
	if err != nil {
		c.log.Warn("notification failed", "method", m.Method(), "err", err)
	}
}
