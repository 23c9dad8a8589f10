package store

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// Bytes is what the store takes on disk, checkpoints left out: their files are mostly the store's
// own.
func (s *Store) Bytes() (total int64, err error) {
	err = filepath.WalkDir(filepath.Join(s.dir, databaseDir), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return gone(err)
		}
		info, err := d.Info()
		if err != nil {
			return gone(err)
		}
		total += info.Size()
		return nil
	})
	return total, err
}

// gone takes a file that went meanwhile for none.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
