package embed

import (
	"context"
	"fmt"
)

// These were chosen by retrieval quality (BenchmarkRetrieval, and joined with a lexical
// ranker over 19,399 functions of Go's library and over single packages): the maximum is flat.
const (
	columnPower   = 0.5 // of a document's length, the divisor of its column
	singularPower = 1   // of a singular value, the divisor of its direction
)

// Train learns a model from the corpus. The same source and options yield the same bytes on the
// same machine, whatever Threads is. It reads the source twice, and for 50,000 chunks uses about
// 100 MB while it runs. It returns [ErrTooSmall] if the corpus is too small to learn from, and
// ctx's error if ctx is done first, which it checks every few milliseconds.
func Train(ctx context.Context, src Source, opts Options) (*Model, error) {
	return train(ctx, src, opts.withDefaults(), recipe{columnPower, singularPower})
}

// recipe holds the parameters that the retrieval benchmark varies.
type recipe struct{ columnPower, singularPower float64 }

func train(ctx context.Context, src Source, opts Options, how recipe) (*Model, error) {
	docs := src.Docs()
	if docs < minDocs {
		return nil, ErrTooSmall
	}
	spread := newSampling(docs, opts.SampleDocs)
	chosen, err := selectTerms(ctx, src, spread, opts.MaxTerms)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	if len(chosen.terms) < minTerms {
		return nil, ErrTooSmall
	}
	matrix, err := sampleMatrix(ctx, src, spread, chosen)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	if matrix.rows() != len(chosen.terms) {
		return nil, fmt.Errorf("train: the source changed while it was read")
	}
	matrix.scaleColumns(how.columnPower)
	dims := dimensions(opts.Dimensions, len(chosen.terms), matrix.columns)
	vectors, _, err := leftSingular(ctx, matrix, dims, how.singularPower, opts)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	return newModel(chosen, docs, dims, vectors)
}

// dimensions reduces the wanted number for a small corpus: with as many dimensions as documents
// nothing is merged, and a vector only repeats the words. A third of the documents was best,
// combined with a lexical ranker, over 29 packages of 18 to 622 functions. Multiples of 32, and of
// 8 below, suit the kernels.
func dimensions(wanted, terms, docs int) int {
	n := min(wanted, terms/2, docs/3)
	step := 32
	if n < 32 {
		step = laneStep
	}
	return max(laneStep, n/step*step)
}
