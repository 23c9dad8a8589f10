package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// supported is true: every Windows has named pipes, which this user alone can open.
const supported = true

// Kill is the command by which a person ends a process, before its ID.
const Kill = "taskkill /F /PID"

// openLock opens a lock file, and creates it if it does not exist. It does not follow a link.
func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0o600)
}

// tryLock locks a file for its holder's life, without waiting. The error is errBusy if another
// process holds the lock. A locked range cannot be read, so it locks a byte far beyond the holder's
// ID.
func tryLock(file *os.File) error {
	at := windows.Overlapped{OffsetHigh: math.MaxInt32}
	err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errBusy
	}
	return err
}

// ownerOf returns the result of os.Geteuid: files have no owner ID here. Folders are protected by
// closeToOthers or by their location, and peerOf checks the peer.
func ownerOf(fs.FileInfo) (uid int, ok bool) { return os.Geteuid(), true }

// openToOthers returns false: modes have no meaning here.
func openToOthers(fs.FileInfo) bool { return false }

// closeToOthers restricts a new folder, and its future content, to this user, the administrators
// and the system, wherever it is. In the user's own profile that is inherited.
func closeToOthers(dir string) error {
	sid, err := userOf(windows.GetCurrentProcessToken())
	if err != nil {
		return err
	}
	access, err := windows.SecurityDescriptorFromString("D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;" + sid + ")")
	if err != nil {
		return err
	}
	list, _, err := access.DACL()
	if err != nil {
		return err
	}
	return windows.SetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil)
}

// userOf returns the identifier of a token's user.
func userOf(token windows.Token) (string, error) {
	user, err := token.GetTokenUser()
	if err != nil {
		return "", fmt.Errorf("ask for the user: %w", err)
	}
	return user.User.Sid.String(), nil
}

// detached starts a process without a console, so that it does not receive signals that a terminal
// sends to its parent.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}

// handOver makes a command that is not yet started inherit a file, and returns its handle there.
func handOver(cmd *exec.Cmd, file *os.File) (fd uintptr, err error) {
	fd = file.Fd()
	err = windows.SetHandleInformation(windows.Handle(fd), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT)
	if err != nil {
		return 0, err
	}
	cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, syscall.Handle(fd))
	return fd, nil
}

// isReset reports whether the peer closed the connection abruptly.
func isReset(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA) || errors.Is(err, windows.ERROR_PIPE_NOT_CONNECTED)
}
