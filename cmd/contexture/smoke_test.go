package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/contexture-dev/contexture/server/servertest"
)

// programEnv is the program that TestSmoke uses, where that is not the test's own executable: `make
// windows` has the one that is released.
const programEnv = "CONTEXTURE_TEST_PROGRAM"

// smoke is a person with a large workspace and two editors.
type smoke struct {
	t                    *testing.T
	program, state, root string
	kills, turns         int
}

// TestSmoke uses the program from outside as a person does: it indexes 2,000 files, asks for them,
// finds in two editors that share a daemon what is saved while they run, and appends 1,000 turns
// while the daemon is killed 20 times, in short a quarter of all. After each kill every
// acknowledged turn is there once.
func TestSmoke(t *testing.T) {
	files, indexed, kills, turns := 2000, "2,000 files", 20, 1000
	if testing.Short() {
		files, indexed, kills, turns = 500, "500 files", 5, 250
	}
	s := &smoke{t: t, program: os.Getenv(programEnv), state: stateDir(t), root: manyFiles(t, files), kills: kills, turns: turns}
	if s.program == "" {
		s.program = "contexture"
	}
	s.types(indexed, "index")
	s.types("file234.go", "search", "Frobnicate234")
	s.types("func Frobnicate77()", "bundle", "what does Frobnicate77 do?")
	s.types("turns", "memory", "stats")
	s.types("indexed", "why", filepath.Join("dir1", "file1.go"))

	first, second := s.edit(), s.edit()
	if n := logged(t, s.state, "daemon.log", "daemon begins"); n != 1 {
		t.Errorf("two editors have %d daemons", n)
	}
	s.types("func Frobnicate78()", "bundle", "what does Frobnicate78 do?") // by the daemon
	servertest.WriteFile(t, filepath.Join(s.root, "dir1", "file1.go"), "package p\n\n// Quuxify is new.\nfunc Quuxify() {}\n")
	for _, e := range []*servertest.Editor{first, second} {
		e.Eventually("what is saved is found", func() bool {
			hits := e.Search(map[string]any{"query": "Quuxify"})
			return len(hits) > 0 && strings.HasSuffix(hits[0].URI, "file1.go")
		})
	}
	s.killed(first, second)
	for _, e := range []*servertest.Editor{first, second} {
		if err := e.Request("shutdown", nil, nil); err != nil {
			t.Error(err)
		}
		e.Notify("exit", nil)
	}
}

// manyFiles is a workspace of n files.
func manyFiles(t *testing.T, n int) string {
	files := map[string]string{".git/HEAD": "ref: refs/heads/main\n"}
	for n := range n {
		name := fmt.Sprintf("dir%d/file%d.go", n%40, n)
		files[name] = fmt.Sprintf("package p\n\n// Frobnicate%d turns the wheel number %[1]d.\nfunc Frobnicate%[1]d() int { return %[1]d }\n", n)
	}
	return servertest.Tree(t, files)
}

// types runs a command in the workspace, which must succeed and print a text.
func (s *smoke) types(want string, args ...string) {
	s.t.Helper()
	cmd := exec.Command(s.program, append([]string{"--offline", "--state-dir", s.state}, args...)...)
	cmd.Dir = s.root
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), want) {
		s.t.Fatalf("%v: %v, and %q is not in\n%s", args, err, want, out)
	}
}

// edit starts an editor and waits until its index is up to date.
func (s *smoke) edit() *servertest.Editor {
	s.t.Helper()
	e := servertest.Connect(s.t, serveSharedBy(s.t, s.program, s.state), servertest.Options{})
	e.Initialize(servertest.Options{Roots: []string{s.root}})
	e.AwaitIdle()
	return e
}

// killed kills the daemon repeatedly while both editors append turns.
func (s *smoke) killed(editors ...*servertest.Editor) {
	s.t.Helper()
	l := &appendLog{root: s.root, state: s.state, rng: rand.New(rand.NewPCG(17, 3))}
	for i := range l.callers {
		l.callers[i] = &caller{name: fmt.Sprint("c", i), conversation: fmt.Sprint("own", i), rng: rand.New(rand.NewPCG(17, uint64(i)))}
		if i >= 4 {
			l.callers[i].conversation = "shared"
		}
	}
	var acked atomic.Int64 // turns
	for n := range int64(s.kills) {
		begun, enough := acked.Load(), (n+1)*int64(s.turns)/int64(s.kills)
		strike := begun + l.rng.Int64N(enough-begun)
		strikes := sync.OnceFunc(func() {
			if err := kill(daemonOf(s.state)); err != nil {
				s.t.Errorf("kill the daemon: %v", err)
			}
		})
		var wait sync.WaitGroup
		for i, c := range l.callers {
			e := editors[i%len(editors)]
			wait.Go(func() {
				for acked.Load() < enough && !s.t.Failed() {
					c.flying = c.next()
					run := e.BeginCommand("contexture.conversation.append", c.args())
					if acked.Load() >= strike {
						strikes()
					}
					if err := run.Wait(nil); err != nil {
						s.t.Errorf("%s: %v", c.name, err)
						return
					}
					acked.Add(int64(len(c.flying)))
					c.acked, c.flying = append(c.acked, c.flying), nil
				}
			})
		}
		wait.Wait()
		strikes() // at the latest
		if s.t.Failed() {
			return
		}
		l.check(s.t, editors[n%int64(len(editors))])
	}
	s.t.Logf("%d turns were acknowledged through %d kills; all are there once", acked.Load(), s.kills)
}
