package embed

import (
	"cmp"
	"crypto/sha256"
	_ "embed" // the shipped table
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// Table has terms, ascending, with a vector each, whose length is what the term counts.
type Table struct {
	dims   int
	text   string // text[ends[i-1]:ends[i]] is term i, its vector is coef[i] times row i
	ends   []uint32
	coef   []float32
	rows   []int8
	index  map[string]uint32 // the numbers of the terms that have a direction
	digest string
}

//go:embed words.bin
var words []byte

// Shipped returns what the program knows of words: `go run ./cmd/train embed` learned it from
// comments and what they comment, names and what they name, commits' messages and what the commits
// changed, so that the sums of their words' vectors are close.
var Shipped = sync.OnceValue(func() *Table {
	t, err := Decode(words)
	if err != nil {
		panic("embed: words.bin: " + err.Error()) // a test decodes it
	}
	return t
})

// New quantises vectors, row by row: with one byte per component the ranking loses nothing
// measurable, and memory and time to embed fall to a quarter. terms ascend; the length of a vector
// is a multiple of 8.
func New(terms []string, vectors []float32, dims int) (*Table, error) {
	t := &Table{dims: dims, text: strings.Join(terms, ""), ends: make([]uint32, len(terms)), coef: make([]float32, len(terms)), rows: make([]int8, len(terms)*dims)}
	end := 0
	for i, term := range terms {
		end += len(term)
		t.ends[i] = uint32(end)
		row := vectors[i*dims:][:dims]
		var peak float32
		for _, x := range row {
			peak = max(peak, x, -x)
		}
		if peak == 0 || math.IsNaN(float64(peak)) || math.IsInf(float64(peak), 0) {
			continue // a term without a direction
		}
		for j, x := range row {
			t.rows[i*dims+j] = int8(math.RoundToEven(float64(x) / float64(peak) * 127))
		}
		t.coef[i] = peak / 127
	}
	return Decode(t.Encode())
}

// The format, little-endian:
//
//	magic    8 bytes
//	dims     uint32    terms uint32    text uint32    (numbers of components, terms, bytes of their text)
//	ends     terms × uint32
//	coef     terms × float32
//	text     text bytes
//	rows     terms × dims int8
//
// A change of the format or of the weighting changes the magic, and with it the digest.
const (
	magic      = "ctxword1"
	headerSize = len(magic) + 3*4

	maxTerms      = 1 << 20
	maxDimensions = 1024
)

var errCorrupt = errors.New("embed: not a table, or a damaged one")

// Encode encodes the table for [Decode].
func (t *Table) Encode() []byte {
	out := make([]byte, 0, headerSize+8*len(t.ends)+len(t.text)+len(t.rows))
	out = append(out, magic...)
	for _, x := range []int{t.dims, len(t.ends), len(t.text)} {
		out = binary.LittleEndian.AppendUint32(out, uint32(x))
	}
	for _, x := range t.ends {
		out = binary.LittleEndian.AppendUint32(out, x)
	}
	for _, x := range t.coef {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	out = append(out, t.text...)
	return append(out, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(t.rows))), len(t.rows))...)
}

// Decode decodes a table, which refers to b. It validates everything and allocates no more than the
// length of b justifies.
func Decode(b []byte) (*Table, error) {
	if len(b) < headerSize || string(b[:len(magic)]) != magic {
		return nil, errCorrupt
	}
	sum := sha256.Sum256(b)
	u := binary.LittleEndian
	dims, n, text := uint64(u.Uint32(b[8:])), uint64(u.Uint32(b[12:])), uint64(u.Uint32(b[16:]))
	b = b[headerSize:]
	if dims == 0 || dims > maxDimensions || dims%laneStep != 0 || n > maxTerms {
		return nil, fmt.Errorf("%w: %d terms of %d", errCorrupt, n, dims)
	}
	if want := 8*n + text + n*dims; uint64(len(b)) != want {
		return nil, fmt.Errorf("%w: %d bytes instead of %d", errCorrupt, len(b), want)
	}
	t := &Table{dims: int(dims), ends: make([]uint32, n), coef: make([]float32, n), digest: hex.EncodeToString(sum[:])}
	for i := range t.ends {
		t.ends[i] = u.Uint32(b[4*i:])
		t.coef[i] = math.Float32frombits(u.Uint32(b[4*(int(n)+i):]))
	}
	t.text = string(b[8*n : 8*n+text])
	rows := b[8*n+text:]
	t.rows = unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(rows))), len(rows))
	if err := t.check(); err != nil {
		return nil, err
	}
	t.number()
	return t, nil
}

// check verifies the properties of a decoded table on which the other methods rely.
func (t *Table) check() error {
	last := uint32(0)
	for i, end := range t.ends {
		if end < last || int(end) > len(t.text) {
			return fmt.Errorf("%w: term %d ends at %d", errCorrupt, i, end)
		}
		last = end
		if i > 0 && t.term(i-1) >= t.term(i) {
			return fmt.Errorf("%w: terms out of order at %d", errCorrupt, i)
		}
		if c := float64(t.coef[i]); math.IsNaN(c) || math.IsInf(c, 0) {
			return fmt.Errorf("%w: weight of term %d", errCorrupt, i)
		}
	}
	if int(last) != len(t.text) {
		return fmt.Errorf("%w: text after the last term", errCorrupt)
	}
	return nil
}

// number fills in index.
func (t *Table) number() {
	t.index = make(map[string]uint32, len(t.ends))
	for i, c := range t.coef {
		if c != 0 {
			t.index[t.term(i)] = uint32(i)
		}
	}
}

// Dimensions returns the length of a vector, a multiple of 8.
func (t *Table) Dimensions() int { return t.dims }

// Digest identifies the content, in hex: tables with equal digests return equal vectors.
func (t *Table) Digest() string { return t.digest }

func (t *Table) term(i int) string {
	from := uint32(0)
	if i > 0 {
		from = t.ends[i-1]
	}
	return t.text[from:t.ends[i]]
}

// find returns the number of a term; false for one without a direction.
func (t *Table) find(term string) (index int, ok bool) {
	i, ok := t.index[term]
	return int(i), ok
}

// Has reports whether a term has a direction.
func (t *Table) Has(term string) bool {
	_, ok := t.find(term)
	return ok
}

// frequency returns the damped weight of a term within one document.
func frequency(weight float64) float64 { return math.Log1p(weight) }

// Embed returns the vector of a text, of unit length, or nil if no term has a direction. It does
// not keep terms. Their order does not matter; the weights of one that is repeated are added.
func (t *Table) Embed(terms []lexical.QueryTerm) []float32 {
	own := slices.Clone(terms)
	// Floating-point sums depend on their order.
	slices.SortFunc(own, func(a, b lexical.QueryTerm) int {
		return cmp.Or(strings.Compare(a.Text, b.Text), cmp.Compare(a.Weight, b.Weight))
	})
	var index []uint32
	var value []float32
	for i := 0; i < len(own); {
		text, weight := own[i].Text, 0.0
		for ; i < len(own) && own[i].Text == text; i++ {
			if w := own[i].Weight; w > 0 && !math.IsInf(w, 0) {
				weight += w
			}
		}
		if at, ok := t.find(text); ok && weight > 0 {
			index = append(index, uint32(at))
			value = append(value, float32(frequency(weight))*t.coef[at])
		}
	}
	out := make([]float32, t.dims)
	foldAt(bestLevel, out, []uint32{0, uint32(len(index))}, index, value, t.rows, t.dims)
	if !normalise(out) {
		return nil
	}
	return out
}

// Likeness returns how much a term says the same as a text: the product of its vector and that of
// the text, which has unit length. It returns nil if no term of the text has a direction.
func (t *Table) Likeness(text []lexical.QueryTerm) func(term string) float32 {
	v := t.Embed(text)
	if v == nil {
		return nil
	}
	return func(term string) float32 {
		i, ok := t.find(term)
		if !ok {
			return 0
		}
		// Sums of their own for each component of four, and none fused with its product: so all
		// processors choose the same lines.
		var sums [4]float32
		row := t.rows[i*t.dims:][:t.dims]
		for j := 0; j < len(v); j += len(sums) {
			x, y := row[j:j+4:j+4], v[j:j+4:j+4]
			sums[0] += float32(float32(x[0]) * y[0])
			sums[1] += float32(float32(x[1]) * y[1])
			sums[2] += float32(float32(x[2]) * y[2])
			sums[3] += float32(float32(x[3]) * y[3])
		}
		return (sums[0] + sums[1] + (sums[2] + sums[3])) * t.coef[i]
	}
}

// normalise scales v to unit length, or reports false if v has no direction.
func normalise(v []float32) bool {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	if squares == 0 || math.IsInf(squares, 0) || math.IsNaN(squares) {
		return false
	}
	scale := 1 / math.Sqrt(squares)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return true
}
