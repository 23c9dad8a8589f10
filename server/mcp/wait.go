package mcp

import (
	"context"
	"encoding/json"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// firstWait is how long the first answer about a project waits for its index: a host starts the
	// server together with its first question. Hosts allow a call a minute or more. laterWait
	// applies to an index that lags behind changes.
	firstWait, laterWait = 20 * time.Second, time.Second
	// lookAgain is the time between two checks of an awaited index.
	lookAgain = 100 * time.Millisecond
)

// settled runs a command, and runs it again once the index is up to date if the answer lacked a
// part of it. The client receives progress in the meantime.
func (s *Server) settled(ctx context.Context, req *sdk.CallToolRequest, id string, args map[string]json.RawMessage) (json.RawMessage, error) {
	stop := s.progress(ctx, req)
	defer stop()
	raw, err := s.execute(ctx, id, args)
	if err != nil || !lacksIndex(raw) {
		return raw, err
	}
	workspace := string(args["workspace"])
	s.mu.Lock()
	wait := firstWait
	if s.waited[workspace] {
		wait = laterWait
	}
	s.waited[workspace] = true
	s.mu.Unlock()
	patience := time.NewTimer(wait)
	defer patience.Stop()
	ticker := time.NewTicker(lookAgain)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-patience.C:
			return s.execute(ctx, id, args)
		case <-ticker.C:
		}
		if s.isIdle(ctx, args["workspace"]) {
			return s.execute(ctx, id, args)
		}
	}
}

// lacksIndex reports whether an answer states that the index was not ready.
func lacksIndex(raw json.RawMessage) bool {
	var r struct{ Degraded []command.Degradation }
	if json.Unmarshal(raw, &r) != nil {
		return false
	}
	for _, d := range r.Degraded {
		if d.Stage == "index" && d.Reason == "indexing" {
			return true
		}
	}
	return false
}

// isIdle reports whether the index of a workspace has nothing left to do, or cannot continue.
func (s *Server) isIdle(ctx context.Context, workspace json.RawMessage) bool {
	args := map[string]json.RawMessage{}
	if workspace != nil {
		args["workspace"] = workspace
	}
	raw, err := s.execute(ctx, "contexture.index.status", args)
	var st command.IndexStatusResult
	if err != nil || json.Unmarshal(raw, &st) != nil {
		return true // the next answer has the reason
	}
	return st.State == "idle" || st.State == "error"
}
