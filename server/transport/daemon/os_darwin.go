package daemon

import (
	"errors"
	"fmt"
	"os"

	"github.com/zeebo/xxh3"
	"golang.org/x/sys/unix"
)

// peerOf returns the user of the process at the other end, as the kernel recorded it on connection.
func peerOf(conn *peerConn) (uid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Xucred
	var got error
	err = raw.Control(func(fd uintptr) {
		cred, got = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	})
	if err := errors.Join(err, got); err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}

// shortPath returns a folder of the user's own that replaces one whose path is too long for a
// socket. It does not depend on the environment, which differs between editors.
func shortPath(dir string) (path string, done func(), err error) {
	path = fmt.Sprintf("/tmp/contexture-%d-%016x", os.Geteuid(), xxh3.HashString(dir))
	return path, func() {}, private(path, os.Geteuid())
}
