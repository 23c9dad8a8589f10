package tokens

import "unicode/utf8"

const (
	maxCached  = 30      // bytes: with its two lengths an entry is half a cache line
	cacheSlots = 1 << 12 // 128 KB a scratch
	// maxKept bounds the memory that the pool keeps for long pieces, in bytes of the piece; merging
	// takes up to 22 bytes for each.
	maxKept = 2 * window
)

// scratch is the memory of one running count. It belongs to one goroutine between the pool's Get
// and Put; there is one for each concurrent count, and the garbage collector may free those in the
// pool.
type scratch struct {
	cache    [cacheSlots]cacheEntry
	repaired []byte
	long     longMerge // of a window
	seam     longMerge // of the two tokens at a seam of windows
	steps    int       // work done, for the tests that bound it
}

// cacheEntry remembers the number of tokens of a piece that is not itself a token. The bytes are
// kept and compared, so equal hashes never give a wrong answer.
type cacheEntry struct {
	piece  [maxCached]byte
	length uint8 // 0: empty
	tokens uint8
}

func (sc *scratch) slot(h uint64) *cacheEntry { return &sc.cache[h%cacheSlots] }

func (e *cacheEntry) holds(p string) bool {
	return int(e.length) == len(p) && string(e.piece[:len(p)]) == p
}

func (e *cacheEntry) set(p string, tokens int) {
	e.length = uint8(copy(e.piece[:], p))
	e.tokens = uint8(tokens)
}

// repair returns p with U+FFFD in place of each byte that is not part of a valid
// UTF-8 sequence. The result is valid until the next call.
func (sc *scratch) repair(p string) string {
	sc.repaired = sc.repaired[:0]
	for _, r := range p {
		sc.repaired = utf8.AppendRune(sc.repaired, r)
	}
	return view(sc.repaired)
}

// trim frees memory that a rare long piece has needed.
func (sc *scratch) trim() {
	if cap(sc.repaired) > 4*maxKept {
		sc.repaired = nil
	}
	if cap(sc.long.rank) > maxKept || cap(sc.long.heap) > 2*maxKept {
		sc.long = longMerge{}
	}
}
