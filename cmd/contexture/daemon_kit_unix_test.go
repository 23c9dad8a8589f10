//go:build linux || darwin

package main

import (
	"os"
	"syscall"

	"github.com/contexture-dev/contexture/server/servertest"
	"golang.org/x/sys/unix"
)

// held reports whether a process holds a lock file.
func held(file *os.File) bool { return unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB) != nil }

// terminate asks a process to end.
func terminate(pid int) { _ = syscall.Kill(pid, syscall.SIGTERM) }

// signals are the endings by a signal.
var signals = []ending{
	{"terminated", func(p *program, _ *servertest.Editor) { _ = p.cmd.Process.Signal(syscall.SIGTERM) }, 1, ""},
}
