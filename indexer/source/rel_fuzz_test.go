package source

import (
	"path/filepath"
	"strings"
	"testing"
)

// FuzzRel passes paths of any bytes to everything that takes one.
func FuzzRel(f *testing.F) {
	b := newBox(f)
	b.link(b.outside, "folder")
	b.link("../outside/f.txt", "file")
	b.link("d", "inside")
	b.link(".", "self")
	b.link("/", "top")
	var trees []*Tree
	for _, follow := range []bool{false, true} {
		trees = append(trees, open(f, Options{Root: b.root, FollowLinks: follow}))
	}
	for _, seed := range []string{"", "a.txt", "../outside/f.txt", "folder/f.txt", "self/self/file", "d/../../outside/f.txt", "top" + b.outside + "/f.txt",
		b.outside + "/f.txt", b.root + "/../outside/f.txt", b.root + "/a.txt", "/", "//", "a\x00/../..", "inside/../folder/e/f.txt", "./.././/outside//f.txt/", "\\..", "%2e%2e/outside"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		for _, tree := range trees {
			if err := probe(tree, path); err != nil {
				t.Error(err)
			}
			rel, ok := tree.Rel(path)
			if !ok {
				continue
			}
			if rel != "" && !filepath.IsLocal(rel) && strings.IndexByte(rel, 0) < 0 {
				t.Errorf("Rel(%q) is %q", path, rel)
			}
			if err := probe(tree, rel); err != nil {
				t.Errorf("Rel(%q): %v", path, err)
			}
			if cleaned, ok := clean(rel); ok && cleaned != rel {
				t.Errorf("Rel(%q) is %q, cleaned %q", path, rel, cleaned)
			}
		}
	})
}
