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

// Error codes that a connection sends itself.
const (
	CodeRequestCancelled = -32800
	methodCancel         = protocol.MethodCancelRequest
)

// Work is the execution of a request.
type Work struct {
	// Run executes it. ctx ends when the request is cancelled or the connection is over. An error
	// other than *jsonrpc2.Error is answered as InternalError.
	Run func(ctx context.Context) (any, error)
	// Inline makes Run finish before the next message is read. It is for requests that change the
	// state for the following messages, and for refusals.
	Inline bool
}

// Refuse returns work that answers with an error.
func Refuse(code int, format string, args ...any) Work {
	err := jsonrpc2.Errorf(jsonrpc2.Code(code), format, args...)
	return Work{Inline: true, Run: func(context.Context) (any, error) { return nil, err }}
}

// Clip shortens a peer's text, such as the name of a method, so that it fits into a message about
// it.
func Clip(text string) string {
	const most = 100
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// Handler is the session that a connection serves. Its methods are called one at a time, in the
// order of the messages, and must not block: slow operations belong in Work.
type Handler interface {
	// Request captures what the work needs of the current state, and returns the work.
	Request(ctx context.Context, method string, params json.RawMessage) Work
	// Notify handles a notification. An error is logged; the connection continues.
	Notify(ctx context.Context, method string, params json.RawMessage) error
}

// Conn is a connection. Call and Notify may be used concurrently while Serve runs.
//
// One goroutine reads ahead of another that handles messages, so that a cancel or an answer takes
// effect at once, whatever is queued before it. The messages that are read and not yet handled are
// bounded, and so are those handled and not yet answered; at a bound, reading stops.
type Conn struct {
	in     *FrameReader
	out    *FrameWriter
	closer io.Closer
	log    *slog.Logger
	opts   Options
	stop   chan struct{}
	inbox  *inbox
	work   sync.WaitGroup // running requests, and the outbox
	posts  chan []byte

	handling sync.Mutex // held while a message is handled; guards over
	over     bool       // no more messages are handled

	mu      sync.Mutex // guards the fields below
	stopped error      // the reason why stop is closed; nil before
	next    int64
	calls   map[int64]chan<- *jsonrpc2.Response
	running map[jsonrpc2.ID]*request
	pending int           // requests that were handled and not yet answered
	held    int           // their bytes
	fewer   chan struct{} // has one element after pending has fallen
	unsent  int           // bytes of answers that the peer has not read
}

// Options configure a connection. The zero value shares nothing with other connections.
type Options struct {
	// Budget bounds the large messages of all connections that share it; nil bounds each connection
	// separately.
	Budget *Budget
	// Congested is called when the peer leaves many answers unread, and when it has read them. It
	// must not block; it may be nil.
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

// ErrStopped means that a connection is over: it was stopped from this side, or it ended before the
// call that returns this error was answered.
var ErrStopped = errors.New("connection stopped")

const (
	// maxPosts bounds the notifications that wait for a peer that does not read.
	maxPosts = 1024
	// maxPending and maxHeld bound the unanswered requests and their bytes. One request is always
	// accepted.
	maxPending = 1024
	maxHeld    = MaxFrameBytes
	// maxUnsent is the number of bytes of unread answers above which a peer counts as congested.
	maxUnsent = 8 << 20
	// patience is how long Serve waits at its end for work that ignores its context, such as a
	// write to a peer that does not read.
	patience = 3 * time.Second
)

// NewConn returns a connection over a stream, which Serve closes.
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

// Serve handles messages until the stream ends, Stop is called or ctx is done; it then cancels
// running requests and waits for them. It returns nil if the stream ends between messages and after
// Stop. A read that cannot be interrupted, such as of a terminal, is abandoned and its result
// discarded.
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
		select { // messages before the end are handled
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
	if err := c.closer.Close(); err != nil { // before the lock, whose holder may block on a write
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

// drain waits for running requests.
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

// shut records why the connection is over, once, and ends the waiting calls.
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
