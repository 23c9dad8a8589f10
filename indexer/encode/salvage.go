package encode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"os"

	"github.com/contexture-dev/contexture/indexer/store"
)

// Damage in the open shelf loses only the rows that cannot be read: the readable ones are copied to
// a new folder, which replaces the old one.

const (
	salvageBatch = 1000 // rows written together
	salvagesMost = 3    // per process: a disk that keeps corrupting data is not salvaged further
)

// salvageLocked copies the readable rows of the shelf's folder. mu is held and db is unused.
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

// rows copies the rows under a letter, in order. It skips damage with a small step, which grows
// each time that it meets the same damage.
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

// readable reports whether the next row from at on can be read, or there is none.
func (c *copying) readable(letter byte, at place) bool {
	err := c.from.ScanRange(at.key(letter), []byte{letter + 1}, func(_, _ []byte) error { return errFound })
	return err == nil || errors.Is(err, errFound)
}

// nearest returns the first readable place after a damaged one, given that the place two to the
// power n further is readable.
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
// rows, whose hashes are evenly spread. Each step that meets the damage again costs milliseconds:
// the store searches for the flipped bit.
const skipFirst = 48

// place is the part of a key after the letter, as a number: the model's hash and the first half of
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

// plus returns p plus two to the power n; last reports an overflow: there is nothing after p.
func (p place) plus(n int) (q place, last bool) {
	step := place{lo: 1 << min(n, 64)}
	if n >= 64 {
		step = place{hi: 1 << (n - 64)}
	}
	lo, carry := bits.Add64(p.lo, step.lo, 0)
	hi, carry := bits.Add64(p.hi, step.hi, carry)
	return place{hi, lo}, carry > 0 || n >= 128
}

// keep writes a row if it is intact; writing it twice does no harm.
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

// sound reports whether a row is unchanged since Put. Probes carry no checksum: the store's own
// guards them.
func sound(key, value []byte) bool {
	if key[0] != rowPrefix {
		return true
	}
	n := len(value) - rowSum
	return n > 0 && binary.LittleEndian.Uint32(value[n:]) == sumOf(key, value[:n])
}
