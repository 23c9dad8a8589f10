package store

import (
	"io"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// appendMerger joins the operands of Batch.Append in the order in which they were written. Its name
// is in the files of the database: a store without this merger, such as the index's, refuses to
// open them.
var appendMerger = &pebble.Merger{
	Name: "contexture.memory.append",
	Merge: func(_, value []byte) (pebble.ValueMerger, error) {
		m := &joiner{}
		return m, m.MergeNewer(value)
	},
}

// joiner holds newer and older operands apart so that none is copied more than once, whatever their
// order.
type joiner struct {
	newer [][]byte // ascending
	older [][]byte // descending
	size  int
}

func (j *joiner) MergeNewer(value []byte) error {
	j.newer = append(j.newer, slices.Clone(value))
	j.size += len(value)
	return nil
}

func (j *joiner) MergeOlder(value []byte) error {
	j.older = append(j.older, slices.Clone(value))
	j.size += len(value)
	return nil
}

func (j *joiner) Finish(_ bool) ([]byte, io.Closer, error) {
	out := make([]byte, 0, j.size)
	for i := len(j.older) - 1; i >= 0; i-- {
		out = append(out, j.older[i]...)
	}
	for _, v := range j.newer {
		out = append(out, v...)
	}
	return out, nil, nil
}
