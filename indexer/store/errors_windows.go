package store

import (
	"errors"

	"golang.org/x/sys/windows"
)

// fullErrors are the errors of a disk that is full or does not accept writes.
var fullErrors = []error{
	windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED,
	windows.ERROR_WRITE_PROTECT, windows.ERROR_FILE_TOO_LARGE,
}

// scarceErrors are the errors of a process with too many open files.
var scarceErrors = []error{windows.ERROR_TOO_MANY_OPEN_FILES}

// isHeld reports whether a lock was refused because another process, or this one, holds it.
func isHeld(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }
