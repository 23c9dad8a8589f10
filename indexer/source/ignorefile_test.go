package source

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestEditIgnore(t *testing.T) {
	const absent = "absent"
	for _, tt := range []struct {
		before  string
		pattern string
		remove  bool
		after   string
		err     error
	}{
		{absent, "*.log", false, "*.log\n", nil},
		{"", "*.log", false, "*.log\n", nil},
		{"# c\na\n", "b/", false, "# c\na\nb/\n", nil},
		{"a", "b", false, "a\nb", nil},
		{"# c\r\na\r\n", "b", false, "# c\r\na\r\nb\r\n", nil},
		{"a\r\nb", "c", false, "a\r\nb\r\nc", nil},
		{"\xef\xbb\xbf", "b", false, "\xef\xbb\xbfb\n", nil},
		{"\xef\xbb\xbfa\n", "a", false, "\xef\xbb\xbfa\n", nil},
		{"a\nb  \nc\n", "b", false, "a\nb  \nc\n", nil},
		{"a\nb\n", "b   ", false, "a\nb\n", nil},
		{"a\n", `b\ `, false, "a\nb\\ \n", nil},
		{"a\n", "!a", false, "a\n!a\n", nil},
		{"a\n\n", `\#x`, false, "a\n\n\\#x\n", nil},
		{"# c\na\nb\r\n\na\nc\n", "a", true, "# c\nb\r\n\nc\n", nil},
		{"a\nb", "b", true, "a", nil},
		{"a\r\nb", "b", true, "a", nil},
		{"a\nb", "a", true, "b", nil},
		{"a\n", "a", true, "", nil},
		{"\xef\xbb\xbfa\nb\n", "a", true, "\xef\xbb\xbfb\n", nil},
		{"a\n", "b", true, "a\n", ErrNoSuchPattern},
		{"# b\n", "b", true, "# b\n", ErrNoSuchPattern},
		{absent, "b", true, absent, ErrNoSuchPattern},
		{"a\n", "b\nc", false, "a\n", ErrPattern},
		{"a\n", "b\r", false, "a\n", ErrPattern},
		{"a\n", "b\x00c", false, "a\n", ErrPattern},
		{"a\n", "# b", false, "a\n", ErrPattern},
		{"a\n", "   ", false, "a\n", ErrPattern},
		{"a\n", "/", false, "a\n", ErrPattern},
		{"a\n", "!", true, "a\n", ErrPattern},
		{"a\n", "\xef\xbb\xbfb", false, "a\n", ErrPattern},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, contextureIgnore)
		if tt.before != absent {
			write(t, dir, map[string]string{contextureIgnore: tt.before})
		}
		tree := open(t, Options{Root: dir})
		patterns, err := tree.EditIgnore(tt.pattern, tt.remove)
		after, readErr := os.ReadFile(path)
		if readErr != nil {
			after = []byte(absent)
		}
		if !errors.Is(err, tt.err) || string(after) != tt.after {
			t.Errorf("%q and %q (removed: %t): %q, %v; want %q, %v", tt.before, tt.pattern, tt.remove, after, err, tt.after, tt.err)
		}
		if has := slices.Contains(patterns, strings.TrimRight(tt.pattern, " ")) || strings.HasSuffix(tt.pattern, `\ `); err == nil && has == tt.remove {
			t.Errorf("%q and %q (removed: %t): patterns %q", tt.before, tt.pattern, tt.remove, patterns)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
}

func TestEditIgnoreKeepsMode(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, contextureIgnore)
	if err := os.WriteFile(path, []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tree := open(t, Options{Root: dir})
	if _, err := tree.EditIgnore("b", false); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if tree.IgnoreFile() != filepath.Join(tree.Root(), contextureIgnore) {
		t.Errorf("the file is %s", tree.IgnoreFile())
	}
}

// TestEditIgnoreLink checks that nothing is written through a link, and that the remains of a crash
// do no harm.
func TestEditIgnoreLink(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	write(t, elsewhere, map[string]string{"target": "x\n"})
	target, link := filepath.Join(elsewhere, "target"), filepath.Join(dir, contextureIgnore)
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	tree := open(t, Options{Root: dir})
	if _, err := tree.EditIgnore("b", false); err == nil || !strings.Contains(err.Error(), "link") || !strings.Contains(err.Error(), link) {
		t.Errorf("error %v", err)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, fmt.Sprintf("%s.%d.tmp", link, os.Getpid())); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.EditIgnore("b", false); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "x\n" {
		t.Errorf("the link's target is %q, %v", text, err)
	}
}

func TestEditIgnoreConcurrently(t *testing.T) {
	tree := open(t, Options{Root: t.TempDir()})
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			if _, err := tree.EditIgnore(fmt.Sprint("p", i), false); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if patterns, err := tree.EditIgnore("p0", false); err != nil || len(patterns) != 16 {
		t.Errorf("%q, %v", patterns, err)
	}
}

// FuzzEditIgnore checks that other patterns stay as they are, in order, and that an added pattern
// can be removed.
func FuzzEditIgnore(f *testing.F) {
	f.Add("a\nb\r\n# c\n", "x")
	f.Add("\xef\xbb\xbfa", "a b")
	f.Fuzz(func(t *testing.T, before, text string) {
		pattern, err := onePattern(text)
		if err != nil {
			return
		}
		others := slices.DeleteFunc(patternsOf([]byte(before)), func(p string) bool { return p == pattern })
		added := []byte(before)
		if !slices.Contains(patternsOf(added), pattern) {
			added = withPattern(added, pattern)
			if got := patternsOf(added); !slices.Equal(got, append(slices.Clone(others), pattern)) {
				t.Fatalf("%q and %q: %q", before, pattern, got)
			}
		}
		if got := patternsOf(withoutPattern(added, pattern)); !slices.Equal(got, others) {
			t.Fatalf("%q without %q: %q, want %q", added, pattern, got, others)
		}
	})
}
