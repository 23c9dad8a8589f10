package recall

import (
	"encoding/binary"
	"math"
)

// posting is one message under one term.
//
// Its bytes are the message's index in its block as a varint, then weight, then length. They depend on that message
// alone, so that postings can be appended without reading what is there and taken out without changing the others.
type posting struct {
	message int   // index in the block
	weight  uint8 // of the term in the message, in quarters; in the table of messages: flags
	length  uint8 // of the message, see lengthByte
}

func appendPosting(b []byte, p posting) []byte {
	b = binary.AppendUvarint(b, uint64(p.message))
	return append(b, p.weight, p.length)
}

// next reads the first posting of a value and gives the rest. What is cut off or no posting ends the value: ok is
// false.
func next(v []byte) (p posting, rest []byte, ok bool) {
	if len(v) < 3 {
		return p, nil, false
	}
	if v[0] < 0x80 {
		return posting{int(v[0]), v[1], v[2]}, v[3:], true
	}
	if len(v) < 4 || v[1] >= blockSize>>7 {
		return p, nil, false
	}
	return posting{int(v[0]&0x7F) | int(v[1])<<7, v[2], v[3]}, v[4:], true
}

// countPostings tells how many postings a value holds.
func countPostings(v []byte) (n int) {
	for _, rest, ok := next(v); ok; _, rest, ok = next(rest) {
		n++
	}
	return n
}

// lengthSteps is the number of steps by which a length's byte doubles it: 6 % a step, up to two million terms.
const lengthSteps = 12

// lengthByte keeps the length of a message, in weighted terms, on a logarithmic scale.
func lengthByte(length float64) uint8 {
	return uint8(min(255, math.Round(lengthSteps*math.Log2(1+length))))
}

// lengthOf is the inverse of lengthByte.
var lengthOf = func() (lengths [256]float64) {
	for i := range lengths {
		lengths[i] = math.Exp2(float64(i)/lengthSteps) - 1
	}
	return lengths
}()

// weightSteps is the number of steps in a term's weight of 1.
const weightSteps = 4

func weightByte(weight float64) uint8 {
	return uint8(max(1, min(255, math.Round(weight*weightSteps))))
}
