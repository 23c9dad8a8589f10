// Package server answers editors: it runs the commands of package command on sessions.
//
// A [Server] is the process's part. It embeds the engine, which package engine describes, and adds
// measurement, the capture of assistants' logs, the offline learning of package learning and
// predictions. [Server.Serve] runs one session over a stream, of an editor or of the program's own
// command line; [Server.Local] starts one without a stream. Package session handles a client's
// messages; a command runs here, on the view of its session at its position in the order of
// messages. There is one file, or a few, for each family of commands, whose type commands embeds,
// since one interface is the contract. What a command line asks besides is in commandline.go and
// the files beside it.
//
// A Server may be used concurrently, and the commands of its sessions run concurrently.
package server

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/exporter"
	"github.com/contexture-dev/contexture/server/learning"
	"github.com/contexture-dev/contexture/server/session"
	"github.com/contexture-dev/contexture/server/team"
	"github.com/contexture-dev/contexture/server/transport"
)

// Server serves the sessions of a process over one engine. Safe for concurrent use.
type Server struct {
	*engine.Engine
	started     time.Time
	frames      *transport.Budget // for the large messages of all sessions
	metrics     *counters
	recent      *recent
	exporter    *exporter.Exporter
	personal    personalFiles
	capture     *logCapture
	learning    *learning.Runner
	teams       *team.Teams
	prefix      prefixes
	predictions predictions
	sessions    atomic.Int64
	bundles     atomic.Int64 // numbers the ids of bundles
}

// framesBytes bounds the large messages that all sessions hold at once.
const framesBytes = 2 * transport.MaxFrameBytes

// New prepares a server. Close must be called at the end.
func New(opts engine.Options) (*Server, error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	recent := newRecent()
	opts.Logger = recent.logger(opts.Logger)
	var teams *team.Teams // set before any index is opened
	opts.Shared = func(root string) encode.Shared { return teams.Vectors(root) }
	e, err := engine.New(opts)
	if err != nil {
		return nil, err
	}
	teams = team.New(e)
	v := &Server{
		Engine: e, started: e.Now(), metrics: newCounters(), recent: recent, frames: transport.NewBudget(framesBytes), prefix: newPrefixes(),
		predictions: predictions{roots: map[string]*expected{}},
	}
	v.capture = newLogCapture(v)
	v.learning = learning.New(v.Engine)
	v.teams = teams
	v.exporter = exporter.New(v.figures, v.Log)
	return v, nil
}

// Serve runs a session over stream until it ends, and closes stream. code is the exit code for the
// process: 0 after an orderly shutdown, else 1. The error is why the session ended, unless its
// client ended it.
func (v *Server) Serve(ctx context.Context, stream io.ReadWriteCloser, opts engine.SessionOptions) (code int, err error) {
	v.sessions.Add(1)
	defer v.sessions.Add(-1)
	h := host{server: v}
	if opts.CommandLine {
		h.line = v.newCommandLine(ctx)
		defer h.line.close()
		opts.NoIndex = opts.NoIndex || opts.OnlyIndexed && !isFolder(v.IndexDir(opts.Root))
	} else {
		v.learning.Start(ctx)
		if !opts.Offline {
			v.teams.Start(ctx)
		}
	}
	return session.Serve(ctx, v.Engine, h, stream, v.frames, v.logged(opts))
}

// logged returns the options with a logger that records a session's faults.
func (v *Server) logged(opts engine.SessionOptions) engine.SessionOptions {
	opts = v.Complete(opts)
	opts.Logger = v.recent.logger(opts.Logger)
	return opts
}

// Close closes the indexes and the memory. All sessions must have ended.
func (v *Server) Close() error {
	v.learning.Close()
	v.capture.close()
	v.teams.Close()
	return v.Engine.Close()
}

// Sessions returns the number of sessions, including those without a wire.
func (v *Server) Sessions() int { return int(v.sessions.Load()) }

// host is the server as one session sees it.
type host struct {
	server *Server
	line   *commandLine // nil for a session of an editor
}

var _ session.Host = host{}

// RootsAdded implements Host: some assistants keep their logs in the folders that people work in.
func (h host) RootsAdded() {
	h.server.capture.follower.Rescan()
	h.server.teams.Look()
}

// ExportMetrics implements Host.
func (h host) ExportMetrics(address string) (release func(), err error) {
	return h.server.exporter.Hold(address)
}

// Learning implements Host.
func (h host) Learning(s *session.Session) session.LearningReporter {
	return &learningReport{server: h.server, session: s, told: map[string]int{}, stop: h.server.learning.Watch(s.Touch)}
}

// learningReport reports the state of runs over the memory of a session's roots to its client. It
// implements LearningReporter.
type learningReport struct {
	server  *Server
	session *session.Session
	stop    func()
	told    map[string]int // the serials of reported runs, by the URIs of their roots
}

// Close implements LearningReporter.
func (l *learningReport) Close() { l.stop() }

// Report implements LearningReporter: it reports the runs in progress, and once each one that has
// ended.
func (l *learningReport) Report() (going *command.LearningProgress, ok bool) {
	s, learning := l.session, l.server.learning
	release, ok := learning.Hold()
	if !ok {
		return nil, false
	}
	defer release()
	for _, r := range s.Roots() {
		w, serial, running := learning.Runs(r.Home)
		if w == nil || l.told[r.URI] == serial && !running {
			continue
		}
		st, err := learning.Status(w)
		if err != nil {
			s.Log.Error("offline learning: status not sent", "err", err)
			continue
		}
		l.told[r.URI] = serial
		if st.Workspace = r.URI; going == nil {
			going = st.Progress
		}
		body, err := json.Marshal(command.Normalize(st))
		if err != nil {
			s.Log.Error("offline learning: status not sent", "err", err)
			continue
		}
		s.Send("contexture/learning", body)
	}
	return going, true
}
