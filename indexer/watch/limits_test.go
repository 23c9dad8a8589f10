package watch

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func TestSystemRefuses(t *testing.T) {
	cases := []struct {
		name    string
		refuse  func(dir string, n int64) error
		watches int
		says    string
	}{
		{"no watcher", func(dir string, _ int64) error {
			if dir == "" {
				return syscall.EMFILE
			}
			return nil
		}, 0, "max_user_instances"},
		{"no more watches", func(dir string, n int64) error {
			if dir != "" && n > 3 {
				return syscall.ENOSPC
			}
			return nil
		}, 3, "max_user_watches"},
		{"nothing works", func(dir string, _ int64) error { return syscall.ENOSYS }, 0, "not implemented"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var lifted atomic.Bool
			var n atomic.Int64
			opts := Options{PollEvery: 10 * time.Millisecond, Reconcile: 100 * time.Millisecond,
				Extra: []string{".git/HEAD"}, refuse: func(dir string) error {
					if lifted.Load() {
						return nil
					}
					if dir != "" {
						n.Add(1)
					}
					return c.refuse(dir, n.Load())
				}}
			b := newBench(t, opts, func(root string) {
				for i := range 10 {
					write(t, filepath.Join(root, fmt.Sprintf("d%d/f", i)), "x")
				}
				write(t, filepath.Join(root, ".git/HEAD"), "x")
			})
			s := b.w.Status()
			if s.Mode != "poll" || s.Watches != c.watches || s.Polled == 0 || !strings.Contains(s.Err, c.says) {
				t.Fatalf("status %+v", s)
			}
			b.alive("d9/f")
			b.alive("d0/new/f")
			b.write(".git/HEAD", "changed")
			b.until(func() bool { return b.extra[".git/HEAD"] })
			lifted.Store(true)
			b.eventually("watches are set when the system gives them again", func() bool {
				drain(b)
				return b.w.Status().Mode == "inotify" && b.w.Status().Err == ""
			})
			b.alive("d9/f")
		})
	}
}

func TestSystemEndsByItself(t *testing.T) {
	b := newBench(t, Options{PollEvery: 10 * time.Millisecond}, func(root string) { write(t, filepath.Join(root, "d/f"), "x") })
	b.do(b.w.system.fs.Close())
	b.until(func() bool { return b.rescan })
	b.eventually("it polls", func() bool { return b.w.Status().Mode == "poll" })
	b.alive("d/f")
}

func TestDefaultBudget(t *testing.T) {
	if n := defaultBudget(); n < 1 || n > maxBudget {
		t.Errorf("budget %d", n)
	}
}
