//go:build !linux

package teamtest

import "errors"

// limitFiles always fails: only Linux limits the files of another process.
func limitFiles(int, uint64) error { return errors.ErrUnsupported }
