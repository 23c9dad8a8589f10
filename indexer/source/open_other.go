//go:build !linux

package source

import "golang.org/x/sys/unix"

// dirFlags open a folder to go through it.
const dirFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
