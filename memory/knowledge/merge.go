package knowledge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// alikeShare is the share of common terms (Jaccard) from which two lessons are one.
const alikeShare = .6

// merge joins lessons that tell the same: the one put by hand, else the heavier, else the older stays; weights add up and
// sources join. What was put by hand never goes.
func (p *run) merge() error {
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
	for i, l := range lessons {
		if err := p.pause(); err != nil {
			return err
		}
		terms[i] = p.terms(l.Title + "\n" + l.Content)
	}
	for i, kept := range lessons {
		if err := p.pause(); err != nil {
			return err
		}
		for j := i + 1; kept != nil && j < len(lessons); j++ {
			if lessons[j] == nil || !lessons[j].Learned || jaccard(terms[i], terms[j]) < alikeShare {
				continue
			}
			if err := p.join(kept, lessons[j]); err != nil {
				return err
			}
			lessons[j] = nil
		}
	}
	return nil
}

// join adds one lesson to another and removes it.
func (p *run) join(kept, gone *Item) error {
	if err := p.shelf.put(kept); err != nil {
		return err
	}
	kept.Weight += gone.Weight
	for _, s := range gone.SourceTurns {
		if !slices.Contains(kept.SourceTurns, s) {
			kept.SourceTurns = append(kept.SourceTurns, s)
		}
	}
	p.out.Merged++
	return p.drop(gone)
}

// drop removes an item.
func (p *run) drop(it *Item) error {
	p.items = slices.DeleteFunc(p.items, func(o *Item) bool { return o == it })
	return p.shelf.remove(it.ID)
}

// prune removes what was learned and has lost all weight. A superseded rule stays while its conversation does: when what
// replaced it is deleted or forgotten, it holds again, however long ago that was said.
func (p *run) prune() error {
	for _, it := range slices.Clone(p.items) {
		if !it.Learned || it.Weight > 0 {
			continue
		}
		p.out.Pruned++
		if err := p.drop(it); err != nil {
			return err
		}
	}
	return nil
}

func (p *run) terms(text string) map[string]bool {
	out := map[string]bool{}
	if p.in.Terms != nil {
		p.in.Terms(text, func(t string) { out[t] = true })
		return out
	}
	for _, t := range utterance.Terms(text) {
		out[strings.ToLower(text[t.Start:t.End])] = true
	}
	return out
}

func jaccard(a, b map[string]bool) float64 {
	common := 0
	for t := range a {
		if b[t] {
			common++
		}
	}
	if common == 0 {
		return 0
	}
	return float64(common) / float64(len(a)+len(b)-common)
}
