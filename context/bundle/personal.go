package bundle

import (
	"cmp"
	"maps"
	"slices"
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

// personalItems makes the items of L0 and L1; each text is also offered in a form shortened to its
// share of the layer.
func (b *memory) personalItems() (list []*item.Item) {
	all := make([]*item.Item, len(b.src.Personal))
	identity, preferences := map[int]int{}, map[int]int{} // tokens of the texts, by index
	for i, p := range b.src.Personal {
		it := b.personalItem(p)
		switch {
		case it == nil || b.included[it.ID]:
			continue
		case b.omitted[it.ID]:
			b.exclude(it)
			continue
		case p.Identity:
			identity[i] = it.Forms[0].Tokens
		default:
			preferences[i] = it.Forms[0].Tokens
		}
		all[i] = it
	}
	shares := fairShares(preferences, min(preferencesMost, int(float64(b.req.Budget)*preferencesShare)))
	maps.Copy(shares, fairShares(identity, min(identityMost, int(float64(b.req.Budget)*identityShare))))
	for i, it := range all {
		if it == nil {
			continue
		}
		if full := it.Forms[0].Tokens; full > shares[i] {
			short, wrapper := *it, full-b.src.Count(it.Body)
			if short.Body = b.shortened(b.src.Personal[i], it.Body, shares[i]-wrapper-4); short.Body != "" {
				it.Forms = append(it.Forms, b.form(short, "summary", shortWorth))
			}
		}
		it.Value = 1 / float64(i+1)
		list = append(list, it)
	}
	return list
}

// fairShares shares room among texts, whose sizes are given by their numbers: what one needs less
// than its share of, the larger ones get.
func fairShares(sizes map[int]int, room int) (shares map[int]int) {
	shares = map[int]int{}
	order := slices.SortedFunc(maps.Keys(sizes), func(a, b int) int { return cmp.Or(cmp.Compare(sizes[a], sizes[b]), cmp.Compare(a, b)) })
	for n, i := range order {
		shares[i] = room / (len(order) - n)
		room -= min(sizes[i], shares[i])
	}
	return shares
}

// shortened cuts a text to at most max tokens.
func (b *answer) shortened(p Personal, text string, max int) string {
	if p.Identity || b.src.IsRule == nil {
		return Shorten(text, max, b.src.Count)
	}
	return ShortenRules(text, max, b.src.Count, b.src.IsRule)
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
