package server

import (
	"context"
	"fmt"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/zeebo/xxh3"
)

// IndexStatus implements command.Commands.
func (c commands) IndexStatus(_ context.Context, args *command.Empty) (*command.IndexStatusResult, error) {
	r, err := c.root(args.Workspace)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return idleStatus(), nil
	}
	if r.opening == nil {
		return nil, errSwitchedOff
	}
	r.opening.models().use()
	return r.status(r.opening), nil
}

// status is how a root's index, which is o, stands.
func (r *root) status(o *opening) *command.IndexStatusResult {
	out := o.status()
	out.Workspace = r.uri
	return out
}

// idleStatus is the status of no index at all.
func idleStatus() *command.IndexStatusResult {
	return &command.IndexStatusResult{State: string(indexer.Idle), Embedder: command.EmbedderStatus{Source: "builtin"}, Watcher: command.WatcherStatus{Mode: "poll"}}
}

// status tells how an opening stands: it is scanning until it is there, and in error where it failed.
func (o *opening) status() *command.IndexStatusResult {
	out := idleStatus()
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
	out = statusResult(o.index.Status())
	if m := o.index.ModelStatus(); m.Name != "" {
		out.Embedder = command.EmbedderStatus{
			Name: m.Name, Dimensions: m.Dimensions, Source: "ollama", Digest: fmt.Sprintf("%016x", xxh3.HashString(m.Identity)), Pending: m.Pending,
			Total: m.Total, Problem: m.Problem,
		}
	}
	return out
}

func statusResult(st indexer.Status) *command.IndexStatusResult {
	out := &command.IndexStatusResult{
		State: string(st.State), Files: st.Files, FilesTotal: st.FilesTotal, Chunks: st.Chunks, Symbols: st.Symbols, Bytes: st.Bytes, Queue: st.Queue,
		Stale: st.Stale, Version: st.Version, IndexedAt: command.At(st.IndexedAt),
		Embedder: command.EmbedderStatus{Name: st.Embedder, Dimensions: st.Dimensions, Source: "builtin", Digest: st.Digest, Pending: st.Pending},
		Watcher:  command.WatcherStatus{Mode: st.WatchMode, Watches: st.Watches},
	}
	if out.Watcher.Mode == "" {
		out.Watcher.Mode = "poll"
	}
	for _, s := range st.Skipped {
		out.Skipped = append(out.Skipped, command.SkipCount{Reason: string(s.Reason), Count: s.Count})
	}
	for _, q := range st.Quarantined {
		out.Quarantined = append(out.Quarantined, command.Quarantined{Path: q.Path, Reason: q.Reason})
	}
	setErrors(out, st.Errors)
	return out
}

func setErrors(out *command.IndexStatusResult, errors []string) { out.Errors = len(errors) }
