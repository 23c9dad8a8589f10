package indexer

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A process that ends while it cuts a file leaves a note of that file behind. After three such ends
// in a row the file is plain text and named in the status; a rebuild clears the count.
func TestFileThatCrashesTheProgram(t *testing.T) {
	w := newWorkspace(t)
	w.write("bad.go", "package bad\n\n// Retry tries again.\nfunc Retry() {}\n")
	w.write("good.go", "package good\n\n// Good is good.\nfunc Good() {}\n")
	dir := filepath.Join(t.TempDir(), "index")
	w.must(os.MkdirAll(dir, 0o700))
	paused := func(o *Options) { o.Paused = true } // the next end comes before the pass
	for range maxCrashes {
		note := append(binary.BigEndian.AppendUint16(nil, uint16(len("bad.go"))), "bad.go"...)
		w.must(os.WriteFile(filepath.Join(dir, "parsing-0"), note, 0o600))
		shut(t, w.open(dir, paused))
	}
	x := w.open(dir)
	defer shut(t, x)
	settle(t, x)
	q := x.Status().Quarantined
	if len(q) != 1 || q[0].Path != "bad.go" || !strings.Contains(q[0].Reason, "ended the program") {
		t.Fatalf("quarantined %v, want bad.go", q)
	}
	s, release := x.Snapshot()
	if len(s.Symbols().Definitions("Retry", 1)) != 0 || len(s.Symbols().Definitions("Good", 1)) != 1 {
		t.Error("bad.go still has symbols, or good.go has none")
	}
	release()
	x.Rebuild(false)
	settle(t, x)
	if q := x.Status().Quarantined; len(q) != 0 {
		t.Errorf("after a rebuild %v is blamed", q)
	}
}

// One end during a file, as after any kill -9, has no consequence for it.
func TestOneCrashIsIgnored(t *testing.T) {
	w := newWorkspace(t)
	w.write("a.go", "package a\n\nfunc Retry() {}\n")
	dir := filepath.Join(t.TempDir(), "index")
	w.must(os.MkdirAll(dir, 0o700))
	for range 2 * maxCrashes {
		note := append(binary.BigEndian.AppendUint16(nil, uint16(len("a.go"))), "a.go"...)
		w.must(os.WriteFile(filepath.Join(dir, "parsing-0"), note, 0o600))
		x := w.open(dir)
		settle(t, x)
		if q := x.Status().Quarantined; len(q) != 0 {
			t.Fatalf("%v is blamed", q)
		}
		shut(t, x)
	}
}
