//go:build unix

package daemon

import "syscall"

// A test's folders serve as state directories, in which nobody but their user may write.
func init() { syscall.Umask(0o022) }
