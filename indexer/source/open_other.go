//go:build !linux

package source

import "golang.org/x/sys/unix"

// dirFlags open a folder to go through it.
const dirFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC

// openRoot opens the root by its path, through no link: the root or a folder
// above it may have been exchanged for one since it was resolved. Where a
// folder above may be gone through and not be read, only the root itself is
// known to be no link. The caller closes the descriptor.
func (t *Tree) openRoot() (fd int, err error) {
	fd, err = openSteps(t.root)
	if err != unix.EACCES {
		return fd, err
	}
	err = retry(func() (err error) {
		fd, err = unix.Open(t.root, dirFlags|unix.O_NOFOLLOW, 0)
		return err
	})
	return fd, err
}

// isPseudo reports whether an open file is in a file system that is made up.
func isPseudo(int) bool { return false }

// openBeneath is Linux's: elsewhere folders are opened step by step.
func openBeneath(int, string) (int, error) { return -1, unix.ENOSYS }
