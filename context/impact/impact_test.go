package impact

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/retrieve/rank"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/history"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what is found into testdata")

// workspace is a folder with its index.
type workspace struct {
	*testing.T
	dir string
}

func (w workspace) write(files map[string]string) {
	w.Helper()
	for name, text := range files {
		file := filepath.Join(w.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			w.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			w.Fatal(err)
		}
	}
}

func (w workspace) git(args ...string) {
	w.Helper()
	cmd := exec.Command("git", append([]string{"-C", w.dir, "-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func (w workspace) index() *indexer.Snapshot {
	w.Helper()
	x, err := indexer.Open(w.Context(), indexer.Options{Root: w.dir, Dir: w.TempDir(), Home: w.TempDir(), Count: func(b []byte) int { return len(b)/4 + 1 }})
	if err != nil {
		w.Fatal(err)
	}
	if err := x.Wait(w.Context()); err != nil {
		w.Fatal(err)
	}
	s, release := x.Snapshot()
	w.Cleanup(func() {
		release()
		if err := x.Close(); err != nil {
			w.Error(err)
		}
	})
	return s
}

// TestFind compares what changes concern with lists that a person has checked. An archive has the
// files of a workspace, what some of them were before, and the list.
func TestFind(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			w, want := workspace{t, t.TempDir()}, ""
			now, before := map[string]string{}, map[string]string{}
			for _, f := range archive.Files {
				if p, ok := strings.CutPrefix(f.Name, "before/"); ok {
					before[p] = string(f.Data)
				} else if f.Name == "want" {
					want = string(f.Data)
				} else {
					now[f.Name] = string(f.Data)
				}
			}
			w.write(now)
			s := w.index()
			got := listing(Find(t.Context(), s, s.NewReader(), Read(t.Context(), changesOf(before, now)), 2))
			if *update {
				archive.Files[len(archive.Files)-1].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}

// changesOf returns the changes of files from some texts.
func changesOf(before, now map[string]string) (out []history.Change) {
	for _, p := range slices.Sorted(maps.Keys(before)) {
		c := history.Change{Path: p, Before: []byte(before[p])}
		text, stays := now[p]
		if c.Removed = !stays; stays {
			c.After = []byte(text)
		}
		out = append(out, c)
	}
	return out
}

// listing formats a result, one line a place.
func listing(r *Result) string {
	var b strings.Builder
	for _, l := range []struct {
		title  string
		places []Place
	}{
		{"definition", r.Definitions}, {"caller", r.Callers}, {"implementation", r.Implementations}, {"test", r.Tests}, {"document", r.Documents}, {"settings", r.Settings},
	} {
		for _, p := range l.places {
			line := ""
			if p.Line >= 0 {
				line = fmt.Sprintf(":%d", p.Line+1)
			}
			name := strings.TrimSpace(p.Kind + " " + p.Name)
			fmt.Fprintf(&b, "%s %s%s %s: %s\n", l.title, p.Path, line, name, p.Why)
		}
	}
	if r.Partial {
		b.WriteString("partial\n")
	}
	return strings.ReplaceAll(b.String(), " : ", ": ")
}

// TestTogether checks that tests are found by the history alone.
func TestTogether(t *testing.T) {
	w := workspace{t, t.TempDir()}
	w.git("init", "-q")
	for n := range 6 {
		w.write(map[string]string{
			"a.go": fmt.Sprintf("package a\n\nvar alpha = %d\n", n), "far/away_test.go": fmt.Sprintf("package far\n\nvar omega = %d\n", n),
			"far/other_test.go": "package far\n\nvar sigma = 1\n",
		})
		w.git("add", "-A")
		w.git("commit", "-q", "-m", "step")
	}
	s := w.index()
	changed := Read(t.Context(), []history.Change{{Path: "a.go", Before: []byte("package a\n\nvar alpha = 5\n"), After: []byte("package a\n\nvar alpha = 9\n")}})
	list := Gather(t.Context(), s, changed)
	if len(list) == 0 || list[0].Path != "far/away_test.go" || list[0].Together != 6 || list[0].Of != 6 || list[0].With != "a.go" {
		t.Fatalf("%+v", list)
	}
	found := Find(t.Context(), s, s.NewReader(), changed, 1)
	if len(found.Tests) == 0 || found.Tests[0].Path != "far/away_test.go" || !strings.Contains(found.Tests[0].Why, "changed in 6 of 6 commits of a.go") {
		t.Errorf("%+v", found.Tests)
	}
}

// TestFitted checks that the committed model is one of these inputs, and that what speaks for a
// test raises its probability.
func TestFitted(t *testing.T) {
	m, err := rank.Load(fitted, NumFeatures)
	if err != nil {
		t.Fatal(err)
	}
	var none Evidence
	none.Features[testCount], none.Features[pieceCount], none.Features[ownAge] = 5, 2, 9
	likely := none
	for k := range shareFile {
		likely.Features[k] = 1
	}
	for _, k := range []int{togetherMost, togetherAny, togetherLate, togetherOf, togetherDir, wordsPiece, wordsFile, bestName, bestRefers, bestTogether} {
		likely.Features[k] = .8
	}
	if a, b := m.Probability(none.Features[:]), m.Probability(likely.Features[:]); a >= LeastTest || b < LeastTest {
		t.Errorf("without evidence %.3f, with much of it %.3f", a, b)
	}
}

// TestRead checks what counts as a change of a file and of a definition.
func TestRead(t *testing.T) {
	const text = "package a\n\nfunc f() {\n\tg()\n}\n\nfunc g() {}\n"
	for name, c := range map[string]struct {
		after string
		want  string
	}{
		"nothing":           {text, ""},
		"line ends":         {strings.ReplaceAll(text, "\n", "\r\n"), ""},
		"moved":             {"package a\n\n\n\n" + text[len("package a\n\n"):], "changed:"},
		"indented":          {strings.ReplaceAll(text, "\tg()", "\t\tg()"), "changed:"},
		"a comment above":   {strings.Replace(text, "func g", "// g is.\nfunc g", 1), "changed:"},
		"a body":            {strings.Replace(text, "g()\n", "g()\n\tg()\n", 1), "changed: f changed"},
		"renamed":           {strings.Replace(text, "func g", "func h", 1), "changed: h added g removed"},
		"one of equal name": {text + "\nfunc g() { f() }\n", "changed: g added"},
		"binary":            {text + "\x00", "changed: f removed g removed"},
	} {
		got := ""
		for _, f := range Read(t.Context(), []history.Change{{Path: "a.go", Before: []byte(text), After: []byte(c.after)}}) {
			got = f.How + ":"
			for _, d := range f.Definitions {
				if d.How != "" {
					got += " " + d.Name + " " + d.How
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestCancelled checks that a search without time returns, and that it says so.
func TestCancelled(t *testing.T) {
	w := workspace{t, t.TempDir()}
	w.write(map[string]string{"a.go": "package a\n\nfunc Alpha() {}\n", "b.go": "package a\n\nfunc Beta() { Alpha() }\n"})
	s := w.index()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	changed := Read(t.Context(), []history.Change{{Path: "a.go", Added: true, After: []byte("package a\n\nfunc Alpha() {}\n")}})
	if found := Find(ctx, s, s.NewReader(), changed, 2); !found.Partial || len(found.Definitions) != 1 {
		t.Errorf("%+v", found)
	}
}
