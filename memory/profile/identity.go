package profile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// An id is assigned once. A later run assigns it to the subject that matches best: a topic with the
// most common turns, an entity with a common name.

const (
	sameShare  = .3 // the smallest share of common turns, of all turns of both, at which topics are the same
	mergeShare = .5 // the share of an earlier topic's turns in another from which it was merged into that one
	mostMerged = 20
)

// NameKey returns a hash of a name, so that what a person removed can be recognised without storing
// it.
func NameKey(name string) string {
	sum := sha256.Sum256([]byte(fold(name)))
	return hex.EncodeToString(sum[:10])
}

func newID(kind string, s *Subject, taken map[string]bool) string {
	seed := s.Label
	for {
		sum := sha256.Sum256([]byte(kind + "\x00" + fold(seed)))
		id := kind + "-" + hex.EncodeToString(sum[:6])
		if !taken[id] {
			taken[id] = true
			return id
		}
		seed += "\x00"
	}
}

// identify assigns every subject its id.
func identify(out *Set, before Set) {
	identifyTopics(out.Topics, before.Topics)
	taken := map[string]bool{}
	byName := map[string]*Entity{}
	for i := range before.Entities {
		e := &before.Entities[i]
		for _, n := range append([]string{e.Label}, e.Names...) {
			if byName[fold(n)] == nil {
				byName[fold(n)] = e
			}
		}
	}
	for i := range out.Entities {
		e := &out.Entities[i]
		for _, n := range append([]string{e.Label}, e.Names...) {
			old := byName[fold(n)]
			if old == nil {
				continue
			}
			switch {
			case e.ID == "" && !taken[old.ID]:
				e.ID, e.Merged, e.Split = old.ID, old.Merged, old.Split
				taken[e.ID] = true
			case e.ID == "" && e.Split == "":
				e.Split = old.ID
			case e.ID != old.ID && !taken[old.ID]:
				taken[old.ID] = true
				e.noteMerged(old.ID, old.Merged)
			}
		}
	}
	for i := range out.Entities {
		if e := &out.Entities[i]; e.ID == "" {
			e.ID = newID("entity", &e.Subject, taken)
		}
	}
}

func (s *Subject) noteMerged(id string, earlier []string) {
	for _, m := range append([]string{id}, earlier...) {
		if m != s.ID && !slices.Contains(s.Merged, m) && len(s.Merged) < mostMerged {
			s.Merged = append(s.Merged, m)
		}
	}
}

// match is an earlier topic and a new one with common turns.
type match struct {
	old, new int
	share    float64 // of the turns of both
	part     float64 // of the earlier one's
}

// identifyTopics assigns every topic the id of the earlier topic that matches it, or a new one.
func identifyTopics(out, before []Topic) {
	matches := matchTopics(out, before)
	taken := map[string]bool{}
	for _, m := range matches {
		if t := &out[m.new]; t.ID == "" && !taken[before[m.old].ID] && m.share >= sameShare {
			t.ID, t.Merged, t.Split = before[m.old].ID, slices.Clone(before[m.old].Merged), before[m.old].Split
			taken[t.ID] = true
		}
	}
	for _, m := range matches {
		t, old := &out[m.new], &before[m.old]
		switch {
		case t.ID == "" && t.Split == "" && m.part > 0 && taken[old.ID] && 2*commonTurns(t, old) >= len(t.Turns):
			t.Split = old.ID
		case t.ID != "" && t.ID != old.ID && !taken[old.ID] && m.part >= mergeShare:
			taken[old.ID] = true
			t.noteMerged(old.ID, old.Merged)
		}
	}
	for k := range out {
		if t := &out[k]; t.ID == "" {
			t.ID = newID("topic", &t.Subject, taken)
		}
	}
}

// matchTopics returns the pairs of an earlier and a new topic with common turns, the most similar
// first.
func matchTopics(out, before []Topic) []match {
	where := map[string][]int{}
	for i := range before {
		for _, s := range before[i].Turns {
			where[s] = append(where[s], i)
		}
	}
	var list []match
	for k := range out {
		common := map[int]int{}
		for _, s := range out[k].Turns {
			for _, i := range where[s] {
				common[i]++
			}
		}
		for i, n := range common {
			all := len(out[k].Turns) + len(before[i].Turns) - n
			m := match{old: i, new: k, share: float64(n) / float64(all), part: float64(n) / float64(max(1, len(before[i].Turns)))}
			if fold(out[k].Label) == fold(before[i].Label) {
				m.share++
			}
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.old, b.old), cmp.Compare(a.new, b.new))
	})
	return list
}

func commonTurns(a, b *Topic) (n int) {
	set := make(map[string]bool, len(b.Turns))
	for _, s := range b.Turns {
		set[s] = true
	}
	for _, s := range a.Turns {
		if set[s] {
			n++
		}
	}
	return n
}
