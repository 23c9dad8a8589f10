//go:build linux || darwin

package daemon

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// supported reports whether this system can tell whose process is at the other end of a socket.
const supported = true

// openLock opens a lock file, and makes it where it is not there. A link is not followed.
func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
}

// tryLock locks a file for its holder's life, without waiting. Error: errBusy where another process
// holds it.
func tryLock(file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return errBusy
		}
		return err
	}
}

// ownerOf is the user whose file it is.
func ownerOf(info fs.FileInfo) (uid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

// detached makes a process the first of a session of its own: no signal from a terminal or to a
// group of processes reaches it that was meant for who started it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
