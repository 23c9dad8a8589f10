package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
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
	socketName = "contexture.sock"
	daemonLock = "daemon.lock"
	startLock  = "start.lock"
	// maxSocketPath is the longest path of a socket that all systems accept (104 bytes on macOS,
	// 108 on Linux, with the final zero), less the suffix of a new socket's name.
	maxSocketPath = 96
)

// place is the meeting point of the processes of one user and state directory.
type place struct {
	state, run string
	uid        int                              // of this process
	peer       func(*net.UnixConn) (int, error) // the user of the process at the other end
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

// address returns the path of the socket, valid until done is called.
func (p *place) address() (path string, done func(), err error) {
	path = filepath.Join(p.run, socketName)
	if len(path) <= maxSocketPath {
		return path, func() {}, nil
	}
	dir, done, err := shortPath(p.run)
	if err != nil {
		return "", nil, err
	}
	return filepath.Join(dir, socketName), done, nil
}

// listener is the daemon's socket.
type listener struct {
	*net.UnixListener
	place *place
	file  fs.FileInfo // of the socket, to recognize it
}

// listen creates the socket, replacing one that was left behind. The caller holds the daemon's
// lock. The socket appears under its name only when it is complete: with its mode, and listening.
func (p *place) listen() (*listener, error) {
	path, done, err := p.address()
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	defer done()
	fresh := path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listen: %w", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: fresh, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	l.SetUnlinkOnClose(false) // by then the name may belong to another daemon
	info, err := os.Lstat(fresh)
	if err == nil {
		err = os.Chmod(fresh, 0o600)
	}
	if err == nil {
		err = replace(fresh, path)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen: %w", err), l.Close())
	}
	return &listener{l, p, info}, nil
}

// replace renames a file over another. A folder of that name was not left behind by a daemon.
func replace(from, to string) error {
	if info, err := os.Lstat(to); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: remove it", to)
	}
	return os.Rename(from, to)
}

// ours reports whether the socket's name still leads to this listener.
func (l *listener) ours() bool {
	path, done, err := l.place.address()
	if err != nil {
		return false
	}
	defer done()
	info, err := os.Lstat(path)
	return err == nil && os.SameFile(info, l.file)
}

// end closes the socket and removes its name.
func (l *listener) end() error {
	err := l.Close()
	if !l.ours() {
		return err
	}
	path, done, failed := l.place.address()
	if failed != nil {
		return errors.Join(err, failed)
	}
	defer done()
	return errors.Join(err, os.Remove(path))
}

// dial connects to a daemon of this user. The error is ErrNone if none listens.
func (p *place) dial(ctx context.Context) (*net.UnixConn, error) {
	if _, err := os.Lstat(p.run); errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if err := ownState(p.state, p.uid); err != nil {
		return nil, err
	}
	if err := private(p.run, p.uid); err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	path, done, err := p.address()
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	defer done()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	switch {
	case errors.Is(err, fs.ErrNotExist), isRefused(err):
		return nil, ErrNone
	case err != nil:
		return nil, fmt.Errorf("connect: %w", err)
	}
	c := conn.(*net.UnixConn)
	if err := p.checkPeer(c); err != nil {
		return nil, errors.Join(fmt.Errorf("connect: %w", err), c.Close())
	}
	return c, nil
}

// checkPeer refuses all processes except this user's own.
func (p *place) checkPeer(conn *net.UnixConn) error {
	uid, err := p.peer(conn)
	if err != nil {
		return fmt.Errorf("tell whose process is at the other end: %w", err)
	}
	if uid != p.uid {
		return fmt.Errorf("the process at the other end is of another user (%d)", uid)
	}
	return nil
}
