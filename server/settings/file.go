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

// ConfigDir returns the folder of the user's configuration for this program, or "" when the environment does not say
// where that is.
func ConfigDir(getenv func(string) string) string {
	return configDir(runtime.GOOS, getenv)
}

// UserFile returns the default path of the user's config.toml, or "" when the environment does not say where that is.
func UserFile(getenv func(string) string) string {
	dir := ConfigDir(getenv)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "config.toml")
}

// configDir follows os.UserConfigDir and the XDG base directory specification, by which a relative path is ignored.
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

// ReadUser reads and parses the user's config.toml at path. A file that does not exist sets nothing, unless it was
// named by the person: then required says so and its absence is a Problem.
func ReadUser(path string, required bool) Layer {
	data, err := read(func() (*os.File, error) { return os.OpenFile(path, readNow, 0) })
	switch {
	case errors.Is(err, fs.ErrNotExist) && !required:
		return Layer{Source: path}
	case err != nil:
		return Failed(path, err)
	}
	return UserTOML(path, data)
}

// ReadWorkspace reads and parses .contexture.toml in the folder root. A file that does not exist sets nothing; one that
// a link puts outside the root is not read.
func ReadWorkspace(root string) Layer {
	path := filepath.Join(root, WorkspaceFile)
	data, err := read(func() (*os.File, error) {
		dir, err := os.OpenRoot(root)
		if err != nil {
			return nil, err
		}
		defer dir.Close()
		return dir.OpenFile(WorkspaceFile, readNow, 0)
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Layer{Source: path}
	case err != nil:
		return Failed(path, err)
	}
	return WorkspaceTOML(path, data)
}

// readNow opens a file to read without waiting: a pipe or device, which a repository may hold, would block.
const readNow = os.O_RDONLY | syscall.O_NONBLOCK

// read reads a regular file, as far as a settings file may be large.
func read(open func() (*os.File, error)) ([]byte, error) {
	f, err := open()
	if err != nil {
		return nil, fmt.Errorf("cannot be read and is ignored: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("cannot be read and is ignored: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a file and is ignored")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("cannot be read and is ignored: %w", err)
	}
	return data, nil
}
