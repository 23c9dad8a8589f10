package store

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// Bytes returns the store's size on disk, without checkpoints: their files are mostly links to the
// store's own.
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

// gone returns nil for the error that a file no longer exists.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
