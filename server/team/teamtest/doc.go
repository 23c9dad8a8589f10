// Package teamtest runs teams for tests: servers in the process with [Start], servers as processes
// that can be killed with [StartProcesses], and a [Proxy] that cuts or holds up connections.
// Everything is on loopback and below the test's folder, and ends with the test.
package teamtest
