package retrieve

import (
	"context"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/ollama"
)

// rankerResult is the result of a ranker's goroutine.
type rankerResult struct {
	scores indexer.Cosines
	err    error
	model  error // why the model outside the program did not answer, so that the built-in embedder replaced it
}

// rankers scores all chunks and files of the workspace.
type rankers struct{ *search }

// rank runs the keyword rankers and the vector ranker concurrently, each within its share of the
// deadline.
func (r *rankers) rank(ctx context.Context) {
	start := r.now()
	vector := make(chan rankerResult, 1)
	vctx, cancel := context.WithTimeout(ctx, share(r.req.Deadline, vectorShare))
	defer cancel()
	if r.req.Mode != Lexical {
		go func() { // waited for below, in every mode that starts it
			vector <- r.similar(ctx, vctx)
		}()
	}
	switch r.req.Mode {
	case Semantic:
		v := <-vector
		took := r.now().Sub(start)
		if r.keywordsOnly = v.scores.Chunk == nil; r.keywordsOnly {
			r.keyword(ctx, r.now())
		} else {
			r.stage(item.Stage{Name: item.Keyword, Outcome: item.Skipped})
		}
		r.takeVector(v, took)
	case Lexical:
		r.keyword(ctx, start)
		r.stage(item.Stage{Name: item.Vector, Outcome: item.Skipped})
	default:
		r.keyword(ctx, start)
		start = r.now()
		v := <-vector // which checks vctx after each segment
		r.takeVector(v, r.now().Sub(start))
	}
}

// similar asks the model outside the program, if the index uses one, until vctx ends, and the
// built-in embedder when that returns nothing.
func (r *rankers) similar(ctx, vctx context.Context) rankerResult {
	v := rankerResult{}
	var asked bool
	if !r.req.Builtin {
		var scores []float32
		scores, asked, v.model = r.s.Vectors().ByModel(vctx, r.asked)
		v.scores = indexer.CosinesOf(scores)
	}
	if !asked || v.model != nil {
		if v.model != nil {
			vctx = ctx // its time is used up; the built-in embedder takes a few milliseconds
		}
		v.scores, v.err = r.s.Vectors().Similar(vctx, r.terms)
	}
	return v
}

func share(d time.Duration, part float64) time.Duration {
	if d <= 0 {
		d = time.Second
	}
	return time.Duration(float64(d) * part)
}

func (r *rankers) keyword(ctx context.Context, start time.Time) {
	kctx, cancel := context.WithTimeout(ctx, share(r.req.Deadline, keywordShare))
	defer cancel()
	var err, perr, herr error
	r.words, err = r.s.Words().Score(kctx, r.terms, chunkParams, fileParams)
	if err == nil {
		r.paths, perr = r.s.Words().PathScores(kctx, r.terms)
	}
	if err == nil && perr == nil {
		r.history, herr = r.s.History(kctx, r.terms)
	}
	st := item.Stage{Name: item.Keyword, Took: r.now().Sub(start), Outcome: item.OK, Count: r.words.DocCount}
	if err != nil || perr != nil || herr != nil {
		st.Outcome, r.partial = item.Partial, true
		r.degrade(item.Keyword, item.Timeout, "some rankings were not ready in time")
	}
	r.stage(st)
}

// takeVector takes what the vector ranker returned, and how long it was waited for: the keyword
// rankers run beside it.
func (r *rankers) takeVector(v rankerResult, took time.Duration) {
	st := item.Stage{Name: item.Vector, Took: took, Outcome: item.OK, Count: v.scores.Count}
	ready, pending := r.s.Vectors().Embedded()
	switch {
	case v.err != nil:
		st.Outcome = item.Partial
		r.degrade(item.Vector, item.Timeout, "")
	case v.model != nil:
		st.Outcome = item.Fallback
		r.degrade(item.Vector, item.Reason(ollama.Reason(v.model)), "the built-in embedder was used: "+v.model.Error())
	case !ready && pending > 0:
		st.Outcome = item.Skipped
		r.degrade(item.Vector, item.Indexing, "the pieces have no vectors yet")
	case pending > 0:
		st.Outcome = item.Partial
		r.degrade(item.Vector, item.Indexing, "some pieces have no vectors yet")
	case v.scores.Chunk == nil:
		st.Outcome = item.Skipped
	}
	if r.keywordsOnly {
		st.Outcome = item.Fallback
		r.noteKeywordsOnly()
	}
	r.meaning, r.top.meaning = v.scores.Chunk, notFaint(v.scores.Top)
	r.stage(st)
}

// noteKeywordsOnly records that keyword matches answer a semantic search, with the reason if none
// is recorded yet.
func (r *rankers) noteKeywordsOnly() {
	const consequence = "keyword matches are shown"
	if n := len(r.out.Degraded); n > 0 && r.out.Degraded[n-1].Stage == item.Vector {
		d := &r.out.Degraded[n-1]
		d.Detail = strings.TrimPrefix(d.Detail+"; "+consequence, "; ")
		return
	}
	r.degrade(item.Vector, item.BadAnswer, "the embedder knows no word of the query; "+consequence)
}
