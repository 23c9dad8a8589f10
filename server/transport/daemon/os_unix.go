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

// supported reports whether this system can identify the user of the process at the other end of a
// socket.
const supported = true

// openLock opens a lock file, and creates it if it does not exist. It does not follow a link.
func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
}

// tryLock locks a file for its holder's life, without waiting. The error is errBusy if another
// process holds the lock.
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

// ownerOf returns the user who owns a file.
func ownerOf(info fs.FileInfo) (uid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

// detached makes a process the leader of a new session, so that it does not receive signals that a
// terminal or a process group sends to its parent.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// openToOthers reports whether other users can write in a folder.
func openToOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

// closeToOthers does nothing: a folder's mode restricts access.
func closeToOthers(string) error { return nil }

// handOver makes a command that is not yet started inherit a file, and returns its descriptor
// there.
func handOver(cmd *exec.Cmd, file *os.File) (fd uintptr, err error) {
	const first = 3 // after the standard streams
	cmd.ExtraFiles = append(cmd.ExtraFiles, file)
	return uintptr(first + len(cmd.ExtraFiles) - 1), nil
}

// isRefused reports whether no process listens at a socket.
func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// isReset reports whether the peer closed the connection abruptly.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
