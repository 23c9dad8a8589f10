package watch

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

const (
	// maxBudget is the maximum number of watches by default; each costs about 1 KiB of kernel
	// memory.
	maxBudget = 65_536
	// fallbackLimit is the kernel's smallest default, used if the limit cannot be read.
	fallbackLimit = 8_192
	// otherBudget is the budget on systems where a watch costs open files (kqueue) or a buffer
	// (Windows).
	otherBudget = 1_024
)

// defaultBudget returns half of the system's limit per user, so that the editor's own watches fit.
func defaultBudget() int {
	if runtime.GOOS != "linux" {
		return otherBudget
	}
	limit := fallbackLimit
	if data, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches"); err == nil {
		if n, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && n > 0 {
			limit = n
		}
	}
	return max(1, min(limit/2, maxBudget))
}

// exhausted reports whether an error means that a limit of the system is reached.
func exhausted(err error) bool {
	return slices.ContainsFunc(limitErrors, func(limit error) bool { return errors.Is(err, limit) })
}

// harmless reports whether an error of the event stream does not mean a lost event: fsnotify tried
// to remove a watch that the kernel had already dropped.
func harmless(err error) bool { return errors.Is(err, syscall.EINVAL) }
