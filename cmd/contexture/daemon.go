package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/request"
	"github.com/contexture-dev/contexture/server/settings"
	"github.com/contexture-dev/contexture/server/transport/daemon"
	"github.com/spf13/cobra"
)

// newDaemon returns the command of the process that editors and command lines share.
func newDaemon(f *flags) *cobra.Command {
	var idle time.Duration
	var readyFD int
	c := &cobra.Command{
		Use:   "daemon",
		Short: "Run the process that your editors share; they start it themselves",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if idle <= 0 {
				return usage("--idle %s is not above 0", idle)
			}
			return runDaemon(c.Context(), f, idle, readyFD)
		},
	}
	c.Flags().DurationVar(&idle, "idle", daemon.DefaultIdle, "how long to stay without clients")
	c.Flags().IntVar(&readyFD, "ready-fd", 0, "descriptor to report to once the socket exists")
	c.Flags().Lookup("ready-fd").Hidden = true
	return c
}

// runDaemon serves until there is a reason to exit.
func runDaemon(ctx context.Context, f *flags, idle time.Duration, readyFD int) (err error) {
	report := func(error) {}
	if readyFD > 2 { // not one of the standard streams
		fd := os.NewFile(uintptr(readyFD), "ready")
		report = func(err error) { _ = daemon.Report(fd, err) } // the process that started it may have exited
	}
	began := false
	defer func() {
		if !began {
			report(err)
		}
	}()
	state, err := f.state()
	if err != nil {
		return err
	}
	if err := daemon.OwnState(state); err != nil {
		return err
	}
	own := *f
	if own.logFile == "" {
		own.logFile = daemonLog(state)
		if err := os.MkdirAll(filepath.Dir(own.logFile), 0o700); err != nil {
			return noLog(err)
		}
	}
	log, closeLog, err := own.logger(state)
	if err != nil {
		return err
	}
	logFile, err := own.ownLog()
	if err != nil {
		return errors.Join(err, closeLog())
	}
	// The environment of this process does not apply to clients: each sends its own.
	v, err := server.New(engine.Options{
		Version: readVersion().Version, Build: readVersion().String(), StateDir: state, Home: f.env.getenv("HOME"), Logger: log, LogFile: logFile,
		Models:   !f.offline,
		KeepOpen: daemon.DefaultIdle,
		Getenv:   f.env.getenv,
	})
	if err != nil {
		return errors.Join(err, closeLog())
	}
	began = true
	var orphans sync.WaitGroup
	orphans.Go(func() {
		if _, err := v.RemoveOrphans(); err != nil {
			log.Warn("remove indexes whose workspaces are gone", "err", err)
		}
	})
	v.Capture(ctx, engine.SessionOptions{ConfigDir: settings.ConfigDir(f.env.getenv)})
	err = daemon.Serve(ctx, daemon.Options{
		StateDir: state, Versions: versions(), Idle: idle, Logger: log, Ready: report,
		Session: func(ctx context.Context, conn net.Conn, h daemon.Hello) error {
			return serveSession(ctx, conn, h, v, log)
		},
		Close: func() error {
			return patiently(state, func() error {
				orphans.Wait()
				return v.Close()
			})
		},
	})
	return errors.Join(err, closeLog())
}

// daemonLog returns the path of the log for the daemon's own messages and those of what its clients
// share.
func daemonLog(state string) string { return filepath.Join(state, "log", "daemon.log") }

// serveSession serves an editor or a command line. Messages that concern only this session go to
// the client's log.
func serveSession(ctx context.Context, conn net.Conn, h daemon.Hello, v *server.Server, shared *slog.Logger) error {
	log, closeLog, err := sessionLogger(h)
	if err != nil {
		shared.Warn("open log of a session", "client", h.PID, "err", err)
		log, closeLog = shared.With("client", h.PID), func() error { return nil }
	}
	_, err = v.Serve(ctx, conn, sessionOptions(h, log))
	return errors.Join(err, closeLog())
}

// sessionOptions returns the options of the session that a client's hello describes.
func sessionOptions(h daemon.Hello, log *slog.Logger) engine.SessionOptions {
	return engine.SessionOptions{
		ConfigFile: h.ConfigFile, Root: h.Root, Offline: h.Offline, ConfigDir: h.ConfigDir, Home: h.Home, ModelHost: h.ModelHost, Logger: log, LogFile: h.LogFile,
		CommandLine: h.Purpose == daemon.CommandLine, NoIndex: h.NoIndex, OnlyIndexed: h.OnlyIndexed,
	}
}

// sessionLogger opens the log that a client named.
func sessionLogger(h daemon.Hello) (log *slog.Logger, close func() error, err error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(h.LogLevel)); err != nil {
		return nil, nil, fmt.Errorf("level %q: %w", h.LogLevel, err)
	}
	if !filepath.IsAbs(h.LogFile) {
		return nil, nil, fmt.Errorf("%q is not an absolute path", h.LogFile)
	}
	file, err := openLog(h.LogFile)
	if err != nil {
		return nil, nil, err
	}
	return slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: level})).With("pid", h.PID, "daemon", os.Getpid()), file.Close, nil
}

// versions are the versions that this build must have in common with a daemon.
func versions() daemon.Versions {
	v := readVersion()
	return daemon.Versions{
		Contract: command.Version, Index: indexer.FormatVersion, Memory: memory.FormatVersion(), Requests: request.Version,
		Build: daemon.ThisBuild(v.Version, v.Commit),
	}
}

// sessionLog returns the path of the log of sessions and of everything else that runs in the
// foreground.
func sessionLog(state string) string { return filepath.Join(state, "log", "contexture.log") }

// target returns the daemon of the state directory, which is started with this executable if none
// runs.
func (f *flags) target(purpose, state string) (daemon.Target, error) {
	h, err := f.hello(purpose, state)
	if err != nil {
		return daemon.Target{}, err
	}
	opts, err := f.session()
	if err != nil {
		return daemon.Target{}, err
	}
	h.Root = opts.Root
	return targetFor(state, h)
}

// targetFor returns the daemon of the state directory for a client with a greeting.
func targetFor(state string, h daemon.Hello) (daemon.Target, error) {
	exe, err := os.Executable()
	if err != nil {
		return daemon.Target{}, fmt.Errorf("find this program: %w", err)
	}
	program := daemon.Program{Path: exe, Args: []string{"daemon", "--state-dir", state}, LogFile: daemonLog(state)}
	return daemon.Target{StateDir: state, Hello: h, Start: program.Start}, nil
}
