// Command contexture provides an AI assistant with the right context: it indexes a workspace and
// answers with bundles, to an editor over the Language Server Protocol and to a person on the
// command line.
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

// version is set in the build of a release.
var version = "dev"

// exitError exits with a code. If its text is empty, the reason has already been written.
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

// Exit codes, on which scripts rely.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	signal.Ignore(writeSignals...) // a write that fails returns an error like others
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	disturb := keepCalm(func(d time.Duration, look func()) { time.AfterFunc(d, look) })
	code := run(ctx, processEnvironment())
	disturb()
	stop()
	os.Exit(code)
}

// run runs a command line and returns the exit code. A failed write to standard output is a failure
// even if the writer ignored the error, as the library that prints help does.
func run(ctx context.Context, env *environment) int {
	out := &noted{WriteCloser: env.stdout}
	env.stdout = out
	if most := env.widthOf(env.err); most > 0 {
		env.stderr = &foldingWriter{env.stderr, most}
	}
	root := newRoot(env)
	root.SetArgs(append([]string{}, env.args...)) // not nil, for which cobra takes the process's own
	err := root.ExecuteContext(ctx)
	switch {
	case err != nil || out.err == nil || errors.Is(out.err, os.ErrClosed): // the last by the program itself
	case readerGone(out.err):
		err = &exitError{code: exitFailed} // the reader has gone, as with head
	default:
		err = fmt.Errorf("write to standard output: %w", out.err)
	}
	return env.report(err)
}

// noted is a stream that records the first write error, and whether anything was written.
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
