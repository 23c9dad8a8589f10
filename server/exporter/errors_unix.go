//go:build !windows

package exporter

import "syscall"

// The errors of a port that another process has, and of one that only the system may have.
const (
	errAddressTaken = syscall.EADDRINUSE
	errPortDenied   = syscall.EACCES
)
