package server

import (
	"os"
	"path/filepath"
	"strings"
)

// maxGitFileBytes bounds the small files by which a worktree and its repository name each other.
const maxGitFileBytes = 16 << 10

// mainWorktree returns the folder that stands for the repository of a worktree: its main worktree, or the repository
// itself where that has none. ok is false for a root that is no linked worktree.
//
// The root's .git alone is not believed, since it comes with the folder: the repository has to name the root as one of
// its worktrees, too. Else a folder from anywhere could have the memory of any repository.
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

// gitFile reads the one line of a small file, "" for what is none.
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

// absolute returns a path that stands in a folder's file.
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
