package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

const (
	// endpointName is a file that contains the name of the daemon's pipe. The name is random, so
	// that nobody can create a pipe of that name beforehand, and so that the pipe is found by every
	// spelling of the state directory's path.
	endpointName = "contexture.pipe"
	pipePrefix   = `\\.\pipe\contexture-`
	// pipeBuffer is the number of bytes that a writer may be ahead of the reader, each way.
	pipeBuffer = 64 << 10
	// busyInterval is the time between two attempts to connect to a pipe while the daemon accepts
	// another client.
	busyInterval = 2 * time.Millisecond
)

// Address returns the address of the daemon of a state directory, and the file that leads to it.
// Neither need exist.
func Address(stateDir string) (address, file string) {
	p := place{run: filepath.Join(stateDir, runFolder)}
	if address = p.endpoint(); address == "" {
		address = pipePrefix + "*"
	}
	return address, filepath.Join(p.run, endpointName)
}

// peerConn is a connection by a named pipe, at either end. A message without bytes is the end of
// the peer's messages: a pipe itself cannot be closed in one direction only.
type peerConn struct {
	*os.File
	ended atomic.Bool // whether the peer sends no more
}

var _ net.Conn = (*peerConn)(nil)

// newPeerConn takes ownership of a handle that was opened for overlapped operations.
func newPeerConn(pipe windows.Handle, name string) *peerConn {
	return &peerConn{File: os.NewFile(uintptr(pipe), name)}
}

// Read implements io.Reader.
func (c *peerConn) Read(p []byte) (int, error) {
	if c.ended.Load() {
		return 0, io.EOF
	}
	n, err := c.File.Read(p)
	if errors.Is(err, io.EOF) {
		c.ended.Store(true)
	}
	return n, err
}

// Write implements io.Writer.
func (c *peerConn) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil // it would be the end
	}
	return c.File.Write(p)
}

// CloseWrite tells the peer that no more follows. It blocks until the peer has read everything,
// since a message without bytes would be lost if it were read together with an earlier one.
func (c *peerConn) CloseWrite() error {
	if err := c.Sync(); err != nil {
		return err
	}
	_, err := c.File.Write(nil)
	return err
}

// LocalAddr implements net.Conn.
func (c *peerConn) LocalAddr() net.Addr { return pipeAddr(c.Name()) }

// RemoteAddr implements net.Conn.
func (c *peerConn) RemoteAddr() net.Addr { return pipeAddr(c.Name()) }

// pipeAddr is the name of a pipe.
type pipeAddr string

// Network implements net.Addr.
func (pipeAddr) Network() string { return "pipe" }

func (a pipeAddr) String() string { return string(a) }

// listener is the daemon's pipe. One goroutine may call accept.
type listener struct {
	place  *place
	name   string
	access *windows.SecurityAttributes
	ended  windows.Handle // an event, set by Close

	accepting sync.Mutex         // held during accept; guards the fields below
	next      windows.Handle     // the instance for the next client, or windows.InvalidHandle
	wait      windows.Overlapped // of the operation that waits for that client; here since it must not move
	closed    bool
}

// listen creates the pipe and stores its name, replacing that of a daemon that was killed. The
// caller holds the daemon's lock.
func (p *place) listen() (*listener, error) {
	path := filepath.Join(p.run, endpointName)
	if err := noFolder(path); err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	access, err := onlyUser()
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	ended, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	l := &listener{place: p, name: pipePrefix + rand.Text(), access: access, ended: ended, next: windows.InvalidHandle}
	if err = l.prepare(windows.FILE_FLAG_FIRST_PIPE_INSTANCE); err == nil {
		// In place: a file that a client reads at this moment cannot be replaced. A client that
		// reads half a name finds no pipe, and retries.
		err = os.WriteFile(path, []byte(l.name), 0o600)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen: %w", err), l.Close())
	}
	return l, nil
}

// onlyUser returns the access to the pipe: it belongs to this user, and nobody else can open it.
func onlyUser() (*windows.SecurityAttributes, error) {
	sid, err := userOf(windows.GetCurrentProcessToken())
	if err != nil {
		return nil, err
	}
	access, err := windows.SecurityDescriptorFromString("O:" + sid + "D:P(A;;GA;;;" + sid + ")")
	if err != nil {
		return nil, err
	}
	return &windows.SecurityAttributes{Length: uint32(unsafe.Sizeof(windows.SecurityAttributes{})), SecurityDescriptor: access}, nil
}

// prepare creates the instance of the pipe for the next client. accepting is held, or the listener
// is new.
func (l *listener) prepare(flags uint32) error {
	name, err := windows.UTF16PtrFromString(l.name)
	if err != nil {
		return err
	}
	l.next, err = windows.CreateNamedPipe(name, windows.PIPE_ACCESS_DUPLEX|windows.FILE_FLAG_OVERLAPPED|flags,
		windows.PIPE_TYPE_MESSAGE|windows.PIPE_READMODE_BYTE|windows.PIPE_REJECT_REMOTE_CLIENTS, windows.PIPE_UNLIMITED_INSTANCES,
		pipeBuffer, pipeBuffer, 0, l.access)
	if err != nil {
		return fmt.Errorf("create pipe: %w", err)
	}
	return nil
}

// accept blocks until a client connects. The error is net.ErrClosed after end or Close.
func (l *listener) accept() (*peerConn, error) {
	l.accepting.Lock()
	defer l.accepting.Unlock()
	for {
		if l.closed {
			return nil, net.ErrClosed
		}
		if l.next == windows.InvalidHandle {
			if err := l.prepare(0); err != nil {
				return nil, err
			}
		}
		err := l.await()
		switch {
		case errors.Is(err, windows.ERROR_NO_DATA): // the client has left again
			if err := windows.DisconnectNamedPipe(l.next); err != nil {
				return nil, err
			}
		case err != nil:
			return nil, err
		default:
			conn := newPeerConn(l.next, l.name)
			if err := l.prepare(0); err != nil {
				l.next = windows.InvalidHandle // the next call tries again
			}
			return conn, nil
		}
	}
}

// await blocks until a client has opened the next instance, or the listener is closed, which is
// net.ErrClosed. accepting is held.
func (l *listener) await() error {
	event, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(event) }() // no longer waited for
	l.wait = windows.Overlapped{HEvent: event}
	err = windows.ConnectNamedPipe(l.next, &l.wait)
	switch {
	case errors.Is(err, windows.ERROR_PIPE_CONNECTED):
		return nil
	case !errors.Is(err, windows.ERROR_IO_PENDING):
		return err
	}
	first, err := windows.WaitForMultipleObjects([]windows.Handle{event, l.ended}, false, windows.INFINITE)
	var none uint32
	if err != nil || first != windows.WAIT_OBJECT_0 {
		_ = windows.CancelIoEx(l.next, &l.wait)                       // it may be over already
		_ = windows.GetOverlappedResult(l.next, &l.wait, &none, true) // until the system no longer uses wait
		return errors.Join(net.ErrClosed, err)
	}
	return windows.GetOverlappedResult(l.next, &l.wait, &none, true)
}

// Close ends accept and closes the pipe, but leaves its name behind.
func (l *listener) Close() error {
	err := windows.SetEvent(l.ended)
	l.accepting.Lock()
	defer l.accepting.Unlock()
	if l.closed {
		return net.ErrClosed
	}
	l.closed = true
	if l.next != windows.InvalidHandle {
		err = errors.Join(err, windows.CloseHandle(l.next))
	}
	return errors.Join(err, windows.CloseHandle(l.ended))
}

// ours reports whether the state directory still leads to this listener.
func (l *listener) ours() bool { return l.place.endpoint() == l.name }

// end removes the pipe's name and closes the pipe. In this order: as long as clients are connected,
// others could still find the pipe.
func (l *listener) end() error {
	var err error
	if l.ours() {
		path := filepath.Join(l.place.run, endpointName)
		err = os.Truncate(path, 0)
		_ = os.Remove(path) // not while a client reads it, to whom the empty file says the same
	}
	return errors.Join(err, l.Close())
}

// endpoint returns the name of the daemon's pipe, "" if there is none.
func (p *place) endpoint() string {
	name, err := os.ReadFile(filepath.Join(p.run, endpointName))
	if err != nil || !strings.HasPrefix(string(name), pipePrefix) {
		return ""
	}
	return string(name)
}

// connect opens the daemon's pipe. The error is ErrNone if none listens.
func (p *place) connect(ctx context.Context) (*peerConn, error) {
	ticker := time.NewTicker(busyInterval)
	defer ticker.Stop()
	for {
		name := p.endpoint() // each time: a daemon that leaves removes it
		if name == "" {
			return nil, ErrNone
		}
		name16, err := windows.UTF16PtrFromString(name)
		if err != nil {
			return nil, ErrNone
		}
		// A server of another user could learn who this is, but not act as this user.
		const flags = windows.FILE_FLAG_OVERLAPPED | windows.SECURITY_SQOS_PRESENT | windows.SECURITY_IDENTIFICATION
		pipe, err := windows.CreateFile(name16, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING, flags, 0)
		switch {
		case err == nil:
			return newPeerConn(pipe, name), nil
		case errors.Is(err, fs.ErrNotExist):
			return nil, ErrNone
		case errors.Is(err, windows.ERROR_ACCESS_DENIED):
			return nil, fmt.Errorf("the daemon%s is of another user, or runs as administrator: end it, or %s", p.who(), elsewhere)
		case !errors.Is(err, windows.ERROR_PIPE_BUSY):
			return nil, err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// peerOf returns this process's own user ID if the pipe belongs to this user, and another number
// otherwise. For a client that is who created the pipe; to the daemon, whose pipe nobody else can
// open, that is also who has connected.
func peerOf(conn *peerConn) (uid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var owner *windows.SID
	var got error
	err = raw.Control(func(fd uintptr) {
		var access *windows.SECURITY_DESCRIPTOR
		access, got = windows.GetSecurityInfo(windows.Handle(fd), windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION)
		if got == nil {
			owner, _, got = access.Owner()
		}
	})
	if err := errors.Join(err, got); err != nil {
		return 0, err
	}
	self, err := userOf(windows.GetCurrentProcessToken())
	if err != nil {
		return 0, err
	}
	if owner.String() != self {
		return os.Geteuid() - 1, nil
	}
	return os.Geteuid(), nil
}
