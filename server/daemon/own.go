package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// OwnState makes sure that an absolute state directory is there, which it makes for this user only, and that nobody
// else can change what lies in it: it holds what is remembered, and the program believes what it reads there. The error
// says what to do. Where the system has no owners of files, it makes the directory and looks at nothing.
func OwnState(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create state directory: %w", err)
	}
	if !supported {
		return nil
	}
	return ownState(dir, os.Geteuid())
}

// ownState checks a state directory and the folders in it for a user; one that is not there is as it should be. The
// folder of the socket is for [private] to check.
func ownState(dir string, uid int) error {
	for _, path := range []string{dir, filepath.Join(dir, "index"), filepath.Join(dir, "memory"), filepath.Join(dir, "log")} {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return fmt.Errorf("open state directory: %w", err)
		}
		const otherwise = "or choose another place with --state-dir DIR or CONTEXTURE_STATE_DIR"
		owner, ok := ownerOf(info)
		switch {
		case ok && owner != uid:
			return fmt.Errorf("open state directory %s: it belongs to another user (%d, you are %d), who could read and change "+
				"what is kept there; run the program as that user, %s", path, owner, uid, otherwise)
		case info.IsDir() && info.Mode().Perm()&0o022 != 0:
			return fmt.Errorf("open state directory %s: others can write in it (mode %04o), and could change what is kept there; "+
				"look at what is in it and run chmod go-w %[1]s, %[3]s", path, info.Mode().Perm(), otherwise)
		}
	}
	return nil
}
