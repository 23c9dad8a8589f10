package history

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	// maxRefDepth bounds a chain of symbolic refs; it is git's own limit.
	maxRefDepth = 5
	// maxRefBytes bounds what is read of a file that should contain one name.
	maxRefBytes = 64 << 10
)

// Head returns the hash of the current commit of HEAD. It is "" with a nil error if there is no
// repository or no commit yet. It reads two or three small files and starts no process, except in a
// repository whose refs are not files (reftable), for which it runs git and can fail as List does.
func Head(ctx context.Context, root string) (string, error) {
	gitDir, commonDir, ok := GitDirs(root)
	if !ok {
		return "", nil
	}
	if _, err := os.Stat(filepath.Join(commonDir, "reftable")); err == nil {
		return headByGit(ctx, root)
	}
	hash, err := resolve(gitDir, commonDir, "HEAD")
	if err != nil {
		return "", fmt.Errorf("read HEAD: %w", err)
	}
	return hash, nil
}

// resolve follows a ref to its hash; "" if its target does not exist.
func resolve(gitDir, commonDir, ref string) (string, error) {
	for range maxRefDepth {
		text, err := readRef(gitDir, commonDir, ref)
		if err != nil || text == "" {
			return "", err
		}
		target, symbolic := strings.CutPrefix(text, "ref:")
		if !symbolic {
			if !isHash(text) {
				return "", fmt.Errorf("%s is damaged: it does not hold a commit id", ref)
			}
			return text, nil
		}
		ref = strings.TrimSpace(target)
		if !strings.HasPrefix(ref, "refs/") || !filepath.IsLocal(filepath.FromSlash(ref)) {
			return "", fmt.Errorf("HEAD names %q, which is not a ref", ref)
		}
	}
	return "", fmt.Errorf("%s is a chain of more than %d refs", ref, maxRefDepth)
}

// readRef returns the content of a ref, or "" if there is none. A ref that is being packed moves
// from its own file to packed-refs, and one that is updated moves back, so a miss is looked up
// twice.
func readRef(gitDir, commonDir, ref string) (string, error) {
	base := commonDir
	if ref == "HEAD" || strings.HasPrefix(ref, "refs/bisect/") ||
		strings.HasPrefix(ref, "refs/worktree/") || strings.HasPrefix(ref, "refs/rewritten/") {
		base = gitDir
	}
	for range 2 {
		text, err := readLoose(filepath.Join(base, filepath.FromSlash(ref)))
		if err != nil || text != "" {
			return text, err
		}
		if ref == "HEAD" {
			continue
		}
		hash, err := readPacked(filepath.Join(commonDir, "packed-refs"), ref)
		if err != nil || hash != "" {
			return hash, err
		}
	}
	return "", nil
}

// readLoose reads a ref's own file. A folder of that name is not a ref (refs/heads/a beside
// refs/heads/a/b, packed). A symbolic link is the oldest form of a symbolic ref.
func readLoose(file string) (string, error) {
	text, err := readSmall(file)
	if err == nil {
		return strings.TrimSpace(text), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		if info, statErr := os.Stat(file); statErr == nil && info.IsDir() {
			return "", nil
		}
		return "", err
	}
	if target, err := os.Readlink(file); err == nil && strings.HasPrefix(target, "refs/") {
		return "ref: " + target, nil
	}
	return "", nil
}

// readPacked looks up a ref in packed-refs, which may contain a hundred thousand of them.
func readPacked(file, ref string) (string, error) {
	f, err := openPlain(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxRefBytes)
	for lines.Scan() {
		hash, name, found := strings.Cut(lines.Text(), " ")
		if found && strings.TrimRight(name, "\r") == ref && isHash(hash) {
			return hash, nil
		}
	}
	return "", lines.Err()
}

// isHash reports whether s is a full object name, in SHA-1 or SHA-256.
func isHash(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// readSmall reads the beginning of a file that should be small.
func readSmall(file string) (string, error) {
	f, err := openPlain(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRefBytes))
	return string(data), err
}

var errNotPlain = errors.New("not a regular file")

// openPlain opens a regular file without blocking: opening a pipe in its place would block until
// another process writes to it.
func openPlain(file string) (*os.File, error) {
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: file, Err: errNotPlain}
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() { // replaced meanwhile
		err = &fs.PathError{Op: "open", Path: file, Err: errNotPlain}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
