package capture

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// niceness is the niceness of imports: when requests compete with them, imports get a tenth of the
// requests' share.
const niceness = 10

// background moves the calling goroutine to a thread of its own with low priority. The thread ends
// with the goroutine, which must not unlock it. If the system refuses, the priority stays
// unchanged.
func background() {
	runtime.LockOSThread()
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), niceness) // on Linux, this affects only this thread
}
