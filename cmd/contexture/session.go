package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"

	"github.com/contexture-dev/contexture/server/transport"
	"github.com/contexture-dev/contexture/server/transport/daemon"
	"github.com/spf13/cobra"
)

// language is a session of the language server in which this process is the client on behalf of
// others, as an editor would be.
type language struct {
	*transport.Client
	root  string // absolute
	log   *slog.Logger
	close func() error
}

// daemonFlag adds the flag that chooses between the daemon and this process. shared returns the
// choice.
func daemonFlag(c *cobra.Command) (shared func() (bool, error)) {
	var where string
	c.Flags().StringVar(&where, "daemon", "auto", "auto: through the daemon that all editors share, which is started if none runs; off: in this process")
	return func() (bool, error) {
		if where != "auto" && where != "off" {
			return false, usage("--daemon=%s is not one of: auto, off", where)
		}
		return where == "auto" && daemon.Supported(), nil
	}
}

// language begins a session over the root of the command line, with the daemon or in this process.
// name is the client's; event, which may be nil, receives the server's own notifications, as
// client.Options.Event does.
func (f *flags) language(ctx context.Context, name string, shared bool, event func(string, json.RawMessage)) (_ *language, err error) {
	root, err := f.folder()
	if err != nil {
		return nil, err
	}
	state, err := f.state()
	if err != nil {
		return nil, err
	}
	if err := daemon.OwnState(state); err != nil {
		return nil, explain(err)
	}
	log, closeLog, err := f.logger(state)
	if err != nil {
		return nil, err
	}
	ours, theirs := net.Pipe()
	run := func(ctx context.Context, stream io.ReadWriteCloser) (int, error) { return f.serve(ctx, stream) }
	if shared {
		run = func(ctx context.Context, stream io.ReadWriteCloser) (int, error) { return f.forward(ctx, stream) }
	}
	over := make(chan error, 1)
	go func() { // ends with the pipe, which close closes and waits for
		_, err := run(context.WithoutCancel(ctx), theirs)
		over <- errors.Join(err, theirs.Close())
	}()
	begin, stop := context.WithTimeout(ctx, sessionBegin)
	defer stop()
	c, err := transport.NewClient(begin, ours, transport.ClientOptions{
		Folders: []string{root}, Name: name, Version: readVersion().Version, Logger: log,
		Show:  func(text string) { fmt.Fprintln(f.env.stderr, oneLine(text, 0)) }, // text begins with the program's name
		Event: event,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("begin session: %w", err), <-over, closeLog())
	}
	return &language{c, root, log, func() error {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), sessionEnd)
		defer stop()
		return errors.Join(c.Close(end), <-over, closeLog())
	}}, nil
}

// during returns a context that ends with ctx or with the session.
func (l *language) during(ctx context.Context) (_ context.Context, stop func()) {
	return untilDone(ctx, l.Done())
}

// untilDone returns a context that ends with ctx or when done is closed, whichever comes first.
// stop also ends it, and waits.
func untilDone(ctx context.Context, done <-chan struct{}) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() { // stop waits for it
		defer close(watched)
		select {
		case <-done:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(); <-watched }
}
