//go:build !windows

package parent

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
)

// alive reports whether a process exists; one of another user does.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return (err == nil || errors.Is(err, os.ErrPermission)) && !ended(pid)
}

// ended reports a process that has ended and is only there until who started it asks how
// (proc_pid_stat(5)). Where the system does not tell, none is.
func ended(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	name := bytes.LastIndexByte(stat, ')') // it may hold anything
	return name >= 0 && len(stat) > name+2 && bytes.IndexByte([]byte("ZX"), stat[name+2]) >= 0
}
