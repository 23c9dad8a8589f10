package knowledge

import (
	"cmp"
	"slices"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// maxDuplicates bounds the rules that are compared with each other; the latest are.
const maxDuplicates = 400

// mergeRules merges learned active rules that say the same but were said far apart: the confirmed
// one, else the older stays, with the quotations of both. A statement in two conversations confirms
// it.
func (p *pass) mergeRules() error {
	var rules []*Item
	for _, it := range p.items {
		if it.Kind == Rule && it.Holds() && it.Learned {
			rules = append(rules, it)
		}
	}
	slices.SortFunc(rules, func(a, b *Item) int { return cmp.Or(cmp.Compare(b.Serial, a.Serial), cmp.Compare(a.ID, b.ID)) })
	rules = rules[:min(len(rules), maxDuplicates)]
	slices.SortStableFunc(rules, func(a, b *Item) int {
		return cmp.Or(confirmedFirst(a.Standing(), b.Standing()), cmp.Compare(a.Serial, b.Serial))
	})
	for i, kept := range rules {
		if err := p.pacer.pause(); err != nil {
			return err
		}
		for j := i + 1; kept != nil && j < len(rules); j++ {
			if rules[j] == nil || !saysSame(kept, rules[j]) {
				continue
			}
			if err := p.joinRule(kept, rules[j]); err != nil {
				return err
			}
			rules[j] = nil
		}
	}
	p.sweep()
	return nil
}

// saysSame reports whether two rules differ only in wording.
func saysSame(a, b *Item) bool {
	return a.shape().Likeness(b.shape()) >= alikeAt && utterance.InOrder(a.Content, b.Content) >= inOrderAt && !differs(a.Content, b.Content)
}

// joinRule adds the quotations of one rule to another, and removes it.
func (p *pass) joinRule(kept, gone *Item) error {
	for _, q := range gone.Quotations {
		if err := p.shelf.repeat(kept, q, kept.UpdatedAt); err != nil {
			return err
		}
	}
	older, err := p.shelf.under(keySuccessor, gone.ID)
	if err != nil {
		return err
	}
	for _, o := range older { // what it replaced stays replaced
		if err := p.shelf.replace(o, kept, o.SupersededIn); err != nil {
			return err
		}
	}
	p.out.Merged++
	return p.drop(gone)
}
