//go:build !windows

package main

import (
	"os/signal"
	"syscall"
)

// ignoreFileSizeSignal makes a write to a file that is as large as the process may make one an
// error like others.
func ignoreFileSizeSignal() { signal.Ignore(syscall.SIGXFSZ) }
