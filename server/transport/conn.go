package transport

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
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
	// Run does it. ctx ends when the request is cancelled or the connection is over. An error that
	// is no
	// *jsonrpc2.Error is answered as InternalError.
	Run func(ctx context.Context) (any, error)
	// Inline runs it before the next message is read. For what changes the state that the next
	// messages meet, and for refusals.
	Inline bool
}

// Refuse is the work of answering with an error.
func Refuse(code int, format string, args ...any) Work {
	err := jsonrpc2.Errorf(jsonrpc2.Code(code), format, args...)
	return Work{Inline: true, Run: func(context.Context) (any, error) { return nil, err }}
}

// Clip shortens what a peer wrote, such as the name of a method, to what a message about it can
// hold.
func Clip(text string) string {
	const most = 100
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// Handler is the session that a connection serves. Its methods are called one at a time, in the
// order of the messages, and must not block: what takes time belongs into Work.
type Handler interface {
	// Request takes what the work needs of the present state, and returns the work.
	Request(ctx context.Context, method string, params json.RawMessage) Work
	// Notify takes a notification. An error is logged; the connection goes on.
	Notify(ctx context.Context, method string, params json.RawMessage) error
}

// Conn is a connection. Call and Notify may be used concurrently while Serve runs.
//
// One goroutine reads ahead of another that handles: so a cancel or an answer is seen at once,
// whatever waits before it. What was read and not handled is bounded, and so is what was handled
// and not answered; beyond that nothing is read.
type Conn struct {
	in     *FrameReader
	out    *FrameWriter
	closer io.Closer
	log    *slog.Logger
	opts   Options
	stop   chan struct{}
	inbox  *inbox
	work   sync.WaitGroup // requests that run, and the outbox
	posts  chan []byte

	handling sync.Mutex // held while a message is handled; guards over
	over     bool       // no message is handled any more

	mu      sync.Mutex // guards all below
	stopped error      // why stop is closed; nil before
	next    int64
	calls   map[int64]chan<- *jsonrpc2.Response
	running map[jsonrpc2.ID]*request
	pending int           // requests that were handled and not answered
	held    int           // bytes of those
	fewer   chan struct{} // holds one when pending has fallen
	unsent  int           // bytes of answers that wait for the peer to read
}

// Options of a connection. The zero value is one that shares nothing.
type Options struct {
	// Budget bounds the large messages of all connections that share it; nil bounds each connection
	// for itself.
	Budget *Budget
	// Congested is told when the peer leaves many answers unread, and when it has read them. It
	// must not block; nil is told nothing.
	Congested func(bool)
}

// request is a request of the peer that has not been answered.
type request struct {
	ctx       context.Context
	cancel    context.CancelFunc
	cancelled bool // by the peer; guarded by Conn.mu
	bytes     int  // of its message while it is pending, else 0; guarded by Conn.mu
	release   func()
}

// ErrStopped says that a connection is over: it was stopped from this side, or the call that fails
// with it has got no answer before the connection ended.
var ErrStopped = errors.New("connection stopped")

const (
	// maxPosts bounds the notifications that wait for a peer that does not read.
	maxPosts = 1024
	// maxPending and maxHeld bound the requests that are not answered, and their bytes. One is
	// always taken.
	maxPending = 1024
	maxHeld    = MaxFrameBytes
	// maxUnsent is how many bytes of answers may wait for a peer that does not read before it
	// counts as congested.
	maxUnsent = 8 << 20
	// patience is how long Serve waits at its end for work that does not mind its context, such as
	// a write to a peer that does not read.
	patience = 3 * time.Second
)

// NewConn makes a connection of a stream, which Serve closes.
func NewConn(stream io.ReadWriteCloser, log *slog.Logger, opts Options) *Conn {
	if opts.Budget == nil {
		opts.Budget = NewBudget(2 * MaxFrameBytes)
	}
	return &Conn{
		in: NewFrameReader(stream), out: NewFrameWriter(stream), closer: stream, log: log, opts: opts, stop: make(chan struct{}), inbox: newInbox(),
		posts: make(chan []byte, maxPosts), calls: map[int64]chan<- *jsonrpc2.Response{}, running: map[jsonrpc2.ID]*request{},
		fewer: make(chan struct{}, 1),
	}
}

// Serve handles messages until the stream ends, Stop is called or ctx is done; it then cancels what
// runs and waits for it. It returns nil for a stream that ends between messages and for Stop. A
// read that cannot be interrupted, as of a terminal, is left behind; what it brings is thrown away.
func (c *Conn) Serve(ctx context.Context, h Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	read := make(chan error, 1)
	go func() {
		err := c.read(ctx)
		c.inbox.close()
		read <- err
	}()
	handled := make(chan struct{})
	go func() { defer close(handled); c.handleAll(ctx, h) }()
	c.work.Go(func() { c.post(ctx) })
	var err error
	select {
	case err = <-read:
		select { // what came before the end counts
		case <-handled:
		case <-c.stop:
		case <-ctx.Done():
		}
	case <-c.stop:
	case <-ctx.Done():
		err = ctx.Err()
	}
	c.shut(err)
	cancel()
	if err := c.closer.Close(); err != nil { // before the lock: who holds it may write to a peer that does not read
		c.log.Debug("close stream", "err", err)
	}
	c.handling.Lock()
	c.over = true
	c.handling.Unlock()
	<-handled
	c.drain()
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(c.stopped, ErrStopped) || errors.Is(c.stopped, io.EOF) {
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
func (c *Conn) Stop() { c.shut(ErrStopped) }

// shut says why the connection is over, once, and ends the calls that wait.
func (c *Conn) shut(err error) {
	if err == nil {
		err = ErrStopped
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped == nil {
		c.stopped = err
		close(c.stop)
	}
}
