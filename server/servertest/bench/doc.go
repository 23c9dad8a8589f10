// Package bench measures the program from outside: it starts `contexture serve --daemon=off` on a
// copy of Go's own source tree, speaks the protocol over its standard input and output, and reads
// what the kernel says of the process. BenchmarkLarge does the same on a tree of about 500,000
// chunks. BenchmarkOllama starts it with a real model server and tiny models beside it,
// BenchmarkDaemon the daemon with many forwarders on a made-up repository, BenchmarkCommands the
// commands that a person types while a daemon runs. `make bench` runs it and prints one table of
// figures beside those that must be reached. Nothing here runs under `go test` but the tests of the
// measuring itself, among them the daemon's load for a moment and within one process.
//
// It reads /proc, so it needs Linux, and git on the path. The environment may name:
//
//	CONTEXTURE_BIN   the program; built from this repository when absent
//	CONTEXTURE_LOAD  how long Daemon/clients takes; ten minutes when absent
//	CONTEXTURE_TREE  the folder to copy and measure on; GOROOT/src when absent
package bench
