package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// errLink is returned where a path runs through a link.
var errLink = errors.New("is a link")

// openFlags never wait (a fifo without a writer) and never leave a trace: no
// controlling terminal, nothing inherited by children.
const openFlags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC

// A stat is what the walk needs of a file's status.
type stat struct {
	mode  uint32
	size  int64
	mtime time.Time
	ctime time.Time
	dev   uint64
	ino   uint64
}

func (s *stat) isDir() bool     { return s.mode&unix.S_IFMT == unix.S_IFDIR }
func (s *stat) isLink() bool    { return s.mode&unix.S_IFMT == unix.S_IFLNK }
func (s *stat) isRegular() bool { return s.mode&unix.S_IFMT == unix.S_IFREG }

func (s *stat) entry(rel string) Entry {
	return Entry{Path: rel, Size: s.size, ModTime: s.mtime, Changed: s.ctime, Inode: s.ino}
}

func statOf(st *unix.Stat_t) stat {
	return stat{
		mode: uint32(st.Mode), size: st.Size, mtime: time.Unix(st.Mtim.Unix()), ctime: time.Unix(st.Ctim.Unix()),
		dev: uint64(st.Dev), ino: uint64(st.Ino), //nolint:unconvert // widths differ by platform
	}
}

// retry repeats a system call that a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func openAt(dir int, name string, flags int) (fd int, err error) {
	err = retry(func() (err error) {
		fd, err = unix.Openat(dir, name, flags, 0)
		return err
	})
	return fd, err
}

// lstatAt does not follow a link.
func lstatAt(dir int, name string) (stat, error) { return statAt(dir, name, unix.AT_SYMLINK_NOFOLLOW) }

func statAt(dir int, name string, flags int) (stat, error) {
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstatat(dir, name, &st, flags) })
	return statOf(&st), err
}

func fstat(fd int) (stat, error) {
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstat(fd, &st) })
	return statOf(&st), err
}

// openParent opens the folder that holds rel, below the root and through no
// link, however long the path is, and returns it with rel's last segment ("." for the root). The
// error is errLink when a parent is a link. The caller closes the descriptor.
func (t *Tree) openParent(rel string) (dir int, name string, err error) {
	if dir, err = t.openRoot(); err != nil {
		return -1, "", err
	}
	name = rel
	if name == "" {
		return dir, ".", nil
	}
	if at := strings.LastIndexByte(rel, '/'); at >= 0 {
		if parent, err := openBeneath(dir, rel[:at]); err == nil {
			unix.Close(dir)
			return parent, rel[at+1:], nil
		}
	}
	for { // the steps tell what is wrong, or manage a path that is too long for one
		head, tail, more := strings.Cut(name, "/")
		if !more {
			return dir, name, nil
		}
		next, err := openDirAt(dir, head, dirFlags)
		unix.Close(dir)
		if err != nil {
			return -1, "", err
		}
		dir, name = next, tail
	}
}

// openSteps opens a folder by its absolute path, name by name from the top of
// the file system, so that no folder above it can be a link.
func openSteps(path string) (int, error) {
	var dir int
	err := retry(func() (err error) {
		dir, err = unix.Open("/", dirFlags, 0)
		return err
	})
	for name := range strings.SplitSeq(path, "/") {
		if err != nil {
			return -1, err
		}
		if name == "" {
			continue
		}
		var next int
		next, err = openDirAt(dir, name, dirFlags)
		unix.Close(dir)
		dir = next
	}
	return dir, err
}

// Intact reports why the root cannot be reached by its path any more; nil
// while it can. A root, or a folder above it, that was exchanged for a link
// is not the folder that was opened.
func (t *Tree) Intact() error {
	dir, err := t.openRoot()
	if err != nil {
		return &SkipError{Path: t.root, Reason: reasonFor(err), Err: err}
	}
	return unix.Close(dir)
}

// openDirAt opens a folder, telling a link apart from a file.
func openDirAt(dir int, name string, flags int) (int, error) {
	fd, err := openAt(dir, name, flags|unix.O_NOFOLLOW)
	if errors.Is(err, unix.ENOTDIR) || isLinkError(err) {
		if st, serr := lstatAt(dir, name); serr == nil && st.isLink() {
			return -1, errLink
		}
	}
	return fd, err
}

// lstat returns the status of rel itself.
func (t *Tree) lstat(rel string) (stat, error) {
	dir, name, err := t.openParent(rel)
	if err != nil {
		return stat{}, err
	}
	defer unix.Close(dir)
	return lstatAt(dir, name)
}

// open opens a regular file for reading; errSpecial and errLink for others.
// The caller closes the descriptor.
func (t *Tree) open(rel string) (fd int, st stat, err error) {
	dir, name, err := t.openParent(rel)
	if err != nil {
		return -1, stat{}, err
	}
	defer unix.Close(dir)
	fd, st, err = openFileAt(dir, name)
	if err == nil && st.dev != t.dev && isPseudo(fd) {
		unix.Close(fd)
		return -1, st, errSpecial
	}
	return fd, st, err
}

// errSpecial is returned for what is neither file, folder nor link.
var errSpecial = errors.New("is not a regular file")

// isLinkError reports whether an open failed because the name is a symbolic link: ELOOP, or EMLINK
// on FreeBSD.
func isLinkError(err error) bool { return errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EMLINK) }

// openFileAt opens a regular file that is no link.
func openFileAt(dir int, name string) (fd int, st stat, err error) {
	fd, st, err = openKnown(dir, name, openFlags, unix.AT_SYMLINK_NOFOLLOW)
	if isLinkError(err) {
		err = errLink
	}
	return fd, st, err
}

// openKnown opens a regular file. It looks before it opens, as opening a
// device may have effects, and again at what it opened.
func openKnown(dir int, name string, flags, look int) (fd int, st stat, err error) {
	st, err = statAt(dir, name, look)
	if err := kindError(&st, err); err != nil {
		return -1, st, err
	}
	if fd, err = openAt(dir, name, flags); err != nil {
		return -1, st, err
	}
	st, err = fstat(fd)
	if err := kindError(&st, err); err != nil {
		unix.Close(fd)
		return -1, st, err
	}
	return fd, st, nil
}

// readLimited reads at most limit bytes; size is what is expected.
func readLimited(fd int, size, limit int64) ([]byte, error) {
	buf := make([]byte, 0, min(size, limit)+1)
	for int64(len(buf)) < limit {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		room := min(int64(cap(buf)), limit)
		var n int
		err := retry(func() (err error) {
			n, err = unix.Read(fd, buf[len(buf):room])
			return err
		})
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

// namesAt lists an open folder in no order. The descriptor stays the
// caller's.
func namesAt(dir int) ([]string, error) {
	fd, err := openAt(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), ".")
	defer f.Close()
	return f.Readdirnames(-1)
}

// names lists what a folder of the root holds; nil when it cannot be read.
func (t *Tree) names(rel string) []string {
	dir, name, err := t.openParent(rel)
	if err != nil {
		return nil
	}
	defer unix.Close(dir)
	sub, err := openDirAt(dir, name, dirFlags)
	if err != nil {
		return nil
	}
	defer unix.Close(sub)
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
		return unix.EISDIR
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
	case errors.Is(err, unix.EISDIR):
		return Directory
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
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
