package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Errors of Dial and Connect.
var (
	// ErrNone means that no daemon runs.
	ErrNone = errors.New("no daemon runs")
	// ErrUnsupported means that this system does not support daemons: serve in the process itself.
	ErrUnsupported = errors.New("a shared daemon is not supported on this system")
)

const (
	runFolder  = "run"
	daemonLock = "daemon.lock"
	startLock  = "start.lock"
)

// place is the meeting point of the processes of one user and state directory.
type place struct {
	state, run string
	uid        int                          // of this process
	peer       func(*peerConn) (int, error) // the user of the process at the other end
}

// Supported reports whether this system supports a daemon.
func Supported() bool { return supported }

// newPlace returns the place of an absolute state directory, without creating anything. Error:
// ErrUnsupported.
func newPlace(state string) (*place, error) {
	if !supported {
		return nil, ErrUnsupported
	}
	return &place{state: state, run: filepath.Join(state, runFolder), uid: os.Geteuid(), peer: peerOf}, nil
}

// prepare creates the folder if it does not exist.
func (p *place) prepare() error {
	if err := makeState(p.state); err != nil {
		return err
	}
	if err := ownState(p.state, p.uid); err != nil {
		return err
	}
	return private(p.run, p.uid)
}

// private ensures that a folder exists and belongs to the user alone. It closes a folder that
// others may read; it refuses a link, and a folder of another user.
func private(dir string, uid int) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	owner, ok := ownerOf(info)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder: remove it", dir)
	case !ok || owner != uid:
		return fmt.Errorf("%s is the folder of another user (%d): choose another place with --state-dir DIR", dir, owner)
	case info.Mode().Perm() != 0o700:
		return os.Chmod(dir, 0o700)
	}
	return nil
}

// noFolder returns an error if a folder is in the endpoint's place, which no daemon left behind.
func noFolder(path string) error {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: remove it", path)
	}
	return nil
}

// dial connects to a daemon of this user. The error is ErrNone if none listens.
func (p *place) dial(ctx context.Context) (*peerConn, error) {
	if _, err := os.Lstat(p.run); errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if err := ownState(p.state, p.uid); err != nil {
		return nil, err
	}
	if err := private(p.run, p.uid); err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	c, err := p.connect(ctx)
	switch {
	case errors.Is(err, ErrNone):
		return nil, ErrNone
	case err != nil:
		return nil, fmt.Errorf("connect: %w", err)
	}
	if err := p.checkPeer(c); err != nil {
		return nil, errors.Join(fmt.Errorf("connect: %w", err), c.Close())
	}
	return c, nil
}

// checkPeer refuses all processes except this user's own.
func (p *place) checkPeer(conn *peerConn) error {
	uid, err := p.peer(conn)
	if err != nil {
		return fmt.Errorf("tell whose process is at the other end: %w", err)
	}
	if uid != p.uid {
		return fmt.Errorf("the process at the other end is of another user (%d)", uid)
	}
	return nil
}
