package indexer

import (
	"context"
	"fmt"
	"testing"
)

// TestLook checks that after Look and Wait the index contains what was written just before, with a
// watcher and without.
func TestLook(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"watched": watched, "unwatched": func(*Options) {},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t)
			w.write("a.go", "package a\n\nfunc First() {}\n")
			x := w.index(change)
			for n := range 20 {
				w.write(fmt.Sprintf("p%d/new.go", n), fmt.Sprintf("package p\n\nfunc Look%d() {}\n", n))
				w.write("a.go", fmt.Sprintf("package a\n\nfunc Changed%d() {}\n", n))
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				if err := x.Look(ctx); err != nil {
					t.Fatal(err)
				}
				cancel()
				settle(t, x)
				s := x.current.Load()
				for _, want := range []string{fmt.Sprintf("Look%d", n), fmt.Sprintf("Changed%d", n)} {
					if len(s.Symbols().Definitions(want, 1)) != 1 {
						t.Fatalf("round %d: %s is not in the index", n, want)
					}
				}
			}
		})
	}
}

// TestLookEnds checks that Look ends with its context, and does nothing for a paused index.
func TestLookEnds(t *testing.T) {
	w := newWorkspace(t)
	w.write("a.go", "package a\n")
	x := w.index(watched, func(o *Options) { o.Paused = true })
	if err := x.Look(t.Context()); err != nil {
		t.Errorf("paused: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := x.Look(ctx); err == nil {
		t.Error("it did not end with its context")
	}
}
