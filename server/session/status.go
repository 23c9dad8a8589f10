package session

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/zeebo/xxh3"
)

// Status returns the status of the root's index o.
func (r *Root) Status(o *Opening) *command.IndexStatusResult {
	out := o.status()
	out.Workspace = r.URI
	return out
}

// IdleStatus returns the status of no index at all.
func IdleStatus() *command.IndexStatusResult {
	return &command.IndexStatusResult{State: string(indexer.Idle), Embedder: command.EmbedderStatus{Source: "builtin"}, Watcher: command.WatcherStatus{Mode: "poll"}}
}

// status returns the status of an opening: scanning while it is in progress, and error when it
// failed.
func (o *Opening) status() *command.IndexStatusResult {
	out := IdleStatus()
	if o == nil {
		return out
	}
	select {
	case <-o.ready:
	default:
		out.State = string(indexer.Scanning)
		return out
	}
	if o.err != nil {
		out.State = string(indexer.Failed)
		setErrors(out, []string{o.err.Error()})
		return out
	}
	out = StatusOf(o.index.Status())
	if m := o.index.ModelStatus(); m.Name != "" {
		out.Embedder = command.EmbedderStatus{
			Name: m.Name, Dimensions: m.Dimensions, Source: "ollama", Digest: fmt.Sprintf("%016x", xxh3.HashString(m.Identity)), Pending: m.Pending,
			Total: m.Total, Problem: m.Problem,
		}
	}
	return out
}

func skipCounts(st indexer.Status) (out []command.SkipCount) {
	for _, s := range st.Skipped {
		out = append(out, command.SkipCount{Reason: string(s.Reason), Count: s.Count})
	}
	return out
}

// StatusOf returns the status of an index in the contract's type.
func StatusOf(st indexer.Status) *command.IndexStatusResult {
	out := &command.IndexStatusResult{
		State: string(st.State), Files: st.Files, FilesTotal: st.FilesTotal, Chunks: st.Chunks, Symbols: st.Symbols, Bytes: st.Bytes, Queue: st.Queue,
		Stale: st.Stale, Version: st.Version, IndexedAt: command.At(st.IndexedAt),
		Embedder: command.EmbedderStatus{Name: st.Embedder, Dimensions: st.Dimensions, Source: "builtin", Digest: st.Digest, Pending: st.Pending},
		Watcher:  command.WatcherStatus{Mode: st.WatchMode, Watches: st.Watches, Problem: st.WatchProblem},
	}
	if out.Watcher.Mode == "" {
		out.Watcher.Mode = "poll"
	}
	out.Skipped = skipCounts(st)
	for _, l := range st.Languages {
		out.Languages = append(out.Languages, command.LanguageCount{Language: cmp.Or(l.Language, "other"), Files: l.Files, Chunks: l.Chunks})
	}
	for _, f := range st.Folders[:min(len(st.Folders), command.MaxFolders)] {
		out.Folders = append(out.Folders, command.FolderCount(f))
	}
	for _, q := range st.Quarantined {
		out.Quarantined = append(out.Quarantined, command.Quarantined{Path: q.Path, Reason: q.Reason})
	}
	setErrors(out, st.Errors)
	return out
}

func setErrors(out *command.IndexStatusResult, errors []string) { out.Errors = len(errors) }

// reportInterval is the smallest time between two notifications of the status.
const reportInterval = 250 * time.Millisecond

// reportStatus notifies the client of changes of its indexes, of the offline learning over their
// memory, and of memory, each at most once an interval; the last state of each is always sent. It
// runs until the session ends.
func (s *Session) reportStatus() {
	told := map[string][]byte{} // by workspace
	indexing := progress{session: s, name: "index", title: "Indexing"}
	defer indexing.end()
	studying := progress{session: s, name: "learning", title: "Learning from conversations"}
	defer studying.end()
	learning := s.host.Learning(s)
	defer learning.Close()
	memory := changesReport{session: s, told: map[string]uint64{}}
	defer s.engine.Changes.Watch(s.Touch)()
	for {
		select {
		case <-s.poke:
		case <-s.ctx.Done():
			return
		}
		statuses := s.statuses()
		told = s.tellStatuses(statuses, told)
		for _, st := range statuses[1:] {
			statuses[0].Add(st)
		}
		indexing.update(statuses[0])
		if going, ok := learning.Report(); ok {
			studying.learn(going)
		}
		memory.tell()
		if !pause(s.ctx, reportInterval) {
			return
		}
	}
}

// statuses returns those of all roots; without a root, that of no index.
func (s *Session) statuses() []*command.IndexStatusResult {
	s.mu.Lock()
	s.refreshLocked()
	roots := slices.Clone(s.roots)
	openings := make([]*Opening, len(roots))
	for i, r := range roots {
		openings[i] = r.opening
	}
	s.mu.Unlock()
	if len(roots) == 0 {
		return []*command.IndexStatusResult{IdleStatus()}
	}
	out := make([]*command.IndexStatusResult, len(roots))
	for i, r := range roots {
		out[i] = r.Status(openings[i])
	}
	return out
}

// tellStatuses sends the statuses that differ from before, and returns what is sent now.
func (s *Session) tellStatuses(statuses []*command.IndexStatusResult, before map[string][]byte) map[string][]byte {
	now := map[string][]byte{}
	for _, st := range statuses {
		body, err := json.Marshal(command.Normalize(st))
		if err != nil {
			s.Log.Error("status", "err", err)
			continue
		}
		now[st.Workspace] = body
		if !bytes.Equal(body, before[st.Workspace]) {
			s.Send("contexture/status", body)
		}
	}
	return now
}

// pause waits for d; it reports false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// changesReport notifies a session's client that the memory of its roots has changed. It belongs to
// the status goroutine.
type changesReport struct {
	session *Session
	told    map[string]uint64 // by the URIs of roots, "" for none
}

// tell sends what has changed since the last call, or since the session began.
func (r *changesReport) tell() {
	s := r.session
	roots := s.Roots()
	if len(roots) == 0 {
		r.tellOf("", "")
	}
	for _, root := range roots {
		r.tellOf(root.URI, root.Home)
	}
}

func (r *changesReport) tellOf(uri, root string) {
	s := r.session
	version := s.engine.Changes.Version(root)
	if version <= max(s.since, r.told[uri]) {
		return
	}
	r.told[uri] = version
	body, err := json.Marshal(&command.MemoryChange{Workspace: uri, Version: version})
	if err != nil {
		s.Log.Error("change of memory not reported", "err", err)
		return
	}
	s.Send("contexture/memory", body)
}
