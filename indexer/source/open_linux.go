//go:build !portable

package source

// Linux uses its own system calls; other systems use os.Root. openat2 refuses the links of a whole
// path at once, and O_PATH opens a folder that may be searched but not listed. With os.Root,
// walking Go's source takes 1.3 times the processor time and reading it 2 times. The build tag
// "portable" selects os.Root here too, so that its tests run on Linux.

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A folderHandle is an open folder, whose owner closes it.
type folderHandle int

const noFolder folderHandle = -1

// A fileHandle is an open regular file, whose owner closes it.
type fileHandle int

const noFile fileHandle = -1

// A rootIdentity is empty: the root is opened with openat2 each time.
type rootIdentity struct{}

func closeFolder(dir folderHandle) error { return unix.Close(int(dir)) }

func closeFile(file fileHandle) error { return unix.Close(int(file)) }

// openFlags never block (a fifo without a writer) and have no side effects: no controlling
// terminal, no descriptors inherited by children.
const openFlags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC

// dirFlags open a folder for path resolution: search permission is enough.
const dirFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC

func statOf(st *unix.Stat_t) stat {
	return stat{
		mode: modeOf(st.Mode), size: st.Size, mtime: time.Unix(st.Mtim.Unix()), ctime: time.Unix(st.Ctim.Unix()),
		dev: uint64(st.Dev), ino: uint64(st.Ino), //nolint:unconvert // widths differ by processor
	}
}

// modeOf converts a mode; anything but a file, folder or link becomes irregular.
func modeOf(mode uint32) fs.FileMode {
	perm := fs.FileMode(mode & 0o777)
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return perm
	case unix.S_IFDIR:
		return perm | fs.ModeDir
	case unix.S_IFLNK:
		return perm | fs.ModeSymlink
	}
	return perm | fs.ModeIrregular
}

// retry repeats a system call that was interrupted by a signal.
func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func openAt(dir folderHandle, name string, flags int) (fd int, err error) {
	err = retry(func() (err error) {
		fd, err = unix.Openat(int(dir), name, flags, 0)
		return err
	})
	return fd, err
}

// lstatAt returns the status of a name in a folder, without following a link.
func lstatAt(dir folderHandle, name string) (stat, error) {
	return statAt(dir, name, unix.AT_SYMLINK_NOFOLLOW)
}

func statAt(dir folderHandle, name string, flags int) (stat, error) {
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstatat(int(dir), name, &st, flags) })
	return statOf(&st), err
}

// statOutside returns the status of a path anywhere, following links.
func statOutside(path string) (stat, error) { return statAt(unix.AT_FDCWD, path, 0) }

// lstatOutside is statOutside, but does not follow a link at the end of the path.
func lstatOutside(path string) (stat, error) { return lstatAt(unix.AT_FDCWD, path) }

func statFolder(dir folderHandle) (stat, error) { return fstat(int(dir)) }

func fstat(fd int) (stat, error) {
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstat(fd, &st) })
	return statOf(&st), err
}

// openFolder opens the root by its path, through no link: the root or a folder above it may have
// been replaced by one since it was resolved. The caller closes the folder.
func (r *rootFolder) openFolder() (folderHandle, error) {
	var fd int
	how := unix.OpenHow{Flags: dirFlags, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	err := retry(func() (err error) {
		fd, err = unix.Openat2(unix.AT_FDCWD, r.path, &how)
		return err
	})
	switch {
	case err == nil:
		return folderHandle(fd), nil
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // before Linux 5.6, or in a sandbox
		return openSteps(r.path)
	case errors.Is(err, unix.ELOOP):
		err = errLink
	}
	return noFolder, err
}

// openBeneath opens a folder below dir by its path, through no link. A path that it cannot open may
// still be opened step by step.
func openBeneath(dir folderHandle, path string) (folderHandle, error) {
	var fd int
	how := unix.OpenHow{Flags: dirFlags, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	err := retry(func() (err error) {
		fd, err = unix.Openat2(int(dir), path, &how)
		return err
	})
	return folderHandle(fd), err
}

// openSteps opens a folder by its absolute path, name by name from the top of
// the file system, so that no folder above it can be a link.
func openSteps(path string) (folderHandle, error) {
	dir := noFolder
	err := retry(func() error {
		fd, err := unix.Open("/", dirFlags, 0)
		dir = folderHandle(fd)
		return err
	})
	for name := range strings.SplitSeq(path, "/") {
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

// openDirAt opens a folder; the error distinguishes a link from a file.
func openDirAt(dir folderHandle, name string) (folderHandle, error) {
	fd, err := openAt(dir, name, dirFlags|unix.O_NOFOLLOW)
	if errors.Is(err, unix.ENOTDIR) || isLinkError(err) {
		if st, serr := lstatAt(dir, name); serr == nil && st.isLink() {
			return noFolder, errLink
		}
	}
	return folderHandle(fd), err
}

// openAbove opens the parent of an open folder.
func openAbove(dir folderHandle) (folderHandle, error) {
	fd, err := openAt(dir, "..", dirFlags)
	return folderHandle(fd), err
}

// isLinkError reports whether an open failed because the name is a symbolic link.
func isLinkError(err error) bool { return errors.Is(err, unix.ELOOP) }

// openFileAt opens a regular file that is no link.
func openFileAt(dir folderHandle, name string) (file fileHandle, st stat, err error) {
	file, st, err = openKnown(dir, name, openFlags, unix.AT_SYMLINK_NOFOLLOW)
	if isLinkError(err) {
		err = errLink
	}
	return file, st, err
}

// openOutside opens a regular file anywhere; follow permits a link.
func openOutside(path string, follow bool) (file fileHandle, st stat, err error) {
	if follow {
		return openKnown(unix.AT_FDCWD, path, openFlags&^unix.O_NOFOLLOW, 0)
	}
	return openFileAt(unix.AT_FDCWD, path)
}

// openKnown opens a regular file. It checks the type before it opens the file, as opening a device
// may have side effects, and again afterwards.
func openKnown(dir folderHandle, name string, flags, look int) (file fileHandle, st stat, err error) {
	st, err = statAt(dir, name, look)
	if err := kindError(&st, err); err != nil {
		return noFile, st, err
	}
	fd, err := openAt(dir, name, flags)
	if err != nil {
		return noFile, st, err
	}
	st, err = fstat(fd)
	if err := kindError(&st, err); err != nil {
		unix.Close(fd)
		return noFile, st, err
	}
	return fileHandle(fd), st, nil
}

// readFile reads the next bytes, 0 at the end.
func readFile(file fileHandle, buf []byte) (n int, err error) {
	err = retry(func() (err error) {
		n, err = unix.Read(int(file), buf)
		return err
	})
	return n, err
}

// namesAt returns the names in an open folder in no order. The folder stays the caller's.
func namesAt(dir folderHandle) ([]string, error) {
	fd, err := openAt(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), ".")
	defer f.Close()
	return f.Readdirnames(-1)
}

// itemsAt returns the items of an open folder in no order. The folder stays the caller's.
func itemsAt(dir folderHandle) ([]item, error) {
	names, err := namesAt(dir)
	if err != nil {
		return nil, err
	}
	items := make([]item, len(names))
	for i, name := range names {
		items[i].name = name
		items[i].stat, items[i].err = lstatAt(dir, name)
	}
	return items, nil
}

// createAt creates a file that must not exist, for writing.
func createAt(dir folderHandle, name string) (*os.File, error) {
	var fd int
	err := retry(func() (err error) {
		fd, err = unix.Openat(int(dir), name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
		return err
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

func removeAt(dir folderHandle, name string) error { return unix.Unlinkat(int(dir), name, 0) }

func renameAt(dir folderHandle, from, to string) error {
	return unix.Renameat(int(dir), from, int(dir), to)
}

// syncFolder makes a rename in an open folder durable.
func syncFolder(dir folderHandle) error {
	fd, err := openAt(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC) // dir can only resolve paths
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Fsync(fd); err != nil && err != unix.EINVAL { // some file systems do not support it
		return err
	}
	return nil
}

// pseudo are file systems that generate the content of files on reading, which may block or have
// side effects.
var pseudo = map[uint32]bool{
	unix.PROC_SUPER_MAGIC: true, unix.SYSFS_MAGIC: true, unix.DEBUGFS_MAGIC: true, unix.TRACEFS_MAGIC: true,
	unix.SECURITYFS_MAGIC: true, unix.CGROUP_SUPER_MAGIC: true, unix.CGROUP2_SUPER_MAGIC: true, unix.BPF_FS_MAGIC: true,
	unix.PSTOREFS_MAGIC: true, unix.EFIVARFS_MAGIC: true, unix.SELINUX_MAGIC: true, unix.SMACK_MAGIC: true,
	unix.BINFMTFS_MAGIC: true, 0x62656570: true, // the last is configfs
}

// isPseudo reports whether an open folder is in a pseudo file system.
func isPseudo(dir folderHandle) bool { return isPseudoFile(fileHandle(dir)) }

// isPseudoFile is isPseudo for an open file.
func isPseudoFile(file fileHandle) bool {
	var st unix.Statfs_t
	err := retry(func() error { return unix.Fstatfs(int(file), &st) })
	return err == nil && pseudo[uint32(st.Type)]
}
