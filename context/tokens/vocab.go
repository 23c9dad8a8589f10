package tokens

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/DataDog/zstd"
)

// noRank means that bytes are no token; it is above every rank.
const noRank = math.MaxUint32

// vocab maps the bytes of a token to its rank. All tokens are in one blob in the order of their
// ranks; an open-addressing table of 4-byte slots finds them. For o200k that takes 4.5 MB, where a
// map[string]int takes about 20. It is immutable.
type vocab struct {
	blob  string
	start []uint32 // token of rank r is blob[start[r]:start[r+1]]
	slots []uint32 // 0 is empty, else tag<<rankBits | rank+1; length a power of 2
	shift uint     // 64 - log2(len(slots)): the top bits of a hash choose the slot
	pairs []uint32 // rank of the two bytes a, b at a<<8 | b, or noRank
	most  int      // length of the longest token, in bytes
}

const (
	rankBits = 18 // 262,143 tokens; o200k has 199,998
	rankMask = 1<<rankBits - 1
)

// The vocabularies, which cmd/gen packs from the module tiktoken-go-loader in the form that
// parseVocab reads, compressed by zstd. The module's form is four times as large.
var (
	//go:embed o200k_base.ranks
	o200kRanks []byte
	//go:embed cl100k_base.ranks
	cl100kRanks []byte
)

// loadVocab unpacks the ranks of e.
func loadVocab(e Encoding) (*vocab, error) {
	packed := o200kRanks
	if e == CL100k {
		packed = cl100kRanks
	}
	data, err := zstd.Decompress(nil, packed)
	if err != nil {
		return nil, fmt.Errorf("unpack ranks of %s: %w", e, err)
	}
	v, err := parseVocab(data)
	if err != nil {
		return nil, fmt.Errorf("load ranks of %s: %w", e, err)
	}
	return v, nil
}

// parseVocab reads the number of tokens in 4 bytes, little-endian, the length of each token in one
// byte, and the bytes of all tokens, in the order of the ranks from 0.
func parseVocab(data []byte) (*vocab, error) {
	if len(data) < 4 {
		return nil, errors.New("no number of tokens")
	}
	count, rest := int(binary.LittleEndian.Uint32(data)), data[4:]
	if count > rankMask-1 {
		return nil, fmt.Errorf("%d tokens, at most %d are supported", count, rankMask-1)
	}
	if len(rest) < count {
		return nil, fmt.Errorf("%d tokens, but only %d bytes", count, len(rest))
	}
	start := make([]uint32, 1, count+1)
	for rank, n := range rest[:count] {
		if n == 0 {
			return nil, fmt.Errorf("token %d of 0 bytes", rank)
		}
		start = append(start, start[rank]+uint32(n))
	}
	blob := string(rest[count:])
	if want := int(start[count]); len(blob) != want {
		return nil, fmt.Errorf("tokens of %d bytes, want %d", len(blob), want)
	}
	return newVocab(blob, start)
}

func newVocab(blob string, start []uint32) (*vocab, error) {
	log := bits.Len(uint(2 * len(start))) // at most half full
	v := &vocab{
		blob: blob, start: start,
		slots: make([]uint32, 1<<log), shift: uint(64 - log),
		pairs: make([]uint32, 1<<16),
	}
	for i := range v.pairs {
		v.pairs[i] = noRank
	}
	singles := 0
	for rank := range uint32(len(start) - 1) {
		t := v.token(rank)
		v.most = max(v.most, len(t))
		switch len(t) {
		case 1:
			singles++
		case 2:
			v.pairs[int(t[0])<<8|int(t[1])] = rank
		}
		h := hash(t)
		i := h >> v.shift
		for v.slots[i] != 0 {
			if s := v.slots[i]; s>>rankBits == tag(h) && v.token(s&rankMask-1) == t {
				return nil, fmt.Errorf("token %q has two ranks", t)
			}
			i = (i + 1) & uint64(len(v.slots)-1)
		}
		v.slots[i] = tag(h)<<rankBits | (rank + 1)
	}
	if singles != 256 {
		return nil, fmt.Errorf("%d of 256 single bytes are tokens", singles)
	}
	return v, nil
}

func (v *vocab) token(rank uint32) string {
	return v.blob[v.start[rank]:v.start[rank+1]]
}

// pair returns the rank of the two-byte token a b, or noRank.
func (v *vocab) pair(a, b byte) uint32 { return v.pairs[int(a)<<8|int(b)] }

// rank returns the rank of the token s of at least two bytes, or noRank.
func (v *vocab) rank(s string) uint32 {
	switch {
	case len(s) == 2:
		return v.pair(s[0], s[1])
	case len(s) > v.most:
		return noRank
	}
	r, _ := v.find(s, hash(s))
	return r
}

// find returns the rank of s, whose hash is h, and whether it is a token.
func (v *vocab) find(s string, h uint64) (uint32, bool) {
	want := tag(h)
	for i := h >> v.shift; ; i = (i + 1) & uint64(len(v.slots)-1) {
		slot := v.slots[i]
		if slot == 0 {
			return noRank, false
		}
		if slot>>rankBits == want {
			if r := slot&rankMask - 1; v.token(r) == s {
				return r, true
			}
		}
	}
}

// tag returns the part of the hash that chooses neither the vocabulary's slot nor the cache's, so
// that for most strings that are no token one comparison of a word suffices.
func tag(h uint64) uint32 { return uint32(h>>24) & (1<<(32-rankBits) - 1) }

// hash mixes s in the manner of wyhash: its first and last words, which overlap in a short string,
// and the words between. It needs no seed: both tables that use it compare the bytes, and the
// long-lived one is fixed.
func hash(s string) uint64 {
	const k0, k1, k2 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3
	n := len(s)
	var a, b uint64
	seed := uint64(n) * k2
	switch {
	case n >= 8:
		for t := s; len(t) > 16; t = t[8:] {
			seed = mix(word64(t)^k1, seed^k0)
		}
		a, b = word64(s[max(0, n-16):]), word64(s[n-8:])
	case n >= 4:
		a, b = word32(s), word32(s[n-4:])
	case n > 0:
		a, b = uint64(s[0])|uint64(s[n/2])<<8|uint64(s[n-1])<<16, 0
	}
	return mix(a^k0^seed, b^k1)
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

func word64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func word32(s string) uint64 {
	_ = s[3]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}
