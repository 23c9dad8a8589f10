package source

import (
	"errors"

	"golang.org/x/sys/unix"
)

// dirFlags open a folder to go through it: search permission is enough.
const dirFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC

// openRoot opens the root by its path, through no link: the root or a folder
// above it may have been exchanged for one since it was resolved. The caller
// closes the descriptor.
func (t *Tree) openRoot() (fd int, err error) {
	how := unix.OpenHow{Flags: dirFlags, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	err = retry(func() (err error) {
		fd, err = unix.Openat2(unix.AT_FDCWD, t.root, &how)
		return err
	})
	switch {
	case err == nil:
		return fd, nil
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // a kernel before 5.6, or a sandbox that does not know the call
		return openSteps(t.root)
	case errors.Is(err, unix.ELOOP):
		err = errLink
	}
	return -1, err
}

// openBeneath opens a folder below dir by its path, through no link. What it
// does not open may be opened step by step all the same.
func openBeneath(dir int, path string) (fd int, err error) {
	how := unix.OpenHow{Flags: dirFlags, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	err = retry(func() (err error) {
		fd, err = unix.Openat2(dir, path, &how)
		return err
	})
	return fd, err
}

// pseudo are file systems whose files are made up when they are read, some of
// which wait or have effects then.
var pseudo = map[uint32]bool{
	unix.PROC_SUPER_MAGIC: true, unix.SYSFS_MAGIC: true, unix.DEBUGFS_MAGIC: true, unix.TRACEFS_MAGIC: true,
	unix.SECURITYFS_MAGIC: true, unix.CGROUP_SUPER_MAGIC: true, unix.CGROUP2_SUPER_MAGIC: true, unix.BPF_FS_MAGIC: true,
	unix.PSTOREFS_MAGIC: true, unix.EFIVARFS_MAGIC: true, unix.SELINUX_MAGIC: true, unix.SMACK_MAGIC: true,
	unix.BINFMTFS_MAGIC: true, 0x62656570: true, // the last is configfs
}

// isPseudo reports whether an open file or folder is in one of them.
func isPseudo(fd int) bool {
	var st unix.Statfs_t
	err := retry(func() error { return unix.Fstatfs(fd, &st) })
	return err == nil && pseudo[uint32(st.Type)]
}
