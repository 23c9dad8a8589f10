package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFileChanges(t *testing.T) {
	cases := []struct {
		name   string
		before []string
		change func(b *bench)
		want   []string
	}{
		{"write", []string{"a.go"}, func(b *bench) { b.write("a.go", "x") }, []string{"a.go"}},
		{"create", nil, func(b *bench) { b.write("new.go", "x") }, []string{"new.go"}},
		{"delete", []string{"d/a.go"}, func(b *bench) { b.do(os.Remove(b.abs("d/a.go"))) }, []string{"d/a.go"}},
		{"chmod", []string{"a.sh"}, func(b *bench) { b.do(os.Chmod(b.abs("a.sh"), 0o700)) }, []string{"a.sh"}},
		{"atomic save", []string{"d/a.go"}, func(b *bench) {
			b.write("d/.a.go.tmp", "new")
			b.do(os.Rename(b.abs("d/.a.go.tmp"), b.abs("d/a.go")))
		}, []string{"d/a.go"}},
		{"save by way of a backup", []string{"a.go"}, func(b *bench) {
			b.do(os.Rename(b.abs("a.go"), b.abs("a.go~")))
			b.write("a.go", "new")
			b.do(os.Remove(b.abs("a.go~")))
		}, []string{"a.go", "a.go~"}},
		{"file becomes folder", []string{"x"}, func(b *bench) {
			b.do(os.Remove(b.abs("x")))
			b.write("x/in.go", "x")
		}, []string{"x", "x/in.go"}},
		{"folder becomes file", []string{"x/in.go"}, func(b *bench) {
			b.do(os.RemoveAll(b.abs("x")))
			b.write("x", "x")
		}, []string{"x"}},
		{"odd names", []string{"d/a"}, func(b *bench) {
			for _, n := range []string{"d/line\nend", "d/q\"'", "d/b\xff", "d/…", ".../x"} {
				b.write(n, "x")
			}
		}, []string{"d/line\nend", "d/q\"'", "d/b\xff", "d/…", "...", ".../x"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, Options{}, func(root string) {
				for _, f := range c.before {
					write(t, filepath.Join(root, f), "old")
				}
			})
			c.change(b)
			b.wants(c.want...)
		})
	}
}

func TestFolderChanges(t *testing.T) {
	cases := []struct {
		name   string
		change func(b *bench)
		paths  []string
		dirs   []string
		alive  []string // files that must be watched afterwards
	}{
		{"nested creation", func(b *bench) {
			b.do(os.MkdirAll(b.abs("a/b/c"), 0o755))
			b.write("a/b/c/f.go", "x")
		}, []string{"a", "a/b", "a/b/c", "a/b/c/f.go"}, []string{"a"}, []string{"a/f", "a/b/f", "a/b/c/f.go"}},
		{"renamed within", func(b *bench) { b.do(os.Rename(b.abs("old"), b.abs("fresh"))) },
			[]string{"old", "fresh", "fresh/f.go", "fresh/deep/g.go"}, []string{"old", "fresh"}, []string{"fresh/f.go", "fresh/deep/g.go"}},
		{"renamed into a new folder", func(b *bench) {
			b.do(os.Mkdir(b.abs("p"), 0o755))
			b.do(os.Rename(b.abs("old"), b.abs("p/q")))
		}, []string{"old", "p", "p/q", "p/q/deep/g.go"}, []string{"old", "p"}, []string{"p/q/f.go", "p/q/deep/g.go"}},
		{"renamed there and back", func(b *bench) {
			b.do(os.Rename(b.abs("old"), b.abs("else")))
			b.do(os.Rename(b.abs("else"), b.abs("old")))
		}, []string{"old", "else"}, []string{"old"}, []string{"old/f.go", "old/deep/g.go"}},
		{"two swap names", func(b *bench) {
			b.do(os.Rename(b.abs("old"), b.abs("tmp")))
			b.do(os.Rename(b.abs("other"), b.abs("old")))
			b.do(os.Rename(b.abs("tmp"), b.abs("other")))
		}, []string{"old", "other", "other/deep/g.go", "old/h.go"}, []string{"old", "other"}, []string{"other/deep/g.go", "old/h.go"}},
		{"renamed out", func(b *bench) { b.do(os.Rename(b.abs("old"), b.abs("../out"))) },
			[]string{"old"}, []string{"old"}, []string{"other/h.go"}},
		{"renamed in", func(b *bench) {
			write(b.T, b.abs("../away/x/y.go"), "x")
			b.do(os.Rename(b.abs("../away"), b.abs("in")))
		}, []string{"in", "in/x", "in/x/y.go"}, []string{"in"}, []string{"in/x/y.go", "in/z"}},
		{"deleted", func(b *bench) { b.do(os.RemoveAll(b.abs("old"))) },
			[]string{"old"}, []string{"old"}, []string{"other/h.go"}},
		{"deleted and made again", func(b *bench) {
			b.do(os.RemoveAll(b.abs("old")))
			b.write("old/deep/new.go", "x")
		}, []string{"old", "old/deep", "old/deep/new.go"}, []string{"old"}, []string{"old/f.go", "old/deep/g.go"}},
		{"deleted and made again many times", func(b *bench) {
			for range 50 {
				b.do(os.RemoveAll(b.abs("old")))
				b.write("old/deep/new.go", "x")
			}
		}, []string{"old", "old/deep/new.go"}, []string{"old"}, []string{"old/f.go", "old/deep/g.go"}},
		{"moved and deleted at once", func(b *bench) {
			for i := range 50 {
				from, to := fmt.Sprintf("m%d", i), fmt.Sprintf("n%d", i)
				b.do(os.MkdirAll(b.abs(from+"/x"), 0o755))
				b.do(os.Rename(b.abs(from), b.abs(to)))
				b.do(os.RemoveAll(b.abs(to)))
			}
			b.write("end", "x")
		}, []string{"end"}, nil, []string{"old/f.go", "other/h.go"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, Options{}, func(root string) {
				for _, f := range []string{"old/f.go", "old/deep/g.go", "other/h.go"} {
					write(t, filepath.Join(root, f), "old")
				}
			})
			c.change(b)
			b.wants(c.paths...)
			b.until(func() bool {
				return !slices.ContainsFunc(c.dirs, func(d string) bool { return !b.dirs[d] })
			})
			for _, f := range c.alive {
				b.alive(f)
			}
		})
	}
}

func TestRootDeletedAndMadeAgain(t *testing.T) {
	b := newBench(t, Options{PollEvery: 20 * time.Millisecond}, func(root string) { write(t, filepath.Join(root, "d/f"), "x") })
	for range 3 {
		b.forget()
		b.do(os.RemoveAll(b.root))
		b.until(func() bool { return b.rescan })
		b.eventually("no watch left below", func() bool { return b.w.Status().Watches <= 1 })
		b.forget()
		b.write("d/f", "again")
		b.until(func() bool { return b.rescan })
		b.alive("d/f")
	}
	b.do(os.Rename(b.root, b.root+"2"))
	b.until(func() bool { return b.rescan })
	b.do(os.Rename(b.root+"2", b.root))
	b.forget()
	b.until(func() bool { return b.rescan })
	b.alive("d/f")
}

func TestRootReplacedInOneGo(t *testing.T) {
	b := newBench(t, Options{}, nil)
	write(t, b.root+".new/d/f", "x")
	b.do(os.Rename(b.root, b.root+".old"))
	b.do(os.Rename(b.root+".new", b.root))
	b.until(func() bool { return b.rescan })
	b.alive("d/f")
}

func TestManyFilesAtOnce(t *testing.T) {
	b := newBench(t, Options{}, nil)
	var want []string
	for i := range 3000 {
		name := fmt.Sprintf("d%d/e%d/f%d.go", i%30, i%7, i)
		b.write(name, "x")
		want = append(want, name)
	}
	b.wants(want...)
	if b.rescan {
		t.Error("3,000 files are not too many to name")
	}
}

func TestOneFileManyTimes(t *testing.T) {
	b := newBench(t, Options{}, nil)
	f, err := os.Create(b.abs("log"))
	b.do(err)
	defer f.Close()
	for range 20_000 {
		if _, err := f.WriteString("x"); err != nil {
			t.Fatal(err)
		}
	}
	b.write("end", "x")
	b.wants("log", "end")
	if len(b.paths) != 2 {
		t.Errorf("paths %q", sorted(b.paths))
	}
}

func TestBranchSwitch(t *testing.T) {
	const files = 300
	var names []string
	b := newBench(t, Options{Extra: []string{".git/HEAD", ".git/index"}}, func(root string) {
		git(t, root, "init", "-q", "-b", "main")
		write(t, filepath.Join(root, "stays.go"), "x")
		git(t, root, "add", ".")
		git(t, root, "commit", "-q", "-m", "one")
		git(t, root, "checkout", "-q", "-b", "side")
		for i := range files {
			names = append(names, fmt.Sprintf("p%d/q%d/f%d.go", i%10, i%3, i))
			write(t, filepath.Join(root, names[i]), "x")
		}
		git(t, root, "add", ".")
		git(t, root, "commit", "-q", "-m", "two")
		git(t, root, "checkout", "-q", "main")
	})
	for range 2 {
		b.forget()
		git(t, b.root, "checkout", "-q", "side")
		b.wants(names...)
		b.until(func() bool { return b.extra[".git/HEAD"] && b.extra[".git/index"] })
		b.alive(names[files-1])
		git(t, b.root, "checkout", "-q", "-f", "main")
		b.until(func() bool {
			for i := range 10 {
				if !b.dirs[fmt.Sprintf("p%d", i)] {
					return false
				}
			}
			return true
		})
		b.eventually("the watches of the branch are given back", func() bool { return b.w.Status().Watches <= 3 })
	}
	for p := range b.paths {
		if p == ".git" || strings.HasPrefix(p, ".git/") {
			t.Errorf("%q is ignored and was reported", p)
		}
	}
}

func TestIgnoredFoldersGetNoWatch(t *testing.T) {
	ignored := func(rel string) bool { return filepath.Base(rel) == "node_modules" }
	b := newBench(t, Options{IgnoredDir: ignored}, func(root string) {
		write(t, filepath.Join(root, "src/a"), "x")
		for i := range 50 {
			write(t, filepath.Join(root, fmt.Sprintf("node_modules/p%d/i.js", i)), "x")
		}
	})
	if n := b.w.Status().Watches; n > 3 {
		t.Errorf("%d watches for a root, its parent and one folder", n)
	}
	b.write("node_modules/p1/i.js", "y")
	b.write("src/node_modules/z/i.js", "y")
	b.write("src/a", "y")
	b.wants("src/a")
	for p := range b.paths {
		if strings.Contains(p, "node_modules/") {
			t.Errorf("%q was reported", p)
		}
	}
}

func TestRefreshFollowsTheRules(t *testing.T) {
	rules := make(chan string, 1)
	rules <- "build"
	ignored := func(rel string) bool {
		name := <-rules
		defer func() { rules <- name }()
		return rel == name
	}
	b := newBench(t, Options{IgnoredDir: ignored}, func(root string) {
		write(t, filepath.Join(root, "build/deep/a"), "x")
		write(t, filepath.Join(root, "src/deep/a"), "x")
	})
	<-rules
	rules <- "src"
	b.w.Refresh()
	b.until(func() bool { return b.dirs["build"] && b.dirs["src"] })
	b.alive("build/deep/a")
	b.write("src/deep/a", "y")
	b.write("end", "y")
	b.wants("end")
	if b.paths["src/deep/a"] {
		t.Error("src is ignored now and was reported")
	}
}

func TestBudgetExceededPolls(t *testing.T) {
	b := newBench(t, Options{Budget: 4, PollEvery: 10 * time.Millisecond}, func(root string) {
		for i := range 20 {
			write(t, filepath.Join(root, fmt.Sprintf("d%02d/sub/f", i)), "x")
		}
	})
	s := b.w.Status()
	if s.Mode != "poll" || s.Watches != 4 || s.Polled != 37 || s.Err == "" {
		t.Fatalf("status %+v", s)
	}
	b.alive("d19/sub/f")
	b.alive("d00/sub/f")
	b.write("d07/sub/new", "x")
	b.do(os.Remove(b.abs("d08/sub/f")))
	b.write("d09/sub/x/y/z", "x")
	b.wants("d07/sub/new", "d08/sub/f", "d09/sub/x", "d09/sub/x/y/z")
	b.alive("d09/sub/x/y/z")
	b.do(os.Rename(b.abs("d10"), b.abs("moved")))
	b.wants("d10", "moved", "moved/sub", "moved/sub/f")
	b.alive("moved/sub/f")
	b.do(os.RemoveAll(b.abs("d11/sub")))
	b.until(func() bool { return b.dirs["d11/sub"] })
	// Without the others there are watches for all.
	for i := range 20 {
		b.do(os.RemoveAll(b.abs(fmt.Sprintf("d%02d", i))))
	}
	b.eventually("the rest is watched", func() bool {
		drain(b)
		s := b.w.Status()
		return s.Mode == "inotify" && s.Polled == 0 && s.Err == ""
	})
	b.alive("moved/sub/f")
}

// drain takes the pending batches.
func drain(b *bench) {
	select {
	case <-b.w.Batches():
	default:
	}
}

func TestInject(t *testing.T) {
	for _, budget := range []int{0, -1} {
		t.Run(fmt.Sprintf("budget %d", budget), func(t *testing.T) {
			b := newBench(t, Options{Budget: budget, Extra: []string{".git/HEAD"}}, func(root string) {
				write(t, filepath.Join(root, "dir/f"), "x")
			})
			b.w.Inject([]string{"a.go", "./b//c.go", b.abs("abs.go"), "dir", b.abs(".git/HEAD"),
				"../out", "/etc/passwd", "a/../../out", "", b.root + "x/y"})
			b.until(func() bool { return b.rescan }) // "" is the root
			want := []string{"a.go", "abs.go", "b/c.go", "dir"}
			// The editor names HEAD as below the root, so it is a path too.
			want = append([]string{".git/HEAD"}, want...)
			if got := sorted(b.paths); !slices.Equal(got, want) {
				t.Errorf("paths %q, want %q", got, want)
			}
			if !b.dirs["dir"] || len(b.dirs) != 1 || !b.extra[".git/HEAD"] {
				t.Errorf("dirs %q extra %q", sorted(b.dirs), sorted(b.extra))
			}
			if budget < 0 && b.w.Status() != (Status{Mode: "client"}) {
				t.Errorf("status %+v", b.w.Status())
			}
		})
	}
}

func TestExtra(t *testing.T) {
	b := newBench(t, Options{Extra: []string{".git/HEAD", ".git/info/exclude", ".git/logs", "../config/git/ignore"}}, nil)
	steps := []struct {
		what   string
		change func()
		want   string
	}{
		{"a file appears with its folder", func() { b.write(".git/HEAD", "x") }, ".git/HEAD"},
		{"it is replaced", func() {
			b.write(".git/HEAD.lock", "y")
			b.do(os.Rename(b.abs(".git/HEAD.lock"), b.abs(".git/HEAD")))
		}, ".git/HEAD"},
		{"it is replaced again", func() {
			b.write(".git/HEAD.lock", "z")
			b.do(os.Rename(b.abs(".git/HEAD.lock"), b.abs(".git/HEAD")))
		}, ".git/HEAD"},
		{"two levels appear", func() { b.write(".git/info/exclude", "x") }, ".git/info/exclude"},
		{"and change", func() { b.write(".git/info/exclude", "y") }, ".git/info/exclude"},
		{"a folder appears", func() { b.do(os.Mkdir(b.abs(".git/logs"), 0o755)) }, ".git/logs"},
		{"an entry of it", func() { b.write(".git/logs/HEAD", "y") }, ".git/logs"},
		{"outside the root", func() { b.write("../config/git/ignore", "y") }, "../config/git/ignore"},
		{"the folder above goes", func() { b.do(os.Rename(b.abs(".git"), b.abs("../gone"))) }, ".git/info/exclude"},
		{"and comes back", func() { b.do(os.Rename(b.abs("../gone"), b.abs(".git"))) }, ".git/info/exclude"},
		{"still seen", func() { b.write(".git/info/exclude", "z") }, ".git/info/exclude"},
		{"still seen too", func() { b.write(".git/HEAD", "z") }, ".git/HEAD"},
	}
	for _, s := range steps {
		b.extra = map[string]bool{}
		s.change()
		want, err := filepath.Rel(b.root, b.abs(s.want))
		b.do(err)
		given := strings.TrimPrefix(filepath.Join(b.root, want), b.root+string(filepath.Separator))
		b.until(func() bool { return b.extra[given] })
		t.Log("ok:", s.what)
	}
	b.forget()
	b.write(".git/COMMIT_EDITMSG", "not asked for")
	b.write("end", "x")
	b.wants("end")
	if len(b.extra) > 0 || len(b.paths) != 1 {
		t.Errorf("extra %q paths %q", sorted(b.extra), sorted(b.paths))
	}
}

func TestExtraBehindALink(t *testing.T) {
	b := newBench(t, Options{Extra: []string{"../ignore"}}, func(root string) {
		write(t, filepath.Join(root, "../dot/files/ignore"), "x")
		if err := os.Symlink(filepath.Join(root, "../dot/files/ignore"), filepath.Join(root, "../ignore")); err != nil {
			t.Fatal(err)
		}
	})
	b.write("../dot/files/ignore", "y")
	b.until(func() bool { return len(b.extra) == 1 })
}

func TestExtraIsPolledWithoutAWatch(t *testing.T) {
	b := newBench(t, Options{Budget: 1, PollEvery: 10 * time.Millisecond, Extra: []string{".git/HEAD"}}, func(root string) {
		write(t, filepath.Join(root, ".git/HEAD"), "x")
	})
	b.write(".git/HEAD", "changed")
	b.until(func() bool { return b.extra[".git/HEAD"] })
}

func TestLinksAreNotFollowed(t *testing.T) {
	b := newBench(t, Options{}, func(root string) {
		write(t, filepath.Join(root, "../outside/f"), "x")
		for name, target := range map[string]string{"out": "../outside", "loop": ".", "broken": "nowhere"} {
			if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
	})
	if n := b.w.Status().Watches; n > 2 {
		t.Errorf("%d watches for a root and its parent", n)
	}
	b.do(os.Symlink("../outside", b.abs("again")))
	b.wants("again")
}

func TestDeepTree(t *testing.T) {
	deep := strings.TrimSuffix(strings.Repeat("d/", 1000), "/")
	b := newBench(t, Options{}, func(root string) { write(t, filepath.Join(root, deep, "f"), "x") })
	b.alive(deep + "/f")
	b.do(os.Rename(b.abs("d"), b.abs("e")))
	b.wants("e" + deep[1:] + "/f")
	b.alive("e" + deep[1:] + "/f")
}

func TestReconcile(t *testing.T) {
	b := newBench(t, Options{Reconcile: 20 * time.Millisecond}, nil)
	for range 3 {
		b.forget()
		b.until(func() bool { return b.rescan })
	}
	b.alive("f")
}

// TestReconcileRests checks that the interval of the safety net grows while nothing happens, and is
// reset by an event.
func TestReconcileRests(t *testing.T) {
	r := newReconciler(time.Hour)
	defer r.timer.Stop()
	for i, want := range []time.Duration{2, 4, 8, 16, 24, 24} {
		if r.fired(); r.rest != want*time.Hour {
			t.Errorf("%d. time: %v", i+1, r.rest)
		}
	}
	if r.disturbed(); r.rest != time.Hour {
		t.Errorf("after an event: %v", r.rest)
	}
}

// TestNeighboursOfTheRoot checks that changes beside the root do not wake the watcher.
func TestNeighboursOfTheRoot(t *testing.T) {
	b := newBench(t, Options{}, nil)
	if n := b.w.Status().Watches; n != 1 {
		t.Errorf("%d watches for one folder", n)
	}
	b.do(os.RemoveAll(b.root))
	b.until(func() bool { return b.rescan })
	b.forget()
	b.write("f", "again")
	b.until(func() bool { return b.rescan })
	b.eventually("the parent is not watched when the root is back", func() bool { return b.w.Status().Watches == 1 })
	b.alive("f")
}
