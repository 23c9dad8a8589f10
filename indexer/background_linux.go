package indexer

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// niceness is what background work runs at: beside requests and the editor it gets a third of what
// they get, so that it gives way to them and still comes to its end on a machine that is never at
// rest.
const niceness = 5

// background gives the calling goroutine a thread of its own that gives way to others. The thread
// ends with the goroutine, which must not unlock it. Where the system refuses, it runs as it is.
func background() {
	runtime.LockOSThread()
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), niceness) // on Linux, of this thread alone
}
