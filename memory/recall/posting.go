package recall

import (
	"encoding/binary"
	"math"
)

// posting is one message under one term, in four bytes:
//
//	bits 27–31  the conversation in its group
//	bits 15–26  the message in its block
//	bits  8–14  weight of the term in the message, in quarters; in the table of messages: flags
//	bits  0–7   length of the message, see lengthByte
//
// A posting depends only on its message, so that postings can be appended without reading the
// existing ones and removed without changing the others. All have the same size, so that scanning
// many of them is cheap.
type posting uint32

const (
	postingSize  = 4
	groupShift   = 27
	messageShift = 15
	weightShift  = 8
	maxWeight    = 1<<(messageShift-weightShift) - 1
	gainBits     = 1<<messageShift - 1 // weight and length, which determine a posting's score
)

func newPosting(conv uint32, message int, weight, length uint8) posting {
	return posting(conv%groupSize<<groupShift | uint32(message%blockSize)<<messageShift |
		uint32(min(weight, maxWeight))<<weightShift | uint32(length))
}

func (p posting) member() uint32 { return uint32(p >> groupShift) }
func (p posting) message() int32 { return int32(p >> messageShift & (blockSize - 1)) }
func (p posting) weight() uint8  { return uint8(p >> weightShift & maxWeight) }
func (p posting) length() uint8  { return uint8(p) }

func appendPosting(b []byte, p posting) []byte {
	return binary.LittleEndian.AppendUint32(b, uint32(p))
}

// at returns the posting at the start of v, which must hold one.
func at(v []byte) posting { return posting(binary.LittleEndian.Uint32(v)) }

// lengthSteps is the number of steps in which a length's byte doubles it: 6 % a step, up to two
// million terms.
const lengthSteps = 12

// lengthByte encodes the length of a message, in weighted terms, on a logarithmic scale.
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

// lengthUnit is the number of units in a term when lengths are summed.
const lengthUnit = 1 << 12

// lengthUnits is lengthOf in units: integer sums are faster, and the same in every order.
var lengthUnits = func() (units [256]uint64) {
	for i, length := range lengthOf {
		units[i] = uint64(math.Round(length * lengthUnit))
	}
	return units
}()

// weightSteps is the number of steps in a term's weight of 1.
const weightSteps = 4

func weightByte(weight float64) uint8 {
	return uint8(max(1, min(maxWeight, math.Round(weight*weightSteps))))
}
