package remember

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/knowledge"
)

// The tokens that an assembled reference may take in a bundle: assembledTokens, or a share of a
// large budget. The whole reference can be requested by its id.
const (
	assembledTokens = 500
	assembledShare  = 20 // one in so many tokens
)

// quoted returns quotations of an item, each with its date or its location in a document, in order:
// those that share most words with a query, as many as fit into room tokens.
func quoted(query string, it knowledge.Item, room int, count func(string) int, terms func(text string, yield func(term string))) string {
	asked := map[string]bool{}
	terms(query, func(t string) { asked[t] = true })
	type line struct {
		text          string
		place, shared int
	}
	var list []line
	for i, q := range it.Quotations {
		l := line{text: quotationLine(q), place: i}
		shared := map[string]bool{}
		terms(q.Text, func(t string) { shared[t] = asked[t] || shared[t] })
		for _, common := range shared {
			if common {
				l.shared++
			}
		}
		list = append(list, l)
	}
	slices.SortStableFunc(list, func(a, b line) int { return cmp.Or(cmp.Compare(b.shared, a.shared), cmp.Compare(b.place, a.place)) })
	list = slices.DeleteFunc(list, func(l line) bool {
		n := count(l.text) + 1
		if n > room {
			return true
		}
		room -= n
		return false
	})
	slices.SortFunc(list, func(a, b line) int { return cmp.Compare(a.place, b.place) })
	var lines []string
	for _, l := range list {
		lines = append(lines, l.text)
	}
	return strings.Join(lines, "\n")
}

// quotationLine returns a quotation with its source.
func quotationLine(q knowledge.Quotation) string {
	if q.Path != "" {
		return fmt.Sprintf("- %s:%d: %s", q.Path, q.Line, q.Text)
	}
	return "- " + q.At.Format("2006-01-02") + ": \"" + q.Text + "\""
}

// allQuoted returns every quotation of an item.
func allQuoted(it knowledge.Item) string {
	var lines []string
	for _, q := range it.Quotations {
		lines = append(lines, quotationLine(q))
	}
	return strings.Join(lines, "\n")
}
