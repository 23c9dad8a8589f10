package knowledge

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// Active returns the active rules of a workspace and those that a later one replaced; each list is
// sorted by weight, then by the latest statement.
func Active(view store.View) (held, replaced []Item, err error) {
	prefix := key(view.Workspace, keyItem)
	rules := Filter{Kind: Rule, Superseded: true}
	err = view.Scan(prefix, store.PrefixEnd(prefix), func(_, v []byte) (bool, error) {
		if rules.excludes(v) {
			return true, nil
		}
		it, err := decode(v)
		if err != nil {
			return false, err
		}
		if it.Kind == Rule && it.Holds() {
			held = append(held, *it)
		} else if it.Kind == Rule {
			replaced = append(replaced, *it)
		}
		return true, nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read rules: %w", err)
	}
	latest(held)
	latest(replaced)
	for _, list := range [][]Item{held, replaced} {
		for i := range list {
			list[i].shape() // so that concurrent readers may share the list
		}
	}
	return held, replaced, nil
}

func latest(rules []Item) {
	slices.SortFunc(rules, func(a, b Item) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(b.Serial, a.Serial), cmp.Compare(a.ID, b.ID))
	})
}

// Stretch is a part of a conversation's past: its turns up to and including one; 0 means all. A
// fork's past consists of several, the oldest first.
type Stretch struct {
	Conversation string
	UpTo         int
}

// ActiveIn returns the rules that were active at the end of a past, disregarding what was said
// elsewhere: those stated in it and not replaced in it; and those that were replaced in it. The
// order is that of Active.
func ActiveIn(view store.View, past ...Stretch) (held, replaced []Item, err error) {
	s, err := openShelf(view)
	if err != nil {
		return nil, nil, fmt.Errorf("read rules: %w", err)
	}
	var said []*Item
	for _, p := range past {
		items, err := s.under(keyHeard, p.Conversation)
		if err != nil {
			return nil, nil, fmt.Errorf("read rules: %w", err)
		}
		for _, it := range items {
			if it.Kind == Rule && it.Learned && !slices.Contains(said, it) && it.saidBy(p) {
				said = append(said, it)
			}
		}
	}
	ids := map[string]bool{}
	for _, it := range said {
		ids[it.ID] = true
	}
	for _, it := range said {
		if ids[it.SupersededBy] {
			replaced = append(replaced, *it)
		} else {
			c := *it
			c.SupersededBy, c.SupersededIn = "", "" // replaced elsewhere
			held = append(held, c)
		}
	}
	latest(held)
	latest(replaced)
	return held, replaced, nil
}

// SourceIn reports whether the stretch contains a source, "<conversation>/T-7", and returns its
// turn.
func (p Stretch) SourceIn(source string) (turn int, ok bool) {
	c, id, ok := ParseSource(source)
	if !ok || c != p.Conversation {
		return 0, false
	}
	turn, err := dialogue.ParseTurn(id)
	return turn, err == nil && (p.UpTo == 0 || turn <= p.UpTo)
}

// SaidIn returns the items with a source in a stretch, active or not, by id.
func SaidIn(view store.View, p Stretch) ([]Item, error) {
	if p.Conversation == "" { // nothing that was learned from a deleted conversation remains
		return nil, nil
	}
	s, err := openShelf(view)
	if err != nil {
		return nil, fmt.Errorf("read what was said: %w", err)
	}
	items, err := s.under(keyHeard, p.Conversation)
	if err != nil {
		return nil, fmt.Errorf("read what was said: %w", err)
	}
	out := make([]Item, 0, len(items))
	for _, it := range items {
		if slices.ContainsFunc(it.SourceTurns, func(source string) bool { _, ok := p.SourceIn(source); return ok }) {
			out = append(out, *it)
		}
	}
	return out, nil
}

// saidBy reports whether an item is quoted from a stretch.
func (it *Item) saidBy(p Stretch) bool {
	return slices.ContainsFunc(it.Quotations, func(q Quotation) bool {
		turn, err := dialogue.ParseTurn(q.Turn)
		return q.Conversation == p.Conversation && err == nil && (p.UpTo == 0 || turn <= p.UpTo)
	})
}
