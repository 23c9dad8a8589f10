//go:build !windows

package main

import (
	"errors"
	"syscall"
)

// readerGone reports whether a write failed because the reader has closed the pipe.
func readerGone(err error) bool { return errors.Is(err, syscall.EPIPE) }

// nobodyListens reports whether a connection was refused.
func nobodyListens(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
