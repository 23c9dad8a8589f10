package daemon

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// peerOf returns the user of the process at the other end, as the kernel recorded it on connection.
func peerOf(conn *peerConn) (uid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var got error
	err = raw.Control(func(fd uintptr) {
		cred, got = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err := errors.Join(err, got); err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}

// shortPath returns a short path for a folder, whatever its own: that of an open descriptor. done
// closes it.
func shortPath(dir string) (path string, done func(), err error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", nil, fmt.Errorf("open %s: %w", dir, err)
	}
	return fmt.Sprintf("/proc/self/fd/%d", fd), func() { _ = unix.Close(fd) }, nil
}
