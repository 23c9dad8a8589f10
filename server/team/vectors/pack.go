package vectors

import (
	"crypto/hmac"
	"encoding/binary"
	"errors"

	"github.com/contexture-dev/contexture/indexer/encode"
)

// A pack carries many rows in one message:
//
//	magic      4 bytes
//	version    1
//	probes     1         number of entries that hold the maker's probes
//	zero       2
//	dims       4         big-endian, as the next
//	count      4         entries after the probes
//	entries    (probes + count) × entrySize(dims)
//	mac        32        over the label, the model and all before it, by the team's key
const (
	packMagic   = "CTXV"
	packVersion = 1
	packHeader  = 16
	// maxPack bounds a pack: servers accept messages up to 1 MiB.
	maxPack = 512 << 10
)

// Errors of packs, each counted separately in [Status].
var (
	errMalformed = errors.New("the pack is malformed")
	errForeign   = errors.New("the pack was not made by the team's key for this model")
	errOther     = errors.New("the pack's rows were made by a server that embeds differently")
)

// packRows returns how many rows of a kind fit into a pack.
func packRows(kind encode.Kind) int {
	return (maxPack-packHeader-keySize)/entrySize(kind.Dimensions) - len(kind.Probes)
}

// packing is a pack that is being made.
type packing struct {
	s     *sealer
	data  []byte
	count int
}

// newPacking begins a pack with the probes of its maker.
func newPacking(s *sealer, kind encode.Kind) (*packing, error) {
	p := &packing{s: s, data: make([]byte, packHeader, packHeader+64*entrySize(kind.Dimensions))}
	copy(p.data, packMagic)
	p.data[4], p.data[5] = packVersion, byte(len(kind.Probes))
	binary.BigEndian.PutUint32(p.data[8:], uint32(kind.Dimensions))
	for i, row := range kind.Probes {
		var err error
		if p.data, err = s.sealProbe(p.data, i, row); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *packing) add(h encode.Hash, row []int8) (err error) {
	p.data, err = p.s.seal(p.data, h, row)
	p.count++
	return err
}

// finish returns the pack, which nothing may be added to afterwards.
func (p *packing) finish() []byte {
	binary.BigEndian.PutUint32(p.data[12:], uint32(p.count))
	mac := p.s.macOf(p.data)
	return append(p.data, mac[:]...)
}

// macOf returns the MAC of a pack without its own.
func (s *sealer) macOf(body []byte) (out [keySize]byte) {
	s.mac.Reset()
	s.mac.Write(append(appendField(nil, []byte(packLabel)), s.prefix...))
	s.mac.Write(body)
	s.mac.Sum(out[:0])
	return out
}

// openPack returns the entries of a pack, end to end, as a part of data. The error is errMalformed,
// errForeign or errOther.
func openPack(s *sealer, kind encode.Kind, data []byte) ([]byte, error) {
	if len(data) < packHeader+keySize || len(data) > maxPack || string(data[:4]) != packMagic || data[4] != packVersion || data[6]|data[7] != 0 {
		return nil, errMalformed
	}
	probes := int(data[5])
	dims, count := binary.BigEndian.Uint32(data[8:]), binary.BigEndian.Uint32(data[12:])
	if dims == 0 || dims > maxDims || count > maxPack {
		return nil, errMalformed
	}
	size := entrySize(int(dims))
	body := data[:len(data)-keySize]
	if len(body)-packHeader != (probes+int(count))*size {
		return nil, errMalformed
	}
	if mac := s.macOf(body); !hmac.Equal(mac[:], data[len(body):]) || int(dims) != kind.Dimensions {
		return nil, errForeign
	}
	rows := make([][]int8, probes)
	for i := range rows {
		row, err := s.openProbe(body[packHeader+i*size:packHeader+(i+1)*size], i)
		if err != nil {
			return nil, errForeign
		}
		rows[i] = row
	}
	if !kind.Resembles(rows) {
		return nil, errOther
	}
	return body[packHeader+probes*size:], nil
}
