// Package history reads a workspace's Git history as documents for a ranker: each commit's message
// and the files that the commit touched.
//
// [Head] is cheap and tells whether anything is new; [List] names the commits; [Load] reads those
// that the caller does not have yet. A commit never changes, so what Load gave may be kept by its
// hash permanently, with the exceptions named at [Commit].
//
// The work is done by the git command, which this package starts with argument vectors only, at low
// priority, without hooks, pagers, file system monitors or signature programs, and with every
// transport forbidden: a partial clone never reaches for a network here. The repository's own
// configuration is taken as hostile, as it comes with a folder that somebody opened.
//
// What is read is the text of commits as it stands. It is not scanned for secrets: that is the
// caller's, who does it before it keeps anything.
package history

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// MaxMessageBytes is how much of a commit's message is kept.
	MaxMessageBytes = 4 << 10
	// MaxFiles is how many files a commit may touch and still say something about each of them.
	MaxFiles = 60
)

var (
	// ErrNoGit says that there is no git command to ask. The caller goes on without history.
	ErrNoGit = errors.New("the git command was not found: install git to rank by the history")
	// ErrUntrusted says that git refuses the repository because it belongs to another user. The
	// error's text carries the command with which a person trusts it; the caller goes on without.
	ErrUntrusted = errors.New("the repository belongs to another user")
	// ErrNoTrees says that some commits came without their files, because the repository does not
	// hold their trees (a clone with --filter=tree:0, or damage). What came with it is usable; the
	// caller should not take the missing files for known.
	ErrNoTrees = errors.New("the repository does not hold the files of some commits")
)

// Commit is one commit as a document.
type Commit struct {
	// Hash is the commit's name: 40 hexadecimal digits, 64 in a SHA-256 repository.
	Hash string
	// Message is subject and body as valid UTF-8 with "\n" line ends, without trailers and
	// addresses of web pages, at most MaxMessageBytes.
	Message string
	// Files are the files that the commit added, changed or deleted, relative to the root asked
	// for, with slashes, sorted by byte, in the bytes that git has (not always UTF-8); only those
	// below the root. A rename is both its names. It is nil when the commit touched more than
	// MaxFiles files in the whole repository, is a merge, or stands at the edge of a shallow clone,
	// where what it touched cannot be known until the clone is deepened.
	Files []string
	// Time is when it was committed, in UTC.
	Time time.Time
}

// GitDirs finds the repository that root lies in, as git does: gitDir is the folder of this working
// tree (HEAD, index), commonDir the one shared by all working trees (refs, info/exclude, objects);
// they are equal but for linked working trees. Both are absolute. It starts no process. Bare
// repositories are none: a folder that merely looks like one may have come with a checkout.
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

// linkedGitDir follows a .git file, as submodules and linked working trees have it. Git stops at a
// broken one instead of looking further up, and so does this.
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
// whether the two make a repository at all.
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

// waits reports whether git would wait for ever for one of the files that it reads first: a pipe in
// a file's place.
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
