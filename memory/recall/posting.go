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

// eachPosting reads a value. What is cut off or no posting ends it: the rest is not there.
func eachPosting(value []byte, f func(posting)) {
	for len(value) > 0 {
		message, n := uint64(value[0]), 1
		if message >= 0x80 {
			if message, n = binary.Uvarint(value); n <= 0 {
				return
			}
		}
		if message >= blockSize || len(value) < n+2 {
			return
		}
		f(posting{message: int(message), weight: value[n], length: value[n+1]})
		value = value[n+2:]
	}
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
