package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

const (
	// Patience is how long Connect tries: with the start of the program it is under the five
	// seconds in which a held state is refused.
	Patience = 4500 * time.Millisecond
	// handover is how long it tries where a daemon leaves in good order, which writes down what it
	// has first.
	handover = 15 * time.Second
)

// Target is where Connect connects to, and as whom.
type Target struct {
	StateDir string // absolute
	Hello    Hello
	// Handover says that the daemon that was there said Away: the next one may take longer to come
	// than otherwise.
	Handover bool
	// Start starts a daemon of this build and returns when it listens, or cannot. One that left
	// without a word, as if killed (ErrLeft), is started again. See [Program.Start].
	Start func(context.Context) error
}

// Connect connects to the daemon of a state directory, and starts one where none runs or only an
// older one, which is asked to leave first. Of any number of processes that do so at once, one
// starts a daemon. Errors: ErrUnsupported,
// *IncompatibleError, *HeldError, and what else went wrong within Patience.
func Connect(ctx context.Context, t Target) (net.Conn, error) {
	p, err := newPlace(t.StateDir)
	if err != nil {
		return nil, err
	}
	begun, patience := time.Now(), Patience
	first, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	conn, err := p.greet(first, t.Hello)
	if !absent(err) {
		return connection(conn, err)
	}
	if err := p.prepare(); err != nil {
		return nil, fmt.Errorf(startFailed+"%w", err)
	}
	if !errors.Is(err, ErrNone) || t.Handover { // one is leaving, or will be asked to
		patience = handover
	}
	within, cancel := context.WithDeadline(ctx, begun.Add(patience))
	defer cancel()
	return p.start(within, t)
}

// absent reports whether an error of greet leaves room for starting a daemon.
func absent(err error) bool {
	var old *outdatedError
	return errors.Is(err, ErrNone) || errors.Is(err, errAway) || errors.As(err, &old)
}

// connection keeps a nil pointer out of the interface.
func connection(conn *net.UnixConn, err error) (net.Conn, error) {
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// start has exactly one of those who call it at once start a daemon; the others find that one.
func (p *place) start(ctx context.Context, t Target) (net.Conn, error) {
	starting, err := p.lock(ctx, startLock)
	if err != nil {
		return nil, fmt.Errorf(startFailed+"%w", err)
	}
	defer func() { _ = starting.release() }() // the end of the process releases it too
	for tries := 0; ; tries++ {
		conn, err := p.greet(ctx, t.Hello)
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
		// The one that leaves has the lock until all is written.
		free, err := p.await(ctx, daemonLock)
		if err == nil {
			err = free.release()
		}
		if err != nil {
			return nil, fmt.Errorf(startFailed+"%w", err)
		}
		if err := t.Start(ctx); err != nil && !errors.Is(err, ErrLeft) {
			if conn, again := p.greet(ctx, t.Hello); again == nil { // somebody started one by hand
				return conn, nil
			}
			return nil, fmt.Errorf(startFailed+"%w", err)
		}
	}
}

// maxStarts bounds how often a daemon is started that is gone before it can be greeted.
const maxStarts = 4

// replace asks the daemon that runs to leave. It is fine when it has left already.
func (p *place) replace(ctx context.Context, h Hello) error {
	h.Purpose = leave
	_, err := p.greet(ctx, h)
	if absent(err) {
		return nil
	}
	return fmt.Errorf("ask the older daemon to leave: %w", err)
}
