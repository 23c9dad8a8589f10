package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
)

// ErrUnsafeRoot is wrapped by Open's error for "/" and the home folder if they contain no project
// marker: choose a folder inside, or create the marker there.
var ErrUnsafeRoot = errors.New("not a project")

// markers are the files that make such a folder a project.
var markers = []string{".git", ".contexture.toml"}

// environmentHome returns the home folder from the environment, else that of the process's user; ""
// if neither is known.
func environmentHome() string {
	if home, err := os.UserHomeDir(); err == nil {
		return home
	}
	if who, err := user.Current(); err == nil {
		return who.HomeDir
	}
	return ""
}

// absentError means that the root does not exist. It wraps fs.ErrNotExist without its text, which
// would repeat the message.
type absentError string

func (e absentError) Error() string {
	return "open workspace " + string(e) + ": the folder does not exist"
}

func (absentError) Unwrap() error { return fs.ErrNotExist }

// checkRoot returns the root as given but absolute, and with its links resolved.
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

// isHome compares by identity, so that every spelling of the home folder matches.
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
