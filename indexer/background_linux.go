package indexer

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// niceness is the niceness of background work: next to requests and the editor it gets a third of
// their processor time, so that it yields to them and still completes on a machine that is never
// idle.
const niceness = 5

// background gives the calling goroutine a thread of its own with low priority. The thread ends
// with the goroutine, which must not unlock it. If the system refuses, the priority stays normal.
func background() {
	runtime.LockOSThread()
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), niceness) // on Linux, this thread only
}
