//go:build !unix

package ollamatest

import "os/exec"

// ownGroup does nothing: the system has no process groups.
func ownGroup(*exec.Cmd) {}
