package main

import (
	"errors"

	"golang.org/x/sys/windows"
)

// readerGone reports whether a write failed because the reader has closed the pipe.
func readerGone(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}

// nobodyListens reports whether a connection was refused.
func nobodyListens(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }
