package daemon

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestConnectAtOnce: any number of clients that find no daemon start one between them.
func TestConnectAtOnce(t *testing.T) {
	s := &starter{t: t, state: t.TempDir()}
	const clients = 20
	conns := make([]net.Conn, clients)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			conn, err := Connect(t.Context(), Target{StateDir: s.state, Hello: hello(Session, 5), Start: s.start})
			if err != nil {
				t.Error(err)
				return
			}
			conns[i] = conn
		})
	}
	all.Wait()
	if n := s.count.Load(); n != 1 {
		t.Errorf("%d daemons were started", n)
	}
	for _, conn := range conns {
		if conn != nil {
			answers(t, conn)
			_ = conn.Close()
		}
	}
}

// TestConnectSlowly: on a busy machine a daemon takes longer to start than a held state is waited
// for. Who starts it, and who waits for that, has it nevertheless.
func TestConnectSlowly(t *testing.T) {
	t.Parallel()
	s := &starter{t: t, state: t.TempDir()}
	slowly := func(ctx context.Context) error {
		<-time.After(Patience + time.Second/2)
		if ctx.Err() != nil {
			t.Error("it was given up")
		}
		return s.start(ctx)
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			conn, err := Connect(t.Context(), Target{StateDir: s.state, Hello: hello(Session, 5), Start: slowly})
			if err != nil {
				t.Error(err)
				return
			}
			answers(t, conn)
			_ = conn.Close()
		})
	}
	all.Wait()
	if n := s.count.Load(); n != 1 {
		t.Errorf("%d daemons were started", n)
	}
}

// TestHeldForMany: those who wait while one tries are refused soon after it.
func TestHeldForMany(t *testing.T) {
	t.Parallel()
	p := heldPlace(t)
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			fails(t, p.state, func(context.Context) error { return errors.New("nothing is to be started") })
		})
	}
	all.Wait()
}

// TestConnectWhileLeaving: a client that comes at the moment of a daemon's leaving has this one or
// the next.
func TestConnectWhileLeaving(t *testing.T) {
	const idle = 25 * time.Millisecond
	s := &starter{t: t, state: t.TempDir(), change: func(o *Options) { o.Idle = idle }}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		conn, err := Connect(t.Context(), Target{StateDir: s.state, Hello: hello(Session, 5), Start: s.start})
		if err != nil {
			t.Fatal(err)
		}
		answers(t, conn)
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		<-time.After(idle - time.Millisecond + time.Duration(random.Int64N(int64(2*time.Millisecond))))
	}
	if s.count.Load() < 2 {
		t.Error("no daemon left")
	}
}

// TestReplace: a newer build has the older daemon leave, which lets its other clients finish; an
// older one is served.
func TestReplace(t *testing.T) {
	state := t.TempDir()
	old := begin(t, state, nil)
	other := old.dial(5)
	away := make(chan struct{})
	go func() { // as a forwarder does
		defer close(away)
		got := make([]byte, len(awayMessage))
		_, _ = other.Read(got)
		_ = other.Close()
	}()
	s := &starter{t: t, state: state, change: func(o *Options) { o.Versions.Build.Time = 6 }}
	conn, err := Connect(t.Context(), Target{StateDir: state, Hello: hello(Session, 6), Start: s.start})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	answers(t, conn)
	<-away
	if err := old.ends(); err != nil {
		t.Error(err)
	}
	back, err := Connect(t.Context(), Target{StateDir: state, Hello: hello(Session, 5), Start: s.start})
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	answers(t, back)
	if n := s.count.Load(); n != 1 {
		t.Errorf("%d daemons were started", n)
	}
}

// TestTwoBuilds: clients of two builds that come and go do not drive each other's daemon out again
// and again.
func TestTwoBuilds(t *testing.T) {
	state := t.TempDir()
	starters := []*starter{{t: t, state: state}, {t: t, state: state, change: func(o *Options) { o.Versions.Build.Time = 6 }}}
	var all sync.WaitGroup
	for i := range 12 {
		s := starters[i%2]
		all.Go(func() {
			for range 5 {
				conn, err := Connect(t.Context(), Target{StateDir: state, Hello: hello(Session, int64(5+i%2)), Start: s.start})
				if err != nil {
					t.Error(err)
					return
				}
				_ = conn.Close()
			}
		})
	}
	all.Wait()
	if old, young := starters[0].count.Load(), starters[1].count.Load(); old > 1 || young != 1 {
		t.Errorf("%d and %d daemons were started", old, young)
	}
}

func TestIncompatible(t *testing.T) {
	r := begin(t, t.TempDir(), nil)
	h := hello(Session, 4)
	h.Versions.Memory = 2
	s := &starter{t: t, state: r.state}
	_, err := Connect(t.Context(), Target{StateDir: r.state, Hello: h, Start: s.start})
	var not *IncompatibleError
	if !errors.As(err, &not) || not.PID != os.Getpid() {
		t.Fatalf("connect: %v", err)
	}
	for _, part := range []string{"memory format 1", "memory format 2", "--state-dir"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	newer := hello(CommandLine, 6)
	newer.Versions.Index = 2
	if _, err := Dial(t.Context(), r.state, newer); !errors.As(err, &not) {
		t.Errorf("dial: %v", err)
	}
}

func TestDialStartsNone(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	if _, err := Dial(t.Context(), state, hello(Session, 5)); !errors.Is(err, ErrNone) {
		t.Errorf("dial: %v", err)
	}
	if _, err := os.Lstat(state); !os.IsNotExist(err) {
		t.Error("it made the state directory")
	}
}

// TestHung: a daemon that does not answer, and one whose socket is gone, are named within the time.
func TestHung(t *testing.T) {
	none := func(context.Context) error { return errors.New("nothing is to be started") }
	t.Run("does not answer", func(t *testing.T) {
		p := heldPlace(t)
		l, err := p.listen()
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		fails(t, p.state, none)
	})
	t.Run("has no socket", func(t *testing.T) {
		p := heldPlace(t)
		fails(t, p.state, none)
	})
}

// heldPlace returns the place of a state that a process holds without listening.
func heldPlace(t *testing.T) *place {
	t.Helper()
	p, err := newPlace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.prepare(); err != nil {
		t.Fatal(err)
	}
	held, err := p.lock(t.Context(), daemonLock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = held.release() })
	return p
}

// fails checks that there is an error in time that names this process.
func fails(t *testing.T, state string, start func(context.Context) error) {
	t.Helper()
	begun := time.Now()
	_, err := Connect(t.Context(), Target{StateDir: state, Hello: hello(Session, 5), Start: start})
	if err == nil || !strings.Contains(err.Error(), "process") {
		t.Errorf("connect: %v", err)
	}
	if took := time.Since(begun); took > Patience+time.Second {
		t.Errorf("it took %s", took)
	}
}
