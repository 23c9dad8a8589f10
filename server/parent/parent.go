// Package parent tells when the process is gone that this one works for, such as an editor that was killed and could not
// say goodbye.
package parent

import (
	"context"
	"errors"
	"os"
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

// alive reports whether a process exists; one of another user does, and so does one that has ended as long as who
// started it has not asked how.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
