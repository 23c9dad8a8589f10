package encode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"os"

	"github.com/contexture-dev/contexture/indexer/store"
)

// Damage that is met in the open shelf costs the rows that cannot be read and no others: what can
// is copied to a new folder, which takes the old one's place.

const (
	salvageBatch = 1000 // rows written together
	salvagesMost = 3    // by one process: a disk that damages what it is given is left alone
)

// salvageLocked copies what can be read of the shelf's folder. mu is held and nobody uses db.
func (s *Shelf) salvageLocked() error {
	fresh := s.dir + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("salvage embeddings: %w", err)
	}
	to, err := store.Open(fresh, s.log)
	if err != nil {
		return fmt.Errorf("salvage embeddings: %w", err)
	}
	c := &copying{from: s.db, to: to, batch: to.NewBatch()}
	for _, letter := range []byte{rowPrefix, probePrefix} {
		c.rows(letter)
	}
	err = errors.Join(c.err, c.commit(), to.Close())
	if err != nil {
		return errors.Join(fmt.Errorf("salvage embeddings: %w", err), os.RemoveAll(fresh))
	}
	if err := s.db.Close(); err != nil {
		s.log.Debug("close damaged embeddings", "err", err)
	}
	s.db = nil
	if err := errors.Join(os.RemoveAll(s.dir), os.Rename(fresh, s.dir)); err != nil {
		return fmt.Errorf("salvage embeddings: %w", err)
	}
	s.log.Warn("stored embeddings were damaged; what could be read was kept", "kept", c.kept, "damaged places", c.lost)
	return nil
}

// copying is one salvage.
type copying struct {
	from, to *store.Store
	batch    *store.Batch
	size     int
	kept     int
	lost     int   // ranges of keys that could not be read
	err      error // of writing
}

// rows copies what stands under a letter, in order. Behind damage it goes on a little further, and
// further each time that it meets the same.
func (c *copying) rows(letter byte) {
	var at place
	for skip := skipFirst; c.err == nil; skip++ {
		seen := false
		err := c.from.ScanRange(at.key(letter), []byte{letter + 1}, func(k, v []byte) error {
			seen = true
			at = placeOf(k)
			c.keep(k, v)
			return c.err
		})
		if err == nil || c.err != nil {
			return
		}
		c.lost++
		if seen {
			skip = skipFirst
		}
		next, last := at.plus(skip)
		if last {
			return
		}
		if c.readable(letter, next) {
			next = c.nearest(letter, at, skip)
		}
		at = next
	}
}

var errFound = errors.New("found")

// readable reports whether the next row from a place on can be read, or there is none.
func (c *copying) readable(letter byte, at place) bool {
	err := c.from.ScanRange(at.key(letter), []byte{letter + 1}, func(_, _ []byte) error { return errFound })
	return err == nil || errors.Is(err, errFound)
}

// nearest returns the first place behind a damaged one from which on can be read, where two to the
// power n further can.
func (c *copying) nearest(letter byte, damaged place, n int) place {
	for n--; n >= skipFirst; n-- {
		if p, _ := damaged.plus(n); !c.readable(letter, p) {
			damaged = p
		}
	}
	p, _ := damaged.plus(skipFirst)
	return p
}

// skipFirst is the exponent of two of the smallest step over damage: a 65,536th of one model's
// rows, whose hashes are evenly spread. Each step that meets it again costs milliseconds: the store
// looks for the bit that flipped.
const skipFirst = 48

// place is what follows the letter in a key, as a number: the model's hash and the first half of
// the text's.
type place struct{ hi, lo uint64 }

func placeOf(key []byte) (p place) {
	var b [16]byte
	copy(b[:], key[1:])
	return place{binary.BigEndian.Uint64(b[:]), binary.BigEndian.Uint64(b[8:])}
}

func (p place) key(letter byte) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64([]byte{letter}, p.hi), p.lo)
}

// plus goes on by two to the power n; last says that there is nothing behind.
func (p place) plus(n int) (q place, last bool) {
	step := place{lo: 1 << min(n, 64)}
	if n >= 64 {
		step = place{hi: 1 << (n - 64)}
	}
	lo, carry := bits.Add64(p.lo, step.lo, 0)
	hi, carry := bits.Add64(p.hi, step.hi, carry)
	return place{hi, lo}, carry > 0 || n >= 128
}

// keep writes a row that is sound; one that is written twice is the same.
func (c *copying) keep(key, value []byte) {
	if !sound(key, value) {
		return
	}
	if c.err = c.batch.Set(key, value); c.err != nil {
		return
	}
	c.kept++
	if c.size++; c.size >= salvageBatch {
		c.err = c.commit()
		c.batch, c.size = c.to.NewBatch(), 0
	}
}

func (c *copying) commit() error {
	if c.batch == nil {
		return nil
	}
	b := c.batch
	c.batch = nil
	return b.Commit()
}

// sound reports whether a row is the one that was put. Probes carry no sum: the store's own guards
// them.
func sound(key, value []byte) bool {
	if key[0] != rowPrefix {
		return true
	}
	n := len(value) - rowSum
	return n > 0 && binary.LittleEndian.Uint32(value[n:]) == sumOf(key, value[:n])
}
