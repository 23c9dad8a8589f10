package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/contexture-dev/contexture/server/transport"
)

// Roots records the paths by which the roots of a process were opened. A root is the folder itself,
// whatever links lead to it: index and memory use its real path, URIs the one that the client
// named. Safe for concurrent use.
//
// The worktrees of a repository share the memory of its main one.
type Roots struct {
	mu    sync.Mutex          // guards all below
	given map[string][]string // other paths of a root, by the root
	known []string            // real paths of all roots
}

func newRoots() *Roots { return &Roots{given: map[string][]string{}} }

// All lists the real paths of the roots that were opened.
func (i *Roots) All() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.known)
}

// Home returns the real path of the root whose memory a root shares, and records the root's paths
// for relative.
func (i *Roots) Home(path string) string {
	real := i.Of(path)
	home, ok := mainWorktree(real)
	if !ok || home == real {
		return real
	}
	for _, other := range []string{real, path} {
		i.give(home, other)
	}
	return home
}

// give records another path of a root.
func (i *Roots) give(root, path string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if path != root && !slices.Contains(i.given[root], path) {
		i.given[root] = append(slices.Clip(i.given[root]), path)
	}
}

// Of returns the real path of a root, or the path itself if it does not exist, and records the path
// for relative.
func (i *Roots) Of(path string) (real string) {
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

// relative returns the path of a document relative to a root, by its real path or any other with
// which it was opened.
func (i *Roots) relative(real, uri string) (string, bool) {
	path, ok := transport.FilePath(uri)
	if !ok {
		return "", false
	}
	i.mu.Lock()
	folders := append([]string{real}, i.given[real]...)
	i.mu.Unlock()
	// The longest comes first, since a worktree may be inside the main one.
	slices.SortStableFunc(folders, func(a, b string) int { return len(b) - len(a) })
	return Below(path, folders...)
}

// Below returns an absolute path relative to the first of some folders that contain it, with
// forward slashes: "." for the folder itself.
func Below(path string, folders ...string) (string, bool) {
	for _, folder := range folders {
		rel, err := filepath.Rel(folder, path)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// maxGitFileBytes bounds the small files by which a worktree and its repository refer to each
// other.
const maxGitFileBytes = 16 << 10

// mainWorktree returns the folder that represents the repository of a worktree: its main worktree,
// or the repository itself without one. ok is false for a root that is not a linked worktree.
//
// The root's .git alone is not trusted, since it comes with the folder: the repository must list
// the root as one of its worktrees, too. Otherwise a folder from anywhere could get the memory of
// any repository.
// repository.
func mainWorktree(root string) (dir string, ok bool) {
	own := filepath.Join(root, ".git")
	private, ok := strings.CutPrefix(gitFile(own), "gitdir: ")
	if !ok {
		return "", false
	}
	private = absolute(root, private)
	common := gitFile(filepath.Join(private, "commondir"))
	back := gitFile(filepath.Join(private, "gitdir"))
	if common == "" || back == "" || !sameFile(absolute(private, back), own) {
		return "", false
	}
	common, err := filepath.EvalSymlinks(absolute(private, common))
	if err != nil {
		return "", false
	}
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common), true
	}
	return common, true
}

// gitFile returns the single line of a small file, "" for any other file.
func gitFile(path string) string {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxGitFileBytes {
		return ""
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line := strings.TrimRight(string(text), "\r\n")
	if strings.ContainsAny(line, "\n\x00") {
		return ""
	}
	return line
}

// absolute returns a path from a folder's file as an absolute path.
func absolute(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
