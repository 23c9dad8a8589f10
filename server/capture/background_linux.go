package capture

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// niceness is what imports run at: beside requests they get a tenth of what these get.
const niceness = 10

// background gives the calling goroutine a thread of its own that gives way to others. The thread
// ends with the goroutine, which must not unlock it. Where the system refuses, it runs as it is.
func background() {
	runtime.LockOSThread()
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), niceness) // on Linux, of this thread alone
}
