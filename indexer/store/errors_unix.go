//go:build !windows

package store

import (
	"strings"
	"syscall"
)

// fullErrors are the errors of a disk that is full or does not accept writes.
var fullErrors = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EFBIG}

// scarceErrors are the errors of a system that has run out of descriptors.
var scarceErrors = []error{syscall.EMFILE, syscall.ENFILE}

// isHeld reports whether a lock was refused because another process holds it. Pebble's error
// contains only the text of the system's.
func isHeld(err error) bool { return strings.Contains(err.Error(), "resource temporarily unavailable") }
