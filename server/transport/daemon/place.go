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
	// ErrNone says that no daemon runs.
	ErrNone = errors.New("no daemon runs")
	// ErrUnsupported says that there are no daemons on this system: serve in the process itself.
	ErrUnsupported = errors.New("a shared daemon is not supported on this system")
)

const (
	runFolder  = "run"
	socketName = "contexture.sock"
	daemonLock = "daemon.lock"
	startLock  = "start.lock"
	// maxSocketPath is the longest path of a socket that all systems take (104 bytes on macOS, 108
	// on Linux, with the zero at the end), less what a new socket's name has more.
	maxSocketPath = 96
)

// place is where the processes of one user and state directory meet.
type place struct {
	state, run string
	uid        int                              // of this process
	peer       func(*net.UnixConn) (int, error) // whose process is at the other end
}

// Supported reports whether there can be a daemon on this system.
func Supported() bool { return supported }

// newPlace returns the place of an absolute state directory. Nothing is made yet. Error:
// ErrUnsupported.
func newPlace(state string) (*place, error) {
	if !supported {
		return nil, ErrUnsupported
	}
	return &place{state: state, run: filepath.Join(state, runFolder), uid: os.Geteuid(), peer: peerOf}, nil
}

// prepare makes the folder where it is not there.
func (p *place) prepare() error {
	if err := makeState(p.state); err != nil {
		return err
	}
	if err := ownState(p.state, p.uid); err != nil {
		return err
	}
	return private(p.run, p.uid)
}

// private makes sure that a folder is there, is the user's own and nobody else's. One that others
// may look into is closed to them; a link, and a folder of another user, is refused.
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

// address is the path of the socket, which done makes invalid.
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
	file  fs.FileInfo // of the socket, to know it again
}

// listen makes the socket, in the place of one that was left behind. The caller holds the daemon's
// lock. The socket appears under its name when it is complete: with its mode, and with somebody who
// listens.
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
	l.SetUnlinkOnClose(false) // by then the name may be another's
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

// replace returns a file another's name. A folder of that name is not one that was left behind.
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

// end closes the socket and takes its name away.
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

// dial connects to a daemon of this user. Error: ErrNone where none listens.
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

// checkPeer refuses all but this user's own processes.
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
