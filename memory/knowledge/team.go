package knowledge

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/contexture-dev/contexture/memory/store"
)

// Provenance is where an item comes from that another member of a team wrote.
type Provenance struct {
	// Fact is its id among the team's.
	Fact string `json:"fact"`
	// Earlier are the facts that it replaces, however indirectly.
	Earlier []string `json:"earlier,omitempty"`
	// Key is the author's public key and Name what they are called; Proven means that the team's
	// account vouches for both.
	Key    string `json:"key"`
	Name   string `json:"name"`
	Proven bool   `json:"proven,omitempty"`
	// Own means that this person wrote it, with another state directory.
	Own bool `json:"own,omitempty"`
	// Rivals are other facts that replace the same one, by authors who did not know of each other.
	Rivals []string `json:"rivals,omitempty"`
}

// SharedID is the id of the item of a fact.
func SharedID(fact string) string { return sharedPrefix + fact }

// FactOf returns the fact that an item with this id came from; "" for any other item.
func FactOf(id string) string {
	fact, ok := strings.CutPrefix(id, sharedPrefix)
	if !ok {
		return ""
	}
	return fact
}

const sharedPrefix = "team-"

// ReceiveCount counts the changes of [Receive].
type ReceiveCount struct{ New, Changed, Removed int }

// Receive makes the items of teammates those of facts, which are all that hold now. A rule arrives
// as a candidate; [Accept] puts it in force. An accepted item stays when another fact replaced its
// own, until the person accepts that; withdrawn reports what its author removed, which never
// stays. What the person removed does not come back.
func Receive(tx store.Tx, facts []Item, withdrawn func(s *Provenance) bool) (ReceiveCount, error) {
	var out ReceiveCount
	s, err := openShelf(tx.View)
	if err != nil {
		return out, fmt.Errorf("receive knowledge: %w", err)
	}
	wanted := map[string]bool{}
	for i := range facts {
		if err := s.receive(tx, &facts[i], &out); err != nil {
			return out, fmt.Errorf("receive knowledge: %w", err)
		}
		wanted[facts[i].ID] = true
	}
	held, err := sharedItems(tx.View)
	if err != nil {
		return out, fmt.Errorf("receive knowledge: %w", err)
	}
	for _, it := range held {
		if wanted[it.ID] || it.Standing() != Candidate && !withdrawn(it.Team) {
			continue
		}
		out.Removed++
		if err := s.remove(it.ID); err != nil {
			return out, fmt.Errorf("receive knowledge: %w", err)
		}
	}
	_, err = s.flush(tx)
	return out, err
}

func (s *itemStage) receive(tx store.Tx, it *Item, out *ReceiveCount) error {
	if it.Team == nil || it.ID != SharedID(it.Team.Fact) || !it.validLabel() {
		return ErrBroken
	}
	old, err := s.get(it.ID)
	if err != nil {
		return err
	}
	if old != nil {
		if old.Team == nil { // the person changed it, so that it is theirs
			return nil
		}
		if !reflect.DeepEqual(old.Team, it.Team) {
			out.Changed++
			old.Team = it.Team
			return s.put(old)
		}
		return nil
	}
	if known, err := s.isRemoved(it.ID); err != nil || known {
		return err
	}
	out.New++
	fresh := *it
	fresh.SupersededBy, fresh.SupersededIn, fresh.Outdated, fresh.Learned = "", "", "", false
	fresh.Weight, fresh.State, fresh.Judged = teamWeight, Candidate, true // no model confirms it
	if fresh.Team.Own {
		fresh.Weight, fresh.State, fresh.Confirmation = 1, Confirmed, StoredBy
	}
	fresh.UpdatedAt = tx.Now.UTC()
	for _, list := range []*[]string{&fresh.Topics, &fresh.Keywords, &fresh.SourceTurns} {
		if *list == nil {
			*list = []string{}
		}
	}
	return s.put(&fresh)
}

// takeOver is the part of Accept for what a teammate wrote: it stands with the person's own from
// now on, and replaces what it repeats or replaces.
func (s *itemStage) takeOver(it *Item) error {
	it.Weight = 1
	for _, fact := range it.Team.Earlier {
		old, err := s.get(SharedID(fact))
		if err != nil {
			return err
		}
		if old == nil || !old.Holds() {
			continue
		}
		if err := s.replace(old, it, ""); err != nil {
			return err
		}
	}
	if it.Kind != Rule {
		return nil
	}
	s.serial++
	it.Serial = s.serial
	return s.supersede(it)
}

// sharedItems returns the items of teammates.
func sharedItems(view store.View) ([]*Item, error) {
	prefix := append(key(view.Workspace, keyItem), sharedPrefix...)
	var out []*Item
	err := view.Scan(prefix, store.PrefixEnd(prefix), func(_, v []byte) (bool, error) {
		it, err := decode(v)
		if err == nil && it.Team != nil {
			out = append(out, it)
		}
		return err == nil, err
	})
	return out, err
}
