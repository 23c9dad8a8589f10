//go:build unix

package vectors

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openLock opens a lock file and locks it until it is closed. It fails if another process holds it.
func openLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, unix.EINTR) {
			_ = file.Close() // nothing was written
			return nil, err
		}
	}
}
