//go:build !windows

package main

import (
	"errors"
	"os"
	"syscall"
)

// writeSignals are sent to a process whose write fails, beside the error that the write returns:
// the reader is gone, or the file is as large as the process may make one.
var writeSignals = []os.Signal{syscall.SIGPIPE, syscall.SIGXFSZ}

// readerGone reports whether a write failed because the reader has closed the pipe.
func readerGone(err error) bool { return errors.Is(err, syscall.EPIPE) }

// nobodyListens reports whether a connection was refused.
func nobodyListens(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
