package server

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/request"
)

// meetingTime is how long a command waits for a model server; a healthy one answers within it.
const meetingTime = 300 * time.Millisecond

// index waits until the root's index is open and returns it; nil if the program is switched off for
// the root.
func (a commandRequest) index(ctx context.Context) (*indexer.Index, error) {
	r, err := a.root()
	if err != nil {
		return nil, err
	}
	return r.Opening.AwaitIndex(ctx)
}

// indexResult describes an index; x is nil if there is none.
func indexResult(x *indexer.Index) *request.IndexResult {
	if x == nil {
		return &request.IndexResult{Off: true}
	}
	out := &request.IndexResult{Status: x.Status(), Model: x.ModelStatus()}
	out.Model.Err = nil // Problem has its text
	return out
}

func (a commandRequest) indexOpen(ctx context.Context, _ *none) (*request.IndexResult, error) {
	x, err := a.index(ctx)
	if err != nil {
		return nil, err
	}
	return indexResult(x), nil
}

func (a commandRequest) indexState(ctx context.Context, _ *none) (*request.IndexResult, error) {
	return a.indexOpen(ctx, nil)
}

func (a commandRequest) indexNames(ctx context.Context, p *request.IndexNamesParams) (*request.IndexNamesResult, error) {
	out := &request.IndexNamesResult{}
	x, err := a.index(ctx)
	if err != nil || x == nil {
		return out, err
	}
	s, release := x.Snapshot()
	defer release()
	known := map[string]bool{}
	s.Symbols().Beginning(p.Begins, func(y indexer.Symbol) bool {
		if !known[y.Name] {
			known[y.Name] = true
			out.Names = append(out.Names, request.DefinedName{Name: y.Name, Kind: y.Kind, Path: y.Path})
		}
		return len(out.Names) < p.Limit
	})
	slices.SortFunc(out.Names, func(x, y request.DefinedName) int { return strings.Compare(x.Name, y.Name) })
	return out, nil
}

func (a commandRequest) indexUpdate(ctx context.Context, _ *none) (*request.IndexResult, error) {
	x, err := a.index(ctx)
	if err != nil || x == nil {
		return indexResult(nil), err
	}
	r, err := a.root()
	if err != nil {
		return nil, err
	}
	before, shared := r.Opening.Before()
	if shared { // otherwise it scans everything when it opens
		if err := x.Look(ctx); err != nil {
			return nil, err
		}
	}
	if err := upToDate(ctx, x); err != nil {
		return nil, err
	}
	out := indexResult(x)
	out.Status.Parsed -= before.Parsed
	a.meetModel(ctx, x)
	out.Model = indexResult(x).Model
	return out, nil
}

// indexState is an index whose state can be awaited: an *indexer.Index.
type indexState interface {
	Status() indexer.Status
	ModelStatus() indexer.ModelStatus
	Changed() <-chan struct{}
}

// upToDate waits until the index has every change on disk and all its vectors. It fails with ctx's
// error, or if the index cannot continue.
func upToDate(ctx context.Context, x indexState) error {
	for {
		changed := x.Changed()
		st := x.Status()
		switch {
		case st.State == indexer.Failed:
			return indexFailure(st.Errors)
		case st.State == indexer.Idle && st.Queue == 0 && st.Pending == 0:
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// meetModel waits until a healthy model server has answered and the index uses its vectors, if they
// exist. Otherwise each command's answer would lack them.
func (a commandRequest) meetModel(ctx context.Context, x *indexer.Index) {
	ctx, cancel := context.WithTimeout(ctx, meetingTime)
	defer cancel()
	embeds, err := a.embeds(ctx)
	for embeds && err == nil {
		changed := x.Changed()
		if st := x.ModelStatus(); st.Serving || st.Problem != "" {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// embeds waits until the model server was checked and reports whether the index uses one of its
// embedding models, or will. The error is ctx's.
func (a commandRequest) embeds(ctx context.Context) (bool, error) {
	r, err := a.root()
	if err != nil {
		return false, err
	}
	return r.Opening.AwaitModel(ctx)
}

func (a commandRequest) indexModel(ctx context.Context, p *request.IndexModelParams) (*request.IndexModelResult, error) {
	patience, cancel := context.WithTimeout(ctx, time.Duration(p.PatienceMs)*time.Millisecond)
	defer cancel()
	embeds, err := a.embeds(patience)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &request.IndexModelResult{Embeds: embeds, Late: err != nil}, nil
}

func (a commandRequest) indexEmbed(ctx context.Context, _ *none) (none, error) {
	x, err := a.index(ctx)
	if err != nil || x == nil {
		return none{}, err
	}
	return none{}, embedded(ctx, x)
}

// embedded waits until the model has embedded everything that it can, or does not answer; what is
// then missing is embedded later. The error is ctx's.
func embedded(ctx context.Context, x indexState) error {
	for {
		changed := x.Changed()
		st := x.ModelStatus()
		if st.Name != "" && st.Pending == st.Failed || st.Problem != "" {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
