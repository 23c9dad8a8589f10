//go:build !linux && !darwin

package daemon

import (
	"io/fs"
	"net"
	"os"
	"syscall"
)

// supported: nobody can be told apart here, so nobody is served.
const supported = false

func openLock(string) (*os.File, error) { return nil, ErrUnsupported }

func tryLock(*os.File) error { return ErrUnsupported }

func ownerOf(fs.FileInfo) (uid int, ok bool) { return 0, false }

func detached() *syscall.SysProcAttr { return nil }

func peerOf(*net.UnixConn) (uid int, err error) { return 0, ErrUnsupported }

func shortPath(string) (path string, done func(), err error) { return "", nil, ErrUnsupported }
