package embed

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// The format, little-endian; everything before the checksum is the content that the digest names.
//
//	magic    8 bytes
//	dims     uint32    docs   uint32    missing float32
//	terms    uint32    text   uint32    (numbers of terms, and of bytes of their text)
//	ends     terms × uint32
//	coef     terms × float32
//	text     text bytes
//	rows     terms × dims int8
//	checksum 32 bytes, SHA-256 of all before
//
// A change of the format or of the weighting changes the magic: an old model is not read but
// trained again.
const (
	magic      = "ctxlsa01"
	headerSize = len(magic) + 5*4
)

var errCorrupt = errors.New("embed: not a model, or a damaged one: train again")

// content is the encoding without its checksum.
func (m *Model) content() []byte {
	n := len(m.ends)
	out := make([]byte, 0, headerSize+8*n+len(m.text)+len(m.rows)+sha256.Size)
	out = append(out, magic...)
	for _, x := range []uint32{uint32(m.dims), uint32(m.docs), math.Float32bits(m.missing), uint32(n), uint32(len(m.text))} {
		out = binary.LittleEndian.AppendUint32(out, x)
	}
	for _, x := range m.ends {
		out = binary.LittleEndian.AppendUint32(out, x)
	}
	for _, x := range m.coef {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	out = append(out, m.text...)
	return append(out, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m.rows))), len(m.rows))...)
}

// MarshalBinary encodes the model for [Load]: about 6 MB for 30,000 terms of 192 dimensions. The
// error is nil.
func (m *Model) MarshalBinary() ([]byte, error) {
	out := m.content()
	sum := sha256.Sum256(out)
	return append(out, sum[:]...), nil
}

// Load decodes a model. It keeps no reference to b. It returns an error for anything but the output
// of this version's MarshalBinary; in every case, train again.
func Load(b []byte) (*Model, error) {
	if len(b) < headerSize+sha256.Size || string(b[:len(magic)]) != magic {
		return nil, errCorrupt
	}
	b, checksum := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	sum := sha256.Sum256(b)
	if !bytes.Equal(sum[:], checksum) {
		return nil, errCorrupt
	}
	m, err := decode(b)
	if err != nil {
		return nil, err
	}
	m.digest = hex.EncodeToString(sum[:])
	return m, nil
}

// decode validates everything, even if the checksum is right, and allocates no more than the length
// of b justifies.
func decode(b []byte) (*Model, error) {
	var head [5]uint32
	for i := range head {
		head[i] = binary.LittleEndian.Uint32(b[len(magic)+4*i:])
	}
	dims, n, text := uint64(head[0]), uint64(head[3]), uint64(head[4])
	b = b[headerSize:]
	if dims == 0 || dims > maxDimensions || dims%laneStep != 0 || n > maxTerms {
		return nil, fmt.Errorf("%w: %d terms of %d", errCorrupt, n, dims)
	}
	if want := 8*n + text + n*dims; uint64(len(b)) != want {
		return nil, fmt.Errorf("%w: %d bytes instead of %d", errCorrupt, len(b), want)
	}
	m := &Model{
		dims: int(dims), docs: int(head[1]), missing: math.Float32frombits(head[2]),
		ends: make([]uint32, n), coef: make([]float32, n), rows: make([]int8, n*dims),
	}
	for i := range m.ends {
		m.ends[i] = binary.LittleEndian.Uint32(b[4*i:])
		m.coef[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*(int(n)+i):]))
	}
	m.text = string(b[8*n : 8*n+text])
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m.rows))), len(m.rows)), b[8*n+text:])
	if err := m.check(); err != nil {
		return nil, err
	}
	return m, nil
}

// check verifies the properties of a decoded model on which the other methods rely.
func (m *Model) check() error {
	if !(m.missing >= 0 && m.missing <= 1) {
		return fmt.Errorf("%w: share out of range", errCorrupt)
	}
	last := uint32(0)
	for i, end := range m.ends {
		if end < last || int(end) > len(m.text) {
			return fmt.Errorf("%w: term %d ends at %d", errCorrupt, i, end)
		}
		last = end
		if i > 0 && m.term(i-1) >= m.term(i) {
			return fmt.Errorf("%w: terms out of order at %d", errCorrupt, i)
		}
		if c := float64(m.coef[i]); math.IsNaN(c) || math.IsInf(c, 0) {
			return fmt.Errorf("%w: weight of term %d", errCorrupt, i)
		}
	}
	if int(last) != len(m.text) {
		return fmt.Errorf("%w: text after the last term", errCorrupt)
	}
	return nil
}
