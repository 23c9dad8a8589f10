package recall

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Index is the index of one store: it splits texts into terms and caches data between searches. It
// is safe for concurrent use.
type Index struct {
	terms  Terms
	kept   *lru.Cache[blockKey, *tableBlock]
	origin [8]byte // of this process
	last   atomic.Uint64
}

// New returns the index of a store. random distinguishes the versions written by different
// processes; its error is the only one.
func New(terms Terms, random io.Reader) (*Index, error) {
	ix := &Index{terms: terms}
	if _, err := io.ReadFull(random, ix.origin[:]); err != nil {
		return nil, fmt.Errorf("open recall: %w", err)
	}
	ix.kept, _ = lru.New[blockKey, *tableBlock](keptBlocks) // fails only for a size below 1
	return ix, nil
}

// version returns an identifier for the next state of a block that no earlier state has had, in
// this process or another.
func (ix *Index) version() []byte {
	return binary.BigEndian.AppendUint64(ix.origin[:len(ix.origin):len(ix.origin)], ix.last.Add(1))
}
