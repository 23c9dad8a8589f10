//go:build linux

package bench

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
)

// crowd is a group of clients of one workspace: each sends requests, edits buffers and appends,
// with pauses in between.
type crowd struct {
	think   time.Duration
	until   time.Time
	members []*member

	mu       sync.Mutex // guards all below
	took     map[string][]time.Duration
	degraded int
	faults   []error
}

// member is one client's state.
type member struct {
	c        *client
	next     *client // another client, which must not see its buffers
	name     string
	rand     *rand.Rand
	talk     *speaker
	files    []string            // of the workspace, to open; they always exist
	said     map[string][]string // ids that were acknowledged, by conversation, in order
	count    int
	buffers  int
	canceled int
}

// sharedTalk returns the name of the conversation that everybody appends to. After a number of
// messages of a member another one begins, so that each can be read in one window.
const (
	sharedTalk   = "together"
	talkMessages = 100
)

// own returns the name of the member's current conversation.
func (m *member) own() string { return fmt.Sprintf("%s.%d", m.name, m.count/talkMessages) }

// newCrowd prepares clients that pause for the given time on average between two requests and end
// after d.
func newCrowd(clients []*client, g *grown, think, d time.Duration) *crowd {
	w := &crowd{think: think, until: time.Now().Add(d), took: map[string][]time.Duration{}}
	for i, c := range clients {
		w.members = append(w.members, &member{
			c: c, next: clients[(i+1)%len(clients)], name: fmt.Sprintf("m%d", i), rand: rand.New(rand.NewPCG(uint64(i), 77)),
			talk: newSpeaker(uint64(100 + i)), files: g.branch[:min(50, len(g.branch))], said: map[string][]string{},
		})
	}
	return w
}

// run works until the time is over.
func (w *crowd) run() {
	var wait sync.WaitGroup
	for _, m := range w.members {
		wait.Go(func() {
			for time.Now().Before(w.until) {
				<-time.After(time.Duration(m.rand.ExpFloat64() * float64(w.think)))
				if err := w.act(m); err != nil {
					w.fail(fmt.Errorf("%s: %w", m.name, err))
				}
			}
		})
	}
	wait.Wait()
}

func (w *crowd) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, err)
}

// timed runs do and records the time taken.
func (w *crowd) timed(what string, do func() error) error {
	begin := time.Now()
	if err := do(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.took[what] = append(w.took[what], time.Since(begin))
	return nil
}

// act performs one random action of an editor.
func (w *crowd) act(m *member) error {
	command := func(what, name string, args map[string]any) error {
		return w.timed(what, func() error { return m.c.command(name, args, nil) })
	}
	switch n := m.rand.IntN(100); {
	case n < 25:
		return w.timed("bundle", func() error { return w.bundle(m) })
	case n < 45:
		return command("search", "contexture.search", map[string]any{"query": m.talk.question()})
	case n < 60:
		return w.timed("append", m.append)
	case n < 68:
		return command("recall", "contexture.recall", map[string]any{"query": m.talk.question()})
	case n < 76 && len(m.said[m.own()]) > 0:
		return command("window", "contexture.conversation.window", map[string]any{"conversationId": m.own()})
	case n < 88:
		return w.timed("edit", m.edit)
	case n < 95:
		return command("status", "contexture.index.status", map[string]any{})
	}
	return m.takeBack()
}

// bundle requests a bundle in the member's own conversation.
func (w *crowd) bundle(m *member) error {
	var b bundled
	err := m.c.command("contexture.bundle", map[string]any{"prompt": m.talk.question(), "conversationId": m.own(), "budget": 12_000}, &b)
	if err == nil && b.Tokens > 12_000 {
		err = fmt.Errorf("%d tokens are over the budget", b.Tokens)
	}
	if len(b.Degraded) > 0 {
		w.mu.Lock()
		w.degraded++
		w.mu.Unlock()
	}
	return err
}

// append appends a turn.
func (m *member) append() error { return m.speak()() }

// speak makes up a turn, and returns a function that appends it, to the member's own or the shared
// conversation. That function may be called again if it is unknown whether the turn was stored:
// messages have ids.
func (m *member) speak() (say func() error) {
	conversation := m.own()
	if m.rand.IntN(2) == 0 {
		conversation = fmt.Sprintf("%s.%d", sharedTalk, m.count/talkMessages)
	}
	turn := m.talk.turn(3)
	var ids []string
	for i := range turn {
		m.count++
		turn[i].ID = fmt.Sprintf("%s-%d", m.name, m.count)
		ids = append(ids, turn[i].ID)
	}
	return func() error {
		if _, err := m.c.append(conversation, turn); err != nil {
			return err
		}
		m.said[conversation] = append(m.said[conversation], ids...)
		return nil
	}
}

// edit opens a file, puts one word into its buffer and another in its place, and closes it unsaved:
// the member finds only the current word, and another client finds neither.
func (m *member) edit() error {
	file := m.files[m.rand.IntN(len(m.files))]
	uri := fileURI(m.c.root + "/" + file)
	words := []string{}
	for range 2 {
		m.buffers++
		words = append(words, fmt.Sprintf("zvq%sx%dwk", m.name, m.buffers))
	}
	text := func(word string) string { return "# " + word + " " + m.talk.text(5, ".") + "\n" }
	var errs []error
	tell := func(method string, params map[string]any) { errs = append(errs, m.c.notify(method, params)) }
	sees := func(c *client, word string, want bool) {
		var r found
		err := c.command("contexture.search", map[string]any{"query": word, "mode": "lexical", "limit": 3, "deadlineMs": 30_000}, &r)
		if err == nil && (len(r.Hits) > 0) != want {
			err = fmt.Errorf("%s in an unsaved buffer of %s: seen %t, want %t (%v)", word, file, !want, want, r.Degraded)
		}
		errs = append(errs, err)
	}
	tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "x", "version": 1, "text": text(words[0])}})
	sees(m.c, words[0], true)
	tell("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": 2}, "contentChanges": []any{map[string]any{"text": text(words[1])}},
	})
	sees(m.c, words[1], true)
	sees(m.c, words[0], false)
	if m.next != m.c {
		sees(m.next, words[1], false)
	}
	tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
	sees(m.c, words[1], false)
	return errors.Join(errs...)
}

// takeBack cancels a bundle, which is answered either way.
func (m *member) takeBack() error {
	q, err := m.c.beginCommand("contexture.bundle", map[string]any{"prompt": m.talk.question(), "conversationId": m.own()})
	if err == nil {
		err = q.cancel()
	}
	if err == nil {
		err = q.wait(nil)
	}
	var refused *failure
	if errors.As(err, &refused) && refused.Code == -32800 {
		m.canceled++
		return nil
	}
	return err
}

// lost compares the messages acknowledged with those stored: each message once, and each member's
// in their order.
func (w *crowd) lost(c *client) (lost int, err error) {
	want := map[string]map[string][]string{} // by conversation and member
	for _, m := range w.members {
		for conversation, ids := range m.said {
			if want[conversation] == nil {
				want[conversation] = map[string][]string{}
			}
			want[conversation][m.name] = ids
		}
	}
	for conversation, members := range want {
		there, err := c.said(conversation)
		if err != nil {
			return 0, err
		}
		for name, ids := range members {
			got := there[name]
			if slices.Equal(got, ids) {
				continue
			}
			err := fmt.Errorf("%s in %s: %d messages acknowledged, %d there, or in another order", name, conversation, len(ids), len(got))
			w.fail(err)
			lost += max(1, len(ids)-len(got))
		}
	}
	return lost, nil
}

// said lists the ids of a conversation's messages in order, by the part before the dash.
func (c *client) said(conversation string) (map[string][]string, error) {
	var r struct {
		Strategy string `json:"strategy"`
		Messages []struct {
			ID string `json:"id"`
		} `json:"messages"`
	}
	err := c.command("contexture.conversation.window", map[string]any{"conversationId": conversation, "budget": 1_000_000, "arcBudget": 0}, &r)
	if err == nil && r.Strategy != "full" {
		err = fmt.Errorf("the window of %s is %s, not all of it", conversation, r.Strategy)
	}
	out := map[string][]string{}
	for _, m := range r.Messages {
		name, _, _ := strings.Cut(m.ID, "-")
		out[name] = append(out[name], m.ID)
	}
	return out, err
}
