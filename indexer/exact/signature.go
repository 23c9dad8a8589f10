package exact

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
)

// A signature is a Bloom filter with one hash of the trigrams of a text, the sequences of three
// bytes within a line, in lower case. Its size follows their number: a text of ten thousand bytes
// has about 1,500. A filter needs no merging and no table: it is copied with its file, and a search
// reads a few bits of each.

const (
	leastBits = 64
	mostBits  = 1 << 20
	// fillRatio is the least ratio of the bits of a signature to those that are set, unless it has
	// mostBits. A literal of n letters then passes by chance in at most one text of 3^(n-2).
	fillRatio = 3
)

// Sign returns the signature of a text.
func Sign(text []byte) []byte {
	if hasThirdCase(text) {
		return bytes.Repeat([]byte{0xff}, leastBits/8) // admits everything
	}
	size := leastBits
	for size < mostBits && size < 4*len(text) {
		size *= 2
	}
	words := make([]uint64, size/64)
	mask := uint32(size - 1)
	var gram uint32
	have := 0 // bytes of the line in gram
	for _, c := range text {
		if c == '\n' {
			have = 0
			continue
		}
		gram = gram<<8 | uint32(lowerOf[c])
		if have++; have >= 3 {
			h := hashOf(gram) & mask
			words[h/64] |= 1 << (h % 64)
		}
	}
	for len(words) > leastBits/64 {
		set := 0
		half := len(words) / 2
		for i := range half {
			set += bits.OnesCount64(words[i] | words[half+i])
		}
		if set*fillRatio > half*64 {
			break
		}
		for i := range half {
			words[i] |= words[half+i]
		}
		words = words[:half]
	}
	out := make([]byte, 0, 8*len(words))
	for _, w := range words {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	return out
}

// hashOf hashes the three lower bytes of gram. The lower bits of a hash are its place in a smaller
// signature.
func hashOf(gram uint32) uint32 {
	h := (gram << 8) * 0x9E3779B1 // Fibonacci hashing, whose upper bits are the better ones
	return h ^ h>>16
}

// Admits reports whether a text with a signature may have a match. An empty signature, of a damaged
// index, admits everything.
func (p *Pattern) Admits(signature []byte) bool {
	return len(signature) < leastBits/8 || p.needs.isIn(signature)
}

func (n need) isIn(signature []byte) bool {
	if n.text != "" && !signs(signature, n.text) {
		return false
	}
	for _, m := range n.all {
		if !m.isIn(signature) {
			return false
		}
	}
	return len(n.any) == 0 || slices.ContainsFunc(n.any, func(m need) bool { return m.isIn(signature) })
}

// signs reports whether a signature has all trigrams of a text.
func signs(signature []byte, text string) bool {
	mask := uint32(8*len(signature) - 1)
	var gram uint32
	for i := range len(text) {
		gram = gram<<8 | uint32(lowerOf[text[i]])
		if i < 2 {
			continue
		}
		if h := hashOf(gram) & mask; signature[h/8]&(1<<(h%8)) == 0 {
			return false
		}
	}
	return true
}

var lowerOf = func() (t [256]byte) {
	for c := range t {
		t[c] = byte(c)
		if 'A' <= c && c <= 'Z' {
			t[c] = byte(c) | 0x20
		}
	}
	return t
}()

func appendLower(to, text []byte) []byte {
	at := len(to)
	to = append(to, text...)
	for i, c := range to[at:] {
		to[at+i] = lowerOf[c]
	}
	return to
}

// hasThirdCase reports whether a text has one of the letters outside ASCII whose lower case is in
// it: the Kelvin sign and the long s.
func hasThirdCase(text []byte) bool {
	return bytes.Contains(text, []byte("\u212a")) || bytes.Contains(text, []byte("\u017f"))
}
