// Package parent tells when the process is gone that this one works for, such as an editor that was
// killed and could not say goodbye.
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

// interval is the time between two checks of a process whose end the system does not report.
const interval = time.Second

// Gone blocks until a process is gone; it returns false when ctx ended first. A process of another
// user is seen too, and so is the end of one whose number another process has by now.
func Gone(ctx context.Context, pid int) bool {
	if gone, known := awaitEnd(ctx, pid); known {
		return gone
	}
	return poll(ctx, pid)
}

// poll is Gone where the system does not report the end of a process.
func poll(ctx context.Context, pid int) bool {
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
