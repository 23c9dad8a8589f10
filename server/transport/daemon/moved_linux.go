package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const (
	selfMoved   = unix.IN_MOVE_SELF | unix.IN_DELETE_SELF | unix.IN_ONLYDIR
	entryMoved  = unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_DELETE
	eventsBytes = 4096
)

// movedFrom reports, by inotify(7), that something in a folder, or the folder, or one above it, may
// have been moved or removed: after an event of the channel the caller must check. stop ends it. It
// does not report a link on the path that now has another target.
func movedFrom(dir string) (moved <-chan struct{}, stop func(), err error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, nil, fmt.Errorf("watch %s: %w", dir, err)
	}
	file := os.NewFile(uintptr(fd), "inotify") // non-blocking, so that the runtime waits for it
	mask := uint32(selfMoved | entryMoved)
	for at := dir; err == nil; at, mask = filepath.Dir(at), selfMoved {
		if _, err = unix.InotifyAddWatch(fd, at, mask); errors.Is(err, unix.EACCES) && at != dir {
			err = nil // of another user: may be searched but not read
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("watch %s: %w", dir, err), file.Close())
	}
	out, done := make(chan struct{}, 1), make(chan struct{})
	go func() { // ends with the file, which stop closes and waits for
		defer close(done)
		for events := make([]byte, eventsBytes); ; {
			if _, err := file.Read(events); err != nil {
				return
			}
			select {
			case out <- struct{}{}:
			default:
			}
		}
	}()
	return out, func() {
		_ = file.Close()
		<-done
	}, nil
}
