package daemon

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// patience is how long a test waits for what must come.
const patience = 3 * time.Minute

// hello is what a client of a build says.
func hello(purpose string, build int64) Hello {
	return Hello{Purpose: purpose, Versions: Versions{Contract: 1, Index: 1, Memory: 1, Build: Build{Version: "dev", Time: build}}, PID: os.Getpid()}
}

// running is a daemon in the test's own process.
type running struct {
	t     *testing.T
	state string
	stop  context.CancelFunc
	done  chan struct{} // closed when err is there
	err   error
}

// begin starts a daemon of build 5 that sends back what it gets, and waits until it listens.
func begin(t *testing.T, state string, change func(*Options)) *running {
	t.Helper()
	r, err := tryBegin(t, state, change)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func tryBegin(t *testing.T, state string, change func(*Options)) (*running, error) {
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{t: t, state: state, stop: cancel, done: make(chan struct{})}
	ready := make(chan error, 1)
	echo := func(ctx context.Context, conn net.Conn, _ Hello) error {
		defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
		_, _ = io.Copy(conn, conn)
		return nil
	}
	o := Options{StateDir: state, Versions: hello("", 5).Versions, Session: echo, Ready: func(err error) { ready <- err }}
	if change != nil {
		change(&o)
	}
	go func() {
		defer close(r.done)
		r.err = Serve(ctx, o)
	}()
	t.Cleanup(func() {
		cancel()
		<-r.done
	})
	return r, <-ready
}

// ends waits for the daemon's end.
func (r *running) ends() error {
	r.t.Helper()
	select {
	case <-r.done:
		return r.err
	case <-time.After(patience):
		r.t.Fatal("the daemon does not end")
		return nil
	}
}

// dial connects as a client of a build; it must be served.
func (r *running) dial(build int64) net.Conn {
	r.t.Helper()
	conn, err := Dial(r.t.Context(), r.state, hello(Session, build))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// answers checks that somebody is at the other end.
func answers(t *testing.T, conn net.Conn) {
	t.Helper()
	if _, err := io.WriteString(conn, "ping"); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4)
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != "ping" {
		t.Fatalf("%q came back: %v", got, err)
	}
}

// rawDial connects without a word.
func rawDial(t *testing.T, state string) *peerConn {
	t.Helper()
	p, err := newPlace(state)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := p.dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// starter starts daemons in the test's own process, and counts them.
type starter struct {
	t      *testing.T
	state  string
	change func(*Options)
	count  atomic.Int32
}

func (s *starter) start(context.Context) error {
	_, err := tryBegin(s.t, s.state, s.change)
	if err == nil {
		s.count.Add(1)
	}
	return err
}

// longState is a state directory whose path no socket can have.
func longState(t *testing.T) string {
	dir := t.TempDir()
	for len(dir) < 300 {
		dir = filepath.Join(dir, "a-folder-with-a-long-name")
	}
	return dir
}

// gone waits until the other end has closed a connection, whatever it still sends.
func gone(t *testing.T, conn net.Conn) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("the connection stays open")
	}
}

// lock takes a lock file of the place and writes this process's ID into it.
func (p *place) lock(ctx context.Context, name string) (*lock, error) {
	l, err := p.await(ctx, name, nil)
	if err != nil {
		return nil, err
	}
	return l.signed(), nil
}
