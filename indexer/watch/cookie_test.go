//go:build linux

package watch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// TestSync checks that changes made before Sync have been taken from Batches when it returns, long
// before the watcher would have reported them.
func TestSync(t *testing.T) {
	cookies := filepath.Join(t.TempDir(), "made", "cookies")
	b := newBench(t, Options{Debounce: time.Hour, Cookies: cookies}, nil)
	for n := range 10 {
		path := fmt.Sprintf("d%d/f.txt", n)
		b.write(path, "x")
		synced := make(chan error, 1)
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			synced <- b.w.Sync(ctx)
		}()
		seen := false
		for done := false; !done; {
			select {
			case batch := <-b.w.Batches():
				for _, p := range batch.Paths {
					seen = seen || p == path
				}
			case err := <-synced:
				if done = true; err != nil {
					t.Fatal(err)
				}
			}
		}
		if !seen {
			t.Fatalf("%s was not told of", path)
		}
	}
}

// TestSyncUnavailable checks that Sync reports when it is of no use, and ends with its context and
// its watcher.
func TestSyncUnavailable(t *testing.T) {
	if err := newBench(t, Options{}, nil).w.Sync(t.Context()); !errors.Is(err, ErrUnwatched) {
		t.Errorf("without a folder: %v", err)
	}
	if err := newBench(t, Options{Budget: -1, Cookies: t.TempDir()}, nil).w.Sync(t.Context()); !errors.Is(err, ErrUnwatched) {
		t.Errorf("without watches: %v", err)
	}
	cookies := t.TempDir()
	b := newBench(t, Options{Debounce: time.Hour, Cookies: cookies}, nil)
	b.write("a.txt", "x") // is never taken
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := b.w.Sync(ctx); err == nil {
		t.Error("it returned though nothing was taken")
	}
}

// TestSyncWhileFilesChange checks that an endless stream of changes does not delay Sync.
func TestSyncWhileFilesChange(t *testing.T) {
	b := newBench(t, Options{Cookies: t.TempDir()}, nil)
	stop, done, read := make(chan struct{}), make(chan error, 1), make(chan struct{})
	go keepWriting(b, stop, done)
	go func() {
		defer close(read)
		for range b.w.Batches() {
		}
	}()
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		if err := b.w.Sync(ctx); err != nil {
			t.Error(err)
		}
		cancel()
	}
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := b.w.Close(); err != nil {
		t.Error(err)
	}
	<-read
}
