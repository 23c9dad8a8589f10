package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// supported reports whether this system has sockets of the family "unix", as Windows 10 of 2018 and
// later have.
var supported = hasSockets()

func hasSockets() bool {
	var data windows.WSAData
	const version = 2<<8 | 2
	if windows.WSAStartup(version, &data) != nil {
		return false
	}
	defer func() { _ = windows.WSACleanup() }() // balances WSAStartup
	socket, err := windows.Socket(windows.AF_UNIX, windows.SOCK_STREAM, 0)
	if err != nil {
		return false
	}
	return windows.Closesocket(socket) == nil
}

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

// isRefused reports whether no process listens at a socket.
func isRefused(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }

// isReset reports whether the peer closed the connection abruptly.
func isReset(err error) bool {
	return errors.Is(err, windows.WSAECONNRESET) || errors.Is(err, windows.WSAECONNABORTED) || errors.Is(err, windows.WSAESHUTDOWN)
}

// peerPID is SIO_AF_UNIX_GETPEERPID.
const peerPID = 0x58000100

// peerOf returns this process's own user ID if the process at the other end is of the same user,
// and another number otherwise.
func peerOf(conn *net.UnixConn) (uid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var pid, size uint32
	var got error
	err = raw.Control(func(fd uintptr) {
		got = windows.WSAIoctl(windows.Handle(fd), peerPID, nil, 0, (*byte)(unsafe.Pointer(&pid)), uint32(unsafe.Sizeof(pid)), &size, nil, 0)
	})
	if err := errors.Join(err, got); err != nil {
		return 0, err
	}
	theirs, err := userOfProcess(pid)
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		return os.Geteuid() - 1, nil // this user may query all processes of their own
	}
	if err != nil {
		return 0, err
	}
	ours, err := userOf(windows.GetCurrentProcessToken())
	if err != nil {
		return 0, err
	}
	if theirs != ours {
		return os.Geteuid() - 1, nil
	}
	return os.Geteuid(), nil
}

func userOfProcess(pid uint32) (string, error) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return "", fmt.Errorf("ask about process %d: %w", pid, err)
	}
	defer func() { _ = windows.CloseHandle(process) }() // opened only for the query
	var token windows.Token
	if err := windows.OpenProcessToken(process, windows.TOKEN_QUERY, &token); err != nil {
		return "", fmt.Errorf("ask about process %d: %w", pid, err)
	}
	defer func() { _ = token.Close() }() // opened only for the query
	return userOf(token)
}

// shortPath fails: Windows has no alternative name of a folder that every volume supports.
func shortPath(dir string) (path string, done func(), err error) {
	return "", nil, fmt.Errorf("%s is too long a path for a socket: choose a shorter one with --state-dir DIR", dir)
}
