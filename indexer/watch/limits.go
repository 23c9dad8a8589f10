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
	// maxBudget is the most watches taken by default; each costs about 1 KiB of kernel memory.
	maxBudget = 65_536
	// fallbackLimit is the kernel's smallest default, for when it does not tell.
	fallbackLimit = 8_192
	// otherBudget is for systems where a watch costs open files (kqueue) or a buffer (Windows).
	otherBudget = 1_024
)

// defaultBudget is half of what the system allows its user, so that the editor's own watches fit.
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

// exhausted reports whether the system refuses because a limit is reached.
func exhausted(err error) bool {
	return slices.ContainsFunc(limitErrors, func(limit error) bool { return errors.Is(err, limit) })
}

// harmless reports whether an error of the event stream means no lost event: a watch that the
// kernel had dropped before fsnotify wanted to.
func harmless(err error) bool { return errors.Is(err, syscall.EINVAL) }
