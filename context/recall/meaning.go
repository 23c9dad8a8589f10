package recall

import "context"

// Embedder compares texts by their meaning. It is an option of [Sources]: the workspace's own
// embedder has it where there is one.
type Embedder interface {
	// Similar gives each text's cosine with the query, −1 to 1; nil where nothing can be compared,
	// because there is no model or it knows none of the query's words. Texts it knows nothing of
	// get 0.
	Similar(ctx context.Context, query string, texts []string) []float64
}

const (
	// meaningWeight is what a cosine of 1 adds to a score; the best message's words earn 1. It is
	// small, for an embedder of code knows little of how people talk (bench/README.md found .3 too
	// much even for code).
	meaningWeight = .15
	// compared bounds the messages that are compared, the best by words.
	compared = 150
)

// byMeaning adds to the scores of messages what their meaning has in common with the query's. It
// gives how many it compared.
func byMeaning(ctx context.Context, lines []loaded, query string, e Embedder) int {
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.Text
	}
	for i, cosine := range e.Similar(ctx, query, texts) {
		lines[i].Score += meaningWeight * max(0, cosine)
	}
	return len(lines)
}
