package source

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// later is so long after a change that another one would get another time.
const later = time.Hour

// kept returns a tree of a/b/c.go whose text was read by a check, at a time after it was written.
func kept(t *testing.T, after time.Duration) (tree *Tree, file string, text []byte) {
	t.Helper()
	root := t.TempDir()
	file = filepath.Join(root, "a", "b", "c.go")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	replace(t, file, "package b\n")
	written, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	tree = open(t, Options{Root: root, Now: func() time.Time { return written.ModTime().Add(after) }})
	text, reason, err := tree.NewCheck().Read("a/b/c.go")
	if string(text) != "package b\n" || reason != Indexed || err != nil {
		t.Fatalf("%q, %s, %v", text, reason, err)
	}
	return tree, file, text
}

func replace(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestTextIsKept(t *testing.T) {
	tree, _, text := kept(t, later)
	again, reason, err := tree.NewCheck().Read("a/b/c.go")
	if reason != Indexed || err != nil || &again[0] != &text[0] {
		t.Errorf("%q was read again: %s, %v", again, reason, err)
	}
}

// A kept text is returned only while reading the file would return it.
func TestKeptTextIsNoLongerThere(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, file string)
		text   string
		reason Reason
	}{
		{"written again in the same size and with the same time", func(t *testing.T, file string) {
			st, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			replace(t, file, "package c\n")
			if err := os.Chtimes(file, st.ModTime(), st.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, "package c\n", Indexed},
		{"ignored by a new rule file", func(t *testing.T, file string) {
			replace(t, filepath.Join(filepath.Dir(file), ".gitignore"), "c.go\n")
		}, "", Ignored},
		{"ignored by the root's rule file", func(t *testing.T, file string) {
			replace(t, filepath.Join(filepath.Dir(file), "..", "..", contextureIgnore), "a/\n")
		}, "", Ignored},
		{"removed", func(t *testing.T, file string) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}, "", NotFound},
		{"a link to a copy", func(t *testing.T, file string) {
			copied := filepath.Join(t.TempDir(), "c.go")
			if err := os.Rename(file, copied); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(copied, file); err != nil {
				t.Fatal(err)
			}
		}, "", Link},
		{"below a link to its folder", func(t *testing.T, file string) {
			moved := filepath.Join(t.TempDir(), "b")
			if err := os.Rename(filepath.Dir(file), moved); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(moved, filepath.Dir(file)); err != nil {
				t.Fatal(err)
			}
		}, "", Link},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree, file, _ := kept(t, later)
			tt.change(t, file)
			text, reason, _ := tree.NewCheck().Read("a/b/c.go")
			if string(text) != tt.text || reason != tt.reason {
				t.Errorf("%q, %s; want %q, %s", text, reason, tt.text, tt.reason)
			}
		})
	}
}

// A file that was read right after a change may change again without another stat.
func TestFreshTextIsNotKept(t *testing.T) {
	tree, _, text := kept(t, racy/2)
	again, reason, err := tree.NewCheck().Read("a/b/c.go")
	if reason != Indexed || err != nil || &again[0] == &text[0] {
		t.Errorf("%q was kept: %s, %v", again, reason, err)
	}
}

func TestTextsAreBounded(t *testing.T) {
	var kept texts
	big := make([]byte, maxKeptBytes/8)
	for i := range 64 {
		kept.put(&keptText{text: big, entry: Entry{Path: string(rune('A' + i))}})
		if kept.get("A") == nil {
			t.Fatalf("the text that is asked for all the time is dropped after %d others", i)
		}
	}
	if n := len(kept.newer) + len(kept.older); n > 8 {
		t.Errorf("%d texts are kept, of which 8 have the bytes that are permitted", n)
	}
	if kept.get("B") != nil {
		t.Error("a text that nobody asked for is kept")
	}
}
