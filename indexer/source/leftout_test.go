package source

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// leftOut lists at most n entries that LeftOut visits after a path: "path", "path/" for a folder
// that is left out, "+path" for a file that is admitted.
func leftOut(t *testing.T, tree *Tree, after string, most int) (seen []string, last string) {
	t.Helper()
	err := tree.LeftOut(t.Context(), after, func(path string, folder bool, _ Reason) bool {
		if last = path; folder {
			path += "/"
		}
		seen = append(seen, path)
		return len(seen) < most
	}, func(e Entry) bool {
		last = e.Path
		seen = append(seen, "+"+e.Path)
		return len(seen) < most
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen, last
}

func TestLeftOut(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		".gitignore": "*.log\n/out/\n", "a-b.go": text, "a/c.log": text, "a/b/d.go": text, "a/b/e.log": text, "a.log": text, "node_modules/x/y.js": text,
		"out/x": text, "out/keep.md": text, "z.png": text, "zz/last.go": text, "odd\xff.log": text,
	})
	for link, to := range map[string]string{"link": "a", "link-2": "zz", "broken": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, follow := range []bool{false, true} {
		tree := open(t, Options{Root: dir, FollowLinks: follow, Include: []string{"out/*.md"}})
		all, _ := leftOut(t, tree, "", 1000)
		files, skipped := walkAll(t, tree)
		if len(all) != len(files)+len(skipped) || len(files) < 5 || len(skipped) < 7 {
			t.Fatalf("%q, want %q and %q", all, files, skipped)
		}
		for _, name := range files {
			if !slices.Contains(all, "+"+name) {
				t.Errorf("%s is not in %q", name, all)
			}
		}
		for size := 1; size < 4; size++ {
			var paged []string
			for after := ""; len(paged) <= len(all); {
				page, last := leftOut(t, tree, after, size)
				if len(page) == 0 {
					break
				}
				paged, after = append(paged, page...), last
			}
			if !slices.Equal(paged, all) {
				t.Errorf("links followed: %t, pages of %d: %q, want %q", follow, size, paged, all)
			}
		}
		// A cursor at a path that was removed, or never existed.
		for after, first := range map[string]string{"a/b/d0": "a/b/e.log", "a/bb/x/y": "a/c.log", "b": "broken", "zzz": ""} {
			page, _ := leftOut(t, tree, after, 1)
			if got := append(page, "")[0]; got != first && got != "+"+first {
				t.Errorf("after %s comes %q, want %q", after, got, first)
			}
		}
	}
}

func TestLeftOutCancelled(t *testing.T) {
	tree := open(t, Options{Root: t.TempDir()})
	write(t, tree.Root(), map[string]string{"a.go": text})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := tree.LeftOut(ctx, "", func(string, bool, Reason) bool { return true }, func(Entry) bool {
		t.Error("a file is visited")
		return true
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
