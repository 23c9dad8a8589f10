package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// OwnState ensures that an absolute state directory exists, creating it for this user only, and
// that no other user can change its content: it holds the memory, and the program trusts what it
// reads there. The error states what to do. On a system without file owners it creates the
// directory and checks nothing.
func OwnState(dir string) error {
	err := makeState(dir)
	if err == nil && supported {
		err = ownState(dir, os.Geteuid())
	}
	return err
}

// makeState creates a missing state directory.
func makeState(dir string) error {
	_, absent := os.Lstat(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create state directory %s: %s; %s", dir, inTheWay(err), elsewhere)
	}
	if errors.Is(absent, fs.ErrNotExist) {
		if err := closeToOthers(dir); err != nil {
			return fmt.Errorf("close state directory %s to others: %w; %s", dir, err, elsewhere)
		}
	}
	return nil
}

// elsewhere is the advice that applies to any state directory.
const elsewhere = "choose another place with --state-dir DIR or CONTEXTURE_STATE_DIR"

// inTheWay returns the reason why a folder cannot be created.
func inTheWay(err error) string {
	at, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return err.Error()
	}
	info, failed := os.Stat(at.Path)
	switch {
	case failed == nil && !info.IsDir():
		return at.Path + " is a file, not a folder"
	case errors.Is(at.Err, fs.ErrExist):
		return at.Path + " is a link that leads nowhere"
	}
	return at.Err.Error()
}

// ownState checks a state directory and the folders in it for a user; a missing one is valid.
// [private] checks the folder of the socket.
func ownState(dir string, uid int) error {
	for _, path := range []string{dir, filepath.Join(dir, "index"), filepath.Join(dir, "memory"), filepath.Join(dir, "log")} {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return fmt.Errorf("open state directory: %w", err)
		}
		owner, ok := ownerOf(info)
		switch {
		case ok && owner != uid:
			return fmt.Errorf("open state directory %s: it belongs to another user (%d, you are %d), who could read and change "+
				"what is kept there; run the program as that user, or %s", path, owner, uid, elsewhere)
		case info.IsDir() && openToOthers(info):
			return fmt.Errorf("open state directory %s: others can write in it (mode %04o), and could change what is kept there; "+
				"look at what is in it and run chmod go-w %[1]s, or %[3]s", path, info.Mode().Perm(), elsewhere)
		}
	}
	return nil
}
