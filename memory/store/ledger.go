package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/zeebo/xxh3"
)

// ledger is the file LEDGER in the database's directory. It holds, for each log and manifest, the
// number of bytes synced to disk, and their hash. Pebble takes a damaged end of such a file for one
// that a crash cut short, and would start without its content; with the ledger Open can distinguish
// the two. An entry is written after the sync that it records, so it is never ahead of the disk; it
// is itself synced only before a file is removed, so it may be behind, which is harmless.
//
// Two slots are written in turn, each with a hash, so that an interrupted write leaves the other
// intact. Slot: 8 bytes xxh3 of the rest, 8 bytes generation, 4 bytes length of the text, the text:
// "name size sum
// " for each file.
type ledger struct {
	dir string
	fs  vfs.FS

	mu      sync.Mutex
	file    vfs.File
	gen     uint64
	entries map[string]*entry
}

const (
	ledgerFile = "LEDGER"
	slotBytes  = 4096
	slotHead   = 20
)

// entry is one file. size and sum are of what the file's writer has written; notedSize and notedSum
// are what the ledger records, guarded by ledger.mu.
type entry struct {
	name string

	mu   sync.Mutex
	size int64
	sum  xxh3.Hasher

	notedSize int64
	notedSum  uint64
}

func (e *entry) wrote(p []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.size += int64(len(p))
	_, _ = e.sum.Write(p) // a hash never fails
}

func (e *entry) state() (size int64, sum uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.size, e.sum.Sum64()
}

// openLedger opens dir's ledger, or creates one with the files in known.
func openLedger(fs vfs.FS, dir string, known map[string]*entry) (*ledger, error) {
	l := &ledger{dir: dir, fs: fs, entries: known}
	path := fs.PathJoin(dir, ledgerFile)
	f, err := fs.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if oserror.IsNotExist(err) {
		f, err = fs.Create(path, vfs.WriteCategoryUnspecified)
	}
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	l.file = f
	head, gen := readSlots(f)
	if head != nil {
		l.gen = gen
	}
	if err := l.writeBoth(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

func (l *ledger) here(dir string) bool { return dir == l.dir }

func (l *ledger) add(name string) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := &entry{name: name}
	l.entries[name] = e
	return e
}

// note records that size bytes of the file, with that hash, are on disk.
func (l *ledger) note(e *entry, size int64, sum uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if size <= e.notedSize {
		return nil
	}
	e.notedSize, e.notedSum = size, sum
	if l.entries[e.name] != e {
		return nil // removed meanwhile
	}
	return l.write()
}

// drop removes a file from both slots durably.
func (l *ledger) drop(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.entries[name] == nil {
		return nil
	}
	delete(l.entries, name)
	return l.writeBoth()
}

func (l *ledger) writeBoth() error {
	if err := errors.Join(l.write(), l.write()); err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		return fmt.Errorf("sync ledger: %w", err)
	}
	return nil
}

// write writes the older slot; the caller must hold mu.
func (l *ledger) write() error {
	l.gen++
	slot := make([]byte, slotHead, slotBytes)
	for _, name := range slices.Sorted(maps.Keys(l.entries)) {
		e := l.entries[name]
		line := fmt.Sprintf("%s %d %016x\n", name, e.notedSize, e.notedSum)
		if e.notedSize > 0 && len(slot)+len(line) <= slotBytes {
			slot = append(slot, line...)
		}
	}
	binary.BigEndian.PutUint64(slot[8:], l.gen)
	binary.BigEndian.PutUint32(slot[16:], uint32(len(slot)-slotHead))
	binary.BigEndian.PutUint64(slot, xxh3.Hash(slot[8:]))
	slot = slot[:slotBytes]
	if _, err := l.file.WriteAt(slot, int64(l.gen%2)*slotBytes); err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	return nil
}

func (l *ledger) close() error { return l.file.Close() }

// readSlots returns the text of the newest intact slot, nil when there is none.
func readSlots(f io.ReaderAt) (text []byte, gen uint64) {
	for i := range int64(2) {
		slot := make([]byte, slotBytes)
		if n, err := f.ReadAt(slot, i*slotBytes); err != nil && n < slotHead {
			continue
		}
		n := int(binary.BigEndian.Uint32(slot[16:]))
		if n > slotBytes-slotHead || binary.BigEndian.Uint64(slot) != xxh3.Hash(slot[8:slotHead+n]) {
			continue
		}
		if g := binary.BigEndian.Uint64(slot[8:]); g > gen {
			text, gen = slot[slotHead:slotHead+n], g
		}
	}
	return text, gen
}

// checkLedger compares the logs and manifests in dir with its ledger and returns the entries, for
// openLedger. Without an intact ledger only Pebble's own checks apply.
func checkLedger(fs vfs.FS, dir string) (map[string]*entry, error) {
	known := map[string]*entry{}
	f, err := fs.Open(fs.PathJoin(dir, ledgerFile))
	if oserror.IsNotExist(err) {
		return known, nil
	}
	if err != nil {
		return nil, err
	}
	text, _ := readSlots(f)
	if err := f.Close(); err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		e, err := parseEntry(string(line))
		if err != nil {
			return nil, err
		}
		size, sum, err := sumFile(fs, fs.PathJoin(dir, e.name), e.notedSize)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
		if size != e.notedSize {
			return nil, fmt.Errorf("%s has %d bytes of %d", e.name, size, e.notedSize)
		}
		if sum != e.notedSum {
			return nil, fmt.Errorf("%s: wrong checksum", e.name)
		}
		known[e.name] = e
	}
	return known, nil
}

func parseEntry(line string) (*entry, error) {
	parts := strings.Fields(line)
	if len(parts) != 3 {
		return nil, fmt.Errorf("ledger: line %q", line)
	}
	size, sizeErr := strconv.ParseInt(parts[1], 10, 64)
	sum, sumErr := strconv.ParseUint(parts[2], 16, 64)
	if err := errors.Join(sizeErr, sumErr); err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	return &entry{name: parts[0], notedSize: size, notedSum: sum}, nil
}

// sumFile hashes the first limit bytes of a file, all of it for a negative limit, and returns their
// number.
func sumFile(fs vfs.FS, path string, limit int64) (size int64, sum uint64, err error) {
	f, err := fs.Open(path)
	if err != nil {
		return 0, 0, err
	}
	var h xxh3.Hasher
	var r io.Reader = f
	if limit >= 0 {
		r = io.LimitReader(f, limit)
	}
	size, err = io.Copy(&h, r)
	return size, h.Sum64(), errors.Join(err, f.Close())
}
