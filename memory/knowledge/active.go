package knowledge

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/memory/store"
)

// Active gives the rules that hold in a workspace, the heaviest first, then the latest stated.
func Active(r store.Reader, ws store.Workspace) ([]Item, error) {
	s, err := openShelf(r, ws)
	if err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	out := []Item{}
	prefix := key(ws, keyItem)
	rules := Filter{Kind: Rule}
	err = s.r.Scan(prefix, store.PrefixEnd(prefix), func(_, v []byte) (bool, error) {
		if rules.excludes(v) {
			return true, nil
		}
		it, err := decode(v)
		if err == nil && it.Kind == Rule && it.Holds() {
			out = append(out, *it)
		}
		return err == nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	latest(out)
	for i := range out {
		out[i].shape() // so that readers may share the list
	}
	return out, nil
}

func latest(rules []Item) {
	slices.SortFunc(rules, func(a, b Item) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(b.Serial, a.Serial), cmp.Compare(a.ID, b.ID))
	})
}

// Stretch is a part of a conversation's past: its turns up to one, which is included; 0 is all. A fork's past is
// several, the oldest first.
type Stretch struct {
	Conversation string
	UpTo         int
}

// ActiveIn gives the rules that held at the end of a past, as if nothing had been said elsewhere: those stated in it
// and not superseded in it. The order is that of Active.
func ActiveIn(r store.Reader, ws store.Workspace, past ...Stretch) ([]Item, error) {
	s, err := openShelf(r, ws)
	if err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	var said []*Item
	for _, p := range past {
		items, err := s.under(keyHeard, p.Conversation)
		if err != nil {
			return nil, fmt.Errorf("read rules: %w", err)
		}
		for _, it := range items {
			if it.Kind == Rule && it.Learned && it.Conversation == p.Conversation && (p.UpTo == 0 || it.Turn <= p.UpTo) {
				said = append(said, it)
			}
		}
	}
	slices.SortFunc(said, func(a, b *Item) int { return cmp.Compare(a.Serial, b.Serial) })
	out := []Item{}
	for _, it := range settle(said) {
		out = append(out, *it)
	}
	latest(out)
	return out, nil
}

// settle returns those of the rules that no other one of them replaced.
func settle(said []*Item) []*Item {
	ids := map[string]bool{}
	for _, it := range said {
		ids[it.ID] = true
	}
	return slices.DeleteFunc(said, func(it *Item) bool { return ids[it.SupersededBy] })
}
