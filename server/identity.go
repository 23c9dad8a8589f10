package server

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// identities knows by what paths the roots of a process were opened. A root is the folder itself, whatever links lead
// to it: index and memory go by its real path, URIs by the one that the client named. Safe for concurrent use.
//
// The worktrees of a repository share the memory of its main one.
type identities struct {
	mu    sync.Mutex          // guards all below
	given map[string][]string // other paths of a root, by the root
	known []string            // real paths of all roots
}

func newIdentities() *identities { return &identities{given: map[string][]string{}} }

// all lists the real paths of the roots that were opened.
func (i *identities) all() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.known)
}

// home returns the real path of the root whose memory a root has, and remembers the root's paths for relative.
func (i *identities) home(path string) string {
	real := i.of(path)
	home, ok := mainWorktree(real)
	if !ok || home == real {
		return real
	}
	for _, other := range []string{real, path} {
		i.give(home, other)
	}
	return home
}

// give remembers another path of a root.
func (i *identities) give(root, path string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if path != root && !slices.Contains(i.given[root], path) {
		i.given[root] = append(slices.Clip(i.given[root]), path)
	}
}

// of gives the real path of a root, or the path itself where it leads nowhere, and remembers the path for relative.
func (i *identities) of(path string) (real string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	i.give(real, path)
	i.mu.Lock()
	defer i.mu.Unlock()
	if !slices.Contains(i.known, real) {
		i.known = append(i.known, real)
	}
	return real
}

// relative gives the path of a document below a root, by its real path or any other it was opened by.
func (i *identities) relative(real, uri string) (string, bool) {
	path, ok := filePath(uri)
	if !ok {
		return "", false
	}
	i.mu.Lock()
	folders := append([]string{real}, i.given[real]...)
	i.mu.Unlock()
	// The longest comes first: a worktree may lie in the main one.
	slices.SortStableFunc(folders, func(a, b string) int { return len(b) - len(a) })
	return below(path, folders...)
}

// below gives an absolute path below the first of some folders that it lies in, with forward slashes: "." for the
// folder itself.
func below(path string, folders ...string) (string, bool) {
	for _, folder := range folders {
		rel, err := filepath.Rel(folder, path)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}
