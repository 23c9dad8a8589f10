package main

import (
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// held reports whether a process holds a lock file.
func held(file *os.File) bool {
	at := windows.Overlapped{OffsetHigh: math.MaxInt32}
	return windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at) != nil
}

// terminate kills a process: one without a console cannot be asked to end.
func terminate(pid int) { _ = kill(pid) }

// signals is empty: the system has none.
var signals []ending
