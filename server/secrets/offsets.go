package secrets

import "sort"

// offsets tells where the bytes of a text that was changed stood before: pieces that were copied,
// in order.
type offsets []piece

// piece says that the bytes from at on are those from origin on; of a mark, that it stands for what
// began there.
type piece struct {
	at, origin int
	mark       bool
}

// of is where the byte at i stood.
func (o offsets) of(i int) int {
	n := sort.Search(len(o), func(n int) bool { return o[n].at > i }) - 1
	if o[n].mark {
		return o[n].origin
	}
	return o[n].origin + i - o[n].at
}

// copy notes that from[start:end], whose bytes have origins of their own, stands from at on.
func (o *offsets) copy(from offsets, start, end, at int) {
	if start == end {
		return
	}
	n := sort.Search(len(from), func(n int) bool { return from[n].at > start }) - 1
	for ; n < len(from) && from[n].at < end; n++ {
		p := from[n]
		if skipped := start - p.at; skipped > 0 {
			p.at = start
			if !p.mark {
				p.origin += skipped
			}
		}
		*o = append(*o, piece{at + p.at - start, p.origin, p.mark})
	}
}

// mark notes that what stands from at on replaces what began at origin.
func (o *offsets) mark(at, origin int) { *o = append(*o, piece{at, origin, true}) }
