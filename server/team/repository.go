package team

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os/user"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/fact"
	"github.com/contexture-dev/contexture/server/team/stream"
	"github.com/contexture-dev/contexture/server/team/vectors"
)

const (
	// sendLimit bounds one request to a server, and sendAgain is when facts that were not delivered
	// are tried again, besides whenever the servers were read.
	sendLimit = 20 * time.Second
	sendAgain = 5 * time.Second
	sendBatch = 64
)

// repository shares the facts of one repository. Its methods may be called concurrently.
type repository struct {
	t       *Teams
	id      string
	former  []string
	team    string            // its id, "" without one
	member  *enrol.Membership // nil without a team
	signer  *fact.Signer
	ledger  *ledger
	access  *access             // nil without a team
	link    Link                // of access
	offline bool                // there is a team, and its servers must not be asked
	vectors *vectors.Repository // of access
	cancel  context.CancelFunc  // ends what runs
	tasks   sync.WaitGroup      // what runs
	stop    func()              // watching memory

	wakeLocal, wakeSend chan struct{} // hold one element
	local               sync.Mutex    // one pass over memory at a time; guards passed
	passed              map[string]passState

	mu    sync.Mutex // guards all below
	roots []string   // whose memory takes part
	names map[string]author
	state progress
}

// progress is what a repository reports of its work.
type progress struct {
	problems map[string]string // by what they are about; see problem
	caught   bool              // everything that the servers have was read
	behind   map[string]uint64 // by id at the servers: the facts to be read when it was asked last
	read     time.Time         // when a fact came last, by the server's clock
	refused  int               // facts that were not valid
}

// author is who wrote a fact, as far as it is known.
type author struct {
	name   string
	proven bool // the team's account vouches for the name
	own    bool // it is the person themselves
}

// repositoryID returns the id of a repository whose history begins with a commit.
func repositoryID(first string) string {
	sum := sha256.Sum256([]byte("contexture repository 1\x00" + first))
	return hex.EncodeToString(sum[:16])
}

// newRepository opens the ledger of a repository; start starts it.
func newRepository(t *Teams, id string, b binding) (*repository, error) {
	r := &repository{
		t: t, id: id, former: b.Former, team: b.Team, wakeLocal: make(chan struct{}, 1), wakeSend: make(chan struct{}, 1),
		names: map[string]author{}, passed: map[string]passState{}, state: progress{problems: map[string]string{}, behind: map[string]uint64{}},
	}
	var err error
	if b.Team != "" {
		if r.member, err = t.joined.membership(b.Team); err != nil {
			return nil, err
		}
	}
	if r.signer, err = t.joined.signer(r.member, personName()); err != nil {
		return nil, err
	}
	var broken int
	if r.ledger, broken, err = openLedger(t.joined.folder(id), func(key string) bool { return key == r.signer.Author() }); err != nil {
		return nil, err
	}
	if broken > 0 {
		t.log.Error("lines of the facts of a team cannot be read and are left out", "lines", broken, "file", r.ledger.path)
	}
	return r, r.inherit()
}

// personName returns what the person is called on this machine.
func personName() string {
	u, err := user.Current()
	switch {
	case err != nil:
		return "unknown"
	case u.Name != "":
		return u.Name
	}
	return filepath.Base(u.Username)
}

// inherit takes over what was known of the repository before its history was rewritten.
func (r *repository) inherit() error {
	if facts, removals := r.ledger.counts(); facts+removals > 0 {
		return nil
	}
	for _, id := range r.former {
		old, _, err := openLedger(r.t.joined.folder(id), r.ledger.own)
		if err != nil {
			return err
		}
		err = errors.Join(r.ledger.takeFrom(old), old.close())
		if err != nil {
			return err
		}
	}
	return nil
}

// start starts the loops, which end with ctx or close.
func (r *repository) start(ctx context.Context) {
	ctx, r.cancel = context.WithCancel(ctx)
	r.stop = r.t.engine.Changes.Watch(func() { poke(r.wakeLocal) })
	r.tasks.Go(func() { r.runLocal(ctx) })
	if r.link == nil {
		return
	}
	r.tasks.Go(func() { r.runSend(ctx) })
	r.tasks.Go(func() { r.follow(ctx) })
}

// close ends the loops, waits for them and closes the ledger.
func (r *repository) close() error {
	r.stop()
	r.cancel()
	r.tasks.Wait()
	return r.ledger.close()
}

func poke(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// addRoot makes the memory of a root take part.
func (r *repository) addRoot(root string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.roots, root) {
		r.roots = append(r.roots, root)
		poke(r.wakeLocal)
	}
}

// ids returns the repository's ids, the present one first.
func (r *repository) ids() []string { return append([]string{r.id}, r.former...) }

// nameOf returns the name of a repository at the servers, which does not tell them which it is.
func (r *repository) nameOf(id string) string {
	mac := hmac.New(sha256.New, r.member.TeamKey)
	mac.Write([]byte("contexture repository 1\x00" + id))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// problem records what goes wrong about something, or with nil that it goes well again.
func (r *repository) problem(about string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		delete(r.state.problems, about)
	case r.state.problems[about] != err.Error():
		r.state.problems[about] = err.Error()
		r.t.log.Warn("a team: "+about, "repository", r.id, "err", err)
	}
}

// authorOf returns who wrote a fact.
func (r *repository) authorOf(o *fact.VerifiedFact) author {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a, ok := r.names[o.Author+o.Credential+o.Name]; ok {
		return a
	}
	a := author{name: o.Name, own: o.Author == r.signer.Author()}
	if r.member != nil && o.Credential != "" {
		if key, name, err := enrol.VerifyMember(r.member.Account, o.Credential); err == nil && key == o.Author {
			a.name, a.proven = name, true
		}
	}
	r.names[o.Author+o.Credential+o.Name] = a
	return a
}

// runSend delivers the person's own facts whenever there are any, until ctx ends.
func (r *repository) runSend(ctx context.Context) {
	retry := time.NewTicker(sendAgain)
	defer retry.Stop()
	for {
		err := r.send(ctx)
		if ctx.Err() != nil {
			return
		}
		r.problem("sending facts", err)
		select {
		case <-ctx.Done():
			return
		case <-r.wakeSend:
		case <-retry.C:
		}
	}
}

// send delivers what is in the outbox, in batches: it publishes facts, reads them again from the
// servers, and keeps each in the outbox until a majority of them has it.
func (r *repository) send(ctx context.Context) error {
	facts, err := r.ledger.outbox()
	r.problem("storing facts", err)
	for batch := range slices.Chunk(facts, sendBatch) {
		if !r.link.State().Connected {
			return nil // the state of the connection says why
		}
		if err := r.deliver(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// deliver publishes facts and notes those that a majority of the servers has afterwards.
func (r *repository) deliver(ctx context.Context, batch []*fact.VerifiedFact) error {
	ctx, cancel := context.WithTimeout(ctx, sendLimit)
	defer cancel()
	sent := make([]stream.Fact, len(batch))
	for i, o := range batch {
		repo := r.nameOf(o.Repository)
		data, err := fact.Seal(r.member.TeamKey, subjectOf(repo, o.Author, o.ID), o.Sealed)
		if err == nil {
			err = r.link.PutFact(ctx, repo, o.ID, data)
		}
		if err != nil {
			return err
		}
		sent[i] = stream.Fact{Repo: repo, ID: o.ID, Data: data}
	}
	holding, servers, err := r.link.Confirm(ctx, sent)
	if err != nil {
		return err
	}
	var kept []line
	var failed error
	for i, n := range holding {
		if n > servers/2 {
			kept = append(kept, line{Kept: outName(batch[i])})
			continue
		}
		failed = fmt.Errorf("only %d of %d servers have a fact", n, servers)
	}
	return errors.Join(failed, r.ledger.note(false, kept...))
}

// subjectOf is what a sealed fact belongs to.
func subjectOf(repo, author, id string) string { return "facts." + repo + "." + author + "." + id }

// follow receives the facts of the team, until ctx ends.
func (r *repository) follow(ctx context.Context) {
	ids := map[string]string{}
	var from []stream.Position
	for _, id := range r.ids() {
		repo := r.nameOf(id)
		ids[repo] = id
		at := r.ledger.position(repo)
		from = append(from, stream.Position{Repo: repo, After: stream.Cursor{Epoch: at.epoch, Seq: at.seq}})
	}
	err := r.link.Facts(ctx, from, stream.Follower{
		Message: func(m *stream.Message) error { return r.receive(m, ids[m.Repo]) },
		Advanced: func(p stream.Position, behind uint64) error {
			r.mu.Lock()
			r.state.caught = r.state.caught || behind == 0
			r.state.behind[p.Repo] = behind
			r.mu.Unlock()
			poke(r.wakeSend) // there is a connection
			at := cursor{p.After.Epoch, p.After.Seq}
			if r.ledger.position(p.Repo) == at {
				return nil
			}
			r.problem("storing facts", r.ledger.note(false, line{Read: &readLine{p.Repo, at.epoch, at.seq}}))
			return nil
		},
		// The servers lost something, perhaps of this person's: all of it is sent again.
		Rewound: func(string) error {
			defer poke(r.wakeSend)
			r.problem("storing facts", r.ledger.note(true, line{Lost: true}))
			return nil
		},
	})
	if ctx.Err() == nil {
		r.problem("receiving facts", err)
	}
}

// receive takes a fact from the servers. What is not valid is counted and left out: an error would
// end following, and anybody in the team could cause one.
func (r *repository) receive(m *stream.Message, id string) error {
	o, err := r.opened(m, id)
	if err != nil {
		r.mu.Lock()
		r.state.refused++
		r.mu.Unlock()
		r.t.log.Warn("a fact of a team is refused", "author", m.Author, "id", m.ID, "err", err)
		return nil
	}
	changed, err := r.ledger.add(o)
	r.problem("storing facts", err)
	if changed {
		r.mu.Lock()
		r.state.read = m.Stored
		r.mu.Unlock()
		poke(r.wakeLocal)
	}
	return nil
}

// opened checks a message: only the author whom the server checked can have written it, for the
// repository that it was published for, and under its own id.
func (r *repository) opened(m *stream.Message, id string) (*fact.VerifiedFact, error) {
	plain, err := fact.Unseal(r.member.TeamKey, subjectOf(m.Repo, m.Author, m.ID), m.Data)
	if err != nil {
		return nil, err
	}
	o, err := fact.Open(plain)
	switch {
	case errors.Is(err, fact.ErrNewer):
		return nil, errors.Join(err, r.ledger.addLater(plain))
	case err != nil:
		return nil, err
	case o.Author != m.Author:
		return nil, fmt.Errorf("%w: it names another author", fact.ErrForged)
	case o.Repository != id:
		return nil, fmt.Errorf("%w: it is of another repository", fact.ErrForged)
	case o.ID != m.ID:
		return nil, fmt.Errorf("%w: it has another id", fact.ErrForged)
	}
	return o, nil
}
