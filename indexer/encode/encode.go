// Package encode stores the vectors that an external model computes of texts: in memory for
// searching (Table) and permanently on disk (Shelf), both by the hash of the text, so that no text
// is sent twice to one model.
package encode

import (
	"context"
	"sync"

	"github.com/contexture-dev/contexture/indexer/vector"
	"github.com/zeebo/xxh3"
)

// Hash is the 128-bit content hash of a text.
type Hash = xxh3.Uint128

// Document is a text to embed.
type Document struct {
	Title string // a short description; "" if there is none
	Body  string
}

// Model converts texts into vectors. Vectors of two models can be compared only if the models'
// identities are equal. Implementations are safe for concurrent use.
type Model interface {
	// Name returns the model's name, for the user.
	Name() string
	// Identity changes whenever the same text may get a different vector.
	Identity() string
	Dimensions() int
	// Query returns the vector of a search query. It has priority over Documents.
	Query(ctx context.Context, text string) ([]float32, error)
	// Documents returns a vector for each text, or in faults the reason why that text never gets
	// one. err means that the model is unavailable, for all texts or from some text on: texts with
	// neither a row nor a fault must be requested again.
	Documents(ctx context.Context, texts []Document) (rows [][]float32, faults []error, err error)
}

// Absent is the slot of a text that has no row.
const Absent = -1

// Table holds the rows of one model in memory, quantised (vector.Quantize), by the hashes of their
// texts. Rows are only ever added, so that a search may continue on the result of [Table.Rows]
// while others are added. It is safe for concurrent use.
type Table struct {
	dims int

	mu   sync.RWMutex // guards the fields below
	slot map[Hash]int32
	rows []int8
}

// NewTable returns an empty table of rows of dims components.
func NewTable(dims int) *Table { return &Table{dims: dims, slot: map[Hash]int32{}} }

// Dimensions returns the length of a row.
func (t *Table) Dimensions() int { return t.dims }

// Add adds a copy of a row; an existing row of the text stays.
func (t *Table) Add(h Hash, row []int8) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.slot[h]; known || len(row) != t.dims {
		return
	}
	t.slot[h] = int32(len(t.slot))
	t.rows = append(t.rows, row...)
}

// Has reports whether a text has a row.
func (t *Table) Has(h Hash) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	_, ok := t.slot[h]
	return ok
}

// Row returns a text's row, or nil. It must not be changed.
func (t *Table) Row(h Hash) []int8 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	at, ok := t.slot[h]
	if !ok {
		return nil
	}
	return t.rows[int(at)*t.dims : (int(at)+1)*t.dims : (int(at)+1)*t.dims]
}

// Slots returns the row number of each of n texts, or Absent, and the number of absent ones.
func (t *Table) Slots(n int, hash func(i int) Hash) (slots []int32, absent int) {
	slots = make([]int32, n)
	t.mu.RLock()
	defer t.mu.RUnlock()
	for i := range slots {
		at, ok := t.slot[hash(i)]
		if !ok {
			at = Absent
			absent++
		}
		slots[i] = at
	}
	return slots, absent
}

// Rows returns all current rows, end to end. They must not be changed.
func (t *Table) Rows() []int8 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.rows[:len(t.rows):len(t.rows)]
}

// Quantized returns a vector as a quantised row.
func Quantized(v []float32) []int8 {
	row := make([]int8, len(v))
	vector.Quantize(row, v)
	return row
}
