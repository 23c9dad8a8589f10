package forward

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/server/transport"
	"github.com/contexture-dev/contexture/server/transport/parent"
	"go.lsp.dev/jsonrpc2"
)

// Options configure Run.
type Options struct {
	// Connect finds or starts a daemon. again means that there was one before.
	Connect func(ctx context.Context, again bool) (net.Conn, error)
	Logger  *slog.Logger // nil = none
}

const (
	// farewell bounds the wait for the daemon's last answers after the editor's last message.
	farewell = 3 * time.Second
	// partPatience bounds the wait for answers of a daemon that has sent Away.
	partPatience = 1500 * time.Millisecond
	// maxDeaths bounds the number of consecutive daemons that die without a message: the cause is
	// probably on this machine.
	maxDeaths = 10
	// steady: a daemon that dies within this time, and before it has answered a request, may die
	// because of this session's messages. From the fifth consecutive one on the forwarder waits
	// before each, longer each time, so that other clients have a daemon meanwhile.
	steady     = 5 * time.Second
	fewDeaths  = 4
	firstPause = 50 * time.Millisecond
	longPause  = 2 * time.Second
	// maxSent bounds how often one request is sent, since it may be what kills the daemons. If a
	// daemon is killed every second for up to half a minute, every request is still answered.
	maxSent = 25
)

// forwarder is the connection of one editor to the daemon.
type forwarder struct {
	opts   Options
	log    *slog.Logger
	editor *transport.FrameWriter
	cancel context.CancelCauseFunc // ends everything; its cause is the error of Run
	quiet  chan struct{}           // no request is unanswered; holds one
	tasks  sync.WaitGroup          // the watch of the editor's process

	// The fields below belong to Run's goroutine.
	link   *link // nil if there is no connection
	links  int
	silent int // consecutive daemons that died without a message
	quick  int // of those, the ones that died soon and had answered nothing

	mu       sync.Mutex // guards the fields below
	replay   replay
	pending  []*request // unanswered, in order
	requests int64      // number received
	ended    bool       // shutdown was answered
	asked    map[int64]pendingRequest
	asks     int64 // requests of the server so far; the last one's id for the editor
	kept     kept
}

// frame is a message of the editor, or the reason why there are no more.
type frame struct {
	body []byte
	err  error
}

// errParentGone ends a forwarder in an orderly way; it is not reported.
var errParentGone = errors.New("the editor's process is gone")

// Run connects the editor at the other end of stream with a daemon until the editor leaves, and
// closes stream. code is the exit code for the process, the same as of a session in the process
// itself: 0 after an orderly shutdown, else 1. The error is the reason if the editor did not end
// it: Connect's error if there is no daemon, or a failure of the stream.
func Run(ctx context.Context, stream io.ReadWriteCloser, opts Options) (code int, err error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	f := &forwarder{
		opts: opts, log: opts.Logger, editor: transport.NewFrameWriter(stream), cancel: cancel, quiet: make(chan struct{}, 1),
		asked: map[int64]pendingRequest{}, kept: newKept(),
	}
	frames := make(chan frame)
	go read(ctx, stream, frames) // ends with the stream, or when frames is no longer read
	err = f.run(ctx, frames)
	var failed error
	if cause := context.Cause(ctx); ctx.Err() != nil {
		err = nil // the caller cancelled
		if !errors.Is(cause, context.Canceled) && !errors.Is(cause, errParentGone) {
			failed = cause
		}
	}
	cancel(nil)
	if f.link != nil {
		f.link.close()
	}
	if err := stream.Close(); err != nil {
		f.log.Debug("close stream", "err", err)
	}
	f.tasks.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return 0, errors.Join(err, failed)
	}
	return 1, errors.Join(err, failed)
}

// read reads the editor's messages.
func read(ctx context.Context, stream io.Reader, frames chan<- frame) {
	in := transport.NewFrameReader(stream)
	for {
		body, err := in.Next()
		select {
		case frames <- frame{body, err}:
		case <-ctx.Done():
			return
		}
		var large *transport.TooLargeError
		if err != nil && !errors.As(err, &large) {
			return
		}
	}
}

// run passes messages on until the editor leaves. The error is the reason if the editor did not end
// it.
func (f *forwarder) run(ctx context.Context, frames <-chan frame) error {
	if err := f.connect(ctx); err != nil {
		return err
	}
	for {
		var down, away <-chan struct{}
		if f.link != nil {
			down, away = f.link.done, f.link.away
		}
		select {
		case <-ctx.Done():
			return nil
		case fr := <-frames:
			over, err := f.take(ctx, fr)
			if over || err != nil {
				return err
			}
		case <-away:
			f.part(ctx)
			if err := f.reconnect(ctx, true); err != nil {
				return err
			}
		case <-down:
			if err := f.reconnect(ctx, false); err != nil {
				return err
			}
		}
	}
}

// take passes on a message of the editor; over reports that there are no more.
func (f *forwarder) take(ctx context.Context, fr frame) (over bool, err error) {
	var large *transport.TooLargeError
	switch {
	case errors.As(fr.err, &large):
		f.toEditor(jsonrpc2.NewResponse(jsonrpc2.ID{}, nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, fr.err.Error())))
		return false, nil
	case errors.Is(fr.err, io.EOF):
		f.finish(ctx, nil)
		return true, nil
	case fr.err != nil:
		f.finish(ctx, nil)
		return true, fr.err
	}
	return f.fromEditor(ctx, fr.body), nil
}

// finish waits for the daemon's last messages after the editor's last one.
func (f *forwarder) finish(ctx context.Context, last []byte) {
	if f.link == nil {
		return
	}
	if last != nil {
		f.link.send(last)
	}
	f.link.hang()
	timer := time.NewTimer(farewell)
	defer timer.Stop()
	select {
	case <-f.link.done:
		f.bury()
	case <-timer.C:
	case <-ctx.Done():
	}
}

// part waits for the pending answers of a daemon that has sent Away, and disconnects.
func (f *forwarder) part(ctx context.Context) {
	f.log.Info("the daemon asks to look for the next")
	timer := time.NewTimer(partPatience)
	defer timer.Stop()
	for waiting := true; waiting; {
		f.mu.Lock()
		waiting = len(f.pending) > 0
		f.mu.Unlock()
		if !waiting {
			break
		}
		select {
		case <-f.quiet:
		case <-f.link.done:
			waiting = false
		case <-timer.C:
			waiting = false
		case <-ctx.Done():
			return
		}
	}
	f.link.close()
	select {
	case <-f.link.done:
	case <-ctx.Done():
	}
}

// reconnect connects to the next daemon after one has ended, unless the session is over.
func (f *forwarder) reconnect(ctx context.Context, handover bool) error {
	f.silent++
	if f.link.spoke.Load() {
		f.silent = 0
	}
	f.quick++
	if handover || f.link.answered.Load() || time.Since(f.link.begun) > steady {
		f.quick = 0
	}
	f.link.close()
	f.link = nil
	f.bury()
	f.mu.Lock()
	ended := f.ended
	f.mu.Unlock()
	if ended {
		return nil
	}
	if f.silent >= maxDeaths {
		return fmt.Errorf("%d daemons in a row have died without a word; the log may say why", f.silent)
	}
	f.pause(ctx)
	return f.connect(ctx)
}

// pause waits if several daemons in a row have died.
func (f *forwarder) pause(ctx context.Context) {
	if f.quick <= fewDeaths {
		return
	}
	long := min(longPause, firstPause<<min(f.quick-fewDeaths-1, 10))
	f.log.Warn("daemons die one after the other", "count", f.quick, "pause", long.String())
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// connect connects and restores the session.
func (f *forwarder) connect(ctx context.Context) error {
	begun := time.Now()
	conn, err := f.opts.Connect(ctx, f.links > 0)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	f.links++
	took := time.Since(begun).Round(time.Millisecond).String()
	if f.links == 1 {
		f.log.Info("connected to the daemon", "after", took)
	} else {
		f.log.Info("the daemon is gone; the session goes on with the next", "after", took)
	}
	f.link = newLink(ctx, f, conn, f.links)
	f.link.restore()
	return nil
}

// toEditor sends one of the forwarder's own messages.
func (f *forwarder) toEditor(m jsonrpc2.Message) {
	body, err := jsonrpc2.EncodeMessage(m)
	if err == nil {
		err = f.editor.Write(body)
	}
	if err != nil {
		f.cancel(err)
	}
}

// watch ends the forwarder when the editor's process has ended.
func (f *forwarder) watch(ctx context.Context, pid int) {
	f.tasks.Go(func() {
		if parent.Gone(ctx, pid) {
			f.log.Info("the editor's process is gone", "pid", pid)
			f.cancel(errParentGone)
		}
	})
}

// withoutProcess removes the editor's process ID from the parameters of initialize and returns it,
// 0 if there is none. The forwarder watches the process; the daemon would take its end for its own.
func withoutProcess(params json.RawMessage) (json.RawMessage, int) {
	var members map[string]json.RawMessage
	if json.Unmarshal(params, &members) != nil || members["processId"] == nil {
		return params, 0
	}
	pid := 0
	if json.Unmarshal(members["processId"], &pid) != nil || pid < 0 {
		pid = 0
	}
	members["processId"] = json.RawMessage("null")
	out, err := json.Marshal(members)
	if err != nil {
		return params, 0
	}
	return out, pid
}
