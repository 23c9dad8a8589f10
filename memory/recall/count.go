package recall

import (
	"context"
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
)

// maxCounted is how many blocks of a term's postings are counted; what lies behind them is estimated.
const maxCounted = 256

// Count tells how many messages a workspace has, and how many of them hold each of some terms, so that a caller can
// tell a rare word from a common one. In a large workspace both are estimated by its newest part, the same way.
func Count(ctx context.Context, r store.Reader, ws store.Workspace, terms []string) (messages float64, counts []float64, err error) {
	if messages, err = count(ctx, r, ws, tableTerm); err != nil {
		return 0, nil, err
	}
	counts = make([]float64, len(terms))
	for i, t := range terms {
		if counts[i], err = count(ctx, r, ws, t); err != nil {
			return 0, nil, err
		}
	}
	return messages, counts, nil
}

func count(ctx context.Context, r store.Reader, ws store.Workspace, term string) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	prefix := termPrefix(ws, term)
	seen, blocks := 0, 0
	newest, oldest, cut := uint32(0), uint32(0), false
	err := r.ScanBack(prefix, store.PrefixEnd(prefix), func(key, value []byte) (bool, error) {
		conv, _, ok := store.TakeUint32(key[len(prefix):])
		if !ok {
			return true, nil
		}
		if blocks == maxCounted {
			cut = true
			return false, nil
		}
		if blocks == 0 {
			newest = conv
		}
		oldest = conv
		blocks++
		seen += countPostings(value)
		return true, nil
	})
	if err != nil {
		return 0, fmt.Errorf("count messages: %w", err)
	}
	if cut {
		// Conversations are numbered in order.
		return float64(seen) * float64(newest+1) / float64(newest-oldest+1), nil
	}
	return float64(seen), nil
}
