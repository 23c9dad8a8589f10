package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"

	index "github.com/contexture-dev/contexture/indexer/store"
	memory "github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/remote"
	"github.com/contexture-dev/contexture/server/transport/daemon"
	"github.com/spf13/cobra"
)

// A command that needs the stores is run by the daemon where one serves the state directory, since
// it has them open. It is the same command there, with an environment that is the person's: one way
// to an answer, whoever runs it.

// errNoDaemon says that no daemon runs for a state directory.
var errNoDaemon = errors.New("no daemon runs")

// environmentNames are the variables that a command may ask for.
var environmentNames = []string{
	"HOME", "USERPROFILE", "LocalAppData", "AppData", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "CONTEXTURE_STATE_DIR", "OLLAMA_HOST",
	"TERM", "NO_COLOR", "COLUMNS",
}

// rest is what is known of a command whose daemon died: what to tell of the work that may have been
// done. Empty where a command changes nothing, so that it can be run again.
type rest string

const (
	onlyReads  rest = ""
	perhapsIn  rest = "either all of it was imported or nothing; importing it again is safe"
	perhapsOut rest = "what was to be forgotten may still be there; run the command again to be sure"
)

// attempts is how often a command is begun: daemons come and go, but not all the time.
const attempts = 4

// shared has the daemon run a command where there is one, and else runs it here.
func (f *flags) shared(known rest, run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		state, err := f.state()
		if f.env.dial == nil || f.env.dir == "" || err != nil {
			return run(c, args) // which says what is wrong
		}
		return f.share(c, known, state, func() error { return run(c, args) })
	}
}

// share is shared for a state directory that is known.
func (f *flags) share(c *cobra.Command, known rest, state string, here func() error) error {
	var locked error // why it could not be run here
	for n := 1; ; n++ {
		code, asked := f.ask(c.Context(), state)
		lost, isLost := errors.AsType[*remote.LostError](asked)
		switch {
		case asked == nil && code == 0:
			return nil
		case asked == nil:
			return &exitError{code: code} // the reason has been said
		case isLost && n < attempts && known == onlyReads && !lost.Printed && !lost.Late && f.env.tape.rewinds() && c.Context().Err() == nil:
			continue
		case isLost:
			return known.lost(lost)
		case locked != nil:
			return locked
		}
		err := here()
		switch {
		case !isLocked(err):
			return err
		case !errors.Is(asked, errNoDaemon):
			return fmt.Errorf("%w; the daemon there cannot be asked: %w", err, asked)
		}
		locked = err // a daemon may have come meanwhile: it is asked, if it did
	}
}

// isLocked reports that another process has a store open. Nothing was printed then but what is
// wrong with settings.
func isLocked(err error) bool {
	_, inIndex := errors.AsType[*index.LockedError](err)
	_, inMemory := errors.AsType[*memory.LockedError](err)
	return inIndex || inMemory
}

// lost returns what is known when the daemon is gone in the middle of a command.
func (known rest) lost(e *remote.LostError) error {
	text := "the daemon was lost in the middle of the command (" + e.Error() + ")"
	switch {
	case known != onlyReads:
		text += ": " + string(known)
	case e.Printed:
		text += ": the answer is not whole; run the command again"
	default:
		text += "; run the command again"
	}
	return errors.New(text)
}

// dialDaemon finds the daemon of a state directory.
func dialDaemon(ctx context.Context, state string) (io.ReadWriteCloser, error) {
	conn, err := daemon.Dial(ctx, state, daemon.Hello{Purpose: daemon.Command, Versions: versions(), PID: os.Getpid()})
	if errors.Is(err, daemon.ErrNone) || errors.Is(err, daemon.ErrUnsupported) {
		return nil, errNoDaemon
	}
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// ask has the daemon of a state directory run this command line. The error says that it did not, or
// not to the end.
func (f *flags) ask(ctx context.Context, state string) (code int, err error) {
	conn, err := f.env.dial(ctx, state)
	if err != nil {
		return 0, err
	}
	e := f.env
	request := remote.Request{Args: e.args, Dir: e.dir, Env: map[string]string{}, Version: readVersion().String(), Out: e.out, Err: e.err}
	for _, name := range environmentNames {
		if value := e.getenv(name); value != "" {
			request.Env[name] = value
		}
	}
	in := e.input(context.WithoutCancel(ctx)) // a signal is the command's to know, not its input's
	return remote.Run(ctx, conn, request, remote.Streams{In: in, Out: e.stdout, Err: e.stderr})
}

// daemonFacts are what a command may know of the daemon that runs it.
type daemonFacts struct {
	state string       // its state directory
	log   *slog.Logger // of the process
}

// runRemote runs a command that another process was given, over the daemon's server. It closes
// conn.
func runRemote(ctx context.Context, conn io.ReadWriteCloser, v *server.Server, d *daemonFacts) error {
	return remote.Serve(ctx, conn, func(ctx context.Context, c *remote.Call) (code int) {
		env := &environment{
			args: c.Args, getenv: func(name string) string { return c.Env[name] }, dir: c.Dir,
			stdin: io.NopCloser(c.Stdin), stdout: unclosed{c.Stdout}, stderr: c.Stderr, out: c.Out, err: c.Err,
			server: v, daemon: d, caller: c.Version,
		}
		defer func() {
			if p := recover(); p != nil {
				d.log.Error("command panicked", "panic", p, "stack", string(debug.Stack()))
				code = env.report(errors.New("the command failed in the daemon; its log says more"))
			}
		}()
		return run(ctx, env)
	})
}

// unclosed is a stream that is another's to close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// serves checks that a command means the state directory of the daemon that runs it.
func (d *daemonFacts) serves(state string) error {
	if state == d.state {
		return nil
	}
	want, err := os.Stat(state)
	if err != nil {
		return fmt.Errorf("open state directory: %w", err)
	}
	if have, err := os.Stat(d.state); err != nil || !os.SameFile(have, want) {
		return fmt.Errorf("open state directory %s: the daemon that was asked keeps another", state)
	}
	return nil
}
