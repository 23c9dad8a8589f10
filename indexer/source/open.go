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

// errLink is returned for a path through a link.
var errLink = errors.New("is a link")

// A stat is the part of a file's status that the walk needs. dev and ino are zero, and ctime is
// mtime, if the system's listing has no such values.
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

// rootFolder opens what is inside one folder, through no link; paths are relative to it, with
// slashes. Its methods may be called concurrently.
type rootFolder struct {
	path     string // absolute, links resolved
	dev      uint64 // of the file system that it lies in
	identity *rootIdentity
}

// newRootFolder returns the folder at a path, or an error for one on a pseudo file system.
func newRootFolder(path string) (*rootFolder, error) {
	r := &rootFolder{path: path, identity: new(rootIdentity)}
	dir, err := r.openFolder()
	if err != nil {
		return nil, err
	}
	defer closeFolder(dir)
	if isPseudo(dir) {
		return nil, errors.New("it is on a file system of the system's own data; choose a folder with files")
	}
	st, err := statFolder(dir)
	r.dev = st.dev
	return r, err
}

// openParent opens the parent folder of rel, inside the root and through no link, for a path of any
// length, and returns it with the last segment of rel ("." for the root). The error is errLink if a
// parent is a link. The caller closes the folder.
func (r *rootFolder) openParent(rel string) (dir folderHandle, name string, err error) {
	if dir, err = r.openFolder(); err != nil {
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
	for { // the steps find the cause of the error, or handle a path that is too long for one call
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

// Intact returns an error that states why the root cannot be reached by its path any more, or nil.
// A root that was replaced by a link, itself or a folder above it, is not the folder that was
// opened.
func (t *Tree) Intact() error {
	dir, err := t.root.openFolder()
	if err != nil {
		return &SkipError{Path: t.root.path, Reason: reasonFor(err), Err: err}
	}
	return closeFolder(dir)
}

// lstat returns the status of rel itself, without following a link.
func (r *rootFolder) lstat(rel string) (stat, error) {
	dir, name, err := r.openParent(rel)
	if err != nil {
		return stat{}, err
	}
	defer closeFolder(dir)
	return lstatAt(dir, name)
}

// open opens a regular file for reading. The error is errLink for a link and errSpecial for other
// types. The caller closes the file.
func (r *rootFolder) open(rel string) (file fileHandle, st stat, err error) {
	dir, name, err := r.openParent(rel)
	if err != nil {
		return noFile, stat{}, err
	}
	defer closeFolder(dir)
	file, st, err = openFileAt(dir, name)
	if err == nil && st.dev != r.dev && isPseudoFile(file) {
		closeFile(file)
		return noFile, st, errSpecial
	}
	return file, st, err
}

// head returns the first n bytes of a regular file, or nil if it cannot be read.
func (r *rootFolder) head(rel string, n int64) []byte {
	file, _, err := r.open(rel)
	if err != nil {
		return nil
	}
	defer closeFile(file)
	data, err := readLimited(file, n, n)
	if err != nil {
		return nil
	}
	return data
}

// errSpecial is returned for anything but a file, a folder or a link.
var errSpecial = errors.New("is not a regular file")

// readLimited reads at most limit bytes; size is the expected number.
func readLimited(file fileHandle, size, limit int64) ([]byte, error) {
	return readInto(file, make([]byte, 0, min(size, limit)+1), limit)
}

// readInto appends at most limit bytes of a file to buf, which is empty.
func readInto(file fileHandle, buf []byte, limit int64) ([]byte, error) {
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

// names returns the names in a folder of the root, or nil if the folder cannot be read.
func (r *rootFolder) names(rel string) []string {
	dir, name, err := r.openParent(rel)
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

// reasonFor returns the reason for an error of this file's functions.
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

// resolve follows the links in rel and returns the path of the target, relative to the root. The
// reason is Link if links are not followed, lead out of the root, or form a cycle.
func (t *Tree) resolve(rel string) (real string, viaLink bool, r Reason, err error) {
	st, err := t.root.lstat(rel)
	if err == nil && !st.isLink() {
		return rel, false, Indexed, nil
	}
	if err != nil && !errors.Is(err, errLink) {
		return rel, false, reasonFor(err), fmt.Errorf("stat %s: %w", rel, err)
	}
	if !t.opts.FollowLinks {
		return rel, true, Link, nil
	}
	abs, err := filepath.EvalSymlinks(filepath.Join(t.root.path, filepath.FromSlash(rel)))
	if err != nil {
		return rel, true, Link, nil
	}
	real, inside := below(t.root.path, abs)
	if !inside {
		return rel, true, Link, nil
	}
	return real, true, Indexed, nil
}
