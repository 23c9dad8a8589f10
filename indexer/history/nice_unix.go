//go:build unix

package history

import "syscall"

// niceness is git's niceness: history is background work and must not slow the editor.
const niceness = 10

// lowerPriority raises a process's niceness. If the system refuses, the priority stays.
func lowerPriority(pid int) { _ = syscall.Setpriority(syscall.PRIO_PROCESS, pid, niceness) }
