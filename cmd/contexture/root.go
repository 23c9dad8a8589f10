package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/settings"
	"github.com/contexture-dev/contexture/server/transport/daemon"
	"github.com/spf13/cobra"
)

// flags are the flags that all commands accept: they choose the workspace, the state directory, the
// settings and the log, and begin sessions with these.
type flags struct {
	env      *environment
	root     string
	stateDir string
	config   string
	logLevel string
	logFile  string
	offline  bool

	// undialled is the reason why the last session is not the daemon's; nil if it is.
	undialled error
}

// newRoot returns the root command.
func newRoot(env *environment) *cobra.Command {
	f := &flags{env: env}
	root := &cobra.Command{
		Use:   "contexture",
		Short: "The right context for an AI assistant, from your workspace",
		Long: `Contexture gives an AI assistant the right context: the code and documents of your workspace that a prompt is about,
and what was said, decided and asked for before.`,
		Example: `  contexture bundle "where are retries handled?"    the context for a prompt
  contexture recall "why are retries limited?"      what is remembered about it
  contexture remember rule "never retry a payment"  for every assistant, from now on`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	root.SetFlagErrorFunc(flagError)
	root.PersistentPreRunE = f.check
	p := root.PersistentFlags()
	p.StringVar(&f.root, "root", "", "a folder `DIR` of the workspace, whose root is the nearest parent with .git or .contexture.toml (default: the working directory)")
	p.StringVar(&f.stateDir, "state-dir", "", "the folder `DIR` of indexes and memory (also CONTEXTURE_STATE_DIR)")
	p.StringVar(&f.config, "config", "", "the settings `FILE` (default: config.toml in your configuration folder)")
	p.StringVar(&f.logLevel, "log-level", "info", "the lowest `LEVEL` to log: debug, info, warn or error")
	p.StringVar(&f.logFile, "log-file", "", "the `FILE` to write the log to (default: in log/ of the state directory)")
	p.BoolVar(&f.offline, "offline", false, "never talk to a model server")
	root.AddCommand(newServe(f), newDaemon(f), newMCP(f), newPanel(f), newHook(f), newInstall(f), newUninstall(f))
	addCommands(root, f)
	return root
}

// usage returns a usage error of the command line.
func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// state returns the absolute state directory.
func (f *flags) state() (string, error) {
	dir := f.stateDir
	if dir == "" {
		dir = f.env.getenv("CONTEXTURE_STATE_DIR")
	}
	if dir == "" {
		dir = defaultState(runtime.GOOS, f.env.getenv)
	}
	if dir == "" {
		return "", usage("no state directory: give one with --state-dir")
	}
	return f.env.abs(dir)
}

// defaultState returns the platform's directory for a person's state (XDG base directory
// specification on Unix).
func defaultState(goos string, getenv func(string) string) string {
	home := getenv("HOME")
	switch {
	case goos == "windows" && getenv("LocalAppData") != "":
		return filepath.Join(getenv("LocalAppData"), "contexture")
	case goos == "darwin" && home != "":
		return filepath.Join(home, "Library", "Application Support", "contexture", "state")
	case goos != "windows" && goos != "darwin" && filepath.IsAbs(getenv("XDG_STATE_HOME")):
		return filepath.Join(getenv("XDG_STATE_HOME"), "contexture")
	case home != "":
		return filepath.Join(home, ".local", "state", "contexture")
	}
	return ""
}

// workspace returns the absolute root: the workspace that contains the flag's folder, else the one
// that contains the working directory. A folder outside any workspace is a workspace of its own.
func (f *flags) workspace() (string, error) {
	dir, err := f.env.abs(cmp.Or(f.root, "."))
	switch {
	case err != nil && f.root == "":
		return "", fmt.Errorf("find workspace: %w", err)
	case err != nil || !isFolder(dir): // which its users say
		return dir, err
	}
	if project, ok := projectOf(dir); ok {
		return project, nil
	}
	return dir, nil
}

// projectOf finds the nearest project that is the folder or contains it.
func projectOf(folder string) (project string, ok bool) {
	for dir := folder; ; dir = filepath.Dir(dir) {
		for _, marker := range []string{".git", settings.WorkspaceFile} {
			if _, err := os.Lstat(filepath.Join(dir, marker)); err == nil {
				return dir, true
			}
		}
		if dir == filepath.Dir(dir) {
			return "", false
		}
	}
}

// folder is like workspace, for commands that work in the root itself: it must be a folder.
func (f *flags) folder() (string, error) {
	root, err := f.workspace()
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return "", usage("--root %s is not a folder", root)
	}
	return root, nil
}

// level returns the lowest level that is logged.
func (f *flags) level() (level slog.Level, err error) {
	if err := level.UnmarshalText([]byte(f.logLevel)); err != nil {
		return 0, usage("--log-level %q is not one of debug, info, warn, error", f.logLevel)
	}
	return level, nil
}

// logger opens the log. It never writes to standard output. close must be called at the end.
func (f *flags) logger(state string) (log *slog.Logger, close func() error, err error) {
	level, err := f.level()
	if err != nil {
		return nil, nil, err
	}
	path, err := f.ownLog()
	if err == nil && path == "" {
		path = filepath.Join(state, "log", "contexture.log")
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err != nil {
		return nil, nil, noLog(err)
	}
	file, err := openLog(path)
	if err != nil {
		return nil, nil, noLog(err)
	}
	log = slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: level})).With("pid", os.Getpid())
	return log, file.Close, nil
}

// ownLog returns the absolute path of the log that the command line names, "" if it names none.
func (f *flags) ownLog() (string, error) {
	if f.logFile == "" {
		return "", nil
	}
	return f.env.abs(f.logFile)
}

// maxLogBytes is the size at which the log is rotated when a process starts; one older log is kept.
const maxLogBytes = 8 << 20

// noLog returns the error for a log that cannot be opened.
func noLog(err error) error {
	return fmt.Errorf("open log: %w; choose another place with --log-file FILE", err)
}

// openLog opens a log for appending. If the log is a pipe, it does not wait for a reader.
func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > maxLogBytes {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, 0o600)
}

// options returns the options of a session of this command line, without its root and log.
func (f *flags) options() (opts engine.SessionOptions, err error) {
	opts = engine.SessionOptions{
		Offline: f.offline, ConfigDir: settings.ConfigDir(f.env.getenv), Home: f.env.getenv("HOME"), ModelHost: f.env.getenv("OLLAMA_HOST"),
	}
	if f.config != "" {
		opts.ConfigFile, err = f.env.abs(f.config)
	}
	return opts, err
}

// server returns the server of this process, which serves editors. close ends it.
func (f *flags) server() (v *server.Server, close func() error, err error) {
	state, err := f.state()
	if err != nil {
		return nil, nil, err
	}
	if err := daemon.OwnState(state); err != nil {
		return nil, nil, err
	}
	log, closeLog, err := f.logger(state)
	if err != nil {
		return nil, nil, err
	}
	logFile, err := f.ownLog()
	if err == nil {
		v, err = f.newServer(state, logFile, log)
	}
	if err != nil {
		return nil, nil, errors.Join(err, closeLog())
	}
	return v, func() error { return errors.Join(v.Close(), closeLog()) }, nil
}

// newServer prepares the server of this process without opening anything.
func (f *flags) newServer(state, logFile string, log *slog.Logger) (*server.Server, error) {
	return server.New(engine.Options{
		Version: readVersion().Version, StateDir: state, ConfigDir: settings.ConfigDir(f.env.getenv), Home: f.env.getenv("HOME"), Logger: log,
		LogFile: logFile, Models: !f.offline, ModelHost: f.env.getenv("OLLAMA_HOST"), Getenv: f.env.getenv,
	})
}
