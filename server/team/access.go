package team

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/stream"
	"github.com/contexture-dev/contexture/server/team/vectors"
)

// access is a process's connection to a team, for all repositories of it. mu of Teams guards users.
type access struct {
	link  Link
	share *vectors.Share
	users int
}

// accessLocked returns the access to a team, which it opens; t.mu is held. leaveLocked must be
// called at the end.
func (t *Teams) accessLocked(ctx context.Context, m *enrol.Membership, bytesPerSecond int) (*access, error) {
	if a := t.accesses[m.TeamID]; a != nil {
		a.users++
		return a, nil
	}
	link, err := t.dial(ctx, m, bytesPerSecond)
	if err != nil {
		return nil, err
	}
	share, err := vectors.New(ctx, vectors.Options{
		Key: m.TeamKey, Dir: filepath.Join(t.joined.dir, "vectors", m.TeamID), Transport: packs{link}, Now: t.engine.Now, Logger: t.log,
	})
	if err != nil {
		link.Close()
		return nil, err
	}
	a := &access{link: link, share: share, users: 1}
	t.accesses[m.TeamID] = a
	return a, nil
}

// leaveLocked ends one use of a team's access; t.mu is held.
func (t *Teams) leaveLocked(team string) error {
	a := t.accesses[team]
	if a.users--; a.users > 0 {
		return nil
	}
	delete(t.accesses, team)
	err := a.share.Close()
	a.link.Close()
	return err
}

// packs carries packs of vectors over a link.
type packs struct{ Link }

func (p packs) Connected() bool { return p.State().Connected }

func (p packs) Packs(ctx context.Context, model, repo string, after uint64, f func(seq uint64, stored time.Time, data []byte) error, caughtUp func()) error {
	return p.Link.Packs(ctx, model, stream.Position{Repo: repo, After: stream.Cursor{Seq: after}}, stream.Follower{
		Message: func(m *stream.Message) error { return f(m.Seq, m.Stored, m.Data) },
		Advanced: func(_ stream.Position, behind uint64) error {
			if behind == 0 {
				caughtUp()
			}
			return nil
		},
		Rewound: func(string) error { return vectors.ErrRewound },
	})
}

// connectPatience bounds how long the first request for vectors waits until it is known whether a
// root belongs to a team, and until its servers are connected: what is embedded before is embedded
// twice.
const connectPatience = 3 * time.Second

// rootVectors exchanges the vectors of a root, as soon as its repository belongs to a team.
type rootVectors struct {
	t    *Teams
	root string
}

var _ encode.Shared = rootVectors{}

// Vectors returns what exchanges the vectors of a root. It opens nothing.
func (t *Teams) Vectors(root string) encode.Shared { return rootVectors{t, root} }

// Rows implements encode.Shared.
func (v rootVectors) Rows(ctx context.Context, kind encode.Kind, hashes []encode.Hash) [][]int8 {
	r := v.repository(ctx)
	if r == nil {
		return nil
	}
	return r.Rows(ctx, kind, hashes)
}

// Offer implements encode.Shared.
func (v rootVectors) Offer(kind encode.Kind, hashes []encode.Hash, row func(encode.Hash) []int8) {
	if r := v.t.vectorsOf(v.root); r != nil {
		r.Offer(kind, hashes, row)
	}
}

// repository returns the part of the share for the root, nil without one. The first request waits
// for it.
func (v rootVectors) repository(ctx context.Context) *vectors.Repository {
	all, err := v.t.joined.bindings()
	if err != nil || len(all) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, connectPatience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		settled := v.t.settled(v.root)
		r := v.t.vectorsOf(v.root)
		if settled || r != nil && v.t.connected(v.root) {
			return r
		}
		select {
		case <-ctx.Done():
			v.t.settle(v.root)
			return r
		case <-tick.C:
		}
	}
}

// vectorsOf returns the part of a share for a root, nil while its repository belongs to no team.
func (t *Teams) vectorsOf(root string) *vectors.Repository {
	home := t.engine.Roots.Home(root)
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.repositories[t.ids[home]]; r != nil {
		return r.vectors
	}
	return nil
}

// connected reports whether there is a connection to the team of a root.
func (t *Teams) connected(root string) bool {
	home := t.engine.Roots.Home(root)
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.repositories[t.ids[home]]
	return r != nil && r.link != nil && r.link.State().Connected
}

// settled reports whether requests for a root's vectors wait no longer: one has waited in vain, or
// it is known that the root belongs to no team.
func (t *Teams) settled(root string) bool {
	home := t.engine.Roots.Home(root)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waited[home] || t.ctx == nil { // nothing is shared by this process
		return true
	}
	_, identified := t.ids[home]
	return identified && !t.looking && t.repositories[t.ids[home]] == nil
}

func (t *Teams) settle(root string) {
	home := t.engine.Roots.Home(root)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waited[home] = true
}

// VectorStatus counts the vectors that the process shares with a team.
type VectorStatus struct {
	Received, Published, Waiting, Refused int64
	Share                                 float64 // of what was needed, from others
}

func (a *access) vectorStatus() VectorStatus {
	s := a.share.Status()
	out := VectorStatus{Received: s.RowsFound, Published: s.RowsPublished, Waiting: int64(s.Queue), Refused: s.Refused + s.Malformed + s.Foreign}
	if needed := s.RowsFound + s.RowsPublished; needed > 0 {
		out.Share = float64(s.RowsFound) / float64(needed)
	}
	return out
}

// errOffline is why there is no connection before [Teams.Start].
var errOffline = errors.New("offline, no server is asked")

var errEnded = errors.New("sharing has ended")
