package server

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/server/command"
)

// reportInterval is the least time between two notifications of the status.
const reportInterval = 250 * time.Millisecond

// reportStatus tells the client how its indexes stand, each at every change but at most once an interval; the last state
// of each is always told. It runs until the session ends.
func (s *Session) reportStatus() {
	told := map[string][]byte{} // by workspace
	progress := progress{session: s}
	defer progress.end()
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
		progress.update(statuses[0])
		if !pause(s.ctx, reportInterval) {
			return
		}
	}
}

// statuses are those of all roots; without a root, that of no index.
func (s *Session) statuses() []*command.IndexStatusResult {
	s.mu.Lock()
	s.refreshLocked()
	roots := slices.Clone(s.roots)
	openings := make([]*opening, len(roots))
	for i, r := range roots {
		openings[i] = r.opening
	}
	s.mu.Unlock()
	if len(roots) == 0 {
		return []*command.IndexStatusResult{idleStatus()}
	}
	out := make([]*command.IndexStatusResult, len(roots))
	for i, r := range roots {
		out[i] = r.status(openings[i])
	}
	return out
}

// tellStatuses tells those that were told otherwise before, and returns what is told now.
func (s *Session) tellStatuses(statuses []*command.IndexStatusResult, before map[string][]byte) map[string][]byte {
	now := map[string][]byte{}
	for _, st := range statuses {
		body, err := json.Marshal(command.Normalize(st))
		if err != nil {
			s.log.Error("status", "err", err)
			continue
		}
		now[st.Workspace] = body
		if !bytes.Equal(body, before[st.Workspace]) {
			s.conn.Notify("contexture/status", json.RawMessage(body)) // none of the protocol's
		}
	}
	return now
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
