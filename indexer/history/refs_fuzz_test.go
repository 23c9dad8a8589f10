package history

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzRefs checks that damaged or hostile content of HEAD, a ref, packed-refs or a .git file leads
// only to a hash, nothing, or an error, and that no name is followed out of the repository.
func FuzzRefs(f *testing.F) {
	hash := strings.Repeat("a1", 20)
	f.Add("ref: refs/heads/main\n", hash+"\n", "# pack-refs with: peeled fully-peeled sorted\n"+hash+" refs/heads/other\n^"+hash+"\n", "gitdir: real\n", "main")
	f.Add("ref: refs/heads/other\n", "", hash+" refs/heads/other\r\n", "gitdir:../x", "main")
	f.Add(hash+"\n", "ref: HEAD", "", "gitdir: \n", "main")
	f.Add("ref: refs/../../../outside", hash, hash+" refs/../../../outside\n", "gitdir:/", "main")
	f.Add("ref: refs/heads/a", "ref: refs/heads/a", "", "", "a")
	f.Add("ref: refs/heads/main\x00", strings.Repeat("b", 64), hash+" \n "+hash+"\n", "gitdir: \x00", "x/y")
	base := f.TempDir()
	const outside = "cccccccccccccccccccccccccccccccccccccccc"
	if err := os.WriteFile(filepath.Join(base, "outside"), []byte(outside), 0o644); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, head, loose, packed, link, branch string) {
		root, err := os.MkdirTemp(base, "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(root)
		dir := filepath.Join(root, ".git")
		if !filepath.IsLocal(branch) || len(branch) > 100 {
			branch = "main"
		}
		write := func(name, text string) {
			path := filepath.Join(dir, name)
			if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
				_ = os.WriteFile(path, []byte(text), 0o644) // an invalid name is a missing ref
			}
		}
		write("HEAD", head)
		write("packed-refs", packed)
		write("objects/info/packs", "")
		write(filepath.Join("refs", "heads", branch), loose)
		hash, err := Head(t.Context(), root)
		if err == nil && hash != "" && !isHash(hash) || hash == outside && !strings.Contains(head+loose+packed, outside) {
			t.Fatalf("HEAD is %q", hash)
		}
		write("shallow", packed)
		shallowEdge(dir)
		linked := filepath.Join(root, "linked")
		if err := os.Mkdir(linked, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(linked, ".git"), []byte(link), 0o644); err != nil {
			t.Fatal(err)
		}
		if gitDir, common, ok := GitDirs(linked); ok && (!filepath.IsAbs(gitDir) || !filepath.IsAbs(common)) {
			t.Fatalf("%q leads to %q and %q", link, gitDir, common)
		}
	})
}
