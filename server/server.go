// Package server answers what editors ask: it runs the commands of package command on sessions.
//
// A [Server] is the process's part. It embeds the engine, which package engine describes, and adds
// what is measured, the capture of assistants' logs, the offline learning of package learning and
// what is compiled ahead. [Server.Serve] runs one session over a stream, [Server.Local] begins one
// for the program's own subcommands. Package session takes an editor's messages; a command runs
// here, on the view of its session at its place in the order of messages. There is one file, or a
// few, for each family of commands; all are methods of one type, since one interface is the
// contract.
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

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/exporter"
	"github.com/contexture-dev/contexture/server/learning"
	"github.com/contexture-dev/contexture/server/session"
	"github.com/contexture-dev/contexture/server/transport"
)

// Server serves the sessions of a process over one engine. Safe for concurrent use.
type Server struct {
	*engine.Engine
	started   time.Time
	frames    *transport.Budget // of the large messages of all sessions
	metrics   *counters
	recent    *recent
	exporter  *exporter.Exporter
	personal  personalFiles
	capture   *capturing
	learning  *learning.Runner
	prefix    prefixes
	foresight *foresight
	sessions  atomic.Int64
	bundles   atomic.Int64 // numbers bundles' ids
}

// framesBytes bounds the large messages that all sessions hold at a time.
const framesBytes = 2 * transport.MaxFrameBytes

// New prepares a server. Close ends it.
func New(opts engine.Options) (*Server, error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	recent := newRecent()
	opts.Logger = recent.logger(opts.Logger)
	e, err := engine.New(opts)
	if err != nil {
		return nil, err
	}
	v := &Server{
		Engine: e, started: e.Now(), metrics: newCounters(), recent: recent, frames: transport.NewBudget(framesBytes), prefix: newPrefixes(),
		foresight: newForesight(e.Now),
	}
	v.capture = newCapturing(v)
	v.learning = learning.New(v.Engine)
	v.exporter = exporter.New(v.figures, v.Log)
	return v, nil
}

// Serve runs a session over stream until it ends, and closes stream. code is what the process
// should leave with: 0 after an orderly shutdown, else 1. The error says why the session ended
// otherwise than by its client.
func (v *Server) Serve(ctx context.Context, stream io.ReadWriteCloser, opts engine.SessionOptions) (code int, err error) {
	v.sessions.Add(1)
	defer v.sessions.Add(-1)
	v.learning.Start(ctx)
	return session.Serve(ctx, v.Engine, v.host(), stream, v.frames, v.logged(opts))
}

// logged has what a session logs as a fault recorded.
func (v *Server) logged(opts engine.SessionOptions) engine.SessionOptions {
	opts = v.Complete(opts)
	opts.Logger = v.recent.logger(opts.Logger)
	return opts
}

// Close closes the indexes and the memory. All sessions must have ended.
func (v *Server) Close() error {
	v.learning.Close()
	v.capture.close()
	return v.Engine.Close()
}

// Sessions returns the number of sessions, those without a wire included.
func (v *Server) Sessions() int { return int(v.sessions.Load()) }

// host is the server as its sessions see it.
type host struct{ server *Server }

var _ session.Host = host{}

func (v *Server) host() host { return host{v} }

// RootsAdded implements Host: some assistants keep their logs in the folders that people work in.
func (h host) RootsAdded() { h.server.capture.follower.Rescan() }

// ExportMetrics implements Host.
func (h host) ExportMetrics(address string) (release func(), err error) {
	return h.server.exporter.Hold(address)
}

// Learning implements Host.
func (h host) Learning(s *session.Session) session.LearningReporter {
	return &learningReport{server: h.server, session: s, told: map[string]int{}, stop: h.server.learning.Watch(s.Touch)}
}

// learningReport tells a session's client how runs over the memory of its roots stand. It
// implements LearningReporter.
type learningReport struct {
	server  *Server
	session *session.Session
	stop    func()
	told    map[string]int // the serials of runs, by the URIs of their roots
}

// Close implements LearningReporter.
func (l *learningReport) Close() { l.stop() }

// Report implements LearningReporter: it tells of the runs that go on, and once of each that has
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
			s.Log.Error("offline learning: status not told", "err", err)
			continue
		}
		l.told[r.URI] = serial
		if st.Workspace = r.URI; going == nil {
			going = st.Progress
		}
		body, err := json.Marshal(command.Normalize(st))
		if err != nil {
			s.Log.Error("offline learning: status not told", "err", err)
			continue
		}
		s.Send("contexture/learning", body)
	}
	return going, true
}
