package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/transport/daemon"
)

// world is a state directory, with a daemon or without, in which tests run commands.
type world struct {
	t      *testing.T
	state  string
	dir    string // the working folder of commands
	env    map[string]string
	out    terminal
	err    terminal
	daemon *server.Server // nil = none runs
	dials  func(daemon.Hello) (io.ReadWriteCloser, error)
	starts func(context.Context, daemon.Target) (io.ReadWriteCloser, error)
	runs   sync.WaitGroup // the daemon's sessions
}

func newWorld(t *testing.T, dir string) *world {
	home := t.TempDir()
	return &world{t: t, state: filepath.Join(t.TempDir(), "state"), dir: dir, env: map[string]string{"HOME": home}}
}

// haveDaemon starts the daemon's part of the process, until the test ends or stop is called.
func (w *world) haveDaemon() (stop func()) {
	w.t.Helper()
	if err := os.MkdirAll(w.state, 0o700); err != nil {
		w.t.Fatal(err)
	}
	v, err := server.New(engine.Options{Version: readVersion().Version, Build: readVersion().String(), StateDir: w.state, Models: true, KeepOpen: time.Hour})
	if err != nil {
		w.t.Fatal(err)
	}
	w.daemon = v
	stop = sync.OnceFunc(func() {
		w.runs.Wait()
		w.daemon = nil
		if err := v.Close(); err != nil {
			w.t.Error(err)
		}
	})
	w.t.Cleanup(stop)
	return stop
}

// dial connects a command with the daemon.
func (w *world) dial(ctx context.Context, state string, h daemon.Hello) (io.ReadWriteCloser, error) {
	if w.dials != nil {
		return w.dials(h)
	}
	if w.daemon == nil || state != w.state {
		return nil, errNoDaemon
	}
	return w.serve(ctx, h, ""), nil
}

// serve begins a session with the daemon, and returns the client's end of its stream. The daemon
// dies when it receives the request named by dies; "" is none.
func (w *world) serve(ctx context.Context, h daemon.Hello, dies string) io.ReadWriteCloser {
	near, far := net.Pipe()
	v, ctx := w.daemon, context.WithoutCancel(ctx)
	w.runs.Go(func() {
		err := serveSession(ctx, &dying{far, dies}, h, v, slog.New(slog.DiscardHandler))
		if err != nil && dies == "" {
			w.t.Error(err)
		}
	})
	return near
}

// dying is the daemon's end of a connection, which closes when it receives the request.
type dying struct {
	net.Conn
	when string // a name of the request, "" for never
}

func (d *dying) Read(p []byte) (int, error) {
	n, err := d.Conn.Read(p)
	if d.when != "" && bytes.Contains(p[:n], []byte(`"`+d.when+`"`)) {
		return 0, errors.Join(io.ErrUnexpectedEOF, d.Close())
	}
	return n, err
}

// typed is the result of a command.
type typed struct {
	code     int
	out, err string
}

// masked hides what differs between runs and between worlds.
func (r typed) masked(w *world) typed {
	for _, s := range []*string{&r.out, &r.err} {
		*s = strings.NewReplacer(w.state, "STATE", w.env["HOME"], "HOME").Replace(*s)
		for _, m := range masks {
			*s = m.find.ReplaceAllString(*s, m.with)
		}
	}
	return r
}

func (w *world) run(stdin string, args ...string) typed {
	return w.runContext(w.t.Context(), io.NopCloser(strings.NewReader(stdin)), args...)
}

func (w *world) runContext(ctx context.Context, stdin io.ReadCloser, args ...string) typed {
	var out, say bytes.Buffer
	env := maps.Clone(w.env)
	code := run(ctx, &environment{
		args: append([]string{"--state-dir", w.state, "--offline"}, args...), getenv: func(name string) string { return env[name] }, dir: w.dir,
		stdin: stdin, stdout: closing{&out}, stderr: &say, out: w.out, err: w.err, dial: w.dial, start: w.starts,
	})
	return typed{code, out.String(), say.String()}
}
