// Package team shares what a person and their team know of a repository: facts, by NATS JetStream
// or by files in Git, and the vectors of model servers.
//
// [Teams] belongs to the process's server. [Teams.Start] begins to share the repositories that were
// bound to a team by [Teams.Join]; for each there is a repository, which runs two loops: one makes
// facts of the items of memory that the person shares and items of the facts of others, the other
// sends and follows. No answer waits for either.
//
// What a machine knows is a ledger on disk. Nothing is sent before it is there, and a fact counts
// as delivered only when a majority of the servers was read and has it; so a crash, a server that
// forgets and a partition lose nothing, and repeats change nothing, since a fact's id follows from
// its content.
//
// The packages below know nothing of each other: fact is what is shared, stream carries it, enrol
// makes and checks credentials, vectors shares embeddings, node is the server.
package team

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/indexer/history"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/fact"
	"github.com/contexture-dev/contexture/server/team/stream"
)

// Errors of commands.
var (
	// ErrNoRepository: a root is in no Git repository with a commit, so that clones of it cannot
	// be told from other folders.
	ErrNoRepository = errors.New("the workspace is in no Git repository with a commit")
	// ErrNotJoined: the repository belongs to no team.
	ErrNotJoined = errors.New("this repository belongs to no team")
)

// FileError says why a membership file is not one.
type FileError struct{ Err error }

func (e *FileError) Error() string { return e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }

// CannotShareError says why an item cannot be shared.
type CannotShareError struct{ Item, Reason string }

func (e *CannotShareError) Error() string { return e.Item + " " + e.Reason }

// Link carries facts and packs of vectors to a team's servers and back; *stream.Client is one.
type Link interface {
	PutFact(ctx context.Context, repo, id string, data []byte) error
	Confirm(ctx context.Context, facts []stream.Fact) (holding []int, of int, err error)
	Facts(ctx context.Context, from []stream.Position, f stream.Follower) error
	PutPack(ctx context.Context, model, repo string, data []byte) error
	Packs(ctx context.Context, model string, from stream.Position, f stream.Follower) error
	State() stream.State
	Close()
}

var _ Link = (*stream.Client)(nil)

// Teams is a process's part in teams. Safe for concurrent use.
type Teams struct {
	engine *engine.Engine
	joined *memberships
	log    *slog.Logger
	// lookAgain is the time until a repository that could not be opened is tried again.
	lookAgain time.Duration
	// dial connects to a team's servers.
	dial func(ctx context.Context, m *enrol.Membership, bytesPerSecond int) (Link, error)

	mu           sync.Mutex             // guards all below
	ctx          context.Context        // of what runs; nil before the first command or Start
	online       bool                   // servers may be asked: Start was called
	cancel       context.CancelFunc     // ends it
	tasks        sync.WaitGroup         // what runs
	looking      bool                   // look runs
	again        bool                   // look is to run again
	later        *time.Timer            // makes look run again after it failed; may be nil
	closed       bool                   // nothing is opened any more
	repositories map[string]*repository // by id
	accesses     map[string]*access     // by the team's id
	waited       map[string]bool        // roots whose first request for vectors has waited
	ids          map[string]string      // a root → the id of its repository
	firsts       map[string]string      // that id → the first commit
}

// New prepares sharing over an engine, which must outlive it. Close must be called at the end.
func New(e *engine.Engine) *Teams {
	t := &Teams{
		engine: e, joined: &memberships{dir: filepath.Join(e.Options.StateDir, "team")}, log: e.Log, lookAgain: 30 * time.Second,
		repositories: map[string]*repository{}, ids: map[string]string{}, firsts: map[string]string{}, accesses: map[string]*access{}, waited: map[string]bool{},
	}
	t.dial = func(ctx context.Context, m *enrol.Membership, bytesPerSecond int) (Link, error) {
		return stream.Open(ctx, stream.Options{Membership: m, Log: t.log, Now: e.Now, BytesPerSecond: bytesPerSecond})
	}
	return t
}

// Start begins to share, until Close. Only the first call has an effect. What it starts outlives
// ctx, whose values it keeps. Before it, commands work on what this machine has: no server is
// asked, and what they share waits.
func (t *Teams) Start(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.online || t.closed {
		return
	}
	t.beginLocked(ctx)
	t.online = true
	t.lookLocked()
}

// beginLocked makes the context of what runs, if there is none. mu is held.
func (t *Teams) beginLocked(ctx context.Context) {
	if t.ctx == nil {
		t.ctx, t.cancel = context.WithCancel(context.WithoutCancel(ctx))
	}
}

// Look opens the repositories of the roots that are open, where they belong to a team. It does not
// block; before Start it does nothing.
func (t *Teams) Look() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lookLocked()
}

func (t *Teams) lookLocked() {
	if !t.online || t.closed {
		return
	}
	if t.looking {
		t.again = true
		return
	}
	t.looking = true
	if t.later != nil {
		t.later.Stop()
		t.later = nil
	}
	t.tasks.Go(func() {
		for {
			failed := t.openKnown(t.ctx)
			t.mu.Lock()
			if !t.again || t.closed {
				t.looking = false
				if failed && !t.closed {
					t.later = time.AfterFunc(t.lookAgain, t.Look)
				}
				t.mu.Unlock()
				return
			}
			t.again = false
			t.mu.Unlock()
		}
	})
}

// openKnown opens the repositories of all roots that belong to a team. It reports whether one could
// not be opened, as where another process holds the memory, which may change.
func (t *Teams) openKnown(ctx context.Context) (failed bool) {
	all, err := t.joined.bindings()
	if err != nil {
		t.log.Error("teams are not read", "err", err)
		return true
	}
	if len(all) == 0 {
		return false // nobody joined a team
	}
	for _, root := range t.engine.Roots.All() {
		id, err := t.identify(ctx, root, all)
		if err != nil {
			if !errors.Is(err, ErrNoRepository) {
				t.log.Warn("a root is not shared", "root", root, "err", err)
			}
			continue
		}
		set, _ := t.engine.Settings(root, engine.SessionOptions{})
		if b, ok := all[id]; ok && b.Team != "" && set.Enabled && set.Memory.Enabled && set.Team.Enabled {
			if _, err := t.open(ctx, root, id, b); err != nil {
				t.log.Warn("a repository is not shared now", "root", root, "err", err)
				failed = true
			}
		}
	}
	return failed
}

// identify returns the id of a root's repository. Where its history was rewritten since it joined a
// team, the new id takes the old one's place.
func (t *Teams) identify(ctx context.Context, root string, all map[string]binding) (string, error) {
	root = t.engine.Roots.Home(root)
	t.mu.Lock()
	id, known := t.ids[root]
	t.mu.Unlock()
	if known {
		return id, nil
	}
	first, err := history.First(ctx, root)
	if err != nil {
		return "", err
	}
	if first == "" {
		return "", ErrNoRepository
	}
	id = repositoryID(first)
	if _, ok := all[id]; !ok {
		for old, b := range all {
			if b.Root != root || !history.Has(ctx, root, b.First) { // else it is another repository in the same folder
				continue
			}
			t.log.Warn("the history of a repository was rewritten: it goes on under another id", "root", root)
			b.Former, b.First = append(slices.Clone(b.Former), old), first
			err := errors.Join(
				t.joined.bind(id, func(now *binding) bool { *now = b; return true }),
				t.joined.bind(old, func(*binding) bool { return false }),
			)
			if err != nil {
				return "", err
			}
			delete(all, old)
			all[id] = b
			break
		}
	}
	t.mu.Lock()
	t.ids[root], t.firsts[id] = id, first
	t.mu.Unlock()
	return id, nil
}

// open returns the repository with an id, which it opens, and adds the root to it. Only the process
// that holds the memory can: a ledger has one writer. One that was opened before Start is opened
// again, with its servers.
func (t *Teams) open(ctx context.Context, root, id string, b binding) (*repository, error) {
	if _, err := t.engine.Memory(ctx, root); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, errEnded
	}
	t.beginLocked(ctx)
	r := t.repositories[id]
	if r != nil && (r.team != b.Team || r.offline && t.online) {
		t.closeLocked(r)
		r = nil
	}
	if r == nil {
		var err error
		if r, err = newRepository(t, id, b); err != nil {
			return nil, err
		}
		t.repositories[id] = r
		r.offline = r.member != nil && !t.online
		if r.member != nil && t.online {
			set, _ := t.engine.Settings(root, engine.SessionOptions{})
			if a, err := t.accessLocked(t.ctx, r.member, set.Team.Bandwidth<<10); err != nil {
				r.problem("connecting", err)
			} else {
				r.access, r.link = a, a.link
				r.vectors = a.share.Repository(func() string { return r.nameOf(id) })
			}
		}
		r.start(t.ctx)
	}
	r.addRoot(t.engine.Roots.Home(root))
	return r, nil
}

// closeLocked ends a repository. mu is held; what the repository runs does not take it.
func (t *Teams) closeLocked(r *repository) {
	delete(t.repositories, r.id)
	err := r.close()
	if r.access != nil {
		err = errors.Join(err, t.leaveLocked(r.team))
	}
	if err != nil {
		t.log.Error("the facts of a team are not saved", "err", err)
	}
}

// Close ends sharing and waits for what runs. What was not delivered is on disk.
func (t *Teams) Close() {
	t.mu.Lock()
	t.closed = true
	if t.cancel != nil {
		t.cancel()
	}
	if t.later != nil {
		t.later.Stop()
	}
	t.mu.Unlock()
	t.tasks.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.repositories {
		t.closeLocked(r)
	}
}

// of opens the repository of a root for a command; b is its binding, the zero value for one that
// belongs to no team.
func (t *Teams) of(ctx context.Context, root string) (r *repository, b binding, err error) {
	all, err := t.joined.bindings()
	if err != nil {
		return nil, b, err
	}
	id, err := t.identify(ctx, root, all)
	if err != nil {
		return nil, b, err
	}
	b = all[id]
	r, err = t.open(ctx, root, id, b)
	return r, b, err
}

// Join makes the repository of a root belong to the team of a membership file, and begins to share
// it. A repository belongs to one team: another membership takes the place of the former.
func (t *Teams) Join(ctx context.Context, root string, file []byte) (Status, error) {
	m, err := enrol.ParseMembership(file)
	if err != nil {
		return Status{}, &FileError{err}
	}
	r, old, err := t.of(ctx, root)
	if err != nil {
		return Status{}, err
	}
	if err := t.joined.keep(m); err != nil {
		return Status{}, fmt.Errorf("store the membership: %w", err)
	}
	err = t.joined.bind(r.id, func(b *binding) bool {
		if b.Team != m.TeamID {
			b.Former = nil
		}
		b.Team, b.Root, b.First = m.TeamID, t.engine.Roots.Home(root), t.firstOf(r.id)
		return true
	})
	if err != nil {
		return Status{}, err
	}
	if err := t.rejoin(r, old.Team, m.TeamID); err != nil {
		return Status{}, err
	}
	return t.Status(ctx, root)
}

// rejoin closes a repository that belonged to one team, "" for none, and belongs to another now, or
// to the same by another membership. Of another team's it forgets what the former one knew; what
// came by Git stays, and the person's own facts are signed anew, by the member's key.
func (t *Teams) rejoin(r *repository, from, to string) error {
	if from == to {
		return t.restart(r.id, nil)
	}
	mine := r.signer.Author()
	err := t.restart(r.id, func(o *fact.VerifiedFact) bool { return from == "" && o.Author != mine })
	if err != nil || from == "" {
		return err
	}
	return t.joined.drop(from)
}

// Leave ends sharing of a root's repository, and removes the membership unless another repository
// has it too. What others suggested is removed from memory, and what the person accepted stays.
// What they shared stays with the team: unmark it first to withdraw it.
func (t *Teams) Leave(ctx context.Context, root string) error {
	r, b, err := t.of(ctx, root)
	if err != nil {
		return err
	}
	if b.Team == "" {
		return ErrNotJoined
	}
	if err := r.forget(ctx); err != nil {
		return err
	}
	if err := t.joined.bind(r.id, func(*binding) bool { return false }); err != nil {
		return err
	}
	err = t.restart(r.id, func(*fact.VerifiedFact) bool { return false })
	return errors.Join(err, t.joined.drop(b.Team))
}

// restart closes a repository. With keep it keeps in the ledger only some facts and the person's
// marks.
func (t *Teams) restart(id string, keep func(o *fact.VerifiedFact) bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.repositories[id]; r != nil {
		t.closeLocked(r)
	}
	if keep == nil {
		return nil
	}
	l, _, err := openLedger(t.joined.folder(id), func(string) bool { return false })
	if err != nil {
		return err
	}
	return errors.Join(l.restart(keep), l.close())
}

func (t *Teams) firstOf(id string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.firsts[id]
}
