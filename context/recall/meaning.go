package recall

import "context"

// Embedder compares texts semantically. It is an option of [Sources]: the workspace's own embedder,
// if there is one.
type Embedder interface {
	// Similar returns each text's cosine with the query, −1 to 1; nil when nothing can be compared,
	// because there is no model or it knows none of the query's words. Texts without known words
	// get 0.
	Similar(ctx context.Context, query string, texts []string) []float64
}

const (
	// meaningWeight is what a cosine of 1 adds to a score, where the best message's words add 1. It
	// is small because an embedder of code knows little of how people talk (bench/README.md found
	// .3 too much even for code).
	meaningWeight = .15
	// compared bounds the messages that are compared, the best by words.
	compared = 150
)

// byMeaning adds the semantic similarity to the scores of messages. It returns how many it
// compared.
func byMeaning(ctx context.Context, lines []loadedLine, query string, e Embedder) int {
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.Text
	}
	for i, cosine := range e.Similar(ctx, query, texts) {
		lines[i].Score += meaningWeight * max(0, cosine)
	}
	return len(lines)
}
