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

// ledger is the file LEDGER in the database's directory: of each log and manifest how many bytes
// were brought to disk, and their sum. Pebble takes a damaged end of such a file for one that a
// crash cut short, and would begin without what stood there; with the ledger Open can tell. An
// entry is written after the sync that it tells of, so it is never ahead of the disk; it is itself
// synced only before a file is removed, so it may be behind, which does no harm.
//
// Two slots are written in turn, each with a sum, so that a write that was cut short leaves the
// other. Slot: 8 bytes xxh3 of what follows, 8 bytes generation, 4 bytes length of the text, the
// text: "name size sum\n" for each file.
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

// entry is one file. Written is what the one goroutine that writes the file has written; noted is
// what the ledger tells, guarded by ledger.mu.
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
	_, _ = e.sum.Write(p) // a hash takes everything
}

func (e *entry) state() (size int64, sum uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.size, e.sum.Sum64()
}

// openLedger opens dir's ledger, or makes one that knows the files in known.
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

// note tells that size bytes of the file, with that sum, are on disk.
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

// drop forgets a file, durably in both slots.
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

// write fills the older slot; the caller holds mu.
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

// readSlots returns the text of the newest whole slot, nil where there is none.
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

// checkLedger compares the logs and manifests in dir with its ledger and gives the entries, for
// openLedger. A ledger that is missing or damaged itself tells nothing; what it would tell of is
// then checked by Pebble alone.
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
			return nil, fmt.Errorf("%s: wrong sum", e.name)
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

// sumFile sums the first limit bytes of a file, all of it for a negative limit, and tells how many
// there are.
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
