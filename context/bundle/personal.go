package bundle

import (
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
)

// Personal is a text of the person's own or of the project's rules for assistants: identity (L0) or
// preferences (L1).
type Personal struct {
	Identity bool
	Name     string // as shown: "AGENTS.md"
	URI      string
	Text     string
}

// Caps of the two layers, in tokens and as shares of the budget.
const (
	identityMost, identityShare       = 400, .02
	preferencesMost, preferencesShare = 600, .03
)

// personalDrafts makes the drafts of L0 and L1; each text is also offered in a form shortened to
// its share of the layer.
func (b *build) personalDrafts() (list []*draft) {
	sharing := map[bool]int{} // how many texts share a layer; true for the layer of identity
	for _, p := range b.src.Personal {
		sharing[p.Identity]++
	}
	for i, p := range b.src.Personal {
		d, ok := b.personalDraft(p)
		if !ok || b.included[d.item.ID] {
			continue
		}
		if b.omitted[d.item.ID] {
			b.exclude(&d)
			continue
		}
		most := min(preferencesMost, int(float64(b.req.Budget)*preferencesShare))
		if p.Identity {
			most = min(identityMost, int(float64(b.req.Budget)*identityShare))
		}
		r, target := d.forms[0].render, most/sharing[p.Identity]
		if d.forms[0].tokens > target {
			wrapper := d.forms[0].tokens - b.src.Count(r.Body)
			r.Body = Shorten(r.Body, target-wrapper-4, b.src.Count)
			if r.Body != "" {
				d.forms = append(d.forms, b.form(r, "summary", .6))
			}
		}
		d.score = 1 / float64(i+1)
		list = append(list, &d)
	}
	return list
}

// personalDraft makes the draft of a text in full; ok is false for an empty text.
func (b *build) personalDraft(p Personal) (d draft, ok bool) {
	body := strings.TrimSpace(p.Text)
	layer, kind := item.L1Preferences, item.Preference
	if p.Identity {
		layer, kind = item.L0Identity, item.Identity
	}
	d = draft{
		layer: layer, required: true, score: 1,
		item: item.Item{ID: string(kind) + ":" + p.Name, Kind: kind, Title: p.Name, URI: p.URI, Score: 1, Reason: reasonOf(p)},
	}
	if body != "" {
		d.forms = []form{b.form(render.Item{Kind: kind, Layer: layer, Title: p.Name, Body: body, Stable: true}, "full", 1)}
	}
	return d, body != ""
}

func reasonOf(p Personal) string {
	if p.Identity {
		return "who the person is"
	}
	return "rules for assistants"
}

// Shorten cuts a Markdown text to at most max tokens by its headings: sections stay whole, in
// order, while they fit; of the others the heading stays with as many first lines as fit; at last
// headings alone. The result depends on nothing but the arguments, so that it stays the same from
// bundle to bundle.
func Shorten(text string, max int, count func(string) int) string {
	if max <= 0 {
		return ""
	}
	if count(text) <= max {
		return text
	}
	sections := splitSections(text)
	fair := max / len(sections)
	var out []string
	left := max
	for i, s := range sections {
		if rest := len(sections) - i; rest > 0 && left/rest > fair {
			fair = left / rest
		}
		piece := fitLines(s, min(left-1, fair), count)
		if piece == "" {
			continue
		}
		out = append(out, piece)
		left -= count(piece) + 1
	}
	return strings.Join(out, "\n")
}

// splitSections cuts before each heading that is not inside a code fence.
func splitSections(text string) []string {
	var out []string
	var cur []string
	fenced := false
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if !fenced && strings.HasPrefix(line, "#") && len(cur) > 0 {
			out = append(out, strings.Join(cur, "\n"))
			cur = nil
		}
		cur = append(cur, line)
	}
	return append(out, strings.Join(cur, "\n"))
}

// fitLines returns the longest prefix of whole lines within max tokens that does not end with a
// blank line.
func fitLines(section string, max int, count func(string) int) string {
	all := strings.Split(strings.TrimSpace(section), "\n")
	lo, hi := 0, len(all)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if count(strings.Join(all[:mid], "\n")) <= max {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return strings.TrimSpace(strings.Join(all[:lo], "\n"))
}
