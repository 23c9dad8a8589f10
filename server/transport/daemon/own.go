package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// OwnState makes sure that an absolute state directory is there, which it makes for this user only,
// and that nobody else can change what lies in it: it holds what is remembered, and the program
// believes what it reads there. The error says what to do. Where the system has no owners of files,
// it makes the directory and looks at nothing.
func OwnState(dir string) error {
	err := makeState(dir)
	if err == nil && supported {
		err = ownState(dir, os.Geteuid())
	}
	return err
}

// makeState makes a state directory that is not there.
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

// elsewhere is what can be done about any state directory.
const elsewhere = "choose another place with --state-dir DIR or CONTEXTURE_STATE_DIR"

// inTheWay returns why a folder cannot be made.
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

// ownState checks a state directory and the folders in it for a user; one that is not there is as
// it should be. The folder of the socket is for [private] to check.
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
