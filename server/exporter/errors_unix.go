//go:build !windows

package exporter

import "syscall"

// Errors of a port that another process uses, and of one reserved for the system.
const (
	errAddressTaken = syscall.EADDRINUSE
	errPortDenied   = syscall.EACCES
)
