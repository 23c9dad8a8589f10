package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/zeebo/xxh3"
)

const (
	// ownFile in a checkpoint marks that its tables are copies, not links.
	ownFile = "OWN"
	// pieceBytes is the size of one read or write.
	pieceBytes = 256 << 10
	// roomBytes is the free space that must remain after two copies of a checkpoint's tables.
	roomBytes = 64 << 20
)

// pace controls background work: the work ends when stop is closed, and with gently it leaves the
// disk and the processor to others: after each piece it pauses three times as long as the piece
// took.
type pace struct {
	stop   <-chan struct{} // nil: never
	gently bool
	began  time.Time // start of the piece
}

// errStopped is the error of stopped work; it is not a fault of the store.
var errStopped = fmt.Errorf("stopped: %w", context.Canceled)

// rest must be called between pieces.
func (p *pace) rest() error {
	select {
	case <-p.stop:
		return errStopped
	default:
	}
	if !p.gently {
		return nil
	}
	if !p.began.IsZero() {
		timer := time.NewTimer(min(3*time.Since(p.began), 100*time.Millisecond))
		defer timer.Stop()
		select {
		case <-p.stop:
			return errStopped
		case <-timer.C:
		}
	}
	p.began = time.Now()
	return nil
}

// detach replaces a new checkpoint's links to the database's tables with copies, so that damage to
// a file of one leaves the other intact. A table that is byte for byte in the last checkpoint too
// becomes a link to that one's. Without enough disk space for copies the links stay: they still
// protect against the commonest damage, that of manifests and logs. On systems where links do not
// outlast the file, each checkpoint is a copy from the start.
func (s *Store) detach(dir, last string, p *pace) error {
	if !linksLast {
		return writeFile(s.fs, s.fs.PathJoin(dir, ownFile), nil)
	}
	names, err := tables(s.fs, dir)
	if err != nil {
		return err
	}
	size, err := folderBytes(s.fs, dir)
	if err != nil {
		return err
	}
	if disk, err := s.fs.GetDiskUsage(dir); err == nil && disk.AvailBytes < 2*uint64(size)+roomBytes {
		s.log.Warn("the disk has little room: the checkpoint of memory shares files with it", "dir", s.dir)
		return nil
	}
	if last != "" {
		if _, err := s.fs.Stat(s.fs.PathJoin(last, ownFile)); err != nil {
			last = ""
		}
	}
	for name := range names {
		if err := s.ownTable(dir, last, name, p); err != nil {
			return err
		}
	}
	return writeFile(s.fs, s.fs.PathJoin(dir, ownFile), nil)
}

// ownTable replaces one link with a copy.
func (s *Store) ownTable(dir, last, name string, p *pace) error {
	path := s.fs.PathJoin(dir, name)
	aside := path + ".new"
	if last != "" {
		old := s.fs.PathJoin(last, name)
		same, err := s.sameBytes(old, path, p)
		if err != nil {
			return err
		}
		if same {
			if err := s.fs.Link(old, aside); err != nil {
				return err
			}
			return s.fs.Rename(aside, path)
		}
	}
	if err := s.copyFile(path, aside, p); err != nil {
		return err
	}
	return s.fs.Rename(aside, path)
}

func (s *Store) copyFile(from, to string, p *pace) (err error) {
	src, err := s.fs.Open(from, vfs.SequentialReadsOption)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	dst, err := s.fs.Create(to, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dst.Close()) }()
	written := int64(0)
	for {
		if err := p.rest(); err != nil {
			return err
		}
		n, err := io.CopyN(dst, src, pieceBytes)
		if written += n; n > 0 {
			if _, err := dst.SyncTo(written); err != nil { // in small steps: others' syncs would wait for a large one
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return dst.Sync()
		}
		if err != nil {
			return err
		}
	}
}

// sameBytes reports whether two files are equal; an unreadable file is not.
func (s *Store) sameBytes(a, b string, p *pace) (bool, error) {
	sizeA, sumA, err := s.sum(a, p)
	if err != nil {
		if errors.Is(err, errStopped) {
			return false, err
		}
		return false, nil
	}
	sizeB, sumB, err := s.sum(b, p)
	return sizeA == sizeB && sumA == sumB, err
}

// sum is sumFile of a whole file, at a pace.
func (s *Store) sum(path string, p *pace) (size int64, sum uint64, err error) {
	f, err := s.fs.Open(path, vfs.SequentialReadsOption)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var h xxh3.Hasher
	for {
		if err := p.rest(); err != nil {
			return 0, 0, err
		}
		n, err := io.CopyN(&h, f, pieceBytes)
		size += n
		if errors.Is(err, io.EOF) {
			return size, h.Sum64(), nil
		}
		if err != nil {
			return 0, 0, err
		}
	}
}
