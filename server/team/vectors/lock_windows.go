package vectors

import (
	"os"

	"golang.org/x/sys/windows"
)

// openLock opens a lock file and locks it until it is closed. It fails if another process holds it.
func openLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0o600)
	if err != nil {
		return nil, err
	}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	if err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{}); err != nil {
		_ = file.Close() // nothing was written
		return nil, err
	}
	return file, nil
}
