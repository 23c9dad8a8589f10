package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// logFormat prints each commit as fields that end in NUL, after an empty one: hash, parents, time
// in seconds, message. Neither a message nor a path can contain a NUL, and no path is empty, so an
// empty field always begins a commit.
const logFormat = "--format=tformat:%x00%H%x00%P%x00%ct%x00%B"

// Load reads the commits with the given hashes and calls yield for each, in the order given, on the
// caller's goroutine; it skips a commit that is not in the repository (any more). An error of yield
// ends the run and is returned unchanged. Memory does not grow with the number or size of commits.
//
// It fails with ErrNoGit and ErrUntrusted. With ErrNoTrees all commits were yielded, some of them
// without their files.
func Load(ctx context.Context, root string, hashes []string, yield func(Commit) error) error {
	if len(hashes) == 0 {
		return nil
	}
	for _, h := range hashes {
		if !isHash(h) {
			return fmt.Errorf("load commits: %q is not a commit id", h)
		}
	}
	_, commonDir, ok := GitDirs(root)
	if !ok {
		return nil
	}
	prefix, err := showPrefix(ctx, root)
	if errors.Is(err, errNoRepository) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("load commits: %w", err)
	}
	l := loader{root: root, prefix: prefix, edge: shallowEdge(commonDir), yield: yield}
	err = l.run(ctx, hashes, "diff-tree", "--stdin", "--root", "-r", "-z", "--raw", "--no-renames",
		"--ignore-submodules=all", "--no-ext-diff", "--no-textconv", "--always", "--encoding=UTF-8", logFormat)
	if errors.Is(err, ErrNoTrees) {
		if more := l.run(ctx, hashes[l.after(hashes):], "log", "--stdin", "--no-walk=unsorted", "--ignore-missing",
			"--no-mailmap", "-z", "--no-patch", "--encoding=UTF-8", logFormat); more != nil {
			err = more
		}
	}
	if err != nil && !errors.Is(err, l.failed) {
		return fmt.Errorf("load commits: %w", err)
	}
	return err
}

// loader is one call of Load.
type loader struct {
	root, prefix string
	edge         map[string]bool // commits of a shallow clone whose parents are missing
	yield        func(Commit) error
	last         string // hash of the last yielded commit
	failed       error  // the error of yield
}

// run passes hashes to one git process and yields the commits that it prints.
func (l *loader) run(ctx context.Context, hashes []string, args ...string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g, err := newGit(ctx, l.root, args...)
	if err != nil {
		return err
	}
	g.cmd.Stdin = &hashLines{hashes: hashes}
	out, err := g.start()
	if err != nil {
		return err
	}
	last, readErr := l.read(out)
	if readErr != nil {
		cancel()
		_ = g.wait(ctx) // It was killed: readErr is the reason.
		return readErr
	}
	if err := g.wait(ctx); err != nil || last == nil {
		return err
	}
	return l.give(*last)
}

// read yields the commits of a stream except the last, which it returns: whether that one is
// complete is known only when git has succeeded.
func (l *loader) read(r io.Reader) (*Commit, error) {
	p := newParser(r, l.prefix)
	var held *Commit
	for {
		c, err := p.next()
		if errors.Is(err, io.EOF) {
			return held, nil
		}
		if err != nil {
			return nil, err
		}
		if held != nil {
			if err := l.give(*held); err != nil {
				return nil, err
			}
		}
		held = &c
	}
}

// give yields a commit.
func (l *loader) give(c Commit) error {
	if l.edge[c.Hash] {
		c.Files = nil
	}
	if l.failed = l.yield(c); l.failed != nil {
		return l.failed
	}
	l.last = c.Hash
	return nil
}

// after returns the index after the last yielded commit.
func (l *loader) after(hashes []string) int {
	for i, h := range hashes {
		if h == l.last {
			return i + 1
		}
	}
	return 0
}

// maxShallowBytes bounds what is read of the list of a shallow clone's edge: 400,000 commits.
const maxShallowBytes = 16 << 20

// shallowEdge returns the commits of a shallow clone whose parents are missing: to git they look as
// if they had added every file.
func shallowEdge(commonDir string) map[string]bool {
	f, err := openPlain(filepath.Join(commonDir, "shallow"))
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxShallowBytes))
	if err != nil {
		return nil
	}
	edge := map[string]bool{}
	for _, h := range strings.Fields(string(data)) {
		edge[h] = true
	}
	return edge
}

// hashLines is a reader of the hashes, one per line, that does not build the whole text.
type hashLines struct {
	hashes []string
	rest   string
}

func (h *hashLines) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if h.rest == "" {
			if len(h.hashes) == 0 {
				break
			}
			h.rest = h.hashes[0] + "\n"
			h.hashes = h.hashes[1:]
		}
		k := copy(p[n:], h.rest)
		h.rest = h.rest[k:]
		n += k
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}
