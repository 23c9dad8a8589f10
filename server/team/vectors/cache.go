package vectors

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
)

// cache holds the entries that were read of one model and repository, sealed as they came, in a
// file that only grows:
//
//	magic, version, dims, probes   4 bytes each
//	id                             16, random
//	the probes' rows               probes × dims
//	records                        the second of the entry's publication (4), the entry
//
// An entry's tag is its checksum: damage is noticed when a text's row is used. Its size and what
// memory holds of it are bounded. The file may be removed at any time. The process that has locked
// it keeps it; another one works with a file of its own that it removes. It is safe for concurrent
// use.
type cache struct {
	path  string
	kind  encode.Kind
	limit int64
	log   *slog.Logger
	lock  *os.File // nil: the file is removed by close

	mu   sync.RWMutex // guards the fields below, and the file's records
	file *os.File     // nil if there is none: nothing is kept
	id   [16]byte
	slot map[uint64]int32 // by the beginning of the key
	seen []uint32         // by slot: when the entry was last published, in seconds; 0 = the server lost it
	// unkept holds, by the beginning of the key, when entries were published that could not be
	// written.
	unkept map[uint64]uint32
	failed error         // of the first write that failed; then positions are no longer saved
	lost   time.Time     // when the server was last found to have lost entries
	spread time.Duration // see lostSpread
}

const (
	cacheMagic   = "CTXC"
	cacheVersion = 1
	cacheHeader  = 32
	timeSize     = 4
	// unkeptMost bounds cache.unkept.
	unkeptMost = 1 << 20
)

// openCache opens the cache at a path, and begins it anew if it is damaged or of another kind. It
// always returns a cache; without a disk that can be written, it keeps nothing.
func openCache(path string, kind encode.Kind, limit int64, log *slog.Logger) *cache {
	c := &cache{path: path, kind: kind, limit: limit, log: log, slot: map[uint64]int32{}, unkept: map[uint64]uint32{}}
	if err := c.open(); err != nil {
		c.fail("open the cache of the team's embeddings", err)
	}
	return c
}

func (c *cache) open() error {
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return err
	}
	lock, err := openLock(c.path + ".lock")
	if err != nil { // another process has it, or the folder cannot be written
		c.log.Debug("the team's embeddings are cached for this process only", "err", err)
		return c.private()
	}
	c.lock = lock
	file, err := os.OpenFile(c.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	c.file = file
	if err = c.load(); err == nil {
		return nil
	}
	if !errors.Is(err, io.EOF) { // empty: it is new
		c.log.Warn("the cache of the team's embeddings is read anew", "err", err)
	}
	return c.begin()
}

// private makes a file that no other process sees.
func (c *cache) private() error {
	file, err := os.CreateTemp(filepath.Dir(c.path), "private-*")
	if err != nil {
		return err
	}
	c.file, c.path = file, file.Name()
	_ = os.Remove(c.path) // where an open file cannot be removed, close does it
	return c.begin()
}

// begin empties the file and writes its header.
func (c *cache) begin() error {
	id, err := randomID()
	if err != nil {
		return err
	}
	c.id = id
	clear(c.slot)
	c.seen = nil
	if err := c.file.Truncate(0); err != nil {
		return err
	}
	_, err = c.file.WriteAt(c.header(), 0)
	return err
}

func (c *cache) header() []byte {
	b := append(make([]byte, 0, c.base()), cacheMagic...)
	for _, n := range [...]int{cacheVersion, c.kind.Dimensions, len(c.kind.Probes)} {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	b = append(b, c.id[:]...)
	for _, p := range c.kind.Probes {
		for _, v := range p {
			b = append(b, byte(v))
		}
	}
	return b
}

// base returns the position of the first record.
func (c *cache) base() int64 { return cacheHeader + int64(len(c.kind.Probes)*c.kind.Dimensions) }

func (c *cache) recordSize() int { return timeSize + entrySize(c.kind.Dimensions) }

func (c *cache) at(slot int32) int64 { return c.base() + int64(slot)*int64(c.recordSize()) }

var errOtherCache = errors.New("it holds rows of another model")

// load reads the file's header and the keys of its records, and cuts a torn one at the end. The
// error is io.EOF for an empty file.
func (c *cache) load() error {
	r := bufio.NewReaderSize(c.file, 1<<20)
	head := make([]byte, c.base())
	if n, err := io.ReadFull(r, head); err != nil {
		if n > 0 {
			return errOtherCache
		}
		return err
	}
	if err := c.accept(head); err != nil {
		return err
	}
	record := make([]byte, c.recordSize())
	for {
		_, err := io.ReadFull(r, record)
		if err == io.EOF {
			return nil
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return c.file.Truncate(c.at(int32(len(c.seen))))
		}
		if err != nil {
			return err
		}
		if key := short(record[timeSize:]); key != 0 { // 0: never written before a crash
			c.slot[key] = int32(len(c.seen))
		}
		c.seen = append(c.seen, binary.BigEndian.Uint32(record))
	}
}

// accept checks a header, and takes the file's id.
func (c *cache) accept(head []byte) error {
	c.id = [16]byte(head[16:])
	want := c.header()
	if !bytes.Equal(head[:cacheHeader], want[:cacheHeader]) {
		return errOtherCache
	}
	probes := make([][]int8, len(c.kind.Probes))
	for i := range probes {
		for _, v := range head[cacheHeader+i*c.kind.Dimensions:][:c.kind.Dimensions] {
			probes[i] = append(probes[i], int8(v))
		}
	}
	if !c.kind.Resembles(probes) {
		return errOtherCache
	}
	return nil
}

// short returns the beginning of an entry's key.
func short(entry []byte) uint64 { return binary.BigEndian.Uint64(entry) }

// fail records and logs the first error: from then on what is read is not kept, and the next
// process reads it again.
func (c *cache) fail(op string, err error) {
	if c.failed == nil {
		c.failed = fmt.Errorf("%s: %w", op, err)
		c.log.Warn("the team's embeddings are not kept on disk", "op", op, "err", err)
	}
}

// get returns the entry of a key.
func (c *cache) get(key [keySize]byte) ([]byte, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	slot, ok := c.slot[short(key[:])]
	if !ok {
		return nil, false
	}
	entry := make([]byte, entrySize(c.kind.Dimensions))
	if _, err := c.file.ReadAt(entry, c.at(slot)+timeSize); err != nil || [keySize]byte(entry) != key {
		return nil, false
	}
	return entry, true
}

// published returns when an entry was last published, 0 if the server lost it since then, or false
// if it is unknown.
func (c *cache) published(key [keySize]byte) (seconds uint32, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	k := short(key[:])
	if at, ok := c.unkept[k]; ok {
		return at, true
	}
	if slot, ok := c.slot[k]; ok {
		return c.seen[slot], true
	}
	return 0, false
}

// note records that entries were published that the cache does not have.
func (c *cache) note(keys map[uint64]bool, seconds uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range keys {
		if len(c.unkept) >= unkeptMost {
			return
		}
		c.unkept[k] = seconds
	}
}

// add adds entries, which lie end to end, and records for the known ones that they were published
// again.
func (c *cache) add(entries []byte, seconds uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := entrySize(c.kind.Dimensions)
	fresh := make([]byte, 0, len(entries)+len(entries)/size*timeSize)
	var keys []uint64
	for ; len(entries) >= size; entries = entries[size:] {
		k := short(entries)
		delete(c.unkept, k)
		slot, known := c.slot[k]
		switch {
		case known && int(slot) < len(c.seen):
			c.renewLocked(slot, seconds)
		case !known && k != 0:
			c.slot[k] = int32(len(c.seen) + len(keys))
			keys = append(keys, k)
			fresh = append(binary.BigEndian.AppendUint32(fresh, seconds), entries[:size]...)
		}
	}
	if len(keys) == 0 {
		return
	}
	for _, k := range keys {
		delete(c.slot, k) // until it is written
	}
	if err := c.writeLocked(fresh); err != nil {
		c.fail("write the cache of the team's embeddings", err)
		for _, k := range keys {
			if len(c.unkept) < unkeptMost {
				c.unkept[k] = seconds
			}
		}
		return
	}
	for _, k := range keys {
		c.slot[k] = int32(len(c.seen))
		c.seen = append(c.seen, seconds)
	}
}

// renewLocked records that a known entry was published again.
func (c *cache) renewLocked(slot int32, seconds uint32) {
	if c.seen[slot] >= seconds {
		return
	}
	c.seen[slot] = seconds
	if _, err := c.file.WriteAt(binary.BigEndian.AppendUint32(nil, seconds), c.at(slot)); err != nil {
		c.fail("write the cache of the team's embeddings", err)
	}
}

var (
	errNoFile = errors.New("there is no file")
	errLimit  = errors.New("the cache is full")
)

// writeLocked appends records, after discarding old ones if the file would grow over its limit.
func (c *cache) writeLocked(records []byte) error {
	if c.file == nil {
		return errNoFile
	}
	end := c.at(int32(len(c.seen)))
	if end+int64(len(records)) > c.limit {
		if err := c.shrinkLocked(); err != nil {
			return err
		}
		if end = c.at(int32(len(c.seen))); end+int64(len(records)) > c.limit {
			return errLimit
		}
	}
	if _, err := c.file.WriteAt(records, end); err != nil {
		return errors.Join(err, c.file.Truncate(end))
	}
	return nil
}

// shrinkLocked keeps the half of the records that were published last. They move to the front of
// the file, in their order, so that no second file is needed on a disk that is nearly full; a crash
// meanwhile leaves records twice or lost, never wrong.
func (c *cache) shrinkLocked() error {
	order := make([]int32, len(c.seen))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(c.seen[b], c.seen[a]) })
	order = order[:len(order)/2]
	slices.Sort(order)
	record := make([]byte, c.recordSize())
	seen := make([]uint32, 0, len(c.seen))
	clear(c.slot)
	for _, from := range order {
		if _, err := c.file.ReadAt(record, c.at(from)); err != nil {
			continue // what cannot be read is lost
		}
		to := int32(len(seen))
		if _, err := c.file.WriteAt(record, c.at(to)); err != nil {
			return errors.Join(err, c.begin())
		}
		c.slot[short(record[timeSize:])] = to
		seen = append(seen, c.seen[from])
	}
	c.seen = seen
	return c.file.Truncate(c.at(int32(len(seen))))
}

// forget records that the server lost all entries at a moment. Those that it still has are read
// again.
func (c *cache) forget(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spread = lostSpread
	if age := now.Sub(c.lost); age < lostRest && !c.lost.IsZero() {
		c.spread = lostRest
	}
	c.lost = now
	clear(c.seen)
	clear(c.unkept)
}

// lostAt returns when entries were last forgotten, and within which time they are published again.
func (c *cache) lostAt() (at time.Time, spread time.Duration) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.lost, c.spread
}

// salt returns a number that differs between caches.
func (c *cache) salt() uint32 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return binary.BigEndian.Uint32(c.id[:])
}

// problem returns why the cache is not kept, or nil.
func (c *cache) problem() error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.failed
}

// count returns the number of entries.
func (c *cache) count() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.slot)
}

// close saves what was read until at, and releases the file.
func (c *cache) close(at position) error {
	err := c.save(at)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file != nil {
		err = errors.Join(err, c.file.Close())
		if c.lock == nil {
			if gone := os.Remove(c.path); gone != nil && !errors.Is(gone, os.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
		c.file = nil
		clear(c.slot)
	}
	if c.lock != nil {
		err = errors.Join(err, c.lock.Close())
	}
	return err
}
