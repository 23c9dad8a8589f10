package binding

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"golang.org/x/tools/txtar"
)

// open opens a workspace.
func open(t *testing.T, files []txtar.File) *indexer.Snapshot {
	t.Helper()
	root, dir := t.TempDir(), t.TempDir()
	for _, f := range files {
		name := filepath.Join(root, filepath.FromSlash(f.Name))
		err := os.MkdirAll(filepath.Dir(name), 0o755)
		if err == nil {
			err = os.WriteFile(name, f.Data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	x, err := indexer.Open(ctx, indexer.Options{
		Root: root, Dir: filepath.Join(dir, "index"), Home: dir, GlobalIgnore: filepath.Join(dir, "ignore"),
		Count: func(b []byte) int { return len(b)/4 + 1 },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	s, release := x.Snapshot()
	t.Cleanup(func() {
		release()
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// mark matches the end of a line that states what the name in it means: a type or a file in which
// that is defined, open, or nothing.
var mark = regexp.MustCompile(`(?://|#) (\w+) means ([\w./ ]*)$`)

// TestMeanings checks what each marked use in the workspaces of testdata means.
func TestMeanings(t *testing.T) {
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
			s := open(t, archive.Files)
			for _, f := range archive.Files {
				for n, line := range strings.Split(string(f.Data), "\n") {
					if m := mark.FindStringSubmatch(line); m != nil {
						if got := meaningAt(t, s, f.Name, n, m[1]); got != m[2] {
							t.Errorf("%s:%d: %s means %q, want %q: %s", f.Name, n+1, m[1], got, m[2], line)
						}
					}
				}
			}
		})
	}
}

// meaningAt returns the type, or else the file, of what a name on a line means.
func meaningAt(t *testing.T, s *indexer.Snapshot, path string, line int, name string) string {
	t.Helper()
	r := New(s, s.NewReader(), name)
	defer r.Close()
	file, ok := s.File(path)
	if !ok {
		t.Fatalf("%s is not indexed", path)
	}
	uses, ok := r.Uses(file)
	if !ok {
		t.Fatalf("%s has no types", path)
	}
	for _, u := range uses {
		switch {
		case u.Line != line || u.Declares:
		case u.Open:
			return "open"
		case len(u.Defs) == 0:
			return ""
		case u.Defs[0].Container != "":
			return container(u.Defs[0])
		default:
			return u.Defs[0].Path
		}
	}
	return "no use"
}

// TestImplementers checks the types below others: over several, by methods, embedded and not by a
// method of another form.
func TestImplementers(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/kin.txtar")
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, archive.Files)
	for name, want := range map[string]string{
		"Store": "Cached Disk Remote", "Reader": "Cached Disk Remote Store", "Shape": "Round Square Tiny", "Animal": "Dog Puppy",
		"Motor":  "Diesel Steam Vec",
		"Vessel": "Boat Ferry Ship",
	} {
		r := New(s, s.NewReader(), name)
		var got []string
		for _, d := range r.Implementers(t.Context(), s.Symbols().Definitions(name, 1)[0]) {
			got = append(got, d.Name)
		}
		r.Close()
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("below %s are %v, want %s", name, got, want)
		}
	}
}

// TestMentions checks that comments and strings are apart from uses.
func TestMentions(t *testing.T) {
	s := open(t, []txtar.File{{Name: "a.go", Data: []byte("package a\n\n// Open opens; Opens does not.\nfunc Open() {}\n\nfunc b() {\n\tprintln(\"Open it\")\n\tOpen()\n}\n")}})
	r := New(s, s.NewReader(), "Open")
	defer r.Close()
	file, _ := s.File("a.go")
	uses, _ := r.Uses(file)
	lines := []int{}
	for _, u := range uses {
		lines = append(lines, u.Line)
	}
	if got := fmt.Sprint(r.Mentions(file), lines); got != "[2 6] [3 7]" {
		t.Errorf("mentions and uses are %s", got)
	}
}
