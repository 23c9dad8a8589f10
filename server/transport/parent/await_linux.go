package parent

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// awaitEnd is Gone by a descriptor of the process (pidfd_open(2)), which becomes readable when the
// process ends, without polling. known is false if the kernel provides none.
func awaitEnd(ctx context.Context, pid int) (gone, known bool) {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if errors.Is(err, unix.EINVAL) { // Linux before 5.10 does not support the flag
		if fd, err = unix.PidfdOpen(pid, 0); err == nil {
			err = unix.SetNonblock(fd, true)
		}
	}
	switch {
	case errors.Is(err, unix.ESRCH):
		return true, true
	case err != nil:
		return false, false
	}
	file := os.NewFile(uintptr(fd), "process "+strconv.Itoa(pid)) // non-blocking, so that the runtime waits for it
	defer file.Close()
	raw, err := file.SyscallConn()
	if err != nil {
		return false, false
	}
	defer context.AfterFunc(ctx, func() { _ = file.SetReadDeadline(time.Unix(1, 0)) })()
	err = raw.Read(func(fd uintptr) bool {
		gone = readable(int(fd))
		return gone
	})
	return gone, err == nil || ctx.Err() != nil
}

// readable reports, without waiting, whether a descriptor can be read.
func readable(fd int) bool {
	for {
		set := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(set, 0)
		if !errors.Is(err, unix.EINTR) {
			return err == nil && n > 0
		}
	}
}
