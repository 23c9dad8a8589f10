package server

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
)

// reportInterval is the least time between two notifications of the status.
const reportInterval = 250 * time.Millisecond

// reportStatus tells the client how its indexes stand, at every change but at most once an interval; the last state
// is always told. It runs until the session ends.
func (s *Session) reportStatus() {
	var last []byte
	progress := progress{session: s}
	defer progress.end()
	for {
		select {
		case <-s.poke:
		case <-s.ctx.Done():
			return
		}
		s.mu.Lock()
		s.refreshLocked()
		openings := s.openingsLocked()
		s.mu.Unlock()
		st := statusOf(openings)
		body, err := json.Marshal(command.Normalize(st))
		switch {
		case err != nil:
			s.log.Error("status", "err", err)
		case !bytes.Equal(body, last):
			last = body
			s.conn.Notify("contexture/status", json.RawMessage(body)) // none of the protocol's
		}
		progress.update(st)
		if !pause(s.ctx, reportInterval) {
			return
		}
	}
}

// pause waits; it reports false when ctx ended first.
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

// openingsLocked lists the roots' openings. mu is held.
func (s *Session) openingsLocked() []*opening {
	out := make([]*opening, len(s.roots))
	for i, r := range s.roots {
		out[i] = r.opening
	}
	return out
}

// statusOf is the status of a session's root, or what several add up to.
func statusOf(openings []*opening) *command.IndexStatusResult {
	if len(openings) == 0 {
		return idleStatus()
	}
	out := openings[0].status()
	for _, o := range openings[1:] {
		addStatus(out, o.status())
	}
	return out
}

// addStatus adds one root's status to another's. What is busy outweighs what has failed, and that what is idle.
func addStatus(to, from *command.IndexStatusResult) {
	weight := map[string]int{string(indexer.Idle): 0, string(indexer.Failed): 1, string(indexer.Indexing): 2, string(indexer.Scanning): 3}
	if weight[from.State] > weight[to.State] {
		to.State = from.State
	}
	to.Files += from.Files
	to.FilesTotal += from.FilesTotal
	to.Chunks += from.Chunks
	to.Symbols += from.Symbols
	to.Bytes += from.Bytes
	to.Queue += from.Queue
	to.Stale += from.Stale
	to.Version += from.Version
	to.Embedder.Pending += from.Embedder.Pending
	to.Embedder.Total += from.Embedder.Total
	if to.Embedder.Problem == "" {
		to.Embedder.Problem = from.Embedder.Problem
	}
	to.Watcher.Watches += from.Watcher.Watches
	if from.IndexedAt.After(to.IndexedAt.Time) {
		to.IndexedAt = from.IndexedAt
	}
	addErrors(to, from)
	to.Quarantined = append(to.Quarantined, from.Quarantined...)
	for _, s := range from.Skipped {
		addSkipped(to, s)
	}
}

func addErrors(to, from *command.IndexStatusResult) { to.Errors += from.Errors }

func addSkipped(to *command.IndexStatusResult, s command.SkipCount) {
	for i := range to.Skipped {
		if to.Skipped[i].Reason == s.Reason {
			to.Skipped[i].Count += s.Count
			return
		}
	}
	to.Skipped = append(to.Skipped, s)
}
