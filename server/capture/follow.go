package capture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Addition holds new messages of one session, for the memory of the folder in which the session
// worked.
type Addition struct {
	Conversation string // see ConversationID
	Session
	ForkOf   string // the conversation that this one continues, "" for none
	Messages []dialogue.Message
	// Turn blocks until this addition may be stored; preparations need not wait for it. nil: at
	// once.
	Turn func()
}

// StoreResult is the result of storing an Addition.
type StoreResult struct {
	Added int    // messages that were not stored before
	Left  string // why nothing was stored, one of the codes below; "" if it was
	// Shared is the id of the last message that was left out because the conversation that this one
	// continues has it; "" if none was.
	Shared string
	// Wait blocks until the messages are on disk; nil if there is nothing to wait for. After an
	// error, the messages should be passed to the Store again.
	Wait func() error
}

// Why a session is not stored.
const (
	LeftOff       = "memoryOff" // memory is switched off in its workspace
	LeftForgotten = "forgotten"
	LeftUnplaced  = "unplaced"  // its folder is known by a hash only
	LeftElsewhere = "otherForm" // it is stored from another log of the host
)

// Store stores messages. A message that it already has is not added twice.
type Store interface {
	// Store returns once readers see the messages. After an error, they should be passed to it
	// again.
	Store(ctx context.Context, a Addition) (StoreResult, error)
}

// Options are the options of a Follower.
type Options struct {
	StateDir    string // absolute
	Environment Environment
	Store       Store
	Log         *slog.Logger     // nil = none
	Now         func() time.Time // nil = time.Now
	// Yield blocks while something more urgent than reading logs runs; it is called between lines.
	// nil = never.
	Yield func(ctx context.Context)
}

// Follower passes the messages that hosts write to their logs to a Store. Each log is read by one
// goroutine at a time; two logs may be read concurrently, so that an import does not delay new
// lines. It is safe for concurrent use.
//
// Without an explicit request, it reads only what the person consented to: the logs of sources that
// are switched on, beginning with the first one that changed after the consent.
type Follower struct {
	opts Options
	log  *slog.Logger
	now  func() time.Time

	wake chan struct{} // signals work to Run; capacity 1

	mu      sync.Mutex // guards all fields below
	logs    map[string]*logFile
	pending map[string]*source // paths to read, with their sources
	rescan  bool
	running string // how Run detects changes: "inotify", "poll"; "" while it does not run
	errors  map[string]string
	forms   map[string]map[string]string // how the log of a session is read, by source and session
}

// New returns a follower that is idle until Run, Import or another method is called.
func New(opts Options) *Follower {
	f := &Follower{
		opts: opts, log: opts.Log, now: opts.Now, wake: make(chan struct{}, 1), logs: map[string]*logFile{}, pending: map[string]*source{},
		errors: map[string]string{}, forms: map[string]map[string]string{},
	}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	if f.now == nil {
		f.now = time.Now
	}
	if f.opts.Yield == nil {
		f.opts.Yield = func(context.Context) {}
	}
	return f
}

// Set switches a source on or off for the person. Errors are those of SetConsent.
func (f *Follower) Set(source string, on bool) error {
	if err := SetConsent(f.opts.StateDir, source, on); err != nil {
		return err
	}
	f.Rescan()
	return nil
}

// Rescan has Run check all logs again.
func (f *Follower) Rescan() {
	f.mu.Lock()
	f.rescan = true
	f.mu.Unlock()
	f.poke()
}

func (f *Follower) poke() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Poke has Run read a log of a source now, or all its logs if path is "". It reports whether the
// source is on. Errors: *SourceError, and *PlaceError for a path where the source keeps no logs.
func (f *Follower) Poke(name, path string) (on bool, err error) {
	s := sourceOf(name)
	if s == nil {
		return false, &SourceError{name}
	}
	if path != "" && !s.holds(s.places(f.opts.Environment), path) {
		return false, &PlaceError{name, path}
	}
	consent, err := Consent(f.opts.StateDir)
	if on = consent[name]; !on {
		return false, err
	}
	if path == "" {
		f.Rescan()
		return true, nil
	}
	f.changed(s, path)
	return true, nil
}

// PlaceError reports that a file is not a log of the source.
type PlaceError struct{ Source, Path string }

func (e *PlaceError) Error() string {
	return fmt.Sprintf("%s is not a log of %s", e.Path, e.Source)
}

// changed records that a log may have changed.
func (f *Follower) changed(s *source, path string) {
	f.mu.Lock()
	f.pending[path] = s
	f.mu.Unlock()
	f.poke()
}

// taken returns the pending work and clears it.
func (f *Follower) taken() (paths map[string]*source, rescan bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	paths, rescan = f.pending, f.rescan
	f.pending, f.rescan = map[string]*source{}, false
	return paths, rescan
}

// file returns the state of a log, which is read from disk at the first call.
func (f *Follower) file(s *source, path string) *logFile {
	f.mu.Lock()
	defer f.mu.Unlock()
	g := f.logs[path]
	if g == nil {
		g = &logFile{source: s, format: s.formatOf(f.opts.Environment, path), path: path, env: f.opts.Environment, mark: readMark(f.opts.StateDir, s.name, path)}
		if g.known = g.mark != nil; !g.known {
			g.mark = &mark{Path: path}
		}
		f.logs[path] = g
	}
	return g
}

// scan lists the logs of a source that have changed since they were read. A log that was never read
// is left out if it has not changed after since.
func (f *Follower) scan(s *source, since time.Time, folder func(dir string)) []string {
	var paths []string
	for _, p := range s.places(f.opts.Environment) {
		p.each(folder, func(path string, info os.FileInfo) {
			if f.file(s, path).due(info, since) {
				paths = append(paths, path)
			}
		})
	}
	return paths
}

// ImportResult is the result of an import from one source.
type ImportResult struct {
	Source   string
	Logs     int // that were checked
	Bytes    int64
	Messages int // that were not stored before
	Errors   []string
	Unread   []Unread
}

// Import reads the logs of sources that changed since a time, including those from before the
// consent; if no source is named, those of all sources that are switched on. Errors: *SourceError,
// ctx's, errNothingOn. Errors of single logs are in the result.
func (f *Follower) Import(ctx context.Context, names []string, since time.Time) ([]ImportResult, error) {
	consent, err := Consent(f.opts.StateDir)
	if len(names) == 0 {
		for _, name := range Sources() {
			if consent[name] {
				names = append(names, name)
			}
		}
		if len(names) == 0 {
			return nil, errors.Join(errNothingOn, err)
		}
	}
	for _, name := range names { // before anything is imported
		if sourceOf(name) == nil {
			return nil, &SourceError{name}
		}
	}
	var out []ImportResult
	for _, name := range names {
		done, err := f.importSource(ctx, sourceOf(name), since)
		if err != nil {
			return out, err
		}
		out = append(out, done)
	}
	return out, nil
}

var errNothingOn = errors.New("no source is switched on: name one, as in contexture capture import claude-code")

func (f *Follower) importSource(ctx context.Context, s *source, since time.Time) (done ImportResult, err error) {
	done.Source = s.name
	type found struct {
		path string
		info os.FileInfo
	}
	var logs []found
	for _, p := range s.places(f.opts.Environment) {
		p.each(nil, func(path string, info os.FileInfo) {
			if !info.ModTime().Before(since) {
				logs = append(logs, found{path, info})
			}
		})
	}
	slices.SortFunc(logs, func(a, b found) int { // in chronological order: a log before those that were forked from it
		named := 0
		if s.named != nil {
			named = cmp.Compare(s.named(a.path), s.named(b.path))
		}
		return cmp.Or(named, a.info.ModTime().Compare(b.info.ModTime()))
	})
	var mu sync.Mutex // guards done
	slots := make(chan struct{}, finishingLogs)
	var all sync.WaitGroup
	readers := make(chan struct{}, readingLogs)
	before := make(chan struct{}) // closed when all logs before the next one are stored
	close(before)
	for _, l := range logs {
		if ctx.Err() != nil {
			break
		}
		slots <- struct{}{}
		readers <- struct{}{}
		turn, stored := before, make(chan struct{})
		before = stored
		all.Go(func() {
			background()
			wait := func() { <-turn }
			finish := f.begin(ctx, f.file(s, l.path), wait)
			wait()
			close(stored)
			<-readers
			n, err := finish()
			<-slots
			mu.Lock()
			defer mu.Unlock()
			done.Logs++
			done.Bytes += l.info.Size()
			done.Messages += n
			if err != nil {
				done.Errors = append(done.Errors, err.Error())
			}
		})
	}
	all.Wait()
	slices.Sort(done.Errors)
	if done.Unread, err = f.unread(s); err != nil {
		f.log.Warn("capture", "source", s.name, "err", err)
	}
	return done, ctx.Err()
}

const (
	readingLogs   = 2 // logs that an import reads concurrently; they are stored in order
	finishingLogs = 8 // logs that are being read or wait for the disk, at most
)

// unread lists what may hold conversations of a source and is not read: files, and tables of the
// databases that were read.
func (f *Follower) unread(s *source) ([]Unread, error) {
	list := s.unread(f.opts.Environment)
	marks, err := readMarks(f.opts.StateDir, s.name)
	for _, m := range marks {
		list = append(list, m.Unread...)
	}
	return mergeUnread(list), err
}

// SourceStatus is the state of a source.
type SourceStatus struct {
	Source string
	On     bool
	Places []string // folders that are searched for logs
	// Watching is how changes are detected: "inotify", "poll", or "" while no Run is active.
	Watching                 string
	Logs, Sessions, Messages int
	ReadAt                   time.Time // zero: never
	Unknown                  map[string]UnknownRecords
	Skipped                  map[string]int
	Left                     map[string]int // sessions that are not stored, by reason
	Unread                   []Unread
	Errors                   []string
}

// Status returns the state of all sources, as stored on disk.
func (f *Follower) Status() ([]SourceStatus, error) {
	consent, problems := Consent(f.opts.StateDir)
	var out []SourceStatus
	for _, name := range Sources() {
		st := SourceStatus{Source: name, On: consent[name], Unknown: map[string]UnknownRecords{}, Skipped: map[string]int{}, Left: map[string]int{}}
		seen := map[string]bool{} // sessions: one may have several logs
		s := sourceOf(name)
		if s != nil {
			for _, p := range s.places(f.opts.Environment) {
				st.Places = append(st.Places, p.dir)
			}
			st.Unread = s.unread(f.opts.Environment)
		}
		f.mu.Lock()
		if st.On {
			st.Watching = f.running
		}
		if text := f.errors[name]; text != "" {
			st.Errors = append(st.Errors, text)
		}
		f.mu.Unlock()
		marks, err := readMarks(f.opts.StateDir, name)
		if err != nil {
			st.Errors = append(st.Errors, err.Error())
		}
		for _, m := range marks {
			st.add(m, seen)
			st.Unread = append(st.Unread, m.Unread...)
		}
		st.Unread = mergeUnread(st.Unread)
		out = append(out, st)
	}
	return out, problems
}

// add adds the counts of a log.
func (st *SourceStatus) add(m *mark, seen map[string]bool) {
	st.Logs++
	for name, session := range m.Sessions {
		st.Messages += session.Messages
		if seen[name] {
			continue
		}
		seen[name] = true
		if session.Left != "" {
			st.Left[session.Left]++
			continue
		}
		st.Sessions++
	}
	if m.ReadAt.After(st.ReadAt) {
		st.ReadAt = m.ReadAt
	}
	for _, kind := range slices.Sorted(maps.Keys(m.Unknown)) {
		u := m.Unknown[kind]
		sum, known := st.Unknown[kind]
		if !known {
			sum = UnknownRecords{File: u.File, Line: u.Line}
		}
		sum.Count += u.Count
		st.Unknown[kind] = sum
	}
	for kind, n := range m.Skipped {
		st.Skipped[kind] += n
	}
	if m.Error != "" {
		st.Errors = append(st.Errors, m.Error)
	}
}
