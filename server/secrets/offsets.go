package secrets

import "sort"

// offsets maps the bytes of a changed text to their original positions, as a list of copied pieces
// in order.
type offsets []piece

// piece maps the bytes from at on to those from origin on; for a mark, origin is where the replaced
// text began.
type piece struct {
	at, origin int
	mark       bool
}

// of returns the original position of the byte at i.
func (o offsets) of(i int) int {
	n := sort.Search(len(o), func(n int) bool { return o[n].at > i }) - 1
	if o[n].mark {
		return o[n].origin
	}
	return o[n].origin + i - o[n].at
}

// copy records that from[start:end], whose bytes have origins of their own, was copied to at.
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

// mark records that the text at at replaces the text that began at origin.
func (o *offsets) mark(at, origin int) { *o = append(*o, piece{at, origin, true}) }
