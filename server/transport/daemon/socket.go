//go:build !windows

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

// Kill is the command by which a person ends a process, before its ID.
const Kill = "kill"

const (
	endpointName = "contexture.sock"
	// maxSocketPath is the longest path of a socket that all systems accept (104 bytes on macOS,
	// 108 on Linux, with the final zero), less the suffix of a new socket's name.
	maxSocketPath = 96
)

// Address returns the address of the daemon of a state directory, and the file that leads to it.
// Neither need exist.
func Address(stateDir string) (address, file string) {
	file = filepath.Join(stateDir, runFolder, endpointName)
	return "unix://" + file, file
}

// peerConn is a connection whose peer's user the kernel records.
type peerConn = net.UnixConn

// address returns the path of the socket, valid until done is called.
func (p *place) address() (path string, done func(), err error) {
	path = filepath.Join(p.run, endpointName)
	if len(path) <= maxSocketPath {
		return path, func() {}, nil
	}
	dir, done, err := shortPath(p.run)
	if err != nil {
		return "", nil, err
	}
	return filepath.Join(dir, endpointName), done, nil
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
		err = noFolder(path)
	}
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen: %w", err), l.Close())
	}
	return &listener{l, p, info}, nil
}

// accept blocks until a client connects. The error is net.ErrClosed after end or Close.
func (l *listener) accept() (*peerConn, error) { return l.AcceptUnix() }

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

// connect opens a connection to the daemon's socket. The error is ErrNone if none listens.
func (p *place) connect(ctx context.Context) (*peerConn, error) {
	path, done, err := p.address()
	if err != nil {
		return nil, err
	}
	defer done()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	switch {
	case errors.Is(err, fs.ErrNotExist), isRefused(err):
		return nil, ErrNone
	case err != nil:
		return nil, err
	}
	return conn.(*peerConn), nil
}
