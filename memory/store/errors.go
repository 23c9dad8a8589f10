package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/cockroachdb/pebble/v2"
)

// LockedError means that another process holds the memory; Holder is its process id, 0 when
// unknown.
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

// NewerError means that a newer program wrote the memory: in format Have, where this one supports
// up to Want. Nothing was written.
type NewerError struct {
	Path       string
	Have, Want int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("open memory %s: it has format %d and this program knows format %d at most; update contexture, "+
		"or use another state directory with --state-dir", e.Path, e.Have, e.Want)
}

// CorruptError means that the memory, or a part of it, cannot be read. Nothing was written and
// nothing is replaced: the user decides what to do, and Error lists the steps. Checkpoint is the
// newest readable older state, "" when there is none.
type CorruptError struct {
	Path       string
	Err        error
	Checkpoint string

	marker string // the text missing from the marker, if nothing else is wrong
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("memory %s is damaged: %v; nothing was changed; %s", e.Path, e.Err, e.advice())
}

func (e *CorruptError) advice() string {
	db := filepath.Join(e.Path, databaseDir)
	c, ok := readCheckpoint(filepath.Base(e.Checkpoint))
	switch {
	case e.marker != "":
		return fmt.Sprintf("if this is the folder of contexture's memory, write the line %q into its file %s and start again; "+
			"otherwise give another state directory with --state-dir", e.marker, markerFile)
	case !ok:
		return fmt.Sprintf("no checkpoint of it can be read: to begin with an empty memory end all contexture processes, move the folder "+
			"%s out of the state directory and start again; keep the folder: some of it may still be read", e.Path)
	}
	return fmt.Sprintf("to go back to its state of %s: end all contexture processes, move the folder %s out of the state directory "+
		"(if it is there), copy the folder %s with all that is in it to %s, and start again; what came after that time is in the "+
		"folder that was moved", c.at.Format("2006-01-02 15:04 UTC"), db, e.Checkpoint, db)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// DiskFull reports whether a file was not written because its disk has no room.
func DiskFull(err error) bool { return isAny(err, fullErrors...) }

func notAllowed(err error) bool { return isAny(err, fs.ErrPermission, readOnlyError) }

func isAny(err error, kinds ...error) bool {
	return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
}

// fault returns a failed read or write as the caller's error: *CorruptError for damage, else the
// error with its location.
func (s *Store) fault(doing string, err error) error {
	var corrupt *CorruptError
	var locked *LockedError
	var newer *NewerError
	switch {
	case err == nil || errors.As(err, &corrupt) || errors.As(err, &locked) || errors.As(err, &newer):
		return err
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s memory: %w", doing, err)
	case DiskFull(err):
		return fmt.Errorf("%s memory %s: %w; what was acknowledged before is safe and can be read: make room on the disk, end all "+
			"contexture processes and start again", doing, s.dir, err)
	case notAllowed(err):
		return fmt.Errorf("%s memory %s: %w; nothing is lost: let this user write to that folder and all in it, or give another state "+
			"directory with --state-dir, and start again", doing, s.dir, err)
	case doing == "open" || doing == "read" || pebble.IsCorruptionError(err):
		return s.corrupt(err)
	}
	return fmt.Errorf("%s memory %s: %w", doing, s.dir, err)
}

func (s *Store) corrupt(err error) error {
	return &CorruptError{Path: s.dir, Err: err, Checkpoint: s.restorable()}
}

// unmarked is corrupt for a store of which only the marker is wrong.
func (s *Store) unmarked(err error) error {
	return &CorruptError{Path: s.dir, Err: err, marker: markerTitle + strconv.Itoa(s.want)}
}
