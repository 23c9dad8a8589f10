// Package history reads a workspace's Git history as documents for a ranker: each commit's message
// and the files that the commit changed.
//
// [Head] is cheap and shows whether there are new commits; [List] returns their hashes; [Load]
// reads those that the caller does not have yet. A commit never changes, so the result of Load may
// be stored by its hash permanently, with the exceptions named at [Commit].
//
// The package runs the git command with argument vectors only, at low priority, without hooks,
// pagers, file system monitors or signature programs, and with every transport forbidden: a partial
// clone never accesses a network. The repository's own configuration is treated as hostile, as it
// comes with a folder that the user opened.
//
// The text of commits is returned as it is. It is not scanned for secrets: the caller must do that
// before it stores any of it.
package history

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// MaxMessageBytes bounds the part of a commit's message that is kept.
	MaxMessageBytes = 4 << 10
	// MaxFiles is the maximum number of files of a commit that is still informative about each of
	// them.
	MaxFiles = 60
)

var (
	// ErrNoGit means that there is no git command. The caller continues without history.
	ErrNoGit = errors.New("the git command was not found: install git to rank by the history")
	// ErrUntrusted means that git refuses the repository because it belongs to another user. The
	// error's text contains the command that trusts it; the caller continues without history.
	ErrUntrusted = errors.New("the repository belongs to another user")
	// ErrNoTrees means that some commits came without their files, because the repository does not
	// contain their trees (a clone with --filter=tree:0, or damage). The rest of the result is
	// usable; the caller must not take the missing files as final.
	ErrNoTrees = errors.New("the repository does not hold the files of some commits")
)

// Commit is one commit as a document.
type Commit struct {
	// Hash is the commit's object name: 40 hexadecimal digits, 64 in a SHA-256 repository.
	Hash string
	// Message is subject and body as valid UTF-8 with "\n" line ends, without trailers and web
	// addresses, at most MaxMessageBytes.
	Message string
	// Files are the files that the commit added, changed or deleted, relative to the requested
	// root, with slashes, sorted by byte, in git's own bytes (not always UTF-8); only those below
	// the root. A rename contributes both names. Files is nil if the commit changed more than
	// MaxFiles files in the whole repository, is a merge, or is at the edge of a shallow clone,
	// where its changes are unknown until the clone is deepened.
	Files []string
	// Time is the commit time, in UTC.
	Time time.Time
}

// GitDirs finds the repository that contains root, as git does: gitDir is the folder of this
// working tree (HEAD, index), commonDir the one shared by all working trees (refs, info/exclude,
// objects); they differ only in linked working trees. Both are absolute. It starts no process. Bare
// repositories do not count: a folder that merely looks like one may have come with a checkout.
func GitDirs(root string) (gitDir, commonDir string, ok bool) {
	dir, err := filepath.Abs(root)
	if err != nil {
		return "", "", false
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", "", false
	}
	for {
		candidate := filepath.Join(dir, ".git")
		if info, err := os.Stat(candidate); err == nil {
			if !info.IsDir() {
				return linkedGitDir(candidate)
			}
			if common, ok := commonOf(candidate); ok {
				return candidate, common, true
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", "", false
		}
		dir = parent
	}
}

// linkedGitDir follows a .git file, as in submodules and linked working trees. Like git, it stops
// at a broken one instead of searching further up.
func linkedGitDir(file string) (gitDir, commonDir string, ok bool) {
	text, err := readSmall(file)
	if err != nil {
		return "", "", false
	}
	target, found := strings.CutPrefix(text, "gitdir:")
	if !found {
		return "", "", false
	}
	target = strings.TrimSpace(target)
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(file), target)
	}
	gitDir = filepath.Clean(target)
	commonDir, ok = commonOf(gitDir)
	return gitDir, commonDir, ok
}

// commonOf returns the folder that gitDir shares with its repository's other working trees, and
// whether the two form a repository.
func commonOf(gitDir string) (string, bool) {
	if _, err := os.Lstat(filepath.Join(gitDir, "HEAD")); err != nil {
		return "", false
	}
	common := gitDir
	if text, err := readSmall(filepath.Join(gitDir, "commondir")); err == nil {
		if text = strings.TrimRight(text, "\r\n"); filepath.IsAbs(text) {
			common = filepath.Clean(text)
		} else {
			common = filepath.Join(gitDir, text)
		}
	}
	info, err := os.Stat(filepath.Join(common, "objects"))
	return common, err == nil && info.IsDir() && !waits(gitDir, common)
}

// waits reports whether git would block forever on one of the files that it reads first, because it
// is a pipe.
func waits(gitDir, common string) bool {
	for _, file := range []string{
		filepath.Join(gitDir, "HEAD"), filepath.Join(gitDir, "index"), filepath.Join(gitDir, "commondir"),
		filepath.Join(gitDir, "config.worktree"), filepath.Join(common, "config"), filepath.Join(common, "packed-refs"),
		filepath.Join(common, "shallow"), filepath.Join(common, "objects", "info", "alternates"),
	} {
		if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return true
		}
	}
	return false
}
