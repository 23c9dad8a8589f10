// Package engine holds what the sessions of one process share: the open indexes, the memory, model
// servers, secret scanners and worker slots. It does not depend on sessions or commands.
//
// An [Engine] belongs to the process's server, which makes it before the first session and closes
// it after the last. Every exported method of its parts may be called concurrently. A part that
// lends something also returns how to release it: [Lease.Release] for an index, the functions
// detach, end, stop and leave elsewhere. Each of these must be called before [Engine.Close].
package engine

import (
	"cmp"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/indexer/encode"
	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/server/settings"
)

// Options configure a process.
type Options struct {
	// Version of the program, for serverInfo.
	Version string
	// Build describes the program with its commit, for a command line of another build; "" for
	// none.
	Build string
	// StateDir is the absolute path of the state directory. It is created if it does not exist.
	StateDir string
	// ConfigDir is the folder of the person's own files; "" for none.
	ConfigDir string
	// Home is the home folder; "" means the environment's.
	Home string
	// Models allows sessions to use a model server; ModelHost is the environment's OLLAMA_HOST.
	Models    bool
	ModelHost string
	// Getenv reads the environment, which determines where assistants' hosts keep their logs; nil =
	// no variable is set.
	Getenv func(string) string
	// Shared returns what exchanges the embeddings of a root with other machines, or nil. It must
	// not block. nil = nothing is shared.
	Shared func(root string) encode.Shared
	// Power is the folder in which the system describes batteries; nil means Linux's.
	Power fs.FS
	// KeepOpen is how long the index of a root stays open after its last session; 0 closes it at
	// once.
	KeepOpen time.Duration
	// LogFile is the absolute path of the file that Logger writes to; "" for none. It is not
	// indexed.
	LogFile string
	Logger  *slog.Logger     // nil = none
	Now     func() time.Time // nil = time.Now
}

// SessionOptions configure one session.
type SessionOptions struct {
	// ConfigFile is the person's settings file; "" is config.toml in ConfigDir, which need not
	// exist.
	ConfigFile string
	// Root is opened if the client names none; "" opens none then.
	Root string
	// Offline forbids the use of a model server.
	Offline bool
	// NoIndex opens no index of the roots: the session is for memory alone.
	NoIndex bool
	// CommandLine says that the program's own command line asks: the requests of package request
	// are answered, and what a session does for an editor unasked is not done.
	CommandLine bool
	// OnlyIndexed is NoIndex for a Root that has no index yet. It needs CommandLine.
	OnlyIndexed bool

	// The following belong to the client's environment, if that differs from the server's; "" means
	// the server's. See Options.
	ConfigDir, Home, ModelHost string
	// Logger receives what concerns only this session; nil means the server's, which also receives
	// what concerns what sessions share.
	Logger *slog.Logger
	// LogFile is Options.LogFile of that Logger.
	LogFile string
}

// Engine is what the sessions of a process share: open indexes, the memory, model servers, secret
// scanners and worker slots. Its fields are set by [New] and do not change. Safe for concurrent
// use.
type Engine struct {
	Options      Options
	Log          *slog.Logger
	Now          func() time.Time
	Indexes      *IndexPool
	Scheduler    *Scheduler
	MemoryHolder *MemoryHolder
	Changes      *Changes
	Models       *Models
	Scanners     *Scanners
	Roots        *Roots
}

// New prepares an engine and opens nothing. Close must be called at the end.
func New(opts Options) (*Engine, error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Power == nil {
		opts.Power = os.DirFS(powerFolder)
	}
	counter, err := tokens.For(tokens.O200k)
	if err != nil {
		return nil, err
	}
	scanners := newScanners(opts.Logger)
	changes := newChanges(opts.Now())
	models := newModels(opts, counter, scanners)
	roots := newRoots()
	e := &Engine{
		Options: opts, Log: opts.Logger, Now: opts.Now, Scheduler: newScheduler(runtime.GOMAXPROCS(0)),
		MemoryHolder: newMemoryHolder(opts, counter, models.writer, scanners.Redact, roots.relative, changes.changed),
		Indexes:      newIndexPool(opts, counter.CountBytes, models.shelf, scanners),
		Models:       models, Scanners: scanners, Roots: roots, Changes: changes,
	}
	models.came = e.MemoryHolder.chatCame
	return e, nil
}

// Close closes the indexes and the memory. All sessions must have ended.
func (v *Engine) Close() error {
	return errors.Join(v.Indexes.close(), v.Models.close(), v.MemoryHolder.close())
}

// OnBattery reports whether the machine runs on its battery: then background work is postponed.
func (v *Engine) OnBattery() bool { return v.Models.power.onBattery() }

// Complete fills in the server's options for those that a session leaves out.
func (v *Engine) Complete(opts SessionOptions) SessionOptions {
	opts.ConfigDir = cmp.Or(opts.ConfigDir, v.Options.ConfigDir)
	opts.Home = cmp.Or(opts.Home, v.Options.Home)
	opts.ModelHost = cmp.Or(opts.ModelHost, v.Options.ModelHost)
	if opts.Logger == nil {
		opts.Logger = v.Log
	}
	return opts
}

// UserFile returns the person's settings file, "" for none, and whether they named it.
func (o SessionOptions) UserFile() (path string, named bool) {
	if o.ConfigFile != "" {
		return o.ConfigFile, true
	}
	if o.ConfigDir == "" {
		return "", false
	}
	return filepath.Join(o.ConfigDir, "config.toml"), false
}

// Settings returns the settings that apply to a root, and the problems in their files, without a
// session.
func (v *Engine) Settings(root string, opts SessionOptions) (settings.Settings, []settings.Problem) {
	var user settings.Layer
	if path, named := v.Complete(opts).UserFile(); path != "" {
		user = settings.ReadUser(path, named)
	}
	return settings.Resolve(user, settings.ReadWorkspace(root))
}

// Tree opens the files and rules of a root as its index would. Errors are those of source.Open.
func (v *Engine) Tree(root string, set settings.Settings) (*source.Tree, error) {
	o := IndexOptionsOf(&set, v.Options.Home, OwnPaths(root, v.Options.StateDir, v.Options.LogFile))
	return source.Open(source.Options{
		Root: root, Include: o.include, Exclude: o.exclude, Own: o.own, MaxFileBytes: o.maxFileBytes, FollowLinks: o.followLinks, Home: o.home,
	})
}

// IndexDir returns the folder that holds the index of a root.
func (v *Engine) IndexDir(root string) string { return filepath.Join(v.Indexes.dir, folderName(root)) }

// Known records a root that is not opened: assistants may keep their logs there.
func (v *Engine) Known(root string) { v.Roots.Of(root) }
