// Package server is what an editor talks to: sessions of the Language Server Protocol over the index and, by
// `workspace/executeCommand`, the commands of package command.
//
// A [Server] is the process's part: the indexes that are open, shared by root, and what is measured. [Server.Serve]
// runs one session over a stream. Within a session one goroutine takes the messages in their order and changes the
// session's state (documents, roots, settings); a request takes a [view] of that state at its own place in the order
// and then runs beside the others. Everything between the wire and the domain (URI and path, UTF-16 and byte) is
// converted in convert.go and nowhere else.
package server

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/server/exporter"
	"github.com/contexture-dev/contexture/server/rpc"
)

// Name is what the server calls itself.
const Name = "contexture"

// Options are the process's.
type Options struct {
	// Version of the program, for serverInfo.
	Version string
	// StateDir is the absolute path of the state directory. It is created when it is not there.
	StateDir string
	// ConfigDir is the folder of the person's own files; "" for none.
	ConfigDir string
	// Home is the home folder; "" takes the environment's.
	Home string
	// Models lets sessions talk to a model server; ModelHost is the environment's OLLAMA_HOST.
	Models    bool
	ModelHost string
	// Getenv reads the environment, for where assistants' hosts keep their logs; nil = no variable is set.
	Getenv func(string) string
	// Power is the folder in which the system tells of batteries; nil takes Linux's.
	Power fs.FS
	// KeepOpen is how long the index of a root stays open after its last session; 0 closes it at once.
	KeepOpen time.Duration
	// LogFile is the absolute path of the file that Logger writes; "" for none. It is not indexed.
	LogFile string
	Logger  *slog.Logger     // nil = none
	Now     func() time.Time // nil = time.Now
}

// SessionOptions are one session's own.
type SessionOptions struct {
	// ConfigFile is the person's settings file; "" is config.toml in ConfigDir, which need not exist.
	ConfigFile string
	// Root is opened where the client names none; "" opens none then.
	Root string
	// Offline never talks to a model server.
	Offline bool
	// NoIndex opens no index of the roots: the session is asked about memory alone.
	NoIndex bool

	// What follows is of the client's environment, where that is another one's than the server's; "" takes the
	// server's. See Options.
	ConfigDir, Home, ModelHost string
	// Logger takes what concerns this session alone; nil takes the server's, which also gets what sessions share.
	Logger *slog.Logger
	// LogFile is Options.LogFile of that Logger.
	LogFile string
}

// Server is what the sessions of a process share. Safe for concurrent use.
type Server struct {
	opts      Options
	log       *slog.Logger
	now       func() time.Time
	started   time.Time
	pool      *pool
	scheduler *scheduler
	frames    *rpc.Budget // of the large messages of all sessions
	metrics   *counters
	exporter  *exporter.Exporter
	personal  personalFiles
	memory    *memoryHolder
	capture   *capturing
	learning  *learning
	models    *models
	scanners  *scanners
	roots     *identities
	prefix    prefixes
	foresight *foresight
	sessions  atomic.Int64
	bundles   atomic.Int64 // numbers bundles' ids
}

// framesBytes bounds the large messages that all sessions hold at a time.
const framesBytes = 2 * rpc.MaxFrameBytes

// New prepares a server. Close ends it.
func New(opts Options) (*Server, error) {
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
	models := newModels(opts, counter, scanners)
	roots := newIdentities()
	v := &Server{
		opts: opts, log: opts.Logger, now: opts.Now, started: opts.Now(), metrics: newCounters(),
		scheduler: newScheduler(runtime.GOMAXPROCS(0)), frames: rpc.NewBudget(framesBytes),
		memory: newMemoryHolder(opts, counter, models.writer, scanners.redact, roots.relative),
		pool:   newPool(opts, counter.CountBytes, models.shelf, scanners),
		models: models, scanners: scanners, roots: roots, prefix: newPrefixes(),
		foresight: newForesight(opts.Now),
	}
	models.came = v.memory.chatCame
	v.capture = newCapturing(v)
	v.learning = newLearning(v)
	v.exporter = exporter.New(v.figures, opts.Logger)
	return v, nil
}

// Serve runs a session over stream until it ends, and closes stream. code is what the process should leave with: 0
// after an orderly shutdown, else 1. The error says why the session ended otherwise than by its client.
func (v *Server) Serve(ctx context.Context, stream io.ReadWriteCloser, opts SessionOptions) (code int, err error) {
	v.sessions.Add(1)
	defer v.sessions.Add(-1)
	v.learning.start(ctx)
	s := newSession(ctx, v, opts)
	s.wired = true
	s.conn = rpc.NewConn(stream, s.log, rpc.Options{Budget: v.frames, Congested: s.lane.hold})
	err = s.conn.Serve(s.ctx, s)
	s.close()
	if errors.Is(err, context.Canceled) {
		err = nil // who cancelled knows
	}
	if s.phase == ended {
		return 0, err
	}
	return 1, err
}

// complete fills what a session leaves to the server.
func (v *Server) complete(opts SessionOptions) SessionOptions {
	opts.ConfigDir = cmp.Or(opts.ConfigDir, v.opts.ConfigDir)
	opts.Home = cmp.Or(opts.Home, v.opts.Home)
	opts.ModelHost = cmp.Or(opts.ModelHost, v.opts.ModelHost)
	if opts.Logger == nil {
		opts.Logger = v.log
	}
	return opts
}

// Close closes the indexes and the memory. All sessions must have ended.
func (v *Server) Close() error {
	v.learning.close()
	v.capture.close()
	return errors.Join(v.pool.close(), v.models.close(), v.memory.close())
}
