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

// A folderHandle is an open folder, whose owner closes it. Nothing outside the folder can be opened
// through it. os.Root follows links that stay inside; here no link is followed, so each name is
// checked, opened, and compared with the result of the check.
type folderHandle = *os.Root

var noFolder folderHandle

// A fileHandle is an open regular file, whose owner closes it.
type fileHandle = *os.File

var noFile fileHandle

// A rootIdentity is the folder that was last reached through no link.
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

// lstatAt returns the status of a name in a folder, without following a link.
func lstatAt(dir folderHandle, name string) (stat, error) { return statOf(dir.Lstat(name)) }

// statOutside returns the status of a path anywhere, following links.
func statOutside(path string) (stat, error) { return statOf(os.Stat(path)) }

// lstatOutside is statOutside, but does not follow a link at the end of the path.
func lstatOutside(path string) (stat, error) { return statOf(os.Lstat(path)) }

func statFolder(dir folderHandle) (stat, error) { return statOf(dir.Stat(".")) }

// openFolder opens the root by its path, through no link: the root or a folder above it may have
// been replaced by one since it was resolved. If it is still the folder that was once reached step
// by step, the steps are not repeated. If a folder above may be searched but not read, only the
// root itself is known not to be a link. The caller closes the folder.
func (r *rootFolder) openFolder() (folderHandle, error) {
	if known := r.identity.Load(); known != nil {
		if dir, _, err := openSame(r.path, *known); err == nil {
			return dir, nil
		}
	}
	dir, err := openSteps(r.path)
	if errors.Is(err, fs.ErrPermission) {
		var at fs.FileInfo
		if at, err = os.Lstat(r.path); err == nil {
			dir, _, err = openSame(r.path, at)
		}
	}
	if err != nil {
		return noFolder, err
	}
	if info, err := dir.Stat("."); err == nil {
		r.identity.Store(&info)
	}
	return dir, nil
}

// openSame opens a folder by its absolute path if it is still the folder known.
func openSame(path string, known fs.FileInfo) (folderHandle, fs.FileInfo, error) {
	if now, err := os.Lstat(path); err != nil || !now.IsDir() { // opening a pipe would block
		return noFolder, nil, errors.Join(err, errLink)
	}
	dir, err := os.OpenRoot(path)
	if err != nil {
		return noFolder, nil, err
	}
	return sameFolder(dir, known)
}

// sameFolder returns an open folder if it is the folder known; otherwise it closes it.
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

// openBeneath exists on Linux only: elsewhere folders are opened step by step.
func openBeneath(folderHandle, string) (folderHandle, error) { return noFolder, errors.ErrUnsupported }

// openDirAt opens a folder; the error distinguishes a link from a file.
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

// openAbove exists on Linux only: os.Root cannot open a parent.
func openAbove(folderHandle) (folderHandle, error) { return noFolder, errors.ErrUnsupported }

// openFlags never block on a pipe without a writer.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

// openFileAt opens a regular file that is no link.
func openFileAt(dir folderHandle, name string) (file fileHandle, st stat, err error) {
	at, err := dir.Lstat(name)
	return openKnown(at, err, func() (*os.File, error) { return dir.OpenFile(name, openFlags, 0) })
}

// openOutside opens a regular file anywhere; follow permits a link.
func openOutside(path string, follow bool) (file fileHandle, st stat, err error) {
	look := os.Lstat
	if follow {
		look = os.Stat
	}
	at, err := look(path)
	return openKnown(at, err, func() (*os.File, error) { return os.OpenFile(path, openFlags, 0) })
}

// openKnown opens a regular file whose type was checked before, as opening a device may have side
// effects, and checks again that it opened the same file.
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

// readFile reads the next bytes, 0 at the end.
func readFile(file fileHandle, buf []byte) (int, error) {
	n, err := file.Read(buf)
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// namesAt returns the names in an open folder in no order. The folder stays the caller's.
func namesAt(dir folderHandle) ([]string, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// itemsAt returns the items of an open folder in no order. The folder stays the caller's.
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

// createAt creates a file that must not exist, for writing.
func createAt(dir folderHandle, name string) (*os.File, error) {
	return dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func removeAt(dir folderHandle, name string) error { return dir.Remove(name) }

func renameAt(dir folderHandle, from, to string) error { return dir.Rename(from, to) }

// syncFolder makes a rename in an open folder durable; Windows needs no call for that.
func syncFolder(dir folderHandle) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) { // some file systems do not support it
		return err
	}
	return nil
}

// isPseudo returns false: pseudo file systems are detected on Linux only.
func isPseudo(folderHandle) bool { return false }

// isPseudoFile is isPseudo for an open file.
func isPseudoFile(fileHandle) bool { return false }
