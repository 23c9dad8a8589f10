// Package parent detects the end of the process for which this one works, such as an editor that
// was killed before it could disconnect.
package parent

import (
	"context"
	"time"
)

// interval is the time between two checks of a process whose end the system does not report.
const interval = time.Second

// Gone blocks until a process has ended; it returns false if ctx ended first. It works for a
// process of another user, and detects the end of one whose ID has been reused.
func Gone(ctx context.Context, pid int) bool {
	if gone, known := awaitEnd(ctx, pid); known {
		return gone
	}
	return poll(ctx, pid)
}

// poll is Gone for systems that do not report the end of a process.
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
