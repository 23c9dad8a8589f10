package recall

import "sync"

// arena copies many small values into few allocations.
type arena struct {
	chunks [][]byte // in use, the last with room
	spare  [][]byte
}

const (
	arenaChunk = 256 << 10
	maxSpare   = 32 // chunks kept for the next search
)

// room returns an empty slice of capacity n, which belongs to the caller until the arena is reset.
func (a *arena) room(n int) []byte {
	last := len(a.chunks) - 1
	if last < 0 || cap(a.chunks[last])-len(a.chunks[last]) < n {
		if k := len(a.spare); k > 0 && n <= arenaChunk {
			a.chunks, a.spare = append(a.chunks, a.spare[k-1]), a.spare[:k-1]
		} else {
			a.chunks = append(a.chunks, make([]byte, 0, max(n, arenaChunk)))
		}
		last = len(a.chunks) - 1
	}
	chunk := a.chunks[last]
	start := len(chunk)
	a.chunks[last] = chunk[:start+n]
	return chunk[start : start : start+n]
}

func (a *arena) copy(value []byte) []byte {
	return append(a.room(len(value)), value...)
}

func (a *arena) reset() {
	for _, c := range a.chunks {
		if cap(c) == arenaChunk && len(a.spare) < maxSpare {
			a.spare = append(a.spare, c[:0])
		}
	}
	a.chunks = a.chunks[:0]
}

// scratch is the memory of one search, which the next one reuses.
type scratch struct {
	copies arena
	flags  []uint8
	own    []float32
}

// maxKept is the largest capacity in messages at which the scratch of a search is reused.
const maxKept = 1 << 20

var scratches = sync.Pool{New: func() any { return &scratch{} }}

// release returns the memory; nothing of the corpus may be used afterwards.
func (s *scratch) release(c *corpus) {
	s.copies.reset()
	if cap(c.flags) <= maxKept {
		s.flags, s.own = c.flags[:0], c.own[:0]
	}
	scratches.Put(s)
}
