package recall

import (
	"context"
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/context/translate"
)

// translated returns a query in which words of another language that no message has are replaced by
// English ones: what was talked about in English answers a question in German. Words that memory
// has stay as they are.
func translated(ctx context.Context, query string, src Sources) (string, error) {
	words := translate.Read(query).Words
	if len(words) == 0 {
		return query, nil
	}
	var out strings.Builder
	done := 0
	for _, w := range words {
		var terms []string
		src.Terms(query[w.Start:w.End], func(t string) { terms = append(terms, t) })
		_, counts, err := src.Frequency(ctx, terms)
		if err != nil {
			return "", fmt.Errorf("read the query's language: %w", err)
		}
		known := 0.0
		for _, n := range counts {
			known += n
		}
		if known > 0 {
			continue
		}
		out.WriteString(query[done:w.Start] + " " + w.Means[0].Word + " ")
		done = w.End
	}
	return out.String() + query[done:], nil
}
