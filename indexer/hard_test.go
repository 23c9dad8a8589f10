//go:build unix

package indexer

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/contexture-dev/contexture/indexer/source"
)

// skipped returns the number of files left out for a reason.
func skipped(st Status, reason source.Reason) int {
	for _, s := range st.Skipped {
		if s.Reason == reason {
			return s.Count
		}
	}
	return 0
}

// Trees that are hard to read: what can be indexed is, the rest is counted, and nothing hangs.
func TestHardFiles(t *testing.T) {
	deep := strings.TrimSuffix(strings.Repeat("d/", 1000), "/")
	tests := []struct {
		name    string
		make    func(w workspace)
		indexed []string // paths
		defines []string
		reason  source.Reason // of skipped files
	}{
		{name: "an empty file", make: func(w workspace) { w.write("empty.go", "") }, indexed: []string{"empty.go"}},
		{name: "a name with a newline", make: func(w workspace) { w.write("new\nline.go", "package p\n\nfunc Newline() {}\n") },
			indexed: []string{"new\nline.go"}, defines: []string{"Newline"}},
		{name: "a name that is not UTF-8", make: func(w workspace) { w.write("caf\xe9.go", "package p\n\nfunc Latin() {}\n") },
			indexed: []string{"caf\xe9.go"}, defines: []string{"Latin"}},
		{name: "names with quotes and spaces", make: func(w workspace) { w.write(`a "b" 'c' <d>&.go`, "package p\n\nfunc Quoted() {}\n") },
			indexed: []string{`a "b" 'c' <d>&.go`}, defines: []string{"Quoted"}},
		{name: "a thousand nested folders", make: func(w workspace) { w.nest(deep, "deep.go", "package p\n\nfunc Deep() {}\n") },
			indexed: []string{deep + "/deep.go"}, defines: []string{"Deep"}},
		{name: "a dangling link", make: func(w workspace) { w.must(os.Symlink("nowhere", w.abs("dangling.go"))) }, reason: source.Link},
		{name: "a loop of links", make: func(w workspace) { w.must(os.Symlink(".", w.abs("loop"))) }, reason: source.Link},
		{name: "a fifo", make: func(w workspace) { w.must(syscall.Mkfifo(w.abs("pipe.go"), 0o644)) }, reason: source.Special},
		{name: "a sparse file of a gigabyte", make: func(w workspace) { w.write("huge.txt", ""); w.must(os.Truncate(w.abs("huge.txt"), 1<<30)) }, reason: source.TooLarge},
		{name: "five megabytes of JavaScript in one line", make: func(w workspace) {
			w.write("bundle.js", strings.Repeat("var a=function(b){return b+1};", 5<<20/30))
		}, reason: source.TooLarge},
		{name: "a line of a large JavaScript file", make: func(w workspace) {
			w.write("line.js", strings.Repeat("var a=function(b){return b+1};", 700<<10/30))
		}, reason: source.Minified},
		{name: "a binary", make: func(w workspace) { w.write("tool", "\x7fELF\x00\x01"+strings.Repeat("\x00", 500)) }, reason: source.Binary},
		{name: "invalid UTF-8", make: func(w workspace) {
			w.write("latin.py", "def caf\xe9_latin():\n    pass\n\n\ndef plain_name():\n    pass\n")
		},
			indexed: []string{"latin.py"}, defines: []string{"plain_name"}},
		{name: "broken syntax", make: func(w workspace) {
			w.write("broken.go", "package p\n\nfunc Before() {}\n\nfunc (((\n\n"+strings.Repeat("{\n", 3000))
		}, indexed: []string{"broken.go"}},
		{name: "deeply nested brackets", make: func(w workspace) { w.write("nest.json", strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkspace(t)
			w.write("plain.go", "package p\n\nfunc Plain() {}\n")
			tt.make(w)
			x := w.index(watched)
			s := x.current.Load()
			for _, p := range append(tt.indexed, "plain.go") {
				if _, ok := s.File(p); !ok {
					t.Errorf("%.60q is not indexed; skipped %v", p, x.Status().Skipped)
				}
			}
			for _, name := range append(tt.defines, "Plain") {
				if len(s.Symbols().Definitions(name, 2)) != 1 {
					t.Errorf("%s is not defined", name)
				}
			}
			if tt.reason != "" && (skipped(x.Status(), tt.reason) == 0 || s.LiveFiles() != 1) {
				t.Errorf("%d files; skipped %v, want one as %s", s.LiveFiles(), x.Status().Skipped, tt.reason)
			}
			if errs := x.Status().Errors; len(errs) != 0 {
				t.Errorf("errors %q", errs)
			}
			r := s.NewReader()
			for id := range s.Chunks() {
				if _, _, gate := r.Chunk(id); gate != "" {
					t.Errorf("chunk of %.60q: gate %s", s.Chunk(id).Path, gate)
				}
			}
		})
	}
}

// nest makes folders nested deeper than the longest possible path.
func (w workspace) nest(dir, name, text string) {
	w.t.Helper()
	root, err := os.OpenRoot(w.dir)
	w.must(err)
	for part := range strings.SplitSeq(dir, "/") {
		w.must(root.Mkdir(part, 0o755))
		next, err := root.OpenRoot(part)
		w.must(err)
		w.must(root.Close())
		root = next
	}
	f, err := root.Create(name)
	w.must(err)
	_, err = f.WriteString(text)
	w.must(err)
	w.must(f.Close())
	w.must(root.Close())
}

// The counts of skipped files follow the disk.
func TestSkippedFollowsTheDisk(t *testing.T) {
	w := newWorkspace(t)
	w.write("plain.go", "package p\n")
	binary := "\x00\x01\x02" + strings.Repeat("\x00", 50)
	w.write("a", binary)
	w.write("b", binary)
	x := w.index(watched)
	if n := skipped(x.Status(), source.Binary); n != 2 {
		t.Errorf("%d binaries, want 2", n)
	}
	w.remove("a")
	w.remove("b")
	w.sentinel(x, "sentinel.md")
	if n := skipped(x.Status(), source.Binary); n != 0 {
		t.Errorf("%d binaries after both are gone", n)
	}
	w.write("plain.go", binary)
	until(t, x, "the file that became binary to go", hasNot("plain.go"))
	until(t, x, "its count", func(*Snapshot) bool { return skipped(x.Status(), source.Binary) == 1 })
	w.write("plain.go", "package p\n\nfunc Text() {}\n")
	until(t, x, "the file that became text again", has("plain.go"))
	until(t, x, "its count", func(*Snapshot) bool { return skipped(x.Status(), source.Binary) == 0 })
}

// Links are followed only if the setting says so, and never out of the root.
func TestLinks(t *testing.T) {
	outside := t.TempDir()
	w := newWorkspace(t)
	w.must(os.WriteFile(filepath.Join(outside, "secret.go"), []byte("package p\n\nfunc Outside() {}\n"), 0o644))
	w.write("real/a.go", "package p\n\nfunc Inside() {}\n")
	w.must(os.Symlink(path.Join(outside, "secret.go"), w.abs("leak.go")))
	w.must(os.Symlink(outside, w.abs("leak")))
	w.must(os.Symlink("real/a.go", w.abs("alias.go")))
	for _, follow := range []bool{false, true} {
		x := w.index(func(o *Options) { o.FollowLinks = follow })
		s := x.current.Load()
		if n := len(s.Symbols().Definitions("Outside", 5)); n != 0 {
			t.Errorf("follow %v: what lies outside is indexed", follow)
		}
		if _, ok := s.File("alias.go"); ok != follow {
			t.Errorf("follow %v: a link inside is indexed: %v", follow, ok)
		}
	}
}

// Two thousand files in one folder, with names of every length.
func TestManyFilesInOneFolder(t *testing.T) {
	w := newWorkspace(t)
	for i := range 2000 {
		w.write(fmt.Sprintf("many/%s%d.txt", strings.Repeat("n", i%200), i), fmt.Sprintf("text number %d\n", i))
	}
	x := w.index()
	if n := x.Status().Files; n != 2000 {
		t.Errorf("%d files", n)
	}
}
