// Command contexture gives an AI assistant the right context: it indexes a workspace and answers with bundles, to an
// editor over the Language Server Protocol and to a person on the command line.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// version is set when a release is built.
var version = "dev"

// exitError leaves with a code. An empty text has been said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// The exit codes of CONTRACT §1.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // a write to a client that is gone is an error like others
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	disturb := keepCalm(func(d time.Duration, look func()) { time.AfterFunc(d, look) })
	code := run(ctx, processEnvironment())
	disturb()
	stop()
	os.Exit(code)
}

// run runs a command line and gives the exit code.
func run(ctx context.Context, env *environment) int {
	root := newRoot(env)
	root.SetArgs(env.args)
	return env.report(root.ExecuteContext(ctx))
}
