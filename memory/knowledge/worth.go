package knowledge

import (
	"maps"
	"slices"

	"github.com/contexture-dev/contexture/memory/profile"
)

// wishes are a person's wishes about topics and entities, by the keys of their names.
type wishes struct{ pinned, forgotten map[string]bool }

// loadWishes reads the wishes; the last one on each subject counts.
func (p *run) loadWishes() (wishes, error) {
	out := wishes{map[string]bool{}, map[string]bool{}}
	list, err := Steerings(p.tx.View)
	for _, w := range list {
		for _, k := range w.Keys {
			switch w.Act {
			case profile.Pin:
				out.pinned[k] = true
			case profile.Forget:
				out.forgotten[k] = true
			}
		}
	}
	return out, err
}

// asked returns the number of turns that ask about a topic.
func (p *run) asked(topic string) (n int) {
	for _, u := range p.topics[topic].Uses {
		n += btoi(u.Asked)
	}
	return n
}

// sameWord returns the reference that was made on another form of a topic's word, nil when there is
// none.
func (p *run) sameWord(topic string, made map[string]*Item) *Item {
	if p.in.Terms == nil {
		return nil
	}
	stems := termsOf(topic, p.in.Terms)
	var out *Item
	for _, other := range slices.Sorted(maps.Keys(made)) {
		if other != topic && out == nil && slices.Equal(termsOf(other, p.in.Terms), stems) {
			out = made[other]
		}
	}
	return out
}

// takenUp returns how many passages a turn that discusses a topic has on it, 0 for a topic without
// a vocabulary of its own: most passages on a topic share words that occur hardly anywhere else.
// Common words, in whatever language, have few passages and no such vocabulary.
func takenUp(topic string, byName map[string][]*passage, pause func() error) (float64, error) {
	turns := map[string]map[string]bool{} // of the words beside it
	for _, one := range byName[topic] {
		if err := pause(); err != nil {
			return 0, err
		}
		for _, name := range one.names {
			if turns[name] == nil {
				turns[name] = map[string]bool{}
			}
			turns[name][one.source] = true
		}
	}
	own := map[string]bool{}
	for name, in := range turns {
		if name == topic || len(in) < 2 {
			continue
		}
		if err := pause(); err != nil {
			return 0, err
		}
		together := 0
		for _, o := range byName[name] {
			together += btoi(in[o.source])
		}
		own[name] = 2*together >= len(byName[name])
	}
	n := 0
	for _, one := range byName[topic] {
		n += btoi(slices.ContainsFunc(one.names, func(name string) bool { return own[name] }))
	}
	if n == 0 || float64(n) < subjectShare*float64(len(byName[topic])) {
		return 0, nil
	}
	return float64(len(byName[topic])) / float64(len(turns[topic])), nil
}
