package recall

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Index is the index of one store: how texts are cut into terms, and what searches keep in memory.
// Safe for concurrent use.
type Index struct {
	terms  Terms
	kept   *lru.Cache[blockKey, *tableBlock]
	origin [8]byte // of this process
	last   atomic.Uint64
}

// New makes the index of a store. random tells apart what different processes write; its error is
// the only one.
func New(terms Terms, random io.Reader) (*Index, error) {
	ix := &Index{terms: terms}
	if _, err := io.ReadFull(random, ix.origin[:]); err != nil {
		return nil, fmt.Errorf("open recall: %w", err)
	}
	ix.kept, _ = lru.New[blockKey, *tableBlock](keptBlocks) // fails for a size below 1 only
	return ix, nil
}

// version is a name for the next state of a block: no state of it ever had it, in this process or
// another.
func (ix *Index) version() []byte {
	return binary.BigEndian.AppendUint64(ix.origin[:len(ix.origin):len(ix.origin)], ix.last.Add(1))
}
