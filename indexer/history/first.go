package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrShallow means that the clone was made without its history: its first commit is unknown.
var ErrShallow = errors.New("the clone is shallow; git fetch --unshallow completes it")

// First returns the hash of the commit that HEAD's history began with, along first parents: it is
// the same in all clones, and stays when another history is merged. It is "" with a nil error if
// there is no repository or no commit yet. It runs git, which reads the whole history of first
// parents. Errors: ErrNoGit, ErrShallow, and those of git.
func First(ctx context.Context, root string) (string, error) {
	_, commonDir, ok := GitDirs(root)
	if !ok {
		return "", nil
	}
	if _, err := os.Stat(filepath.Join(commonDir, "shallow")); err == nil {
		return "", ErrShallow
	}
	if head, err := Head(ctx, root); err != nil || head == "" {
		return "", err
	}
	out, err := output(ctx, root, "rev-list", "--max-parents=0", "--first-parent", "HEAD")
	if err != nil {
		return "", fmt.Errorf("find the first commit: %w", err)
	}
	first := strings.TrimSpace(string(out))
	if !isHash(first) {
		return "", fmt.Errorf("find the first commit: git printed %.80q", first)
	}
	return first, nil
}

// Has reports whether a repository has a commit, reachable or not. It runs git.
func Has(ctx context.Context, root, commit string) bool {
	if !isHash(commit) {
		return false
	}
	_, err := output(ctx, root, "cat-file", "-e", commit+"^{commit}")
	return err == nil
}
