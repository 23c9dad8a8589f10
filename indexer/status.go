package indexer

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/indexer/embed"
	"github.com/contexture-dev/contexture/indexer/source"
)

// State is the present activity of the index.
type State string

// The states. Failed means that it cannot continue (a full disk, an unreadable root); Errors has
// the reason.
const (
	Idle     State = "idle"
	Scanning State = "scanning"
	Indexing State = "indexing"
	Failed   State = "error"
)

// Status is the progress of the index. Counts are of live files.
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
	Skipped           []SkipCount
	Languages         []LanguageCount // by files, most first; read-only
	Folders           []FolderCount   // by files, most first; read-only
	Errors            []string
	Quarantined       []Quarantine
	WatchMode         string // inotify, client, poll
	Watches           int
	WatchProblem      string // why folders are polled and what to do about it; "" when none are
	DiskBytes         int64
	Commits           int
	HistoryRead       bool // the first reading of the Git history is over
	Parsed, Embedded  int  // files parsed and chunks embedded since the start
	ModelCalls        int  // batches of texts that the model was asked to embed since the start
	ModelReused       int  // texts since the start whose vector of the model was on the shelf
	ModelShared       int  // texts since the start whose vector another machine had made
}

// SkipCount counts the files left out for one reason.
type SkipCount struct {
	Reason source.Reason
	Count  int
}

// LanguageCount counts the live files of one language, "" for an unknown language, and their
// chunks.
type LanguageCount struct {
	Language      string
	Files, Chunks int
}

// FolderCount counts the live files below one folder of the root, "" for those in the root itself,
// and their chunks.
type FolderCount struct {
	Folder        string
	Files, Chunks int
}

// Quarantine names a file whose syntax could not be used; it is searchable as plain text.
type Quarantine struct{ Path, Reason string }

// statusBoard is the part of the status that is not derived from the snapshot.
type statusBoard struct {
	mu                      sync.Mutex // guards all below
	state                   State
	total                   int
	queue                   int
	pending                 int
	indexed                 time.Time
	errors                  []string
	skipped                 map[source.Reason]int
	mode                    string
	watches                 int
	unseen                  string // Status.WatchProblem
	parsed                  int
	embedded                int
	modelCalls, modelReused int // Status.ModelCalls, Status.ModelReused
	modelShared             int // Status.ModelShared
	disk                    int64
	looked                  bool   // the history has been read, or cannot be
	trouble                 string // why what is learnt is not saved; "" when it is
	unavailable             string // why the workspace cannot be walked; "" when it can
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

// Status returns the status.
func (x *Index) Status() Status {
	s := x.current.Load()
	var out Status
	broken := false
	b := &x.w.status
	b.update(func() {
		broken = b.trouble != "" || b.unavailable != ""
		out = Status{
			State: b.state, Queue: b.queue, Stale: b.queue, Pending: b.pending, IndexedAt: b.indexed, Errors: slices.Clone(b.errors),
			WatchMode: b.mode, Watches: b.watches, WatchProblem: b.unseen, Parsed: b.parsed, Embedded: b.embedded, ModelCalls: b.modelCalls, ModelReused: b.modelReused, ModelShared: b.modelShared, DiskBytes: b.disk, HistoryRead: b.looked,
		}
		for _, said := range [...]string{b.unavailable, b.trouble} {
			if said != "" {
				out.Errors = append(out.Errors, said)
			}
		}
		for _, r := range slices.Sorted(maps.Keys(b.skipped)) {
			out.Skipped = append(out.Skipped, SkipCount{r, b.skipped[r]})
		}
	})
	out.Version, out.Files, out.Chunks = s.version, s.LiveFiles(), s.LiveChunks()
	switch {
	case out.State == Idle && broken:
		out.State = Failed
	case out.State == Idle && !out.HistoryRead:
		out.State = Indexing // the ranking by history is still to come
	}
	out.FilesTotal = out.Files
	x.w.status.update(func() { out.FilesTotal = max(b.total, out.Files) })
	counts := s.census.take(s.layout.parts)
	out.Bytes, out.Symbols, out.Quarantined = counts.bytes, counts.symbols, counts.quarantined
	out.Languages, out.Folders = counts.languages, counts.folders
	table := embed.Shipped()
	out.Embedder, out.Dimensions, out.Digest = "words", table.Dimensions(), table.Digest()
	if s.history != nil {
		out.Commits = s.history.corpus.LiveDocs
	}
	return out
}

// census is what is counted of a snapshot's files, once it is asked for. Safe for concurrent use.
type census struct {
	once        sync.Once // guards all below
	bytes       int64
	symbols     int
	quarantined []Quarantine
	languages   []LanguageCount
	folders     []FolderCount
}

// take counts the live files of some parts, and returns the counts.
func (c *census) take(parts []*part) *census {
	c.once.Do(func() {
		languages, folders := map[string]LanguageCount{}, map[string]FolderCount{}
		for _, p := range parts {
			if p.dead == 0 {
				c.symbols += len(p.seg.symbols)
			} else {
				for _, y := range p.seg.symbols {
					if p.paths[y.File] != "" {
						c.symbols++
					}
				}
			}
			for i, name := range p.paths {
				if name == "" {
					continue
				}
				c.bytes += p.seg.files[i].Size
				first, end := p.seg.fileChunks(i)
				n := languages[p.seg.files[i].Language]
				n.Files, n.Chunks = n.Files+1, n.Chunks+end-first
				languages[p.seg.files[i].Language] = n
				folder, _, within := strings.Cut(name, "/")
				if !within {
					folder = ""
				}
				f := folders[folder]
				f.Files, f.Chunks = f.Files+1, f.Chunks+end-first
				folders[folder] = f
				if reason := p.seg.files[i].Problem; reason != "" {
					c.quarantined = append(c.quarantined, Quarantine{name, reason})
				}
			}
		}
		for name, n := range languages {
			n.Language = name
			c.languages = append(c.languages, n)
		}
		for name, n := range folders {
			n.Folder = name
			c.folders = append(c.folders, n)
		}
		slices.SortFunc(c.folders, func(a, b FolderCount) int {
			return cmp.Or(cmp.Compare(b.Files, a.Files), cmp.Compare(a.Folder, b.Folder))
		})
		slices.SortFunc(c.languages, func(a, b LanguageCount) int {
			return cmp.Or(cmp.Compare(b.Files, a.Files), cmp.Compare(a.Language, b.Language))
		})
		slices.SortFunc(c.quarantined, func(a, b Quarantine) int { return strings.Compare(a.Path, b.Path) })
	})
	return c
}
