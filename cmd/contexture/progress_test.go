package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contexture-dev/contexture/indexer"
)

type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// watch shows the states of an index that has each for a second, in the bubble's time.
func watch(w io.Writer, states ...indexer.Status) error {
	p := newProgress(&environment{stderr: w, getenv: func(string) string { return "" }})
	begun := time.Now()
	return p.during(context.Background(), func(context.Context) error {
		<-time.After(time.Duration(len(states))*time.Second - time.Millisecond)
		return nil
	}, func(context.Context) (phase, bool) {
		i := int(time.Since(begun) / time.Second)
		return phaseOf(states[min(i, len(states)-1)]), true
	})
}

func TestProgressIsALineEveryFewSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		scanning, reading := indexer.Status{State: indexer.Scanning}, indexer.Status{State: indexer.Indexing, FilesTotal: 2000, Queue: 1500}
		var b strings.Builder
		err := watch(&b,
			scanning, scanning, // quiet
			reading, reading, reading, // one line
			indexer.Status{State: indexer.Idle, Chunks: 9000, Pending: 8000},
			indexer.Status{State: indexer.Idle, Chunks: 9000, Pending: 7000}, indexer.Status{State: indexer.Idle, Chunks: 9000, Pending: 6000},
			indexer.Status{State: indexer.Indexing},
		)
		want := "Reading files: 500 of 2,000 files\nMaking vectors: 1,000 of 9,000 pieces\nReading the Git history\n"
		if err != nil || b.String() != want {
			t.Errorf("%v, said:\n%swant:\n%s", err, b.String(), want)
		}
	})
}

func TestShortWaitsSayNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		if err := watch(&b, indexer.Status{State: indexer.Scanning}, indexer.Status{State: indexer.Idle}); err != nil || b.Len() > 0 {
			t.Errorf("%v, said %q", err, b.String())
		}
	})
}

// TestProgressEndsWithItsWork checks that the error is that of the work, and that the display ends
// with it at once.
func TestProgressEndsWithItsWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		odd, begun := errors.New("write: no space left on device"), time.Now()
		p := newProgress(&environment{stderr: io.Discard, getenv: func(string) string { return "" }})
		err := p.during(t.Context(), func(context.Context) error {
			<-time.After(5*time.Second + time.Millisecond)
			return odd
		}, func(context.Context) (phase, bool) { return phase{}, false })
		if !errors.Is(err, odd) || time.Since(begun) != 5*time.Second+time.Millisecond {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
		if text := explain(err).Error(); !strings.Contains(text, "free some space") {
			t.Errorf("no hint: %s", text)
		}
	})
}

// The bar is drawn and erased, whatever the figures are, and no goroutine continues to draw: the
// bubble would not end.
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

// A phase without a total is a spinner, which turns each time the index is checked.
func TestSpinnerTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		p := &progress{w: &b, terminal: true, now: time.Now}
		seen := map[string]bool{}
		for range 4 {
			b.Reset()
			p.show(phase{name: "Looking for files"})
			<-time.After(100 * time.Millisecond) // by the bubble's clock
			turned, _, _ := strings.Cut(b.String(), "Looking")
			seen[strings.TrimSpace(turned)] = true
		}
		p.end()
		if len(seen) != 4 || p.bar != nil {
			t.Errorf("drew %v", seen)
		}
	})
}
