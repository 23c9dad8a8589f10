package recall

import (
	"context"
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
)

// Bounds on what is counted of a term; the rest is estimated.
const (
	maxCounted         = 256 // values
	maxCountedPostings = 1 << 19
)

// Count returns the number of messages in a workspace, and the number of them that contain each of
// some terms, so that a caller can tell rare words from common ones. In a large workspace both are
// estimated from its newest part in the same way.
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

// extent returns the ratio of all groups to those from oldest to newest. Conversations are numbered
// in order, so what was read serves to estimate what was not.
func extent(oldest, newest uint32) float64 {
	return float64(newest+1) / float64(newest-oldest+1)
}
