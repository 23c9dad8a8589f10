package tokens

import (
	"hash/maphash"
	"sync/atomic"
)

const (
	// keptTexts is the number of texts whose counts a memo remembers, about forty bytes each; a
	// text replaces one with the same slot.
	keptTexts = 1 << 15
	// shortText is the length in bytes up to which counting a text is about as fast as looking it
	// up.
	shortText = 64
)

// Memo counts as its Counter does and remembers the counts of recent texts: a bundle counts the
// same turns and the same pieces of code again with every message of a conversation. It is safe for
// concurrent use.
type Memo struct {
	counter *Counter
	seeds   [2]maphash.Seed
	slots   [keptTexts]atomic.Pointer[countEntry]
}

// countEntry is the remembered count of a text. It is immutable. The text itself is not kept: two
// texts with the same length and the same two hashes are not to be expected, and cannot be
// constructed on purpose, because the seeds are random for each process.
type countEntry struct {
	hashes [2]uint64
	length int
	tokens int
}

// Memo returns the counter's memo, the same one on each call.
func (c *Counter) Memo() *Memo {
	c.memoOnce.Do(func() {
		c.memo = &Memo{counter: c, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	})
	return c.memo
}

// Count returns the same count as Counter.Count.
func (m *Memo) Count(s string) int {
	if len(s) <= shortText {
		return m.counter.Count(s)
	}
	hashes := [2]uint64{maphash.String(m.seeds[0], s), maphash.String(m.seeds[1], s)}
	slot := &m.slots[hashes[0]%keptTexts]
	if e := slot.Load(); e != nil && e.hashes == hashes && e.length == len(s) {
		return e.tokens
	}
	n := m.counter.Count(s)
	slot.Store(&countEntry{hashes, len(s), n})
	return n
}
