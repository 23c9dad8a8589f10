package server

import (
	"context"
	"errors"
	"log/slog"
	"path"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/session"
)

// recent holds the latest requests and faults of the process. It holds no text of prompts, files or
// conversations: of a request only its command's name and its times, of a fault only what was
// logged. Safe for concurrent use.
type recent struct {
	mu       sync.Mutex // guards both
	requests ring[recentRequest]
	faults   ring[command.RecentFault]
}

// recentRequest is a request that has been answered.
type recentRequest struct {
	command string
	at      time.Time
	took    time.Duration
	outcome string
	stages  []command.Stage // the result's own; immutable
}

const (
	recentRequests = 100
	recentFaults   = 50
	// maxFaultBytes bounds a fault's message: errors may quote long paths.
	maxFaultBytes = 1000
)

// ring holds the latest size elements. size is set on creation and at least 1.
type ring[T any] struct {
	list []T
	next int // the oldest element, once the ring is full
	size int
}

func (r *ring[T]) add(v T) {
	if len(r.list) < r.size {
		r.list = append(r.list, v)
		return
	}
	r.list[r.next] = v
	r.next = (r.next + 1) % r.size
}

// newest returns a copy of the elements, newest first.
func (r *ring[T]) newest() []T {
	out := make([]T, 0, len(r.list))
	for i := range r.list {
		out = append(out, r.list[(r.next+len(r.list)-1-i)%len(r.list)])
	}
	return out
}

func newRecent() *recent {
	return &recent{requests: ring[recentRequest]{size: recentRequests}, faults: ring[command.RecentFault]{size: recentFaults}}
}

// recentCommand is not recorded: a page that requests it every second would show nothing else.
const recentCommand = command.Prefix + "metrics.recent"

// request records an answered command. result and err are what [command.Dispatch] returned.
func (r *recent) request(name string, at time.Time, took time.Duration, result any, err error) {
	if name == recentCommand {
		return
	}
	if _, known := disciplines[name]; !known {
		name = "unknown" // a client's invented name is not stored
	}
	one := recentRequest{command: name, at: at, took: took, outcome: outcomeOf(err)}
	switch result := result.(type) {
	case *command.BundleResult:
		one.stages = result.Stages
	case *command.SearchResult:
		one.stages = result.Stages
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests.add(one)
}

// outcomeOf returns the outcome of a request that was answered with err.
func outcomeOf(err error) string {
	switch e, ok := errors.AsType[*command.Error](err); {
	case err == nil:
		return "ok"
	case ok && e.Code == command.CodeRequestCancelled, errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return "error"
}

// result returns what is stored, newest first.
func (r *recent) result() *command.RecentResult {
	r.mu.Lock()
	requests, faults := r.requests.newest(), r.faults.newest()
	r.mu.Unlock()
	out := &command.RecentResult{Requests: make([]command.RecentRequest, 0, len(requests)), Faults: faults}
	for _, q := range requests {
		one := command.RecentRequest{Command: q.command, At: command.At(q.at), MS: command.Milliseconds(q.took), Outcome: q.outcome}
		for _, s := range q.stages {
			if s.Outcome != "skipped" {
				one.Stages = append(one.Stages, command.RecentStage{Name: s.Name, MS: s.MS})
			}
		}
		out.Requests = append(out.Requests, one)
	}
	return out
}

// MetricsRecent implements command.Commands.
func (c indexCommands) MetricsRecent(context.Context, *command.Empty) (*command.RecentResult, error) {
	return c.server.recent.result(), nil
}

// logger returns a logger that writes to log and records warnings and errors as faults.
func (r *recent) logger(log *slog.Logger) *slog.Logger {
	if h, ok := log.Handler().(*faultHandler); ok && h.recent == r {
		return log
	}
	return slog.New(&faultHandler{Handler: log.Handler(), recent: r})
}

// faultHandler records warnings and errors, whether or not the wrapped handler writes them.
type faultHandler struct {
	slog.Handler
	recent *recent
}

// Enabled implements slog.Handler.
func (h *faultHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn || h.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *faultHandler) Handle(ctx context.Context, record slog.Record) error {
	if record.Level >= slog.LevelWarn {
		h.recent.fault(record)
	}
	if !h.Handler.Enabled(ctx, record.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (h *faultHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &faultHandler{h.Handler.WithAttrs(attrs), h.recent}
}

// WithGroup implements slog.Handler.
func (h *faultHandler) WithGroup(name string) slog.Handler {
	return &faultHandler{h.Handler.WithGroup(name), h.recent}
}

// fault records a log entry: the message and the error.
func (r *recent) fault(record slog.Record) {
	message := record.Message
	record.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "err", "reason", "panic":
			message += ": " + a.Value.String()
		}
		return len(message) <= maxFaultBytes
	})
	if len(message) > maxFaultBytes {
		end := maxFaultBytes
		for end > 0 && !utf8.RuneStart(message[end]) {
			end--
		}
		message = message[:end] + "…"
	}
	one := command.RecentFault{At: command.At(record.Time), Component: componentOf(record.PC), Message: strings.ToValidUTF8(message, "\uFFFD")}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults.add(one)
}

// componentOf returns the package that logged, such as "indexer/watch", from the function's name.
func componentOf(pc uintptr) string {
	if pc == 0 {
		return session.Name
	}
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	dir, base := path.Split(frame.Function)
	base, _, _ = strings.Cut(base, ".")
	_, inModule, ours := strings.Cut(dir+base, "/"+session.Name+"/")
	if !ours || inModule == "" {
		return session.Name
	}
	return inModule
}
