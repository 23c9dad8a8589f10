package swarm

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/contexture-dev/contexture/indexer/ollama"
)

// Stats count the questions to a model and their results, since the process began.
type Stats struct {
	Asked     uint64 // questions, including those answered from the cache
	MemoHits  uint64 // of these, answered from the cache
	Late      uint64 // cut off by the deadline, or not asked because of the backoff
	Broken    uint64 // invalid answers
	Failed    uint64 // questions with another kind of error
	Unknown   uint64 // numbers in answers that the model was not shown
	Doubted   uint64 // rejected answers that left out everything
	Kept      uint64 // items that stayed, of those shown
	Dropped   uint64 // items that the model took out
	Unchecked uint64 // items that stayed because there was no usable answer
}

// tally is the state of one role: counters, the model's patience, and the size that fits it.
type tally struct {
	fit                                                                           fit
	patience                                                                      patience
	asked, memo, late, broken, failed, unknown, doubted, kept, dropped, unchecked atomic.Uint64
}

// ended counts the result of a question. One that its caller cancelled is not counted.
func (t *tally) ended(err error) {
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return
	}
	switch ollama.KindOf(err) {
	case ollama.Timeout:
		t.late.Add(1)
	case ollama.BadAnswer:
		t.broken.Add(1)
	default:
		t.failed.Add(1)
	}
}

func (t *tally) stats() Stats {
	return Stats{
		Asked: t.asked.Load(), MemoHits: t.memo.Load(), Late: t.late.Load(), Broken: t.broken.Load(), Failed: t.failed.Load(),
		Unknown: t.unknown.Load(), Doubted: t.doubted.Load(), Kept: t.kept.Load(), Dropped: t.dropped.Load(), Unchecked: t.unchecked.Load(),
	}
}

// Stats returns the counters of the filter and of the judge.
func (s *Swarm) Stats() (filter, judge Stats) { return s.filtered.stats(), s.judged.stats() }
