//go:build unix

package history

import "syscall"

// niceness is what git runs at: history is background work and gives way to the editor.
const niceness = 10

// lowerPriority lets a process give way to others. Where the system refuses, it runs as it is.
func lowerPriority(pid int) { _ = syscall.Setpriority(syscall.PRIO_PROCESS, pid, niceness) }
