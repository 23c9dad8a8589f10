package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
)

// ErrUnsafeRoot is wrapped by Open's error for "/" and the home folder when
// they carry no project marker: choose a folder inside, or put the marker
// there.
var ErrUnsafeRoot = errors.New("not a project")

// markers make a project of a folder that would not be taken for one.
var markers = []string{".git", ".contexture.toml"}

// environmentHome is the home folder of the process, or of its user where the
// environment names none; "" when there is none either.
func environmentHome() string {
	if home, err := os.UserHomeDir(); err == nil {
		return home
	}
	if who, err := user.Current(); err == nil {
		return who.HomeDir
	}
	return ""
}

// absentError is a root that is not there. It is fs.ErrNotExist, whose text would
// say the same once more.
type absentError string

func (e absentError) Error() string {
	return "open workspace " + string(e) + ": the folder does not exist"
}

func (absentError) Unwrap() error { return fs.ErrNotExist }

// checkRoot returns the root as given, made absolute, and with its links
// resolved.
func checkRoot(root, home string) (given, real string, err error) {
	if root == "" {
		return "", "", errors.New("open workspace: no folder given")
	}
	given, err = filepath.Abs(root)
	if err != nil {
		return "", "", fmt.Errorf("open workspace %s: %w", root, err)
	}
	real, err = filepath.EvalSymlinks(given)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", absentError(given)
	}
	if err != nil {
		return "", "", fmt.Errorf("open workspace %s: %w", given, err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", "", fmt.Errorf("open workspace %s: %w", given, err)
	}
	if !info.IsDir() {
		return "", "", fmt.Errorf("open workspace %s: it is a file, not a folder", given)
	}
	what := ""
	switch {
	case real == filepath.VolumeName(real)+string(filepath.Separator):
		what = "the root of the file system"
	case isHome(info, home):
		what = "your home folder"
	}
	if what != "" && !marked(real) {
		return "", "", fmt.Errorf("open workspace %s: it is %s and has neither .git nor .contexture.toml, "+
			"so it is %w; choose a folder inside it, or create .contexture.toml there to index it whole", given, what, ErrUnsafeRoot)
	}
	return given, real, nil
}

// device returns the file system of the root, which must be one that keeps files.
func (t *Tree) device() (uint64, error) {
	dir, err := t.openRoot()
	if err != nil {
		return 0, err
	}
	defer closeFolder(dir)
	if isPseudo(dir) {
		return 0, errors.New("it is the system's own, made of no files; choose a folder of files")
	}
	st, err := statFolder(dir)
	return st.dev, err
}

// isHome compares by identity, so that any spelling of the home folder counts.
func isHome(info fs.FileInfo, home string) bool {
	if home == "" {
		return false
	}
	at, err := os.Stat(home)
	return err == nil && os.SameFile(info, at)
}

func marked(dir string) bool {
	for _, name := range markers {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}
