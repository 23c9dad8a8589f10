//go:build !windows

package parent

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
)

// alive reports whether a process exists, also one of another user.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return (err == nil || errors.Is(err, os.ErrPermission)) && !ended(pid)
}

// ended reports whether a process has ended and only waits to be reaped by its parent
// (proc_pid_stat(5)). It returns false if the system does not provide that.
func ended(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	name := bytes.LastIndexByte(stat, ')') // the name may contain any character
	return name >= 0 && len(stat) > name+2 && bytes.IndexByte([]byte("ZX"), stat[name+2]) >= 0
}
