package capture

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// keeper is a Store in memory.
type keeper struct {
	mu     sync.Mutex // guards all below
	talks  map[string][]dialogue.Message
	titles map[string]string
	cwds   map[string]string
	forks  map[string]string
	fails  error
	left   string
	waits  int           // batches stored and not yet waited for
	most   int           // the highest value of waits
	stored chan struct{} // capacity 1
}

func newKeeper() *keeper {
	return &keeper{talks: map[string][]dialogue.Message{}, titles: map[string]string{}, cwds: map[string]string{}, forks: map[string]string{}, stored: make(chan struct{}, 1)}
}

// Store implements Store.
func (k *keeper) Store(_ context.Context, a Addition) (StoreResult, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fails != nil || k.left != "" {
		return StoreResult{Left: k.left}, k.fails
	}
	added := 0
	for _, m := range a.Messages {
		if slices.ContainsFunc(k.talks[a.Conversation], func(o dialogue.Message) bool { return o.ID == m.ID && m.ID != "" }) {
			continue
		}
		k.talks[a.Conversation] = append(k.talks[a.Conversation], m)
		added++
	}
	if a.Title != "" {
		k.titles[a.Conversation] = a.Title
	}
	k.cwds[a.Conversation] = a.Cwd
	k.forks[a.Conversation] = a.ForkOf
	select {
	case k.stored <- struct{}{}:
	default:
	}
	k.waits++
	k.most = max(k.most, k.waits)
	return StoreResult{Added: added, Wait: func() error {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.waits--
		return nil
	}}, nil
}

// text formats the stored messages, one a line.
func (k *keeper) text() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(k.talks)) {
		fmt.Fprintf(&b, "== %s", id)
		if k.cwds[id] != "" {
			fmt.Fprintf(&b, " in %s", k.cwds[id])
		}
		if k.titles[id] != "" {
			fmt.Fprintf(&b, ": %s", k.titles[id])
		}
		b.WriteString("\n")
		for _, m := range k.talks[id] {
			b.WriteString(messageLine(m))
		}
	}
	return b.String()
}

// messageLine formats a message: role, text, {reasoning}, [tool arguments → result].
func messageLine(m dialogue.Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", m.Role, strings.ReplaceAll(m.Content, "\n", "⏎"))
	if m.Reasoning != "" {
		fmt.Fprintf(&b, " {%s}", strings.ReplaceAll(m.Reasoning, "\n", "⏎"))
	}
	for _, c := range m.ToolCalls {
		mark := "→"
		if c.IsError {
			mark = "✗"
		}
		fmt.Fprintf(&b, " [%s %s %s %s]", c.Name, c.Arguments, mark, c.Result)
	}
	return b.String() + "\n"
}

func (k *keeper) count() (n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, talk := range k.talks {
		n += len(talk)
	}
	return n
}

// clock is a time set by tests.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// bench is a follower over a home folder.
type bench struct {
	t        testing.TB
	home     string
	state    string
	roots    []string
	keeper   *keeper
	clock    *clock
	follower *Follower
}

func newBench(t testing.TB, roots ...string) *bench {
	b := &bench{t: t, home: t.TempDir(), state: t.TempDir(), roots: roots, keeper: newKeeper(), clock: &clock{now: time.Now()}}
	b.restart()
	return b
}

// restart replaces the follower by another process with the same state.
func (b *bench) restart() {
	b.follower = New(Options{
		StateDir: b.state, Store: b.keeper, Now: b.clock.Now,
		Environment: Environment{Home: b.home, Roots: func() []string { return b.roots }},
	})
}

func (b *bench) path(rel string) string { return filepath.Join(b.home, filepath.FromSlash(rel)) }

func (b *bench) write(rel, text string) {
	b.t.Helper()
	writeAt(b.t, b.path(rel), text)
}

func writeAt(t testing.TB, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) append(rel, text string) {
	b.t.Helper()
	f, err := os.OpenFile(b.path(rel), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		b.t.Fatal(err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		b.t.Fatal(err)
	}
}

// bring imports a source and returns the number of messages stored.
func (b *bench) bring(source string) int {
	b.t.Helper()
	done, err := b.follower.Import(b.t.Context(), []string{source}, time.Time{})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, text := range done[0].Errors {
		b.t.Error(text)
	}
	return done[0].Messages
}

// status returns the status of a source.
func (b *bench) status(source string) SourceStatus {
	b.t.Helper()
	all, err := b.follower.Status()
	if err != nil {
		b.t.Fatal(err)
	}
	for _, st := range all {
		if st.Source == source {
			return st
		}
	}
	b.t.Fatalf("no status of %s", source)
	return SourceStatus{}
}

func (b *bench) want(text string) {
	b.t.Helper()
	if got := b.keeper.text(); got != text {
		b.t.Errorf("kept\n%s\nwant\n%s", got, text)
	}
}
