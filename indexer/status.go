package indexer

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/indexer/source"
)

// State is what the index is doing.
type State string

// The states. Failed means that it cannot go on (a full disk, an unreadable root); Errors says why.
const (
	Idle     State = "idle"
	Scanning State = "scanning"
	Indexing State = "indexing"
	Failed   State = "error"
)

// Status tells how far the index is. Counts are of live files.
type Status struct {
	State             State
	Files, FilesTotal int // indexed; indexed and waiting
	Chunks, Symbols   int
	Bytes             int64 // of the indexed files
	Queue             int   // files waiting
	Stale             int   // files known to have changed and not yet read again
	Embedder          string
	Dimensions        int
	Digest            string
	Pending           int // chunks waiting for their vector
	Version           uint64
	IndexedAt         time.Time // of the last finished pass; zero before
	Skipped           []Skipped
	Errors            []string
	Quarantined       []Quarantined
	WatchMode         string // inotify, client, poll
	Watches           int
	WatchProblem      string // why folders are polled and what to do about it; "" where none are
	DiskBytes         int64
	Commits           int
	HistoryRead       bool // the first look at the Git history is over
	Parsed, Embedded  int  // files parsed and chunks embedded since the start
}

// Skipped counts the files left out for one reason.
type Skipped struct {
	Reason source.Reason
	Count  int
}

// Quarantined names a file whose syntax could not be used; it is searchable as plain text.
type Quarantined struct{ Path, Reason string }

// statusBoard is the part of the status that is not derived from the snapshot.
type statusBoard struct {
	mu       sync.Mutex // guards all below
	state    State
	total    int
	queue    int
	pending  int
	indexed  time.Time
	errors   []string
	skipped  map[source.Reason]int
	mode     string
	watches  int
	unseen   string // Status.WatchProblem
	parsed   int
	embedded int
	disk     int64
	looked   bool   // the history has been read, or cannot be
	trouble  string // why what is learnt is not saved; "" where it is
	blind    string // why the workspace cannot be looked at; "" where it can
}

const errorsKept = 20

func (b *statusBoard) update(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

func (b *statusBoard) busy(s State) { b.update(func() { b.state = s }) }

func (b *statusBoard) fault(text string) {
	b.update(func() {
		if !slices.Contains(b.errors, text) {
			b.errors = append(b.errors, text)
		}
		if len(b.errors) > errorsKept {
			b.errors = b.errors[len(b.errors)-errorsKept:]
		}
	})
}

// Status reads the status.
func (x *Index) Status() Status {
	s := x.current.Load()
	var out Status
	broken := false
	b := &x.w.status
	b.update(func() {
		broken = b.trouble != "" || b.blind != ""
		out = Status{
			State: b.state, Queue: b.queue, Stale: b.queue, Pending: b.pending, IndexedAt: b.indexed, Errors: slices.Clone(b.errors),
			WatchMode: b.mode, Watches: b.watches, WatchProblem: b.unseen, Parsed: b.parsed, Embedded: b.embedded, DiskBytes: b.disk, HistoryRead: b.looked,
		}
		for _, said := range [...]string{b.blind, b.trouble} {
			if said != "" {
				out.Errors = append(out.Errors, said)
			}
		}
		for _, r := range slices.Sorted(maps.Keys(b.skipped)) {
			out.Skipped = append(out.Skipped, Skipped{r, b.skipped[r]})
		}
	})
	out.Version, out.Files, out.Chunks = s.version, s.corpus.LiveGroups, s.corpus.LiveDocs
	switch {
	case out.State == Idle && broken:
		out.State = Failed
	case out.State == Idle && !out.HistoryRead:
		out.State = Indexing // ranking by the history is still to come
	}
	out.FilesTotal = out.Files
	x.w.status.update(func() { out.FilesTotal = max(b.total, out.Files) })
	s.counts(&out)
	return out
}

// counts fills in what is derived from the snapshot.
func (s *Snapshot) counts(out *Status) {
	s.countOnce.Do(func() {
		for _, p := range s.parts {
			for i, name := range p.paths {
				if name == "" {
					continue
				}
				s.totalBytes += p.seg.files[i].Size
				if reason := p.seg.files[i].Problem; reason != "" {
					s.quarantined = append(s.quarantined, Quarantined{name, reason})
				}
			}
		}
		slices.SortFunc(s.quarantined, func(a, b Quarantined) int { return strings.Compare(a.Path, b.Path) })
		s.symbolTotal = s.SymbolCount()
	})
	out.Bytes, out.Symbols, out.Quarantined = s.totalBytes, s.symbolTotal, s.quarantined
	if s.model != nil {
		out.Embedder, out.Dimensions, out.Digest = "lsa", s.model.Dimensions(), s.model.Digest()
	}
	if s.history != nil {
		out.Commits = s.history.corpus.LiveDocs
	}
}
