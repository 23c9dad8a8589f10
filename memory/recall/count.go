package recall

import (
	"context"
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
)

// Bounds of what is counted of a term; what lies behind them is estimated.
const (
	maxCounted         = 256 // values
	maxCountedPostings = 1 << 19
)

// Count returns how many messages a workspace has, and how many of them hold each of some terms, so
// that a caller can tell a rare word from a common one. In a large workspace both are estimated by
// its newest part, the same way.
func Count(ctx context.Context, view store.View, terms []string) (messages float64, counts []float64, err error) {
	if messages, err = count(ctx, view, tableTerm); err != nil {
		return 0, nil, err
	}
	counts = make([]float64, len(terms))
	for i, t := range terms {
		if counts[i], err = count(ctx, view, t); err != nil {
			return 0, nil, err
		}
	}
	return messages, counts, nil
}

func count(ctx context.Context, view store.View, term string) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	prefix := termPrefix(view.Workspace, term)
	seen, values := 0, 0
	newest, oldest, cut := uint32(0), uint32(0), false
	err := view.ScanBack(prefix, store.PrefixEnd(prefix), func(key, value []byte) (bool, error) {
		group, _, ok := store.TakeUint32(key[len(prefix):])
		if !ok {
			return true, nil
		}
		if values > 0 && group != oldest && (values >= maxCounted || seen >= maxCountedPostings) {
			cut = true
			return false, nil
		}
		if values == 0 {
			newest = group
		}
		oldest = group
		values++
		seen += len(value) / postingSize
		return true, nil
	})
	if err != nil {
		return 0, fmt.Errorf("count messages: %w", err)
	}
	if cut {
		return float64(seen) * extent(oldest, newest), nil
	}
	return float64(seen), nil
}

// extent is by how much all groups are more than those from oldest to newest: conversations are
// numbered in order, so what was not read is estimated by what was.
func extent(oldest, newest uint32) float64 {
	return float64(newest+1) / float64(newest-oldest+1)
}
