package source

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// errLink is returned where a path runs through a link.
var errLink = errors.New("is a link")

// A stat is what the walk needs of a file's status. dev, ino and the time of change are zero,
// zero and mtime where the system's listing has none.
type stat struct {
	mode  fs.FileMode
	size  int64
	mtime time.Time
	ctime time.Time
	dev   uint64
	ino   uint64
}

func (s *stat) isDir() bool     { return s.mode.IsDir() }
func (s *stat) isLink() bool    { return s.mode&fs.ModeSymlink != 0 }
func (s *stat) isRegular() bool { return s.mode.IsRegular() }

func (s *stat) entry(rel string) Entry {
	return Entry{Path: rel, Size: s.size, ModTime: s.mtime, Changed: s.ctime, Inode: s.ino}
}

// openParent opens the folder that holds rel, below the root and through no
// link, however long the path is, and returns it with rel's last segment ("." for the root). The
// error is errLink when a parent is a link. The caller closes the folder.
func (t *Tree) openParent(rel string) (dir folderHandle, name string, err error) {
	if dir, err = t.openRoot(); err != nil {
		return noFolder, "", err
	}
	name = rel
	if name == "" {
		return dir, ".", nil
	}
	if at := strings.LastIndexByte(rel, '/'); at >= 0 {
		if parent, err := openBeneath(dir, rel[:at]); err == nil {
			closeFolder(dir)
			return parent, rel[at+1:], nil
		}
	}
	for { // the steps tell what is wrong, or manage a path that is too long for one
		head, tail, more := strings.Cut(name, "/")
		if !more {
			return dir, name, nil
		}
		next, err := openDirAt(dir, head)
		closeFolder(dir)
		if err != nil {
			return noFolder, "", err
		}
		dir, name = next, tail
	}
}

// Intact reports why the root cannot be reached by its path any more; nil
// while it can. A root, or a folder above it, that was exchanged for a link
// is not the folder that was opened.
func (t *Tree) Intact() error {
	dir, err := t.openRoot()
	if err != nil {
		return &SkipError{Path: t.root, Reason: reasonFor(err), Err: err}
	}
	return closeFolder(dir)
}

// lstat returns the status of rel itself.
func (t *Tree) lstat(rel string) (stat, error) {
	dir, name, err := t.openParent(rel)
	if err != nil {
		return stat{}, err
	}
	defer closeFolder(dir)
	return lstatAt(dir, name)
}

// open opens a regular file for reading; errSpecial and errLink for others.
// The caller closes the file.
func (t *Tree) open(rel string) (file fileHandle, st stat, err error) {
	dir, name, err := t.openParent(rel)
	if err != nil {
		return noFile, stat{}, err
	}
	defer closeFolder(dir)
	file, st, err = openFileAt(dir, name)
	if err == nil && st.dev != t.dev && isPseudoFile(file) {
		closeFile(file)
		return noFile, st, errSpecial
	}
	return file, st, err
}

// errSpecial is returned for what is neither file, folder nor link.
var errSpecial = errors.New("is not a regular file")

// readLimited reads at most limit bytes; size is what is expected.
func readLimited(file fileHandle, size, limit int64) ([]byte, error) {
	buf := make([]byte, 0, min(size, limit)+1)
	for int64(len(buf)) < limit {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := readFile(file, buf[len(buf):min(int64(cap(buf)), limit)])
		if err != nil {
			return nil, err
		}
		if n <= 0 {
			break
		}
		buf = buf[:len(buf)+n]
	}
	return buf, nil
}

// names lists what a folder of the root holds; nil when it cannot be read.
func (t *Tree) names(rel string) []string {
	dir, name, err := t.openParent(rel)
	if err != nil {
		return nil
	}
	defer closeFolder(dir)
	sub, err := openDirAt(dir, name)
	if err != nil {
		return nil
	}
	defer closeFolder(sub)
	names, err := namesAt(sub)
	if err == nil && names == nil {
		names = []string{}
	}
	return names
}

func kindError(st *stat, err error) error {
	switch {
	case err != nil:
		return err
	case st.isRegular():
		return nil
	case st.isLink():
		return errLink
	case st.isDir():
		return syscall.EISDIR
	}
	return errSpecial
}

// reasonFor names what an error of this file's functions means.
func reasonFor(err error) Reason {
	switch {
	case err == nil:
		return Indexed
	case errors.Is(err, errLink):
		return Link
	case errors.Is(err, errSpecial):
		return Special
	case errors.Is(err, syscall.EISDIR):
		return Directory
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return NotFound
	}
	return Unreadable
}

// resolve follows the links in rel and returns the path of what it leads to,
// relative to the root. The reason is Link when links are not followed, lead
// out of the root, or go in circles.
func (t *Tree) resolve(rel string) (real string, viaLink bool, r Reason, err error) {
	st, err := t.lstat(rel)
	if err == nil && !st.isLink() {
		return rel, false, Indexed, nil
	}
	if err != nil && !errors.Is(err, errLink) {
		return rel, false, reasonFor(err), fmt.Errorf("look at %s: %w", rel, err)
	}
	if !t.opts.FollowLinks {
		return rel, true, Link, nil
	}
	abs, err := filepath.EvalSymlinks(filepath.Join(t.root, filepath.FromSlash(rel)))
	if err != nil {
		return rel, true, Link, nil
	}
	real, inside := below(t.root, abs)
	if !inside {
		return rel, true, Link, nil
	}
	return real, true, Indexed, nil
}
