package store

import (
	"errors"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func readFile(fs vfs.FS, path string) ([]byte, error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(f)
	return b, errors.Join(err, f.Close())
}

// writeFile replaces a file durably and atomically.
func writeFile(fs vfs.FS, path string, data []byte) error {
	aside := path + ".new"
	f, err := fs.Create(aside, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := fs.Rename(aside, path); err != nil {
		return err
	}
	return syncDir(fs, fs.PathDir(path))
}

// SyncDir makes a file that was created in a directory, or renamed into it, survive a crash of the
// machine.
func SyncDir(dir string) error { return syncDir(vfs.Default, dir) }

func syncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// makeDir creates a directory and its parents durably.
func makeDir(fs vfs.FS, dir string) error {
	if _, err := fs.Stat(dir); err == nil {
		return nil
	}
	parent := fs.PathDir(dir)
	if parent != dir {
		if err := makeDir(fs, parent); err != nil {
			return err
		}
	}
	if err := fs.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return syncDir(fs, parent)
}
