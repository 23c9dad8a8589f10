package swarm

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/contexture-dev/contexture/indexer/ollama"
)

// Stats count what a model was asked and what came of it, since the process began.
type Stats struct {
	Asked     uint64 // questions, the remembered ones included
	MemoHits  uint64 // of these, answered from memory
	Late      uint64 // cut off by the deadline, or not asked because the model was late before
	Broken    uint64 // answers that could not be used
	Failed    uint64 // questions with an error of another kind
	Unknown   uint64 // numbers in answers that the model was not shown
	Doubted   uint64 // answers that left out everything, which is not believed
	Kept      uint64 // items that stayed, of those shown
	Dropped   uint64 // items that the model took out
	Unchecked uint64 // items that stayed because there was no usable answer
}

// tally holds what is known of one role: counters, how the model kept up, and what fits it.
type tally struct {
	fit                                                                           fit
	patience                                                                      patience
	asked, memo, late, broken, failed, unknown, doubted, kept, dropped, unchecked atomic.Uint64
}

// ended counts how a question ended. One that was cancelled by who asked counts as nothing.
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
