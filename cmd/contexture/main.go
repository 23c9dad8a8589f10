// Command contexture gives an AI assistant the right context: it indexes a workspace and answers
// with bundles, to an editor over the Language Server Protocol and to a person on the command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// The exit codes, which scripts rely on.
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

// run runs a command line and gives the exit code. What could not be written to standard output is
// a failure, also where nobody looked at the error, as the library that prints help does not.
func run(ctx context.Context, env *environment) int {
	out := &noted{WriteCloser: env.stdout}
	env.stdout = out
	root := newRoot(env)
	root.SetArgs(env.args)
	err := root.ExecuteContext(ctx)
	switch {
	case err != nil || out.err == nil || errors.Is(out.err, os.ErrClosed): // the last by the program itself
	case readerGone(out.err):
		err = &exitError{code: exitFailed} // the reader has gone, as head does
	default:
		err = fmt.Errorf("write to standard output: %w", out.err)
	}
	return env.report(err)
}

// noted is a stream that notes the first error of writing to it, and whether it took anything.
type noted struct {
	io.WriteCloser
	err  error
	some bool
}

func (n *noted) Write(p []byte) (int, error) {
	size, err := n.WriteCloser.Write(p)
	if n.err == nil {
		n.err = err
	}
	n.some = n.some || size > 0
	return size, err
}
