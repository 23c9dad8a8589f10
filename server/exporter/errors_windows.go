package exporter

import "golang.org/x/sys/windows"

// The errors of a port that another process has, and of one that only the system may have.
const (
	errAddressTaken = windows.WSAEADDRINUSE
	errPortDenied   = windows.WSAEACCES
)
