// Package encode keeps the vectors that a model outside the program makes of texts: in memory for
// searching (Table) and permanently on disk (Shelf), both by the content of the text, so that no
// text is ever sent twice to one model.
package encode

import (
	"context"
	"sync"

	"github.com/contexture-dev/contexture/indexer/vector"
	"github.com/zeebo/xxh3"
)

// Hash is the 128-bit content hash of a text.
type Hash = xxh3.Uint128

// Document is a text to make a vector of.
type Document struct {
	Title string // what it is, in a few words; "" where nothing is known
	Body  string
}

// Model turns texts into vectors. Vectors of two models compare only where the models' identities
// are equal. Implementations are safe for concurrent use.
type Model interface {
	// Name is the model's, for people.
	Name() string
	// Identity changes whenever the same text may get another vector.
	Identity() string
	Dimensions() int
	// Query gives the vector of what somebody searches for. It goes before Documents where they
	// compete.
	Query(ctx context.Context, text string) ([]float32, error)
	// Documents gives a vector for each text, or the reason in faults why this one text never gets
	// one. err says that the model cannot be asked now, wholly or from some text on: texts with
	// neither a row nor a fault are to be asked for again.
	Documents(ctx context.Context, texts []Document) (rows [][]float32, faults []error, err error)
}

// Absent is the slot of a text that has no row.
const Absent = -1

// Table is the rows of one model in memory, quantised (vector.Quantize), by the content of their
// texts. Rows are only ever added, so that a search may go on over what [Table.Rows] gave while
// others come. Safe for concurrent use.
type Table struct {
	dims int

	mu   sync.RWMutex // guards all below
	slot map[Hash]int32
	rows []int8
}

// NewTable makes an empty table of rows of dims components.
func NewTable(dims int) *Table { return &Table{dims: dims, slot: map[Hash]int32{}} }

// Dimensions is the length of a row.
func (t *Table) Dimensions() int { return t.dims }

// Add enters a row, which is copied; one that is there already stays.
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

// Row returns a text's row, nil where it has none. It must not be changed.
func (t *Table) Row(h Hash) []int8 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	at, ok := t.slot[h]
	if !ok {
		return nil
	}
	return t.rows[int(at)*t.dims : (int(at)+1)*t.dims : (int(at)+1)*t.dims]
}

// Slots returns the number of the row of each of n texts, or Absent, and how many are.
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

// Rows are all rows as they are now, end to end. They must not be changed.
func (t *Table) Rows() []int8 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.rows[:len(t.rows):len(t.rows)]
}

// Quantized returns the row of a vector.
func Quantized(v []float32) []int8 {
	row := make([]int8, len(v))
	vector.Quantize(row, v)
	return row
}
