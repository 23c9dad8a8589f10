// Package teamtest runs teams for tests: servers as processes that can be killed, with
// [StartProcesses], and a [Proxy] that cuts or holds up connections. Everything is on loopback and
// below the test's folder, and ends with the test. Package nodetest has servers inside of the
// process. They are apart because a test binary with a NATS server in it is no measure of the main
// program: such a server reads its usage of the processor every second, even where none is started.
package teamtest
