// Package parent tells when the process is gone that this one works for, such as an editor that was killed and could not
// say goodbye.
package parent

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"
)

// interval is how often it is looked whether the process is still there.
const interval = time.Second

// Gone waits until a process is gone; it reports false when ctx ended first. A process that another user runs is seen
// too; one whose number was given to another process since the last look is not missed.
func Gone(ctx context.Context, pid int) bool {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for alive(pid) {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// alive reports whether a process exists; one of another user does.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return (err == nil || errors.Is(err, os.ErrPermission)) && !ended(pid)
}

// ended reports a process that has ended and is only there until who started it asks how (proc_pid_stat(5)). Where the
// system does not tell, none is.
func ended(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	name := bytes.LastIndexByte(stat, ')') // it may hold anything
	return name >= 0 && len(stat) > name+2 && bytes.IndexByte([]byte("ZX"), stat[name+2]) >= 0
}
