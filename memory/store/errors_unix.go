//go:build !windows

package store

import (
	"strings"
	"syscall"
)

// fullErrors are those of a disk without room.
var fullErrors = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

// readOnlyError is that of a disk that takes nothing.
const readOnlyError = syscall.EROFS

// isHeld reports whether a lock was refused because another process has it. Pebble's error has
// only the text of the system's.
func isHeld(err error) bool { return strings.Contains(err.Error(), "resource temporarily unavailable") }

// linksLast reports whether one name of a file can be replaced while the file is open by another.
const linksLast = true
