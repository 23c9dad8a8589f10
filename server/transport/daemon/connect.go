package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

const (
	// Patience bounds how long Connect waits for a daemon that runs and does not answer, or for a
	// held state to become free: with the start of the program it is under the five seconds within
	// which a held state is refused.
	Patience = 4500 * time.Millisecond
	// longPatience bounds Connect while there is progress: a daemon shuts down in an orderly way,
	// saving its state first, or one is being started, by this process or another. It is also for a
	// client that had a daemon. A busy machine may take that long, and an editor does not start its
	// language server again.
	longPatience = 30 * time.Second
)

// Target is the daemon to which Connect connects, and the client's identity.
type Target struct {
	StateDir string // absolute
	Hello    Hello
	// Again means that the client had a daemon before: the next one may take longer than usual to
	// appear.
	Again bool
	// Start starts a daemon of this build and returns when it listens, or with the reason why it
	// cannot. A daemon that exited without a message, as if killed (ErrLeft), is started again. See
	// [Program.Start].
	Start func(context.Context) error
}

// Connect connects to the daemon of a state directory. It starts one if none runs or only an older
// one, which it asks to leave first. Of any number of concurrent callers, one starts a daemon.
// Errors: ErrUnsupported, *IncompatibleError, *HeldError, and other failures.
func Connect(ctx context.Context, t Target) (net.Conn, error) {
	p, err := newPlace(t.StateDir)
	if err != nil {
		return nil, err
	}
	begun, patience := time.Now(), Patience
	if t.Again {
		patience = longPatience
	}
	first, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := p.greet(first, t.Hello)
	if !absent(err) {
		return connection(conn, err)
	}
	if err := p.prepare(); err != nil {
		return nil, fmt.Errorf(startFailed+"%w", err)
	}
	if !errors.Is(err, ErrNone) { // one is leaving, or will be asked to
		patience = longPatience
	}
	within, cancel := context.WithTimeout(ctx, longPatience)
	defer cancel()
	return p.start(within, t, begun.Add(patience))
}

// absent reports whether an error of greet permits starting a daemon.
func absent(err error) bool {
	var old *outdatedError
	return errors.Is(err, ErrNone) || errors.Is(err, errAway) || errors.As(err, &old)
}

// connection prevents a nil pointer in the interface.
func connection(conn *peerConn, err error) (net.Conn, error) {
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// start makes exactly one of its concurrent callers start a daemon; the others connect to that one.
// It waits until a time for a state that is held: after that it is refused at once, as it was to
// those who tried before.
func (p *place) start(ctx context.Context, t Target, until time.Time) (net.Conn, error) {
	starting, conn, err := p.takeStart(ctx, t.Hello)
	if starting == nil {
		return conn, err
	}
	defer func() { _ = starting.release() }() // the end of the process releases it too
	for tries := 0; ; tries++ {
		conn, err := p.greetSoon(ctx, t.Hello)
		var old *outdatedError
		switch {
		case !absent(err):
			return connection(conn, err)
		case tries == maxStarts:
			return nil, fmt.Errorf(startFailed+"%d were started and left at once; the log may say why", tries)
		case errors.As(err, &old):
			if err := p.replace(ctx, t.Hello); err != nil {
				return nil, err
			}
		}
		// The leaving daemon holds the lock until everything is saved.
		waiting, cancel := context.WithDeadline(ctx, until)
		free, err := p.await(waiting, daemonLock, nil)
		cancel()
		if err == nil {
			err = free.release()
		}
		if err != nil {
			return nil, fmt.Errorf(startFailed+"%w", err)
		}
		if err := t.Start(ctx); err != nil && !errors.Is(err, ErrLeft) {
			if conn, again := p.greetSoon(ctx, t.Hello); again == nil { // one was started by hand
				return conn, nil
			}
			return nil, fmt.Errorf(startFailed+"%w", err)
		}
	}
}

// lookPause is the time between two looks for a daemon that another process starts.
const lookPause = 50 * time.Millisecond

// takeStart returns the lock of the one that starts a daemon, or nil with the connection to the
// daemon that another has started meanwhile, or why that cannot be had.
func (p *place) takeStart(ctx context.Context, h Hello) (*lock, net.Conn, error) {
	var conn net.Conn
	var err error
	looked, met := time.Now(), false
	starting, held := p.await(ctx, startLock, func() bool {
		if time.Since(looked) < lookPause {
			return false
		}
		c, failed := p.greetSoon(ctx, h)
		looked = time.Now()
		if met = !absent(failed); met {
			conn, err = connection(c, failed)
		}
		return met
	})
	switch {
	case starting != nil:
		return starting.signed(), nil, nil
	case met:
		return nil, conn, err
	}
	return nil, nil, fmt.Errorf(startFailed+"%w", held)
}

// greetSoon is greet within Patience.
func (p *place) greetSoon(ctx context.Context, h Hello) (*peerConn, error) {
	soon, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	return p.greet(soon, h)
}

// maxStarts bounds the number of times that a daemon is started and exits before it can be greeted.
const maxStarts = 4

// replace asks the running daemon to leave. It returns nil if the daemon has left already.
func (p *place) replace(ctx context.Context, h Hello) error {
	h.Purpose = leave
	_, err := p.greet(ctx, h)
	if absent(err) {
		return nil
	}
	return fmt.Errorf("ask the older daemon to leave: %w", err)
}
