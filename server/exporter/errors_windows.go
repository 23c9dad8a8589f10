package exporter

import "golang.org/x/sys/windows"

// Errors of a port that another process uses, and of one reserved for the system.
const (
	errAddressTaken = windows.WSAEADDRINUSE
	errPortDenied   = windows.WSAEACCES
)
