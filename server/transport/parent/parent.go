// Package parent tells when the process is gone that this one works for, such as an editor that was
// killed and could not say goodbye.
package parent

import (
	"context"
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
