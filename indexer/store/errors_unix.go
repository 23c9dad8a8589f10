//go:build !windows

package store

import (
	"strings"
	"syscall"
)

// fullErrors are those of a disk without room, or that takes nothing.
var fullErrors = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EFBIG}

// scarceErrors are those of a system without descriptors.
var scarceErrors = []error{syscall.EMFILE, syscall.ENFILE}

// isHeld reports whether a lock was refused because another process has it. Pebble's error has
// only the text of the system's.
func isHeld(err error) bool { return strings.Contains(err.Error(), "resource temporarily unavailable") }
