package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contexture-dev/contexture/indexer"
)

// steps is an index that goes on by one state at every look.
type steps struct {
	states []indexer.Status
	clock  *clock
}

func (s *steps) Status() indexer.Status {
	st := s.states[0]
	if len(s.states) > 1 {
		s.states = s.states[1:]
	}
	s.clock.at = s.clock.at.Add(time.Second)
	return st
}

func (s *steps) Changed() <-chan struct{} {
	changed := make(chan struct{})
	close(changed)
	return changed
}

type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func watch(w io.Writer, states ...indexer.Status) (indexer.Status, error) {
	c := &clock{at: time.Unix(0, 0)}
	p := &progress{w: w, now: c.now, redraw: time.Hour, quiet: 2 * time.Second, every: 3 * time.Second}
	return waitForIndex(context.Background(), &steps{states, c}, p)
}

func TestProgressIsALineEveryFewSeconds(t *testing.T) {
	reading := indexer.Status{State: indexer.Indexing, FilesTotal: 2000, Queue: 1500}
	var b strings.Builder
	st, err := watch(&b,
		indexer.Status{State: indexer.Scanning}, indexer.Status{State: indexer.Scanning}, // quiet
		reading, reading, reading, // one line
		indexer.Status{State: indexer.Idle, Chunks: 9000, Pending: 8000},
		indexer.Status{State: indexer.Idle, Chunks: 9000, Pending: 7000}, indexer.Status{State: indexer.Idle, Chunks: 9000, Pending: 6000},
		indexer.Status{State: indexer.Indexing},
		indexer.Status{State: indexer.Idle, Files: 2000},
	)
	want := "Reading files: 500 of 2,000 files\nMaking vectors: 1,000 of 9,000 pieces\nReading the Git history\n"
	if err != nil || st.Files != 2000 || b.String() != want {
		t.Errorf("%v, %d files, said:\n%swant:\n%s", err, st.Files, b.String(), want)
	}
}

func TestShortWaitsSayNothing(t *testing.T) {
	var b strings.Builder
	if _, err := watch(&b, indexer.Status{State: indexer.Scanning}, indexer.Status{State: indexer.Idle}); err != nil || b.Len() > 0 {
		t.Errorf("%v, said %q", err, b.String())
	}
}

func TestFailedIndexSaysWhy(t *testing.T) {
	_, err := watch(io.Discard, indexer.Status{State: indexer.Failed, Errors: []string{"old", "write: no space left on device"}})
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Fatalf("got %v", err)
	}
	if text := explain(err).Error(); !strings.Contains(text, "free some space") {
		t.Errorf("no hint: %s", text)
	}
	if _, err := watch(io.Discard, indexer.Status{State: indexer.Failed}); err == nil {
		t.Error("no error without a reason")
	}
}

func TestInterruptedWait(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	never := &still{indexer.Status{State: indexer.Scanning}}
	_, err := waitForIndex(ctx, never, &progress{w: io.Discard, now: time.Now, redraw: time.Hour})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if text := explain(err).Error(); !strings.HasPrefix(text, "stopped") {
		t.Errorf("says %q", text)
	}
}

// still is an index that does not go on.
type still struct{ st indexer.Status }

func (s *still) Status() indexer.Status   { return s.st }
func (s *still) Changed() <-chan struct{} { return nil }

// The bar is drawn and wiped out again, whatever the figures are, and leaves nothing that goes on
// drawing: the bubble does not end before its goroutines.
func TestBar(t *testing.T) { synctest.Test(t, bar) }

func bar(t *testing.T) {
	var b strings.Builder
	c := &clock{at: time.Unix(0, 0)}
	p := &progress{w: &b, terminal: true, now: c.now}
	p.show(phase{name: "Looking for files"})
	for _, ph := range []phase{{"Reading files", "files", 0, 10}, {"Reading files", "files", 5, 20}, {"Reading files", "files", 20, 20}, {"Reading files", "files", 20, 5}, {"Making vectors", "pieces", 1, 2}} {
		c.at = c.at.Add(time.Second)
		p.show(ph)
	}
	p.end()
	if !strings.Contains(b.String(), "Reading files") || p.bar != nil {
		t.Errorf("drew %q", b.String())
	}
}

// A phase without a total is a spinner, which turns as often as the index is looked at.
func TestSpinnerTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		p := &progress{w: &b, terminal: true, now: time.Now}
		seen := map[string]bool{}
		for range 4 {
			b.Reset()
			p.show(phase{name: "Looking for files"})
			<-time.After(100 * time.Millisecond) // by the clock of the bubble
			turned, _, _ := strings.Cut(b.String(), "Looking")
			seen[strings.TrimSpace(turned)] = true
		}
		p.end()
		if len(seen) != 4 || p.bar != nil {
			t.Errorf("drew %v", seen)
		}
	})
}

// embedding is a model that is done after some changes.
type embedding struct {
	list []indexer.ModelStatus
	ch   chan struct{}
}

func (e *embedding) ModelStatus() indexer.ModelStatus {
	st := e.list[0]
	if len(e.list) > 1 {
		e.list = e.list[1:]
	}
	return st
}

func (e *embedding) Changed() <-chan struct{} { return e.ch }

func TestWaitForModel(t *testing.T) {
	done := make(chan struct{})
	close(done)
	for name, list := range map[string][]indexer.ModelStatus{
		"all embedded":  {{}, {Name: "m", Total: 9, Pending: 9}, {Name: "m", Total: 9, Pending: 2}, {Name: "m", Total: 9, Pending: 1, Failed: 1}},
		"the model out": {{Name: "m", Total: 9, Pending: 9}, {Name: "m", Total: 9, Pending: 5, Problem: "gone"}},
	} {
		e := &embedding{list: list, ch: done}
		if err := waitForModel(t.Context(), e, newProgress(&environment{getenv: os.Getenv, stderr: io.Discard})); err != nil || len(e.list) != 1 {
			t.Errorf("%s: %v, %d states left", name, err, len(e.list))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := &embedding{list: []indexer.ModelStatus{{Name: "m", Total: 9, Pending: 9}}, ch: make(chan struct{})}
	if err := waitForModel(ctx, e, newProgress(&environment{getenv: os.Getenv, stderr: io.Discard})); err == nil {
		t.Error("went on after the end")
	}
}
