//go:build unix

package ollamatest

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the command its own process group, which [keep] kills as a whole and a terminal's
// interrupt does not reach.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
