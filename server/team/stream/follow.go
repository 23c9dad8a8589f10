package stream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/contexture-dev/contexture/server/team/enrol"
)

// Cursor is a position in a stream: everything up to Seq was delivered. The zero value is the
// beginning.
type Cursor struct {
	Epoch int64  // identifies the stream; another one begins anew
	Seq   uint64 // of the last message that was delivered
}

// Position is what is followed, and from where on.
type Position struct {
	Repo  string
	After Cursor
}

// Follower receives what is followed. Its functions are called sequentially. An error of one ends
// following and is returned.
type Follower struct {
	// Message receives a message; of each subject in their order. The same message may come again
	// after an interruption, and an author's newer version of it at any time. Required.
	Message func(*Message) error
	// Advanced is called when everything up to a position was delivered: at first, after each
	// batch, and later about once a minute, since what is delivered as it is announced counts only
	// once a fetch has shown that nothing is missing. The caller stores the position, to continue
	// from it. behind is how many messages the servers have that are still to be delivered.
	Advanced func(p Position, behind uint64) error
	// Rewound is called when the servers have lost messages, such as when the stream was made anew.
	// Delivery begins again at the beginning, and the caller publishes its own facts again.
	Rewound func(repo string) error
}

// Facts follows the facts of repositories, other members' and the own ones, until ctx or the client
// ends or the follower returns an error. It goes on through lost connections, and waits while there
// is no server.
func (c *Client) Facts(ctx context.Context, from []Position, f Follower) error {
	return c.follow(ctx, enrol.FactStream, from, f, func(repo string) (string, error) {
		s, err := subject(factPrefix, repo)
		return s + ".>", err
	}, nil)
}

// Packs follows the packs of a model and repository, within the bandwidth limit, as [Client.Facts]
// does facts.
func (c *Client) Packs(ctx context.Context, model string, from Position, f Follower) error {
	return c.follow(ctx, enrol.PackStream, []Position{from}, f, func(repo string) (string, error) {
		return subject(packPrefix, model, repo)
	}, c.limitPack)
}

func (c *Client) limitPack(ctx context.Context, m *Message) error {
	return c.packs.WaitN(ctx, min(len(m.Data), minBurst))
}

// following is the state of one call that follows a stream.
type following struct {
	c       *Client
	stream  string
	repos   []*followedRepository
	f       Follower
	limit   func(context.Context, *Message) error // may be nil
	shorter time.Time                             // since when the stream is shorter than it was; zero if it is not
	wake    chan struct{}                         // has capacity 1; something was announced without content
	live    chan live                             // what was announced with its content

	last     uint64 // the stream's last sequence at the last poll
	complete uint64 // the same at the last poll at which every replica had everything
	previous uint64 // what complete was at the poll before

	mu        sync.Mutex
	announced map[string]uint64 // guarded by mu; by filter: the last sequence that was announced
}

// followedRepository is one repository.
type followedRepository struct {
	Position
	filter  string          // the subjects
	caught  bool            // the follower knows the present position
	settled uint64          // up to here every replica's messages were delivered
	early   map[uint64]bool // what was delivered after the position, as announced
	latest  map[fact]uint64 // of what is early: the sequence of each fact's last version
	newest  uint64          // the last sequence that was delivered
}

// fact names a fact of a repository.
type fact struct{ author, id string }

func factOf(m *Message) fact { return fact{m.Author, m.ID} }

// live is a message that was announced with its content.
type live struct {
	r *followedRepository
	m *Message
}

// maxLive is how many announced messages wait for the follower. More are fetched instead.
const maxLive = 1024

// followerError is an error of the follower's functions, which ends following.
type followerError struct{ err error }

func (e *followerError) Error() string { return e.err.Error() }
func (e *followerError) Unwrap() error { return e.err }

func (c *Client) follow(ctx context.Context, stream string, from []Position, f Follower, filter func(repo string) (string, error), limit func(context.Context, *Message) error) error {
	fl := &following{c: c, stream: stream, f: f, limit: limit, wake: make(chan struct{}, 1), announced: map[string]uint64{}}
	for _, p := range from {
		s, err := filter(p.Repo)
		if err != nil {
			return fmt.Errorf("follow %s: %w", stream, err)
		}
		fl.repos = append(fl.repos, &followedRepository{Position: p, filter: s, early: map[uint64]bool{}, latest: map[fact]uint64{}, newest: p.After.Seq})
	}
	ctx, cancel := c.bind(ctx)
	defer cancel()
	for {
		err := fl.once(ctx)
		var ended *followerError
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("follow %s: %w", stream, context.Cause(ctx))
		case errors.As(err, &ended):
			return ended.err
		case err != nil:
			c.o.Log.Debug("following is interrupted", "stream", stream, "err", err)
		}
		if !wait(ctx, c.retryDelay()) {
			return fmt.Errorf("follow %s: %w", stream, context.Cause(ctx))
		}
	}
}

// retryDelay returns the time until an interrupted follower goes on.
func (c *Client) retryDelay() time.Duration {
	return c.o.Tune.ReconnectSpread/20 + rand.N(c.o.Tune.ReconnectSpread/5+1)
}

// once follows on one connection, until that breaks.
func (fl *following) once(ctx context.Context) error {
	l, changed := fl.c.connection()
	if l == nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
			return nil
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	to := make(chan live, maxLive)
	fl.live = to // what comes late from another connection is not for this one
	// The library may block while the connection takes nothing; run returns when ctx ends anyway.
	if _, err := run(ctx, fl.c, func(context.Context) (struct{}, error) { return struct{}{}, fl.subscribe(ctx, l, to) }); err != nil {
		return err
	}
	for poll := true; ; {
		if poll {
			if err := fl.checkStream(ctx, l); err != nil {
				return err
			}
		}
		if err := fl.deliver(ctx, l); err != nil {
			return err
		}
		var err error
		if poll, err = fl.rest(ctx, l); err != nil {
			return err
		}
	}
}

// rest delivers what is announced with its content, until something must be fetched or a poll is
// due, and reports whether it is the latter.
func (fl *following) rest(ctx context.Context, l *link) (poll bool, err error) {
	interval := fl.c.o.Tune.Poll
	timer := time.NewTimer(interval/2 + rand.N(interval)) // clients that began together drift apart
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-l.broken:
			return false, ErrUnavailable
		case <-timer.C:
			return true, nil
		case <-fl.wake:
			if fl.limit != nil { // packs: each fetch brings some
				return false, fl.gather(ctx)
			}
			return false, nil
		case a := <-fl.live:
			if err := fl.deliverLive(a); err != nil {
				return false, err
			}
		}
	}
}

// gather waits until more was probably announced, and for another time than other followers.
func (fl *following) gather(ctx context.Context) error {
	if !wait(ctx, fl.c.retryDelay()) {
		return ctx.Err()
	}
	return nil
}

// deliverLive delivers a message as it is announced. The position stays: an announcement before it
// may have been lost, which the fetch of the next poll finds.
func (fl *following) deliverLive(a live) error {
	switch {
	case a.m.Seq <= a.r.After.Seq || a.r.early[a.m.Seq]:
		return nil
	case a.m.Seq < a.r.newest: // it is fetched, unless the newer one replaced it
		fl.note(a.r.filter, a.m.Seq)
		return nil
	}
	a.r.early[a.m.Seq], a.r.newest = true, a.m.Seq
	if a.m.ID != "" {
		a.r.latest[factOf(a.m)] = a.m.Seq
	}
	return ended(fl.f.Message(a.m))
}

// subscribe subscribes to the announcements of what is stored, until ctx ends.
func (fl *following) subscribe(ctx context.Context, l *link, to chan<- live) error {
	for _, r := range fl.repos {
		s, err := l.nc.Subscribe(enrol.StoredPrefix+r.filter, func(m *nats.Msg) { fl.announce(r, to, m) })
		if err != nil {
			return requestError(context.WithoutCancel(fl.c.life), err)
		}
		context.AfterFunc(ctx, func() {
			fl.c.spawn(func() { s.Unsubscribe() }) // it may block too; its only error is that the connection is closed
		})
	}
	return nil
}

// announce passes an announcement on. It is called by the library.
func (fl *following) announce(r *followedRepository, to chan<- live, announced *nats.Msg) {
	m, err := parseMessage(announced)
	if err != nil {
		return // a poll finds what it was for
	}
	if announced.Header.Get(sizeHeader) == "" {
		select {
		case to <- live{r, m}:
			return
		default: // the follower is slow
		}
	}
	fl.note(r.filter, m.Seq)
}

// note makes the follower fetch a message.
func (fl *following) note(filter string, seq uint64) {
	fl.mu.Lock()
	fl.announced[filter] = max(fl.announced[filter], seq)
	fl.mu.Unlock()
	select {
	case fl.wake <- struct{}{}:
	default:
	}
}

func (fl *following) lastAnnounced(filter string) uint64 {
	fl.mu.Lock()
	defer fl.mu.Unlock()
	return fl.announced[filter]
}

// checkStream compares the stream with the positions, and goes back to the beginning where messages
// were lost.
func (fl *following) checkStream(ctx context.Context, l *link) error {
	info, err := run(ctx, fl.c, func(ctx context.Context) (*streamInfo, error) { return l.info(ctx, fl.stream) })
	if err != nil {
		return err
	}
	epoch, shorter := info.Created.UnixNano(), false
	for _, r := range fl.repos {
		if r.After.Epoch != 0 && r.After.Epoch != epoch {
			if err := fl.rewind(r); err != nil {
				return err
			}
		}
		r.After.Epoch = epoch
		shorter = shorter || info.State.LastSeq < r.After.Seq
	}
	fl.previous, fl.last = fl.complete, info.State.LastSeq
	if info.level() {
		fl.complete = fl.last
	}
	switch {
	case !shorter:
		fl.shorter = time.Time{}
	case fl.shorter.IsZero():
		fl.shorter = time.Now()
		return fmt.Errorf("%w: %s is shorter than before; waiting whether that stays", ErrUnavailable, fl.stream)
	case time.Since(fl.shorter) < fl.c.o.Tune.RewindGrace:
		return fmt.Errorf("%w: %s is shorter than before; waiting whether that stays", ErrUnavailable, fl.stream)
	default:
		fl.shorter = time.Time{}
		for _, r := range fl.repos {
			if err := fl.rewind(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// rewind begins a repository again.
func (fl *following) rewind(r *followedRepository) error {
	fl.c.o.Log.Warn("the team's servers have lost messages; fetching all again", "stream", fl.stream)
	r.After.Seq, r.settled, r.newest, r.caught = 0, 0, 0, false
	clear(r.early)
	clear(r.latest)
	for len(fl.live) > 0 { // sequences of what is gone
		<-fl.live
	}
	fl.previous, fl.complete, fl.last = 0, 0, 0
	fl.mu.Lock()
	delete(fl.announced, r.filter)
	fl.mu.Unlock()
	if fl.f.Rewound == nil {
		return nil
	}
	return ended(fl.f.Rewound(r.Repo))
}

func ended(err error) error {
	if err == nil {
		return nil
	}
	return &followerError{err}
}

// deliver delivers what is stored after the positions.
func (fl *following) deliver(ctx context.Context, l *link) error {
	for _, r := range fl.repos {
		// A replica that answers may be behind the others, such as after it was cut off. What is
		// stored is fetched at each poll until it was fetched after none was behind.
		if r.caught && fl.lastAnnounced(r.filter) <= r.After.Seq && fl.last <= r.settled {
			continue
		}
		settled := fl.previous
		if err := fl.deliverRepo(ctx, l, r); err != nil {
			return err
		}
		r.settled = max(r.settled, settled)
	}
	return nil
}

// maxLag is how often a follower asks again for a message that was announced and that the replica
// which answers does not have yet; the time doubles each time, from lagDelay on.
const (
	maxLag   = 7
	lagDelay = 10 * time.Millisecond
)

// deliverRepo delivers all of one repository, with what was announced.
func (fl *following) deliverRepo(ctx context.Context, l *link, r *followedRepository) error {
	for lag := 0; ; {
		some, more, err := fl.deliverBatch(ctx, l, r)
		if err != nil {
			return err
		}
		announced := fl.lastAnnounced(r.filter)
		switch {
		case more, some && announced > r.After.Seq:
			lag = 0
		case announced <= r.After.Seq:
			return nil
		case lag == maxLag: // an administrator has removed it
			fl.forget(r.filter, announced)
			return nil
		default:
			if !wait(ctx, lagDelay<<lag) {
				return ctx.Err()
			}
			lag++
		}
	}
}

// deliverBatch delivers the next messages of a repository, and reports whether there were some and
// whether there are more.
func (fl *following) deliverBatch(ctx context.Context, l *link, r *followedRepository) (some, more bool, err error) {
	from := r.After.Seq + 1
	batch, failed := run(ctx, fl.c, func(ctx context.Context) (batch, error) { return l.fetch(ctx, fl.stream, r.filter, from) })
	if ctx.Err() != nil {
		return false, false, ctx.Err()
	}
	for _, m := range batch.messages {
		if err := fl.deliverFetched(ctx, r, m); err != nil {
			return false, false, err
		}
	}
	if failed != nil {
		return false, false, failed
	}
	caught := batch.pending == 0
	if fl.f.Advanced != nil && (caught != r.caught || len(batch.messages) > 0) {
		if err := ended(fl.f.Advanced(r.Position, batch.pending)); err != nil {
			return false, false, err
		}
	}
	r.caught = caught
	maps.DeleteFunc(r.early, func(seq uint64, _ bool) bool { return seq <= r.After.Seq }) // replaced since
	maps.DeleteFunc(r.latest, func(_ fact, seq uint64) bool { return seq <= r.After.Seq })
	return len(batch.messages) > 0, !caught, nil
}

// deliverFetched delivers a message that was fetched, unless it or a later version of the fact was
// delivered as it was announced: a replica that is behind still has what that replaced.
func (fl *following) deliverFetched(ctx context.Context, r *followedRepository, m *Message) error {
	early := r.early[m.Seq] || m.Seq < r.latest[factOf(m)]
	delete(r.early, m.Seq)
	r.After.Seq, r.newest, r.caught = m.Seq, max(r.newest, m.Seq), false
	if early {
		return nil
	}
	if err := ended(fl.f.Message(m)); err != nil || fl.limit == nil {
		return err
	}
	return fl.limit(ctx, m)
}

// forget forgets an announcement.
func (fl *following) forget(filter string, seq uint64) {
	fl.mu.Lock()
	defer fl.mu.Unlock()
	if fl.announced[filter] == seq {
		delete(fl.announced, filter)
	}
}
