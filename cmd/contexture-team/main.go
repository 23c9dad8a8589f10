// Command contexture-team runs a server through which the members of a team share facts and
// vectors. The members' program, contexture, does not need it: any NATS server with JetStream
// serves a team.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// version is set in the build of a release.
var version = "dev"

// Exit codes, as of contexture.
const (
	exitFailed = 1
	exitUsage  = 2
)

// usageError is an error of the caller.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func main() {
	ignoreFileSizeSignal()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run runs a command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot(stderr)
	root.SetArgs(append([]string{}, args...)) // not nil, for which cobra takes the process's own
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var wrong *usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "contexture-team: %v\nsee contexture-team help\n", err)
		return exitUsage
	default:
		fmt.Fprintf(stderr, "contexture-team: %v\n", err)
		return exitFailed
	}
}

func newRoot(stderr io.Writer) *cobra.Command {
	var level slog.LevelVar
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: &level}))
	var verbose bool
	root := &cobra.Command{
		Use:           "contexture-team",
		Short:         "Run a server through which a team shares facts and vectors",
		Version:       version,
		SilenceErrors: true, SilenceUsage: true,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRun: func(*cobra.Command, []string) {
			if verbose {
				level.Set(slog.LevelDebug)
			}
		},
	}
	root.PersistentFlags().BoolVarP(&verbose, "verbose", "v", false, "log details")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(newServe(log), newSetup(log), newLicenses())
	return root
}

func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &usageError{fmt.Errorf("unexpected argument %q", args[0])}
	}
	return nil
}
