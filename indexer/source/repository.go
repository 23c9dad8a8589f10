package source

import (
	"os"
	"path/filepath"
	"slices"
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
	} else if parent := filepath.Dir(repo.gitDir); !info.IsDir() && filepath.Base(parent) == worktreesFolder {
		repo.common = filepath.Dir(parent) // a pointer that was written on another machine, or in a container
	}
	if repo.waits() {
		return nil
	}
	return repo
}

// worktreesFolder is the folder of a .git folder that has a folder for each linked work tree.
const worktreesFolder = "worktrees"

// isLinked reports whether the repository's work tree was made by git worktree add.
func (repo *repository) isLinked() bool { return repo.common != repo.gitDir }

// worktreeRule returns the rule that leaves out a linked work tree whose original is in this
// workspace, or nil. Such a work tree, as agents make them below .claude/worktrees, is a copy of
// the same files at another commit, and a workspace of its own when it is opened. Submodules and
// clones are not left out, nor the work trees of a bare repository, which has no other copy.
func (r *rules) worktreeRule(parent *folder, rel string, names []string) *Rule {
	if !slices.Contains(names, ".git") {
		return nil
	}
	repo := openRepository(filepath.Join(r.t.root.path, filepath.FromSlash(rel)))
	if repo == nil || !repo.isLinked() || !r.holdsOriginal(parent.repo, repo) {
		return nil
	}
	return &Rule{Pattern: baseName(rel) + "/ (a linked worktree of a repository that is indexed; it is a workspace of its own)", Source: builtIn}
}

// holdsOriginal reports whether another work tree of linked's repository is in the workspace: the
// one that outer, the repository around it, has, or one below the root.
func (r *rules) holdsOriginal(outer, linked *repository) bool {
	common := resolved(linked.common)
	around := outer != nil && resolved(outer.common) == common
	if around && outer.isLinked() {
		return true
	}
	if _, inside := below(r.t.root.path, common); !around && !inside {
		// The pointer may have the path of another machine: git knows the work tree by its name.
		return outer != nil && !isFolder(common) && isFolder(filepath.Join(outer.common, worktreesFolder, filepath.Base(linked.gitDir)))
	}
	return !isBare(common)
}

// isBare reports whether a repository has no work tree but linked ones.
func isBare(gitDir string) bool {
	data, err := readRuleFile(filepath.Join(gitDir, "config"), false)
	if err != nil {
		return false
	}
	section := ""
	for line := range strings.Lines(lowerASCII(string(data))) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch {
		case strings.HasPrefix(key, "["):
			section = key
		case section == "[core]" && strings.TrimSpace(key) == "bare":
			return isTrue(strings.TrimSpace(value))
		}
	}
	return false
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
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
