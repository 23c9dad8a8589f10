package bundle

import (
	"strings"

	"github.com/contexture-dev/contexture/context/item"
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

// personalItems makes the items of L0 and L1; each text is also offered in a form shortened to its
// share of the layer.
func (b *memory) personalItems() (list []*item.Item) {
	sharing := map[bool]int{} // how many texts share a layer; true for the layer of identity
	for _, p := range b.src.Personal {
		if strings.TrimSpace(p.Text) != "" {
			sharing[p.Identity]++
		}
	}
	for i, p := range b.src.Personal {
		it := b.personalItem(p)
		if it == nil || b.included[it.ID] {
			continue
		}
		if b.omitted[it.ID] {
			b.exclude(it)
			continue
		}
		most := min(preferencesMost, int(float64(b.req.Budget)*preferencesShare))
		if p.Identity {
			most = min(identityMost, int(float64(b.req.Budget)*identityShare))
		}
		target := most / sharing[p.Identity]
		if full := it.Forms[0].Tokens; full > target {
			short, wrapper := *it, full-b.src.Count(it.Body)
			if short.Body = Shorten(it.Body, target-wrapper-4, b.src.Count); short.Body != "" {
				it.Forms = append(it.Forms, b.form(short, "summary", shortWorth))
			}
		}
		it.Value = 1 / float64(i+1)
		list = append(list, it)
	}
	return list
}

// personalItem makes the item of a text in full; nil for an empty text.
func (b *answer) personalItem(p Personal) *item.Item {
	body := strings.TrimSpace(p.Text)
	if body == "" {
		return nil
	}
	layer, kind := item.L1Preferences, item.Preference
	if p.Identity {
		layer, kind = item.L0Identity, item.Identity
	}
	it := item.Item{
		ID: string(kind) + ":" + p.Name, Layer: layer, Kind: kind, Title: p.Name, URI: p.URI, Score: 1, Value: 1, Reason: reasonOf(p), Required: true, Stable: true, Body: body,
	}
	it.Forms = []item.Form{b.form(it, "full", 1)}
	return &it
}

func reasonOf(p Personal) string {
	if p.Identity {
		return "who the person is"
	}
	return "rules for assistants"
}
