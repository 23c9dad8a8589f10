package team

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/team/fact"
	"github.com/contexture-dev/contexture/server/team/stream"
)

// Status is what is shared of a repository.
type Status struct {
	Repository string // its id
	Team       string // its name; "" = the repository belongs to no team
	TeamID     string
	Member     string // the person's name in the team
	Author     string // their public key
	Servers    []string
	// Connection of the servers; the zero value without a team.
	Connection stream.State
	// CaughtUp means that everything that the servers had was read at least once; Read is the
	// server's time of the last fact that came.
	CaughtUp bool
	Read     time.Time
	// Behind is how many facts the servers had when they were asked last that were not read yet.
	Behind int
	// Outbox is the number of own facts and removals that not certainly a majority of the servers
	// has.
	Outbox int
	// Facts that hold, and how many of them the person wrote; Rivals are pairs of people's facts
	// that replace the same one.
	Facts, Own, Rivals int
	// Refused counts what came and was not valid, since the process began.
	Refused int
	// Problems in words, by what they are about.
	Problems []string
	// Members have written what holds, by name.
	Members []Member
	// Vectors shared by the process.
	Vectors VectorStatus
}

// Member is somebody who wrote facts of a repository.
type Member struct {
	Name, Key string
	Proven    bool // the team's account vouches for the name
	Own       bool
	Facts     int // that hold
}

// Status returns what is shared of a root's repository. It waits for no server.
func (t *Teams) Status(ctx context.Context, root string) (Status, error) {
	r, b, err := t.of(ctx, root)
	if err != nil {
		return Status{}, err
	}
	return r.status(b), nil
}

func (r *repository) status(b binding) Status {
	out := Status{Repository: r.id, Author: r.signer.Author(), Outbox: r.ledger.waiting()}
	if r.member != nil {
		out.Team, out.TeamID, out.Member, out.Servers = r.member.Team, b.Team, r.member.Member, r.member.Servers
	}
	if r.offline {
		out.Connection.LastError = errOffline
	}
	if r.access != nil {
		out.Connection, out.Vectors = r.link.State(), r.access.vectorStatus()
		if problem := r.access.share.Status().Problem; problem != "" {
			out.Problems = append(out.Problems, "embeddings: "+problem)
		}
	}
	var heads []fact.Head
	r.ledger.view(func(set *fact.Set) { heads = set.Heads() })
	by := map[string]*Member{}
	for i := range heads {
		h := &heads[i]
		a := r.authorOf(h.VerifiedFact)
		m := by[h.Author]
		if m == nil {
			m = &Member{Name: a.name, Key: h.Author, Proven: a.proven, Own: a.own}
			by[h.Author] = m
		}
		m.Facts++
		if a.own {
			out.Own++
		}
		if len(h.Rivals) > 0 {
			out.Rivals++
		}
	}
	out.Facts = len(heads)
	for _, key := range slices.Sorted(maps.Keys(by)) {
		out.Members = append(out.Members, *by[key])
	}
	slices.SortStableFunc(out.Members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	r.mu.Lock()
	defer r.mu.Unlock()
	out.CaughtUp, out.Read, out.Refused = r.state.caught, r.state.read, r.state.refused
	for _, n := range r.state.behind {
		out.Behind += int(n)
	}
	for _, about := range slices.Sorted(maps.Keys(r.state.problems)) {
		out.Problems = append(out.Problems, about+": "+r.state.problems[about])
	}
	return out
}

// Mark says whether an item of a root's memory is shared, whatever the policy says; nil leaves it
// to the policy again. Errors: knowledge.ErrNotFound, *CannotShareError, and nothing is noted.
func (t *Teams) Mark(ctx context.Context, root, item string, share *bool) error {
	r, _, err := t.of(ctx, root)
	if err != nil {
		return err
	}
	home := t.engine.Roots.Home(root)
	w, err := t.engine.Memory(ctx, home)
	if err != nil {
		return err
	}
	v := w.View()
	it, err := v.Knowledge.Item(item)
	v.Close()
	switch {
	case err != nil:
		return err
	case it.Team != nil:
		return &CannotShareError{item, "was written by " + it.Team.Name + "; only what you wrote can be shared"}
	case share != nil && *share && !it.Holds():
		return &CannotShareError{item, "is no longer in force"}
	}
	if share != nil && *share {
		if err := r.checkShareable(home, &it); err != nil {
			return &CannotShareError{item, "cannot be shared: " + err.Error()}
		}
	}
	if err := r.ledger.note(true, line{Mark: &markLine{home, it.ID, share}}); err != nil {
		return err
	}
	return r.pass(ctx)
}

// Sync makes one exchange and waits until the person's own facts are delivered and everything that
// the servers have was read, or until ctx ends.
func (t *Teams) Sync(ctx context.Context, root string) (Status, error) {
	r, b, err := t.of(ctx, root)
	if err != nil {
		return Status{}, err
	}
	if r.member == nil {
		return r.status(b), ErrNotJoined
	}
	if err := r.pass(ctx); err != nil {
		return r.status(b), err
	}
	poke(r.wakeSend)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		s := r.status(b)
		if s.CaughtUp && s.Outbox == 0 {
			return s, r.pass(ctx)
		}
		select {
		case <-ctx.Done():
			return s, errors.Join(context.Cause(ctx), s.Connection.LastError)
		case <-tick.C:
		}
	}
}

// Suggestions counts the items of teammates in a root's memory that the person has not accepted.
func (t *Teams) Suggestions(ctx context.Context, root string) (n int, err error) {
	w, err := t.engine.Memory(ctx, root)
	if err != nil {
		return 0, err
	}
	v := w.View()
	defer v.Close()
	items, err := v.Knowledge.List(knowledge.Filter{Kind: knowledge.Rule})
	for i := range items {
		if items[i].Team != nil && items[i].Standing() == knowledge.Candidate {
			n++
		}
	}
	return n, err
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
