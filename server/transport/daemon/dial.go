package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"time"
)

// IncompatibleError means that a daemon of another build is running that can neither serve this
// build nor be replaced by it.
type IncompatibleError struct {
	PID       int
	Own, Runs Versions
}

func (e *IncompatibleError) Error() string {
	return fmt.Sprintf("the daemon that runs (process %d) is %s, this is %s: update the older of the two and restart its editors, end the daemon with %[4]s %[1]d, or choose another place with --state-dir DIR",
		e.PID, e.Runs, e.Own, Kill)
}

// errAway means that a daemon closed the connection or is leaving instead of greeting: another may
// start soon.
var errAway = errors.New("the daemon is leaving")

// outdatedError means that the daemon is older than this build, and leaves on request.
type outdatedError struct{ answer welcome }

func (e *outdatedError) Error() string { return "the daemon is older: " + e.answer.Versions.String() }

// Dial connects to the daemon of a state directory, an absolute path, and sends hello. It starts no
// daemon: if none runs, the error is ErrNone. Other errors: ErrUnsupported, *IncompatibleError, and
// failures of the connection. The caller closes the connection.
func Dial(ctx context.Context, stateDir string, h Hello) (net.Conn, error) {
	p, err := newPlace(stateDir)
	if err != nil {
		return nil, err
	}
	conn, err := p.greet(ctx, h)
	var outdated *outdatedError
	switch {
	case errors.Is(err, errAway):
		return nil, ErrNone
	case errors.As(err, &outdated):
		return nil, &IncompatibleError{PID: outdated.answer.PID, Own: h.Versions, Runs: outdated.answer.Versions}
	case err != nil:
		return nil, err
	}
	return conn, nil
}

// greet connects and sends hello. Errors: ErrNone, errAway, *outdatedError, *IncompatibleError,
// others.
func (p *place) greet(ctx context.Context, h Hello) (*peerConn, error) {
	conn, err := p.dial(ctx)
	if err != nil {
		return nil, err
	}
	until, bounded := ctx.Deadline()
	if !bounded {
		until = time.Now().Add(greetPatience)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // wakes a blocked call
	answer, err := greet(conn, h, until)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err == nil && answer.Verdict == served {
		return conn, nil
	}
	_ = conn.Close() // no message was sent yet that could be lost
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), isReset(err):
		return nil, errAway
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, fmt.Errorf("connect to the daemon: %w", ctx.Err())
	case err != nil:
		return nil, fmt.Errorf("the daemon%s does not answer (%w): end it, and what needs it starts another", p.who(), err)
	}
	if h.Purpose == CommandLine && answer.Versions.Requests != h.Versions.Requests {
		return nil, &IncompatibleError{PID: answer.PID, Own: h.Versions, Runs: answer.Versions}
	}
	switch answer.Verdict {
	case leaving:
		return nil, errAway
	case outdated:
		return nil, &outdatedError{answer}
	case incompatible:
		return nil, &IncompatibleError{PID: answer.PID, Own: h.Versions, Runs: answer.Versions}
	}
	return nil, fmt.Errorf("the daemon (process %d) refuses: %s", answer.PID, answer.Reason)
}

// who returns a description of the daemon's process, as far as it is known.
func (p *place) who() string {
	if pid := holder(filepath.Join(p.run, daemonLock)); pid != 0 {
		return fmt.Sprintf(" (process %d)", pid)
	}
	return ""
}
