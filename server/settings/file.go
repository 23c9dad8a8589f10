package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// WorkspaceFile is the name of a root's settings file.
const WorkspaceFile = ".contexture.toml"

// ConfigDir returns the folder of the user's configuration for this program, or "" when the
// environment does not determine it.
func ConfigDir(getenv func(string) string) string {
	return configDir(runtime.GOOS, getenv)
}

// UserFile returns the default path of the user's config.toml, or "" when the environment does not
// determine it.
func UserFile(getenv func(string) string) string {
	dir := ConfigDir(getenv)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "config.toml")
}

// configDir follows os.UserConfigDir and the XDG base directory specification, by which a relative
// path is ignored.
func configDir(goos string, getenv func(string) string) string {
	home := getenv("HOME")
	var base string
	switch goos {
	case "windows":
		base = getenv("AppData")
	case "darwin":
		if home != "" {
			base = filepath.Join(home, "Library", "Application Support")
		}
	default:
		base = getenv("XDG_CONFIG_HOME")
		if !filepath.IsAbs(base) {
			base = ""
			if home != "" {
				base = filepath.Join(home, ".config")
			}
		}
	}
	if base == "" {
		return ""
	}
	return filepath.Join(base, "contexture")
}

// ReadUser reads and parses the user's config.toml at path. A missing file sets nothing; required
// means that the person named the file, so that its absence is a Problem.
func ReadUser(path string, required bool) Layer {
	if path == os.DevNull { // the conventional way to name no file
		return Layer{Source: path}
	}
	data, err := read(func() (*os.File, error) { return os.OpenFile(path, readNow, 0) })
	switch {
	case errors.Is(err, fs.ErrNotExist) && !required:
		return Layer{Source: path}
	case err != nil:
		return Failed(path, err)
	}
	return UserTOML(path, data)
}

// ReadWorkspace reads and parses .contexture.toml in the folder root. A missing file sets nothing;
// a file that a link puts outside the root is not read, and neither is a path in it that a link
// leads outside.
func ReadWorkspace(root string) Layer {
	path := filepath.Join(root, WorkspaceFile)
	dir, err := os.OpenRoot(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Layer{Source: path}
	case err != nil:
		return Failed(path, unreadable(err))
	}
	defer dir.Close()
	data, err := read(func() (*os.File, error) { return dir.OpenFile(WorkspaceFile, readNow, 0) })
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Layer{Source: path}
	case leaves(dir, err):
		return Failed(path, errors.New("is a link that is absolute or leads out of the repository and is ignored; put the file itself there"))
	case err != nil:
		return Failed(path, err)
	}
	return workspaceTOML(path, data, func(rel string) bool {
		_, err := dir.Stat(rel)
		return leaves(dir, err)
	})
}

// leaves reports whether err is dir's refusal to follow a path out of it. Package os has no
// exported error for that.
func leaves(dir *os.Root, err error) bool {
	_, out := dir.Stat("..")
	at, ok := errors.AsType[*fs.PathError](out)
	return ok && errors.Is(err, at.Err)
}

// readNow opens a file for reading without waiting: a pipe or device, which a repository may
// contain, would block.
const readNow = os.O_RDONLY | syscall.O_NONBLOCK

// read reads a regular file, up to the size limit of a settings file.
func read(open func() (*os.File, error)) ([]byte, error) {
	f, err := open()
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, unreadable(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a file and is ignored")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, unreadable(err)
	}
	return data, nil
}

// unreadable returns why a file is ignored. The message already begins with the path.
func unreadable(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return fmt.Errorf("cannot be read and is ignored: %w", err)
}
