package team

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/stream"
	"github.com/contexture-dev/contexture/server/team/teamtest"
)

// patience bounds how long a test waits for what must happen.
const patience = 180 * time.Second

// hub is a team's servers in memory: one message a subject, in order. Safe for concurrent use.
type hub struct {
	mu      sync.Mutex
	moved   *sync.Cond
	epoch   int64
	seq     uint64
	stored  []*stream.Message // by sequence, without those that were replaced
	down    bool              // no call is answered
	denying bool              // nothing is stored
}

func newHub() *hub {
	h := &hub{epoch: 1}
	h.moved = sync.NewCond(&h.mu)
	return h
}

func (h *hub) change(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
	h.moved.Broadcast()
}

// reset forgets everything, as servers do whose disks were replaced.
func (h *hub) reset() { h.change(func() { h.epoch++; h.seq = 0; h.stored = nil }) }

// put stores a message as the servers would for an author.
func (h *hub) put(repo, author, id string, data []byte) {
	h.change(func() {
		h.seq++
		h.stored = slices.DeleteFunc(h.stored, func(m *stream.Message) bool { return m.Repo == repo && m.Author == author && m.ID == id })
		h.stored = append(h.stored, &stream.Message{Repo: repo, Author: author, ID: id, Seq: h.seq, Stored: time.Now(), Data: slices.Clone(data)})
	})
}

// hubLink is one member's way to a hub.
type hubLink struct {
	hub    *hub
	author string
	ctx    context.Context
	cancel context.CancelFunc
}

func (h *hub) link(ctx context.Context, m *enrol.Membership, _ int) (Link, error) {
	author, err := m.PublicKey()
	if err != nil {
		return nil, err
	}
	l := &hubLink{hub: h, author: author}
	l.ctx, l.cancel = context.WithCancel(ctx)
	context.AfterFunc(l.ctx, func() { h.change(func() {}) })
	return l, nil
}

func (l *hubLink) up(ctx context.Context) error {
	l.hub.mu.Lock()
	defer l.hub.mu.Unlock()
	for l.hub.down {
		if ctx.Err() != nil || l.ctx.Err() != nil {
			return stream.ErrUnavailable
		}
		stop := context.AfterFunc(ctx, func() { l.hub.change(func() {}) })
		l.hub.moved.Wait()
		stop()
	}
	return nil
}

func (l *hubLink) PutFact(ctx context.Context, repo, id string, data []byte) error {
	if err := l.up(ctx); err != nil {
		return err
	}
	l.hub.mu.Lock()
	denying := l.hub.denying
	l.hub.mu.Unlock()
	if denying {
		return stream.ErrFull
	}
	l.hub.put(repo, l.author, id, data)
	return nil
}

func (l *hubLink) Confirm(ctx context.Context, facts []stream.Fact) (holding []int, of int, err error) {
	if err := l.up(ctx); err != nil {
		return nil, 0, err
	}
	l.hub.mu.Lock()
	defer l.hub.mu.Unlock()
	for _, f := range facts {
		n := 0
		for _, m := range l.hub.stored {
			if m.Repo == f.Repo && m.Author == l.author && m.ID == f.ID && string(m.Data) == string(f.Data) {
				n = 1
			}
		}
		holding = append(holding, n)
	}
	return holding, 1, nil
}

func (l *hubLink) Facts(ctx context.Context, from []stream.Position, f stream.Follower) error {
	stop := context.AfterFunc(ctx, func() { l.hub.change(func() {}) })
	defer stop()
	for ctx.Err() == nil {
		for i := range from {
			if err := l.advance(&from[i], f); err != nil {
				return err
			}
		}
		l.hub.mu.Lock()
		for ctx.Err() == nil && (l.hub.down || !slices.ContainsFunc(from, func(p stream.Position) bool { return p.After.Epoch != l.hub.epoch || p.After.Seq < l.hub.seq })) {
			l.hub.moved.Wait()
		}
		l.hub.mu.Unlock()
	}
	return ctx.Err()
}

func (l *hubLink) advance(p *stream.Position, f stream.Follower) error {
	l.hub.mu.Lock()
	epoch, seq, all, down := l.hub.epoch, l.hub.seq, slices.Clone(l.hub.stored), l.hub.down
	l.hub.mu.Unlock()
	if down {
		return nil
	}
	if p.After.Epoch != 0 && p.After.Epoch != epoch {
		p.After.Seq = 0
		if err := f.Rewound(p.Repo); err != nil {
			return err
		}
	}
	for _, m := range all {
		if m.Repo == p.Repo && m.Seq > p.After.Seq {
			if err := f.Message(m); err != nil {
				return err
			}
		}
	}
	p.After = stream.Cursor{Epoch: epoch, Seq: seq}
	return f.Advanced(*p, 0)
}

func (l *hubLink) PutPack(context.Context, string, string, []byte) error { return stream.ErrNoStream }

func (l *hubLink) Packs(ctx context.Context, _ string, _ stream.Position, _ stream.Follower) error {
	<-ctx.Done()
	return ctx.Err()
}

func (l *hubLink) State() stream.State {
	l.hub.mu.Lock()
	defer l.hub.mu.Unlock()
	if l.hub.down {
		return stream.State{LastError: errors.New("down")}
	}
	return stream.State{Connected: true}
}

func (l *hubLink) Close() { l.cancel() }

// person is somebody with a state directory and a clone of their own.
type person struct {
	*testing.T
	name, state, root string
	hub               *hub
	engine            *engine.Engine
	teams             *Teams
}

// crew is a team with a repository that all have a clone of.
type crew struct {
	*testing.T
	hub    *hub
	folder string // of the credentials
	origin string
}

func newCrew(t *testing.T) *crew {
	t.Helper()
	c := &crew{t, newHub(), filepath.Join(t.TempDir(), "team"), filepath.Join(t.TempDir(), "origin")}
	if err := enrol.Init(c.folder, enrol.Options{Team: "Core"}); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(c.origin, 0o755); err != nil {
		t.Fatal(err)
	}
	teamtest.Git(t, c.origin, "init", "-q", "-b", "main")
	teamtest.Git(t, c.origin, "commit", "-q", "--allow-empty", "-m", "first of "+t.Name())
	return c
}

// person returns somebody new with a clone, who has joined nothing.
func (c *crew) person(name string) *person {
	c.Helper()
	p := &person{T: c.T, name: name, state: filepath.Join(c.TempDir(), "state"), root: filepath.Join(c.TempDir(), name), hub: c.hub}
	teamtest.Git(c.T, filepath.Dir(p.root), "clone", "-q", c.origin, p.root)
	p.open()
	c.Cleanup(func() { p.close() })
	return p
}

// member returns somebody who has joined the team.
func (c *crew) member(name string) *person {
	c.Helper()
	p := c.person(name)
	p.join(c.folder)
	return p
}

func (p *person) join(folder string) {
	p.Helper()
	file, err := enrol.Admit(folder, p.name)
	if err != nil {
		p.Fatal(err)
	}
	if _, err := p.teams.Join(p.Context(), p.root, file); err != nil {
		p.Fatal(err)
	}
}

// open starts the person's process.
func (p *person) open() {
	p.Helper()
	e, err := engine.New(engine.Options{StateDir: p.state})
	if err != nil {
		p.Fatal(err)
	}
	p.engine, p.teams = e, New(e)
	p.teams.dial, p.teams.lookAgain = p.hub.link, 20*time.Millisecond
	e.Known(p.root)
	p.teams.Start(context.WithoutCancel(p.Context()))
}

// close ends it.
func (p *person) close() {
	p.teams.Close()
	if err := p.engine.Close(); err != nil {
		p.Error(err)
	}
}

func (p *person) memory() *memory.Workspace {
	p.Helper()
	w, err := p.engine.Memory(context.WithoutCancel(p.Context()), p.root)
	if err != nil {
		p.Fatal(err)
	}
	return w
}

// remembers stores something and returns its id.
func (p *person) remembers(kind, text string) string {
	p.Helper()
	it, ok := knowledge.Worded(kind, text)
	if !ok {
		p.Fatal(kind)
	}
	it, err := p.memory().PutKnowledge(it)
	if err != nil {
		p.Fatal(err)
	}
	return it.ID
}

// shares stores something and marks it.
func (p *person) shares(kind, text string) string {
	p.Helper()
	id, yes := p.remembers(kind, text), true
	if err := p.teams.Mark(p.Context(), p.root, id, &yes); err != nil {
		p.Fatal(err)
	}
	return id
}

// knows returns what the person has: the state of each text, with the author's name where it is
// somebody else's.
func (p *person) knows() map[string]string {
	p.Helper()
	v := p.memory().View()
	defer v.Close()
	items, err := v.Knowledge.List(knowledge.Filter{Superseded: true})
	if err != nil {
		p.Fatal(err)
	}
	out := map[string]string{}
	for i := range items {
		it := &items[i]
		state := string(it.Standing())
		if it.Team != nil {
			state += " by " + it.Team.Name
			if !it.Team.Proven {
				state += "?"
			}
			if len(it.Team.Rivals) > 0 {
				state += " of " + strings.Repeat("|", len(it.Team.Rivals)+1)
			}
		}
		out[it.Content] = state
	}
	return out
}

// item returns the id of the item with a text.
func (p *person) item(text string) string {
	p.Helper()
	v := p.memory().View()
	defer v.Close()
	items, err := v.Knowledge.List(knowledge.Filter{Superseded: true})
	if err != nil {
		p.Fatal(err)
	}
	i := slices.IndexFunc(items, func(it knowledge.Item) bool { return it.Content == text })
	if i < 0 {
		p.Fatalf("%s does not have %q", p.name, text)
	}
	return items[i].ID
}

// awaits waits until the person has a text in a state; "" = until they do not have it.
func (p *person) awaits(text, state string) {
	p.Helper()
	p.until(func() bool { return p.knows()[text] == state }, func() string { return text + " is not " + state })
}

func (p *person) until(holds func() bool, what func() string) {
	p.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline.C:
			s, err := p.teams.Status(p.Context(), p.root)
			p.Fatalf("%s: %s; has %v; %+v %v", p.name, what(), p.knows(), s, err)
		}
	}
}

func (p *person) status() Status {
	p.Helper()
	s, err := p.teams.Status(p.Context(), p.root)
	if err != nil {
		p.Fatal(err)
	}
	return s
}

// delivers waits until the servers have everything.
func (p *person) delivers() {
	p.Helper()
	p.until(func() bool { return p.status().Outbox == 0 }, func() string { return "facts are not delivered" })
}
