package source

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A repository is a folder that contains .git.
type repository struct {
	top    string // absolute path of the work tree
	rel    string // the same relative to the root; unused when at or above it
	inside bool   // the work tree lies below the root
	gitDir string // absolute
	common string // absolute; differs from gitDir in a linked work tree

	mu      sync.Mutex      // guards the fields below
	indexed time.Time       // the index file's time when tracked was read
	tracked map[string]bool // folders with a build folder's name in which Git tracks files; nil: not read
}

// openRepository returns the repository whose work tree is top, or nil.
func openRepository(top string) *repository {
	dot := filepath.Join(top, ".git")
	info, err := os.Stat(dot)
	if err != nil {
		return nil
	}
	repo := &repository{top: top, gitDir: dot}
	if !info.IsDir() {
		// A linked work tree or a submodule: "gitdir: PATH".
		path, ok := strings.CutPrefix(readLine(dot), "gitdir:")
		if !ok {
			return nil
		}
		repo.gitDir = absolute(strings.TrimSpace(path), top)
	}
	repo.common = repo.gitDir
	if path := readLine(filepath.Join(repo.gitDir, "commondir")); path != "" {
		repo.common = absolute(path, repo.gitDir)
	}
	if repo.waits() {
		return nil
	}
	return repo
}

// waits reports whether git would block forever on one of the files that it reads first, because it
// is a pipe. Such a repository is not used.
func (repo *repository) waits() bool {
	for _, file := range []string{
		filepath.Join(repo.gitDir, "HEAD"), filepath.Join(repo.gitDir, "index"), filepath.Join(repo.gitDir, "commondir"),
		filepath.Join(repo.gitDir, "config.worktree"), filepath.Join(repo.common, "config"), filepath.Join(repo.common, "packed-refs"),
	} {
		if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return true
		}
	}
	return false
}

// enclosing returns the repository that a folder belongs to, or nil.
func enclosing(dir string) *repository {
	for {
		if repo := openRepository(dir); repo != nil {
			return repo
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil
		}
		dir = parent
	}
}

func (repo *repository) excludeFile() string { return filepath.Join(repo.common, "info", "exclude") }

// readLine returns a small file's text without the line ending, or "" on any error.
func readLine(path string) string {
	data, err := readRuleFile(path, false)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(data), "\r\n")
}

func absolute(path, base string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	return filepath.Clean(path)
}

// tracks reports whether Git tracks files in a folder that has a build folder's name. One run of
// git answers for all such folders; it is repeated when Git's index changes. While git fails, no
// folder counts as tracked.
func (repo *repository) tracks(dir string) bool {
	info, err := os.Stat(filepath.Join(repo.gitDir, "index"))
	if err != nil {
		return false // nothing was ever added
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	if repo.tracked == nil || !repo.indexed.Equal(info.ModTime()) {
		repo.indexed = info.ModTime()
		repo.tracked = trackedFolders(repo.top)
	}
	return repo.tracked[dir]
}

// trackedFolders returns the folders with a build folder's name that contain tracked files, as
// paths relative to the top of the work tree.
func trackedFolders(top string) map[string]bool {
	args := []string{"-c", "core.fsmonitor=false", "ls-files", "-z", "--"}
	for name := range buildFolders {
		args = append(args, ":(glob)**/"+name+"/**")
	}
	found := map[string]bool{}
	out, err := runGit(top, "", args...)
	if err != nil {
		return found
	}
	for file := range strings.SplitSeq(string(out), "\x00") {
		for end := strings.LastIndexByte(file, '/'); end > 0; end = strings.LastIndexByte(file[:end], '/') {
			dir := file[:end]
			if _, ok := buildFolders[dir[strings.LastIndexByte(dir, '/')+1:]]; ok {
				found[dir] = true
			}
		}
	}
	return found
}
