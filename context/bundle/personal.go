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
		if strings.TrimSpace(p.Text) != "" {
			sharing[p.Identity]++
		}
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
