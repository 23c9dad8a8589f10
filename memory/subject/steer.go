package subject

import (
	"maps"
	"slices"
)

// Act is what a person wants done with a subject.
type Act string

// The acts. Each remains in force for later uses of the name.
const (
	Rename Act = "rename" // Label becomes its label
	Merge  Act = "merge"  // it becomes a part of Into
	Pin    Act = "pin"    // it is listed first and kept whatever its weight
	Unpin  Act = "unpin"  // its pin is removed
	Forget Act = "forget" // it is not found again
)

// Steering is one wish of a person.
type Steering struct {
	Act   Act    `json:"act"`
	ID    string `json:"id"`
	Label string `json:"label,omitempty"`
	Into  string `json:"into,omitempty"`
	// Keys are those of the subject's names when it was steered, see [NameKey].
	Keys []string `json:"keys,omitempty"`
}

// IsValid reports whether the wish has what its act requires.
func (w *Steering) IsValid() bool {
	switch w.Act {
	case Rename:
		return w.ID != "" && w.Label != ""
	case Merge:
		return w.ID != "" && w.Into != "" && w.Into != w.ID
	case Pin, Forget:
		return w.ID != ""
	}
	return false
}

// steered returns a group for each key, with a person's wishes applied in order.
func steered(uses map[string][]Use, wishes []Steering) []*group {
	groups := make(map[string]*group, len(uses)) // by the keys of all their names
	for key, list := range uses {
		groups[key] = &group{key: key, keys: []string{key}, uses: list}
	}
	if len(wishes) > 0 {
		known := hashes(uses)
		for i := range wishes {
			wishes[i].apply(groups, known)
		}
	}
	out := make([]*group, 0, len(groups))
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		if g := groups[key]; g != nil && g.key == key {
			out = append(out, g)
		}
	}
	return out
}

// hashes returns the keys of names by their ids and their [NameKey].
func hashes(uses map[string][]Use) map[string]string {
	out := make(map[string]string, 3*len(uses))
	for key := range uses {
		out[ID(TopicKind, key)], out[ID(EntityKind, key)], out[NameKey(key)] = key, key, key
	}
	return out
}

// apply changes the group that the wish is about, if there is one.
func (w *Steering) apply(groups map[string]*group, known map[string]string) {
	var about []*group
	for _, hash := range append([]string{w.ID}, w.Keys...) {
		if g := groups[known[hash]]; g != nil && !slices.Contains(about, g) {
			about = append(about, g)
		}
	}
	for _, g := range about {
		switch w.Act {
		case Rename:
			g.label, g.renamed = w.Label, true
			g.keys = append(g.keys, Fold(w.Label))
		case Pin:
			g.pinned = true
		case Unpin:
			g.pinned = false
		case Forget:
			for _, k := range g.keys {
				if groups[k] == g {
					delete(groups, k)
				}
			}
		case Merge:
			into := groups[known[w.Into]]
			if into == nil || into == g {
				continue
			}
			into.uses = slices.Concat(into.uses, g.uses)
			into.keys = append(into.keys, g.keys...)
			into.merged = append(append(into.merged, g.key), g.merged...)
			for _, k := range g.keys {
				if groups[k] == g {
					groups[k] = into
				}
			}
		}
	}
}
