package mcp

import "github.com/contexture-dev/contexture/server/command"

// Part is an element of a bundle's text as a model reads it.
type Part struct {
	// Text is Markdown: the element's location, path:first-last, or its heading, then its body in a
	// fence.
	Text string
	// Items are the items that the element contains.
	Items []command.Item
}

// Parts returns the elements of a bundle's text in order, including the prompt, for callers that
// choose among them; the tool context answers with all.
func Parts(b *command.BundleResult) (out []Part) {
	for _, e := range elements(b.Text) {
		var p Part
		for _, it := range b.Items {
			if it.Span != nil && e.start <= it.Span.Start && it.Span.End <= e.end {
				p.Items = append(p.Items, it)
				e.from(it)
			}
		}
		p.Text = e.block()
		out = append(out, p)
	}
	return out
}
