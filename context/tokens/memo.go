package tokens

import (
	"hash/maphash"
	"sync/atomic"
)

const (
	// keptTexts is how many texts a memo remembers, about forty bytes each; a text takes the place
	// of another of its hash.
	keptTexts = 1 << 15
	// shortText is the length in bytes up to which a text is counted about as fast as it is looked
	// up.
	shortText = 64
)

// Memo counts as its Counter does and remembers the counts of the texts that it met last: what
// follows a conversation counts the same turns and the same pieces of code again and again. Safe
// for concurrent use.
type Memo struct {
	counter *Counter
	seeds   [2]maphash.Seed
	slots   [keptTexts]atomic.Pointer[counted]
}

// counted is what was counted. It does not change. The text is not kept: that another one has its
// length and both of its hashes is not to be expected in the life of the universe, nor can one be
// made on purpose, for the seeds are the process's own.
type counted struct {
	hashes [2]uint64
	length int
	tokens int
}

// Memo returns the counter's memo, the same one each time.
func (c *Counter) Memo() *Memo {
	c.memoOnce.Do(func() {
		c.memo = &Memo{counter: c, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	})
	return c.memo
}

// Count is Counter.Count.
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
	slot.Store(&counted{hashes, len(s), n})
	return n
}
