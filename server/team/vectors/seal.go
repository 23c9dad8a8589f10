package vectors

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"

	"github.com/contexture-dev/contexture/indexer/encode"
)

const (
	keySize  = sha256.Size
	overhead = 12 + 16 // nonce and tag of AES-256-GCM
	// maxDims bounds the rows that are shared.
	maxDims = 16 << 10
)

// Labels separate what is derived from a team's key. Each is used for one purpose only.
const (
	modelLabel    = "contexture vectors 1: model"
	textLabel     = "contexture vectors 1: text"
	textSealLabel = "contexture vectors 1: text seal"
	probeLabel    = "contexture vectors 1: probe"
	probeSeal     = "contexture vectors 1: probe seal"
	packLabel     = "contexture vectors 1: pack"
)

// errSealed means that an entry was not made by the team's key for this model and text.
var errSealed = errors.New("the row cannot be decrypted")

// errRow means that an entry has no valid row.
var errRow = errors.New("the row has no valid length")

// sealer encrypts and decrypts rows of one kind. An entry is the key of a text, a nonce, and the
// encrypted row with its tag. It is used by one goroutine.
type sealer struct {
	mac    hash.Hash // keyed by the team
	prefix []byte    // the model's digest and dimensions, as fields
	dims   int
	plain  []byte // for reuse
}

func newSealer(team []byte, kind encode.Kind) *sealer {
	s := &sealer{mac: hmac.New(sha256.New, team), dims: kind.Dimensions}
	digest := sha256.Sum256([]byte(kind.Digest))
	s.prefix = appendField(nil, digest[:])
	s.prefix = appendField(s.prefix, binary.BigEndian.AppendUint32(nil, uint32(kind.Dimensions)))
	return s
}

// appendField appends a field with its length, so that two lists of fields never have the same
// bytes.
func appendField(b, field []byte) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(field))), field...)
}

// derive returns the HMAC of the label, the model and fields under the team's key.
func (s *sealer) derive(label string, fields ...[]byte) (out [keySize]byte) {
	s.mac.Reset()
	var buf [256]byte
	b := append(appendField(buf[:0], []byte(label)), s.prefix...)
	for _, f := range fields {
		b = appendField(b, f)
	}
	s.mac.Write(b)
	s.mac.Sum(out[:0])
	return out
}

// model returns the kind's name on the server, which shows nothing of the model.
func (s *sealer) model() string {
	name := s.derive(modelLabel)
	return hex.EncodeToString(name[:16])
}

func hashBytes(h encode.Hash) []byte {
	b := h.Bytes()
	return b[:]
}

// key returns the key under which a text's row is found.
func (s *sealer) key(h encode.Hash) [keySize]byte { return s.derive(textLabel, hashBytes(h)) }

// entrySize returns the length of an entry.
func entrySize(dims int) int { return keySize + dims + overhead }

// seal appends the entry of a text.
func (s *sealer) seal(dst []byte, h encode.Hash, row []int8) ([]byte, error) {
	return s.sealUnder(dst, s.key(h), s.derive(textSealLabel, hashBytes(h)), row)
}

// open returns the row of a text's entry. The error is errSealed or errRow.
func (s *sealer) open(entry []byte, h encode.Hash) ([]int8, error) {
	row, err := s.openUnder(entry, s.key(h), s.derive(textSealLabel, hashBytes(h)))
	if err == nil && !isRow(row) {
		return nil, errRow
	}
	return row, err
}

func (s *sealer) sealProbe(dst []byte, i int, row []int8) ([]byte, error) {
	return s.sealUnder(dst, s.derive(probeLabel, []byte{byte(i)}), s.derive(probeSeal, []byte{byte(i)}), row)
}

func (s *sealer) openProbe(entry []byte, i int) ([]int8, error) {
	return s.openUnder(entry, s.derive(probeLabel, []byte{byte(i)}), s.derive(probeSeal, []byte{byte(i)}))
}

func (s *sealer) sealUnder(dst []byte, key, secret [keySize]byte, row []int8) ([]byte, error) {
	gcm, err := newGCM(secret)
	if err != nil {
		return dst, err
	}
	s.plain = s.plain[:0]
	for _, v := range row {
		s.plain = append(s.plain, byte(v))
	}
	return gcm.Seal(append(dst, key[:]...), nil, s.plain, key[:]), nil
}

func (s *sealer) openUnder(entry []byte, key, secret [keySize]byte) ([]int8, error) {
	if len(entry) != entrySize(s.dims) || [keySize]byte(entry) != key {
		return nil, errSealed
	}
	gcm, err := newGCM(secret)
	if err != nil {
		return nil, err
	}
	if s.plain, err = gcm.Open(s.plain[:0], nil, entry[keySize:], key[:]); err != nil {
		return nil, errSealed
	}
	row := make([]int8, len(s.plain))
	for i, v := range s.plain {
		row[i] = int8(v)
	}
	return row, nil
}

// newGCM returns AES-256-GCM with random nonces.
func newGCM(secret [keySize]byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(secret[:])
	if err != nil {
		return nil, fmt.Errorf("seal a row: %w", err)
	}
	gcm, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("seal a row: %w", err)
	}
	return gcm, nil
}

// isRow reports whether a row has the length of a quantised vector, 127, give or take rounding.
func isRow(row []int8) bool {
	squares := 0
	for _, v := range row {
		squares += int(v) * int(v)
	}
	return squares > 100*100 && squares < 160*160
}
