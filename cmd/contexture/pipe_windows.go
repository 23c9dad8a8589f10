package main

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// writeSignals are sent to a process whose write fails, beside the error that the write returns.
var writeSignals = []os.Signal{syscall.SIGPIPE}

// readerGone reports whether a write failed because the reader has closed the pipe.
func readerGone(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}

// nobodyListens reports whether a connection was refused.
func nobodyListens(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }
