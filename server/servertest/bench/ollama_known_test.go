//go:build linux

package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest"
)

// known counts texts that are embedded again: after a restart, after touching and renaming files,
// on branches, and in a second worktree.
func (m *modelled) known() error {
	r := &repeats{modelled: m, proxy: ollamatest.NewProxy(m.b, m.server.URL), seen: map[string]bool{}, state: m.b.TempDir()}
	r.tree = &tree{root: filepath.Join(m.b.TempDir(), "tree")}
	if err := sources(r.tree.root, 0, 60); err != nil {
		return err
	}
	if err := r.branch(); err != nil {
		return err
	}
	first := 0
	err := m.with(r.tree.root, r.state, r.proxy.URL, func(c *client) error {
		if err := c.embedded(time.Minute); err != nil {
			return err
		}
		_, first = r.count()
		return nil
	})
	if err != nil || first == 0 {
		return fmt.Errorf("%d texts are embedded at first: %w", first, err)
	}
	err = m.with(r.tree.root, r.state, r.proxy.URL, func(c *client) error {
		if err := r.row(c, fmt.Sprintf("restart (of %d)", first), 0, func() error { return nil }); err != nil {
			return err
		}
		return r.inPlace(c)
	})
	if err != nil {
		return err
	}
	return r.worktrees()
}

// repeats is a workspace whose embedded texts are recorded.
type repeats struct {
	*modelled
	proxy *ollamatest.Proxy
	tree  *tree
	state string
	seen  map[string]bool
}

// branch makes a repository with a branch `changed`, which has five more files.
func (r *repeats) branch() error {
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "all"}, {"checkout", "-q", "-b", "changed"}} {
		if err := r.tree.git(args...); err != nil {
			return err
		}
	}
	if err := sources(r.tree.root, 60, 5); err != nil {
		return err
	}
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", "change"}, {"checkout", "-q", "main"}} {
		if err := r.tree.git(args...); err != nil {
			return err
		}
	}
	return nil
}

// inPlace changes the workspace under a running server.
func (r *repeats) inPlace(c *client) error {
	root := r.tree.root
	moves := []struct {
		what  string
		fresh int // new texts
		do    func() error
	}{
		{"touch of every file", 0, func() error { return r.touch(root) }},
		{"rename of a folder", 0, func() error {
			return os.Rename(filepath.Join(root, "part1"), filepath.Join(root, "moved"))
		}},
		{"rename back", 0, func() error {
			return os.Rename(filepath.Join(root, "moved"), filepath.Join(root, "part1"))
		}},
		{"branch with 5 new files, out", 1, func() error { return r.tree.git("checkout", "-q", "changed") }},
		{"branch, back", 0, func() error { return r.tree.git("checkout", "-q", "main") }},
		{"branch, out again", 0, func() error { return r.tree.git("checkout", "-q", "changed") }},
	}
	for _, move := range moves {
		if err := r.row(c, move.what, move.fresh, move.do); err != nil {
			return fmt.Errorf("%s: %w", move.what, err)
		}
	}
	return nil
}

// worktrees opens a second worktree alone, then a third one at the same time, in another process.
func (r *repeats) worktrees() error {
	second, third := filepath.Join(r.b.TempDir(), "second"), filepath.Join(r.b.TempDir(), "third")
	for _, args := range [][]string{{"worktree", "add", "-q", second, "main"}, {"worktree", "add", "-q", "--detach", third, "main"}} {
		if err := r.tree.git(args...); err != nil {
			return err
		}
	}
	return r.with(second, r.state, r.proxy.URL, func(c *client) error {
		if err := r.row(c, "second worktree", 0, func() error { return nil }); err != nil {
			return err
		}
		return r.with(third, r.state, r.proxy.URL, func(c *client) error {
			return r.row(c, "third worktree, beside the second in a process of its own", 0, func() error { return nil })
		})
	})
}

// touch gives every file a new modification time.
func (r *repeats) touch(root string) error {
	files, err := listing(root)
	now := time.Now()
	for path := range files {
		if rel, _ := filepath.Rel(root, path); rel[:1] != "." {
			err = errors.Join(err, os.Chtimes(path, now, now))
		}
	}
	return err
}

// row runs a step, waits until everything is embedded and no request has come for half a second,
// and counts.
func (r *repeats) row(c *client, what string, fresh int, do func() error) error {
	if err := do(); err != nil {
		return err
	}
	before := -1
	err := poll(500*time.Millisecond, time.Minute, func() (bool, error) {
		now := r.proxy.Calls("/api/embed")
		same := now == before
		before = now
		return same, c.embedded(time.Minute)
	})
	if err != nil {
		return err
	}
	again, other := r.count()
	if fresh == 0 {
		again += other
	}
	r.table.exact("texts embedded again: "+what, float64(again), 0, "%d new ones", other)
	if fresh > 0 && other == 0 {
		return errors.New("the new files are not embedded")
	}
	return nil
}

// count sorts the documents embedded since the last count into those seen before and new ones.
func (r *repeats) count() (again, other int) {
	for _, text := range r.documents(r.proxy.Texts()) {
		if r.seen[text] {
			again++
			continue
		}
		r.seen[text] = true
		other++
	}
	r.proxy.Forget()
	return again, other
}
