//go:build !linux && !darwin && !windows

package daemon

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// supported is false: without a way to identify the peer's user, no client may be served.
const supported = false

func openLock(string) (*os.File, error) { return nil, ErrUnsupported }

func tryLock(*os.File) error { return ErrUnsupported }

func ownerOf(fs.FileInfo) (uid int, ok bool) { return 0, false }

func detached() *syscall.SysProcAttr { return nil }

func peerOf(*peerConn) (uid int, err error) { return 0, ErrUnsupported }

func shortPath(string) (path string, done func(), err error) { return "", nil, ErrUnsupported }

func openToOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

func closeToOthers(string) error { return nil }

func handOver(*exec.Cmd, *os.File) (fd uintptr, err error) { return 0, ErrUnsupported }

func isRefused(error) bool { return false }

func isReset(error) bool { return false }
