package profile

import (
	"cmp"
	"maps"
	"slices"
)

// maxMentions bounds the sentences stored for one entity: the first and the latest.
const maxMentions = 400

// named returns the entity whose name begins at list[i], and how many words the name has; the
// longest name wins.
func (f *finder) named(list []token, i int) (*group, int) {
	if f.leads[list[i].key] {
		key := list[i].key
		var found *group
		words := 0
		for n := 2; n <= mostWordsOf && i+n <= len(list) && !list[i+n-1].breaks; n++ {
			key += " " + list[i+n-1].key
			if g := f.byName[key]; g != nil {
				found, words = g, n
			}
		}
		if found != nil {
			return found, words
		}
	}
	g := f.byName[list[i].key]
	if g == nil || list[i].shape == number {
		return nil, 0
	}
	return g, 1
}

// mention records which turns and sentences name each entity, and which entities occur together.
func (f *finder) mention() error {
	in := map[int][]*group{} // by turn
	err := f.each(func(turn int, s *Sentence, list []token) {
		for i := 0; i < len(list); i++ {
			g, n := f.named(list, i)
			if g == nil {
				continue
			}
			if k := len(g.turns); k == 0 || g.turns[k-1] != turn {
				g.turns = append(g.turns, turn)
				in[turn] = append(in[turn], g)
			}
			if s.Person {
				g.byPerson++
			}
			if k := len(g.mentions); (k == 0 || g.mentions[k-1].sentence != s) && !s.Passing {
				if k >= maxMentions {
					g.mentions = slices.Delete(g.mentions, k/4, k/4+1)
				}
				g.mentions = append(g.mentions, place{turn: turn, token: i, sentence: s, length: len(list)})
			}
			i += n - 1
		}
	})
	if err != nil {
		return err
	}
	if err := f.relate(in, sameTurn); err != nil {
		return err
	}
	talks := map[int][]*group{} // by the first turn of each conversation
	first := map[string]int{}
	for _, turn := range f.order {
		id := f.turns[turn].Conversation
		if _, ok := first[id]; !ok {
			first[id] = turn
		}
		for _, g := range in[turn] { // no need to collect more than are related
			if list := talks[first[id]]; len(list) <= mostTogether && !slices.Contains(list, g) {
				talks[first[id]] = append(list, g)
			}
		}
		if err := f.pause(); err != nil {
			return err
		}
	}
	if err := f.relate(talks, sameTalk); err != nil {
		return err
	}
	for _, author := range f.authored() {
		author.byPerson++
	}
	return nil
}

// The weights of two entities occurring in one turn, or in one conversation; more than mostTogether
// at a time are no evidence of a relation.
const (
	sameTurn, sameTalk = 3, 1
	mostTogether       = 12
)

func (f *finder) relate(together map[int][]*group, by int) error {
	for _, list := range together {
		if err := f.pause(); err != nil {
			return err
		}
		if len(list) > mostTogether {
			continue
		}
		for _, a := range list {
			if a.closeness == nil {
				a.closeness = map[*group]int{}
			}
			for _, b := range list {
				if a != b {
					a.closeness[b] += by
				}
			}
		}
	}
	return nil
}

// authored returns the people who wrote messages themselves.
func (f *finder) authored() (out []*group) {
	for _, a := range slices.Sorted(maps.Keys(f.authors)) {
		if g := f.byName[a]; g != nil {
			out = append(out, g)
		}
	}
	return out
}

// found is an entity with its group.
type found struct {
	*group
	entity Entity
}

// entities returns the groups with enough turns, the heaviest first, at most MostEntities. Groups
// with fewer turns are dropped.
func (f *finder) entities() ([]found, error) {
	f.groups = slices.DeleteFunc(f.groups, func(g *group) bool {
		least := minSeen
		switch g.kind {
		case Name:
			least = minPlain
		case Ticket, Host:
			least = 1
		}
		g.kept = len(g.turns) >= least && g.byPerson > 0
		return !g.kept
	})
	var out []found
	for _, g := range f.groups {
		one := found{g, Entity{Kind: g.kind, Subject: Subject{Label: g.label}}}
		f.date(&one.entity.Subject, g.turns)
		out = append(out, one)
		if err := f.did(1 + len(g.turns)/20); err != nil {
			return nil, err
		}
	}
	out, err := ordered(f, out, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.entity.Weight, a.entity.Weight), cmp.Compare(a.label, b.label))
	})
	return out[:min(len(out), MostEntities)], err
}

// otherNames returns the spellings of a group besides its label, the most frequent first.
func (g *group) otherNames() []string {
	names := slices.DeleteFunc(slices.Collect(maps.Keys(g.spell)), func(s string) bool { return s == g.label })
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(g.spell[b], g.spell[a]), cmp.Compare(a, b)) })
	return names[:min(len(names), mostNames)]
}

// relatedTo returns the entities that occur together with one, sorted by the share of their turns
// in common.
func (g *group) relatedTo() []string {
	score := func(o *group) float64 {
		n := float64(g.closeness[o])
		return n * n / float64(len(o.turns)) / float64(len(g.turns))
	}
	list := slices.DeleteFunc(slices.Collect(maps.Keys(g.closeness)), func(o *group) bool { return !o.kept })
	slices.SortFunc(list, func(a, b *group) int {
		return cmp.Or(cmp.Compare(score(b), score(a)), cmp.Compare(a.names[0], b.names[0]))
	})
	var out []string
	for _, o := range list[:min(len(list), mostRelated)] {
		out = append(out, o.label)
	}
	return out
}
