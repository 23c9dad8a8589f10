package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
)

// LockedError says that another process holds the memory; Holder is its process id, 0 where it cannot be told.
type LockedError struct {
	Path   string
	Holder int
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.Holder > 0 {
		who = "process " + strconv.Itoa(e.Holder)
	}
	return fmt.Sprintf("open memory %s: %s holds it; stop that process, or give this one a state directory of its own "+
		"with --state-dir", e.Path, who)
}

// NewerError says that a newer program wrote the memory: format Have, where this one knows up to Want. Nothing was
// written.
type NewerError struct {
	Path       string
	Have, Want int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("open memory %s: it has format %d and this program knows format %d at most; update contexture, "+
		"or use another state directory with --state-dir", e.Path, e.Have, e.Want)
}

// CorruptError says that the memory, or a part of it, cannot be read. Nothing was written and nothing is replaced:
// what to do is the user's to decide. Checkpoint is the newest older state kept beside it, "" where there is none.
type CorruptError struct {
	Path       string
	Err        error
	Checkpoint string
}

func (e *CorruptError) Error() string {
	way := "there is no checkpoint of it; move this directory away to begin anew"
	if e.Checkpoint != "" {
		way = fmt.Sprintf("to go back to the last checkpoint stop contexture, move %[1]s/%[2]s away and copy %[3]s to "+
			"%[1]s/%[2]s", e.Path, databaseDir, e.Checkpoint)
	}
	return fmt.Sprintf("memory %s is damaged: %v; nothing was changed; %s", e.Path, e.Err, way)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// unusable tells faults of the machine (no space, no permission) from damage.
func unusable(err error) bool { return errors.Is(err, fs.ErrPermission) || diskFull(err) }

func diskFull(err error) bool {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EFBIG} {
		if errors.Is(err, full) {
			return true
		}
	}
	return false
}

// fault gives what a failed read or write is to the caller: *CorruptError for damage, else the error with its place.
func (s *Store) fault(doing string, err error) error {
	var corrupt *CorruptError
	var locked *LockedError
	var newer *NewerError
	switch {
	case err == nil || errors.As(err, &corrupt) || errors.As(err, &locked) || errors.As(err, &newer):
		return err
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s memory: %w", doing, err)
	case unusable(err):
		return fmt.Errorf("%s memory %s: %w; what was acknowledged before is safe: make room and start again", doing,
			s.dir, err)
	case doing == "open" || doing == "read" || pebble.IsCorruptionError(err):
		return s.corrupt(err)
	}
	return fmt.Errorf("%s memory %s: %w", doing, s.dir, err)
}

func (s *Store) corrupt(err error) error {
	return &CorruptError{Path: s.dir, Err: err, Checkpoint: newestCheckpoint(s.fs, s.dir)}
}
