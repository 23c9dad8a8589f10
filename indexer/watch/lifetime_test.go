package watch

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestStartErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "x")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	cases := []struct {
		name, root, want string
		ctx              context.Context
	}{
		{"relative", "some/where", "not absolute", context.Background()},
		{"missing", filepath.Join(t.TempDir(), "no"), "no such file", context.Background()},
		{"file", file, "not a folder", context.Background()},
		{"cancelled", t.TempDir(), "context canceled", ended},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w, err := Start(c.ctx, Options{Root: c.root})
			if err == nil {
				_ = w.Close()
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v does not say %q", err, c.want)
			}
		})
	}
}

func TestCloseEndsEverything(t *testing.T) {
	before := runtime.NumGoroutine()
	root := t.TempDir()
	for i := range 10 {
		w, err := Start(context.Background(), Options{Root: root, Extra: []string{filepath.Join(root, "x")}})
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, fmt.Sprintf("f%d", i)), "x") // a batch that nobody reads
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal("a second Close:", err)
		}
		w.Inject([]string{"late"})
		w.Refresh()
		if _, ok := <-w.Batches(); ok {
			t.Fatal("a batch after Close")
		}
	}
	deadline := time.Now().Add(patience)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines before, %d after\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
		}
		runtime.Gosched()
	}
}

func TestContextEndsTheWatcher(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	w, err := Start(ctx, Options{Root: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for range w.Batches() {
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
