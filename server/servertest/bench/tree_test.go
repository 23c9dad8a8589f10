//go:build linux

package bench

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tree is the measured workspace: a copy that may be changed.
type tree struct {
	root    string
	sources []string // the Go files that are certainly indexed, relative to the root
	words   int      // unique words made so far
}

// copyTree copies a folder and lists its sources. Nothing below testdata or vendor is listed,
// because the ignore rules decide whether that is indexed.
func copyTree(from, to string) (*tree, error) {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return nil, fmt.Errorf("copy %s: %w", from, err)
	}
	t := &tree{root: to}
	return t, t.listSources(to)
}

// listSources lists the sources below a folder of the tree.
func (t *tree) listSources(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || name == "vendor"):
			return fs.SkipDir
		case d.Type().IsRegular() && strings.HasSuffix(name, ".go"):
			return t.list(path)
		}
		return nil
	})
}

// list adds a file unless it is large or generated.
func (t *tree) list(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(text) < 500 || len(text) > 200_000 || strings.Contains(string(text), "DO NOT EDIT") {
		return nil
	}
	rel, err := filepath.Rel(t.root, path)
	t.sources = append(t.sources, filepath.ToSlash(rel))
	return err
}

// pick chooses n different sources, always the same ones for a seed.
func (t *tree) pick(n int, seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 0))
	out := make([]string, 0, n)
	for _, i := range r.Perm(len(t.sources))[:min(n, len(t.sources))] {
		out = append(out, t.sources[i])
	}
	return out
}

func (t *tree) path(rel string) string { return filepath.Join(t.root, filepath.FromSlash(rel)) }

// word makes up a word that occurs nowhere: only lower-case letters, so that no analyser splits it,
// ending in a consonant pair that no stemmer changes.
func (t *tree) word() string {
	t.words++
	var b strings.Builder
	b.WriteString("zqx")
	for n := t.words; n > 0; n /= 16 {
		b.WriteByte("bcdfghjklmnpqrtv"[n%16])
	}
	b.WriteString("wk")
	return b.String()
}

// addWord saves a file with a word added as editors do: a new file is renamed over the old one.
func (t *tree) addWord(rel, word string) error {
	path := t.path(rel)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	next := path + ".tmp~"
	if err := os.WriteFile(next, withWord(text, word), 0o644); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// withWord adds a function with a comment.
func withWord(text []byte, word string) []byte {
	return fmt.Appendf(text[:len(text):len(text)], "\n// %s is new here.\nfunc %s() {}\n", word, word)
}

// git runs git in the tree without the person's configuration.
func (t *tree) git(args ...string) error {
	cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false", "-c", "gc.auto=0"}, args...)...)
	cmd.Dir = t.root
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return nil
}
