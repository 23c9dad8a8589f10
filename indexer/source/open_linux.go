package source

import "golang.org/x/sys/unix"

// dirFlags open a folder to go through it: search permission is enough.
const dirFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC
