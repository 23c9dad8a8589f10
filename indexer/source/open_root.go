//go:build !linux || portable

package source

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
)

// A folderHandle is an open folder, whose owner closes it. Nothing that is opened by it lies
// outside it. os.Root follows links that stay inside; here a path runs through none, so each name
// is looked at, opened, and compared with what was looked at.
type folderHandle = *os.Root

var noFolder folderHandle

// A fileHandle is an open regular file, whose owner closes it.
type fileHandle = *os.File

var noFile fileHandle

// A rootIdentity is the folder that was reached through no link when it was last looked for.
type rootIdentity struct{ atomic.Pointer[fs.FileInfo] }

func closeFolder(dir folderHandle) error { return dir.Close() }

func closeFile(file fileHandle) error { return file.Close() }

func statOf(info fs.FileInfo, err error) (stat, error) {
	if err != nil {
		return stat{}, err
	}
	st := stat{mode: info.Mode(), size: info.Size(), mtime: info.ModTime()}
	st.dev, st.ino, st.ctime = identityOf(info)
	return st, nil
}

// lstatAt does not follow a link.
func lstatAt(dir folderHandle, name string) (stat, error) { return statOf(dir.Lstat(name)) }

// statOutside returns the status of a path anywhere, following links.
func statOutside(path string) (stat, error) { return statOf(os.Stat(path)) }

func statFolder(dir folderHandle) (stat, error) { return statOf(dir.Stat(".")) }

// openRoot opens the root by its path, through no link: the root or a folder
// above it may have been exchanged for one since it was resolved. What is still the folder that was
// reached step by step needs no more steps. Where a folder above may be gone through and not be
// read, only the root itself is known to be no link. The caller closes the folder.
func (t *Tree) openRoot() (folderHandle, error) {
	if known := t.identity.Load(); known != nil {
		if dir, _, err := openSame(t.root, *known); err == nil {
			return dir, nil
		}
	}
	dir, err := openSteps(t.root)
	if errors.Is(err, fs.ErrPermission) {
		var at fs.FileInfo
		if at, err = os.Lstat(t.root); err == nil {
			dir, _, err = openSame(t.root, at)
		}
	}
	if err != nil {
		return noFolder, err
	}
	if info, err := dir.Stat("."); err == nil {
		t.identity.Store(&info)
	}
	return dir, nil
}

// openSame opens a folder by its absolute path when it is the one that is known.
func openSame(path string, known fs.FileInfo) (folderHandle, fs.FileInfo, error) {
	if now, err := os.Lstat(path); err != nil || !now.IsDir() { // opening a pipe would wait
		return noFolder, nil, errors.Join(err, errLink)
	}
	dir, err := os.OpenRoot(path)
	if err != nil {
		return noFolder, nil, err
	}
	return sameFolder(dir, known)
}

// sameFolder returns an open folder that is the one that was looked at, and closes another.
func sameFolder(dir folderHandle, known fs.FileInfo) (folderHandle, fs.FileInfo, error) {
	now, err := dir.Stat(".")
	if err == nil && !os.SameFile(known, now) {
		err = errLink
	}
	if err != nil {
		dir.Close()
		return noFolder, nil, err
	}
	return dir, now, nil
}

// openSteps opens a folder by its absolute path, name by name from the top of
// the file system, so that no folder above it can be a link.
func openSteps(path string) (folderHandle, error) {
	top := filepath.VolumeName(path) + string(filepath.Separator)
	dir, err := os.OpenRoot(top)
	for name := range strings.SplitSeq(strings.TrimPrefix(filepath.Clean(path), top), string(filepath.Separator)) {
		if err != nil {
			return noFolder, err
		}
		if name == "" {
			continue
		}
		var next folderHandle
		next, err = openDirAt(dir, name)
		closeFolder(dir)
		dir = next
	}
	return dir, err
}

// openBeneath is Linux's: elsewhere folders are opened step by step.
func openBeneath(folderHandle, string) (folderHandle, error) { return noFolder, errors.ErrUnsupported }

// openDirAt opens a folder, telling a link apart from a file.
func openDirAt(dir folderHandle, name string) (folderHandle, error) {
	at, err := dir.Lstat(name)
	switch {
	case err != nil:
		return noFolder, err
	case at.Mode()&fs.ModeSymlink != 0:
		return noFolder, errLink
	case !at.IsDir():
		return noFolder, syscall.ENOTDIR
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return noFolder, err
	}
	next, _, err = sameFolder(next, at)
	return next, err
}

// openAbove is Linux's: a Root has no way up.
func openAbove(folderHandle) (folderHandle, error) { return noFolder, errors.ErrUnsupported }

// openFlags never wait for a pipe's writer.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

// openFileAt opens a regular file that is no link.
func openFileAt(dir folderHandle, name string) (file fileHandle, st stat, err error) {
	at, err := dir.Lstat(name)
	return openKnown(at, err, func() (*os.File, error) { return dir.OpenFile(name, openFlags, 0) })
}

// openOutside opens a regular file anywhere; follow says whether it may be a link.
func openOutside(path string, follow bool) (file fileHandle, st stat, err error) {
	look := os.Lstat
	if follow {
		look = os.Stat
	}
	at, err := look(path)
	return openKnown(at, err, func() (*os.File, error) { return os.OpenFile(path, openFlags, 0) })
}

// openKnown opens a regular file that was looked at, as opening a device may have effects, and
// again at what it opened.
func openKnown(at fs.FileInfo, err error, open func() (*os.File, error)) (file fileHandle, st stat, _ error) {
	st, err = statOf(at, err)
	if err := kindError(&st, err); err != nil {
		return noFile, st, err
	}
	file, err = open()
	if err != nil {
		return noFile, st, err
	}
	now, err := file.Stat()
	st, err = statOf(now, err)
	err = kindError(&st, err)
	if err == nil && !os.SameFile(at, now) {
		err = errLink
	}
	if err != nil {
		file.Close()
		return noFile, st, err
	}
	return file, st, nil
}

// readFile reads what comes next, 0 bytes at the end.
func readFile(file fileHandle, buf []byte) (int, error) {
	n, err := file.Read(buf)
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// namesAt lists an open folder in no order. The folder stays the caller's.
func namesAt(dir folderHandle) ([]string, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// itemsAt lists an open folder with what is in it, in no order. The folder stays the caller's.
func itemsAt(dir folderHandle) ([]item, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	infos, err := f.Readdir(-1)
	if err != nil {
		return nil, err
	}
	items := make([]item, len(infos))
	for i, info := range infos {
		items[i].name = info.Name()
		items[i].stat, items[i].err = statOf(info, nil)
	}
	return items, nil
}

// createAt creates a file that is not there, for writing.
func createAt(dir folderHandle, name string) (*os.File, error) {
	return dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func removeAt(dir folderHandle, name string) error { return dir.Remove(name) }

func renameAt(dir folderHandle, from, to string) error { return dir.Rename(from, to) }

// syncFolder makes a rename in an open folder last; Windows keeps it without being asked.
func syncFolder(dir folderHandle) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) { // some file systems cannot
		return err
	}
	return nil
}

// isPseudo reports whether an open folder is in a file system that is made up.
func isPseudo(folderHandle) bool { return false }

// isPseudoFile is isPseudo of an open file.
func isPseudoFile(fileHandle) bool { return false }
