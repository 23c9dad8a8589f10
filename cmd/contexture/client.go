package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/request"
	"github.com/contexture-dev/contexture/server/settings"
	"github.com/contexture-dev/contexture/server/transport"
	"github.com/contexture-dev/contexture/server/transport/daemon"
	"go.lsp.dev/jsonrpc2"
)

// client is a session with the server through which a command makes its requests: with the daemon
// if one serves the state directory, else with a server in this process. Both use the same protocol
// over a stream. It is safe for concurrent use.
type client struct {
	session *transport.Client
	shared  bool         // served by the daemon
	close   func() error // may be called again; returns the same error
}

// errNoDaemon is the error of a state directory for which no daemon runs.
var errNoDaemon = errors.New("no daemon runs")

// dialDaemon connects to the daemon of a state directory.
func dialDaemon(ctx context.Context, state string, h daemon.Hello) (io.ReadWriteCloser, error) {
	conn, err := daemon.Dial(ctx, state, h)
	if errors.Is(err, daemon.ErrNone) || errors.Is(err, daemon.ErrUnsupported) {
		return nil, errNoDaemon
	}
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// startDaemon connects to a daemon, which it starts.
func startDaemon(ctx context.Context, t daemon.Target) (io.ReadWriteCloser, error) {
	conn, err := daemon.Connect(ctx, t)
	if err != nil {
		return nil, err // no nil pointer in the interface
	}
	return conn, nil
}

// needs is what a command requires of a session.
type needs int

const (
	withIndex   needs = iota // the index; memory opens with the first request for it
	memoryAlone              // memory, no index
	memoryFirst              // memory, and the index if it exists
	withCode                 // memory and the index
	ifServed                 // the index if it exists, of a daemon that runs; else errNoDaemon
)

// connect begins a session over root, which is absolute; "" for none. The index opens in the
// background.
func (f *flags) connect(ctx context.Context, root string, want needs) (*client, error) {
	opts, err := f.options()
	if err != nil {
		return nil, err
	}
	state, err := f.state()
	if err != nil {
		return nil, err
	}
	if err := daemon.OwnState(state); err != nil {
		return nil, explain(err)
	}
	log, closeLog, err := f.logger(state)
	if err != nil {
		return nil, explain(err)
	}
	if free, ok := freeSpace(state); ok && free < leastSpace {
		return nil, errors.Join(fmt.Errorf("the disk of %s is full: free some space, or choose another place with --state-dir DIR", state), closeLog())
	}
	opts.CommandLine, opts.Root, opts.Logger = true, root, log
	opts.NoIndex, opts.OnlyIndexed = want == memoryAlone, want == memoryFirst || want == ifServed
	stream, err := f.dial(ctx, state, opts)
	if errors.Is(err, errNoDaemon) && (want == withIndex || want == withCode) {
		stream, err = f.startDaemon(ctx, state, opts)
	}
	if err != nil && want == ifServed {
		return nil, errors.Join(err, closeLog())
	}
	if err != nil {
		c, err := f.inProcess(ctx, state, opts, closeLog)
		return c, stopped(err)
	}
	c, err := newClient(ctx, stream, log)
	if errors.Is(err, transport.ErrStopped) {
		err = &lostError{err: io.ErrUnexpectedEOF}
	}
	if err != nil {
		return nil, errors.Join(stopped(err), closeLog())
	}
	return &client{c, true, sync.OnceValue(func() error {
		hangUp(ctx, c)
		return closeLog()
	})}, nil
}

// dial connects to the daemon of the state directory. If there is one that cannot be used,
// undialled holds the reason.
func (f *flags) dial(ctx context.Context, state string, opts engine.SessionOptions) (io.ReadWriteCloser, error) {
	f.undialled = errNoDaemon
	if f.env.dial == nil {
		return nil, errNoDaemon
	}
	h, err := helloFor(f, state, opts)
	if err != nil {
		return nil, err
	}
	stream, err := f.env.dial(ctx, state, h)
	f.undialled = err
	return stream, err
}

// helloFor returns the greeting of a command line's session.
func helloFor(f *flags, state string, opts engine.SessionOptions) (daemon.Hello, error) {
	h, err := f.hello(daemon.CommandLine, state)
	h.Root, h.NoIndex, h.OnlyIndexed = opts.Root, opts.NoIndex, opts.OnlyIndexed
	return h, err
}

// startDaemon starts a daemon, which keeps the index open for the next command, and connects to it.
// It does so for a person at a terminal, or as CONTEXTURE_DAEMON says: always with on, never with
// off. A daemon that does not start is as none, since the command works without.
func (f *flags) startDaemon(ctx context.Context, state string, opts engine.SessionOptions) (io.ReadWriteCloser, error) {
	asked := f.env.getenv("CONTEXTURE_DAEMON")
	if f.env.start == nil || asked == "off" || asked != "on" && !f.env.err.On {
		return nil, errNoDaemon
	}
	h, err := helloFor(f, state, opts)
	if err != nil {
		return nil, err
	}
	target, err := targetFor(state, h)
	if err != nil {
		return nil, err
	}
	stream, err := f.env.start(ctx, target)
	if err != nil {
		opts.Logger.Warn("start the shared process", "err", err)
		return nil, errNoDaemon
	}
	f.undialled = nil
	f.env.hint("the shared process runs now, so that the next answer is quick; CONTEXTURE_DAEMON=off prevents that")
	return stream, nil
}

// inProcess begins a session with a server of this process. It closes the log, at the latest with
// the session.
func (f *flags) inProcess(ctx context.Context, state string, opts engine.SessionOptions, closeLog func() error) (*client, error) {
	logFile, err := f.ownLog()
	if err != nil {
		return nil, errors.Join(err, closeLog())
	}
	v, err := f.newServer(state, logFile, opts.Logger)
	if err != nil {
		return nil, errors.Join(explain(err), closeLog())
	}
	ours, theirs := net.Pipe()
	served := make(chan error, 1)
	go func() { // ends with the pipe, which the session's end closes and waits for
		_, err := v.Serve(context.WithoutCancel(ctx), theirs, opts)
		served <- err
	}()
	end := func() error {
		return patiently(state, func() error { return errors.Join(<-served, v.Close(), closeLog()) })
	}
	c, err := newClient(ctx, ours, opts.Logger)
	if err != nil {
		return nil, errors.Join(err, end())
	}
	return &client{c, false, sync.OnceValue(func() error {
		hangUp(ctx, c)
		return end()
	})}, nil
}

// sessionBegin limits the time for beginning a session, sessionEnd that for ending it.
const sessionBegin, sessionEnd = 15 * time.Second, 5 * time.Second

// newClient begins a session over stream.
func newClient(ctx context.Context, stream io.ReadWriteCloser, log *slog.Logger) (*transport.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, sessionBegin)
	defer cancel()
	c, err := transport.NewClient(ctx, stream, transport.ClientOptions{Name: "contexture", Version: readVersion().Version, Logger: log})
	if err != nil {
		return nil, fmt.Errorf("begin session: %w", err)
	}
	return c, nil
}

// hangUp ends a session. When it returns, the fate of a session that is already over is known.
func hangUp(ctx context.Context, c *transport.Client) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sessionEnd)
	defer cancel()
	_ = c.Close(ctx)
}

// stopPatience is how long an interrupted command may take to stop: longer than the time that the
// program gives an index to write what is pending.
const stopPatience = 15 * time.Second

// patiently runs do. When ctx ends, it tells the server to stop and waits for what the server has
// done until then.
func (c *client) patiently(ctx context.Context, do func(ctx context.Context) error) error {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	late := make(chan struct{})
	defer context.AfterFunc(ctx, func() {
		_ = c.session.Request(work, request.Stop, nil, nil) // if this fails, so does the work
		timer := time.NewTimer(stopPatience)
		defer timer.Stop()
		select {
		case <-work.Done():
		case <-timer.C:
			close(late)
			cancel()
		}
	})()
	err := do(work)
	select {
	case <-late:
		return &lostError{late: true, err: err}
	default:
	}
	if errors.Is(err, transport.ErrStopped) {
		<-c.session.Done()
		return c.lost(c.session.Err())
	}
	return err
}

// lost returns the error of a session that ended before the client ended it.
func (c *client) lost(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if !c.shared {
		return fmt.Errorf("the session ended: %w", err)
	}
	return &lostError{err: err}
}

// ask makes a request of package request and decodes its answer. The error is the server's, as
// request.Decode returns it, or a *lostError.
func (c *client) ask(ctx context.Context, method string, params, result any) error {
	err := c.patiently(ctx, func(ctx context.Context) error { return c.session.Request(ctx, method, params, result) })
	if wire, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		return request.Decode(wire)
	}
	return err
}

// asked is like ask for a request whose result is an R.
func asked[R any](ctx context.Context, c *client, method string, params any) (*R, error) {
	result := new(R)
	if err := c.ask(ctx, method, params, result); err != nil {
		return nil, err
	}
	return result, nil
}

// call runs a command of the contract and returns its result. The error is a *command.Error or a
// *lostError.
func call[R any](ctx context.Context, c *client, name string, args any) (*R, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, command.Failed(fmt.Errorf("call %s: %w", name, err))
	}
	var answer json.RawMessage
	err = c.patiently(ctx, func(ctx context.Context) (err error) {
		answer, err = c.session.Execute(ctx, name, raw)
		return err
	})
	if err != nil {
		return nil, err
	}
	result := new(R)
	if err := json.Unmarshal(answer, result); err != nil {
		return nil, fmt.Errorf("read result of %s: %w", name, err)
	}
	return result, nil
}

// hello returns what this process sends to a daemon: its command line and environment, with all
// paths absolute. The caller sets Root.
func (f *flags) hello(purpose, state string) (daemon.Hello, error) {
	opts, err := f.options()
	if err != nil {
		return daemon.Hello{}, err
	}
	logFile, err := f.ownLog()
	if err != nil {
		return daemon.Hello{}, err
	}
	if logFile == "" {
		logFile = sessionLog(state)
	}
	return daemon.Hello{
		Purpose: purpose, Versions: versions(), PID: os.Getpid(),
		ConfigFile: opts.ConfigFile, ConfigDir: settings.ConfigDir(f.env.getenv), Home: f.env.getenv("HOME"),
		Offline: opts.Offline, ModelHost: f.env.getenv("OLLAMA_HOST"), LogFile: logFile, LogLevel: f.logLevel,
	}, nil
}
