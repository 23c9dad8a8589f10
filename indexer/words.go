package indexer

import (
	"context"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// WordSearch finds chunks and files of a snapshot by the words of their texts and paths. Safe for
// concurrent use.
type WordSearch struct {
	layout *layout
	corpus *lexical.Corpus // documents are chunks, groups are files
	names  *lexical.Corpus // documents and groups are paths
}

func newWordSearch(l *layout) *WordSearch {
	bodies := make([]lexical.Part, len(l.parts))
	var names []lexical.Part
	for i, p := range l.parts {
		all := p.counted()
		bodies[i] = all[0]
		names = append(names, all[1:]...)
	}
	return &WordSearch{layout: l, corpus: lexical.Measure(bodies), names: lexical.Measure(names)}
}

// Score scores chunks and files by their words (two-level BM25F).
func (w *WordSearch) Score(ctx context.Context, terms []lexical.QueryTerm, chunk, file lexical.Params) (lexical.Scores, error) {
	return w.corpus.ScoreHeld(ctx, terms, chunk, file)
}

// Having returns the live chunks whose text, symbols or enclosing names contain all of some terms.
func (w *WordSearch) Having(terms []string) []int { return w.corpus.Having(terms) }

// Among returns the number of live chunks that contain all of some terms, and those of the given
// ones, which must ascend, that do.
func (w *WordSearch) Among(terms []string, chunks []int) (n int, held []int) {
	return w.corpus.Among(terms, chunks)
}

// PathHaving returns the live files whose paths contain all of some terms.
func (w *WordSearch) PathHaving(terms []string) (out []int) {
	found := w.names.Having(terms) // a path is one document
	w.eachSet(func(k, from int, set *pathSet) {
		for ; len(found) > 0 && found[0] < from+set.names.len(); found = found[1:] {
			out = append(out, w.layout.fileBase[k]+set.file(found[0]-from))
		}
	})
	return out
}

// PathScores scores files by the words of their paths; zero where none matches.
func (w *WordSearch) PathScores(ctx context.Context, terms []lexical.QueryTerm) ([]float32, error) {
	p := lexical.Params{K1: 1.2, B: .3}
	scores, err := w.names.Score(ctx, terms, p, p)
	out := w.names.Scratch.Floats(w.layout.files())
	w.eachSet(func(k, from int, set *pathSet) {
		to := out[w.layout.fileBase[k]:]
		for g, v := range scores.Group[from : from+set.names.len()] {
			if v > 0 {
				to[set.file(g)] = v
			}
		}
	})
	w.names.Release(scores)
	return out, err
}

// eachSet calls yield for every set of paths, with the number of its part and that of its first
// path.
func (w *WordSearch) eachSet(yield func(part, from int, set *pathSet)) {
	from := 0
	for k, p := range w.layout.parts {
		for _, set := range p.sets() {
			yield(k, from, set)
			from += set.names.len()
		}
	}
}

// Release recycles the scores of Score, no part of which may be used any more. Without Release they
// are left to the collector.
func (w *WordSearch) Release(scores lexical.Scores) { w.corpus.Release(scores) }

// Count returns the number of chunks with a term (see lexical.Terms), including those of
// removed files.
func (w *WordSearch) Count(term string) int { return w.corpus.Count(term) }

// Near returns the term of the workspace with the spelling most similar to one that no chunk
// has, "" for none.
func (w *WordSearch) Near(term string) (near string, likeness float64) { return w.corpus.Near(term) }

// Chunks calls yield for every chunk with a term, in ascending order, until it returns false.
func (w *WordSearch) Chunks(term string, yield func(chunk int) bool) { w.corpus.Docs(term, yield) }
