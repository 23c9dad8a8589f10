package knowledge

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// merge merges lessons with the same content: the one put by hand, else the heavier, else the older
// stays; weights and sources are added. What was put by hand is never removed.
func (p *pass) merge() error {
	var lessons []*Item
	for _, it := range p.items {
		if it.Kind == Lesson && it.Holds() {
			lessons = append(lessons, it)
		}
	}
	slices.SortFunc(lessons, func(a, b *Item) int {
		if a.Learned != b.Learned {
			return map[bool]int{false: -1, true: 1}[a.Learned]
		}
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	terms := make([]map[string]bool, len(lessons))
	common := map[string]int{} // number of lessons with a term
	for i, l := range lessons {
		if err := p.pacer.at(i, 2*len(lessons)); err != nil {
			return err
		}
		terms[i] = p.in.terms(l.Title + "\n" + l.Content)
		for t := range terms[i] {
			common[t]++
		}
	}
	near, err := newNear(terms, common, p.pacer.pause)
	if err != nil {
		return err
	}
	for i, kept := range lessons {
		if err := p.pacer.at(len(lessons)+i, 2*len(lessons)); err != nil {
			return err
		}
		if kept == nil {
			continue
		}
		for _, j := range near.after(i) {
			if lessons[j] == nil || !lessons[j].Learned || utterance.Likeness(terms[i], terms[j]) < alikeShare {
				continue
			}
			if err := p.join(kept, lessons[j]); err != nil {
				return err
			}
			lessons[j] = nil
		}
	}
	p.sweep()
	return nil
}

// near finds the few sets of terms that may be similar to one: those that share one of their rarest
// terms with it (prefix filtering, Chaudhuri, Ganti and Kaushik, "A Primitive Operator for
// Similarity Joins", 2006).
type near struct {
	rarest [][]string       // of each set
	with   map[string][]int // the sets with a term among their rarest
}

func newNear(sets []map[string]bool, common map[string]int, pause func() error) (*near, error) {
	n := &near{make([][]string, len(sets)), map[string][]int{}}
	for i, set := range sets {
		if err := pause(); err != nil {
			return nil, err
		}
		list := slices.SortedFunc(maps.Keys(set), func(a, b string) int { return cmp.Or(cmp.Compare(common[a], common[b]), cmp.Compare(a, b)) })
		must := int(math.Ceil(alikeShare*float64(len(list)) - 1e-9)) // terms that a similar set shares at least
		n.rarest[i] = list[:min(len(list), len(list)-must+1)]
		for _, t := range n.rarest[i] {
			n.with[t] = append(n.with[t], i)
		}
	}
	return n, nil
}

// after returns the sets after the i-th that may be similar to it, in order.
func (n *near) after(i int) []int {
	var out []int
	for _, t := range n.rarest[i] {
		at, _ := slices.BinarySearch(n.with[t], i+1)
		out = append(out, n.with[t][at:]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// join adds one lesson to another and removes it.
func (p *pass) join(kept, gone *Item) error {
	if err := p.shelf.put(kept); err != nil {
		return err
	}
	kept.Weight += gone.Weight
	for _, q := range gone.Quotations { // all its quotations, after those of kept
		if kept.Learned && len(kept.Quotations) < maxQuotations && !slices.ContainsFunc(kept.Quotations, func(o Quotation) bool { return o.Text == q.Text && o.Message == q.Message }) {
			kept.Quotations = append(kept.Quotations, q)
		}
	}
	for _, s := range gone.SourceTurns {
		if !slices.Contains(kept.SourceTurns, s) {
			kept.SourceTurns = append(kept.SourceTurns, s)
		}
	}
	p.out.Merged++
	return p.drop(gone)
}

// drop removes an item from the store; sweep removes it from the items.
func (p *pass) drop(it *Item) error {
	p.gone[it] = true
	return p.shelf.remove(it.ID)
}

// sweep removes dropped items from the items.
func (p *pass) sweep() {
	p.items = slices.DeleteFunc(p.items, func(it *Item) bool { return p.gone[it] })
}

// prune removes learned items without any weight left. A superseded rule stays as long as its
// conversation: when its successor is deleted or forgotten, it becomes active again, however long
// ago it was said.
func (p *pass) prune() error {
	for _, it := range p.items {
		if err := p.pacer.pause(); err != nil {
			return err
		}
		if !it.Learned || it.Weight > 0 {
			continue
		}
		p.out.Pruned++
		if err := p.drop(it); err != nil {
			return err
		}
	}
	p.sweep()
	return nil
}

func (in *ProcessInput) terms(text string) map[string]bool {
	out := map[string]bool{}
	if in.Terms != nil {
		in.Terms(text, func(t string) { out[t] = true })
		return out
	}
	for _, t := range utterance.Terms(text) {
		out[strings.ToLower(text[t.Start:t.End])] = true
	}
	return out
}
