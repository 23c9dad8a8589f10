package store

import (
	"errors"

	"golang.org/x/sys/windows"
)

// fullErrors are those of a disk without room.
var fullErrors = []error{
	windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED, windows.ERROR_FILE_TOO_LARGE,
}

// readOnlyError is that of a disk that takes nothing.
const readOnlyError = windows.ERROR_WRITE_PROTECT

// isHeld reports whether a lock was refused because another process, or this one, has it.
func isHeld(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }

// linksLast reports whether one name of a file can be replaced while the file is open by another,
// as the tables of a checkpoint are that the database still reads.
const linksLast = false
