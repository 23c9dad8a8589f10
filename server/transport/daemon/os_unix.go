//go:build linux || darwin

package daemon

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
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

// openToOthers reports whether others can write in a folder.
func openToOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

// closeToOthers has nothing to do: a folder's mode says who may enter.
func closeToOthers(string) error { return nil }

// handOver has a command that is yet to be started inherit a file, and returns the number by which
// it finds it.
func handOver(cmd *exec.Cmd, file *os.File) (fd uintptr, err error) {
	const first = 3 // behind the standard streams
	cmd.ExtraFiles = append(cmd.ExtraFiles, file)
	return uintptr(first + len(cmd.ExtraFiles) - 1), nil
}

// isRefused reports whether nobody listens at a socket.
func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// isReset reports whether the other end has gone in the middle.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
