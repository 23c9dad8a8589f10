package knowledge

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// ruleEntry is a rule's entry in the index of subjects: enough to choose the few that a new one is
// compared with without reading them.
type ruleEntry struct {
	serial        uint64
	holds         bool     // false: a rule of another conversation replaced it
	conversations []string // in which it was said
}

func (it *Item) place() ruleEntry {
	return ruleEntry{serial: it.Serial, holds: it.Holds(), conversations: it.saidIn()}
}

func (p ruleEntry) encode() []byte {
	out := binary.BigEndian.AppendUint64(nil, p.serial)
	if p.holds {
		out = append(out, 1)
	} else {
		out = append(out, 0)
	}
	return append(out, strings.Join(p.conversations, "\x00")...)
}

func decodeRuleEntry(v []byte) (ruleEntry, error) {
	if len(v) < 9 {
		return ruleEntry{}, fmt.Errorf("read subjects of rules: %w", ErrBroken)
	}
	return ruleEntry{binary.BigEndian.Uint64(v), v[8] == 1, strings.Split(string(v[9:]), "\x00")}, nil
}

// saidIn returns the conversations that an item is quoted from; none for what was put by hand.
func (it *Item) saidIn() []string {
	var out []string
	for _, q := range it.Quotations {
		if !slices.Contains(out, q.Conversation) {
			out = append(out, q.Conversation)
		}
	}
	return out
}

// replacedElsewhere reports whether a rule was replaced only by statements in conversations that do
// not state it: within its own it is still active, and can be replaced there.
func (it *Item) replacedElsewhere() bool {
	return it.SupersededBy != "" && it.SupersededIn != "" && !slices.Contains(it.saidIn(), it.SupersededIn)
}

// Bounds of the rules that a new one is compared with: of its own conversation, and of others.
// Those that share most of its rarest words come first, then the latest.
const (
	mostOfOwn, mostOfOthers = 96, 24
	maxSubjects             = 8 // words by which a directive is found
)

// sharedRule is a rule that shares a word with a profile.
type sharedRule struct {
	id     string
	place  ruleEntry
	shared int
}

// onSubject returns the rules that share a word with a profile: those active within a conversation,
// and active ones that were said elsewhere.
func (s *itemStage) onSubject(p utterance.Profile, conversation string) (own, others []*Item, err error) {
	list, err := s.sharing(p)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range list {
		to, most := &others, mostOfOthers
		if slices.Contains(c.place.conversations, conversation) {
			to, most = &own, mostOfOwn
		} else if !c.place.holds && conversation != "" { // what is put by hand counts everywhere
			continue
		}
		if len(*to) == most {
			continue
		}
		it, err := s.get(c.id)
		if err != nil {
			return nil, nil, err
		}
		if it != nil {
			*to = append(*to, it)
		}
	}
	return own, others, nil
}

// sharing lists the rules that share a word with a profile, the likeliest first, with staged
// changes applied.
func (s *itemStage) sharing(p utterance.Profile) ([]sharedRule, error) {
	found := map[string]*sharedRule{}
	note := func(id string, place ruleEntry) {
		if found[id] == nil {
			found[id] = &sharedRule{id: id, place: place}
		}
		found[id].shared++
	}
	for _, name := range subjectNames(p) {
		prefix := key(s.view.Workspace, keySubject, name)
		err := s.view.Scan(prefix, store.PrefixEnd(prefix), func(k, v []byte) (bool, error) {
			id, _, ok := store.TakeString(k[len(prefix):])
			if !ok {
				return false, fmt.Errorf("read subjects of rules: %w", ErrBroken)
			}
			if s.changed[id] {
				return true, nil
			}
			place, err := decodeRuleEntry(v)
			note(id, place)
			return err == nil, err
		})
		if err != nil {
			return nil, err
		}
		for id := range s.changed {
			if it := s.items[id]; it != nil && slices.Contains(indexed(it, keySubject), name) {
				note(id, it.place())
			}
		}
	}
	out := make([]sharedRule, 0, len(found))
	for _, c := range found {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b sharedRule) int {
		return cmp.Or(cmp.Compare(b.shared, a.shared), cmp.Compare(b.place.serial, a.place.serial), cmp.Compare(a.id, b.id))
	})
	return out, nil
}

func subjectNames(p utterance.Profile) []string {
	var out []string
	for _, h := range p.Subjects(maxSubjects) {
		out = append(out, string(binary.BigEndian.AppendUint32(nil, h)))
	}
	return out
}
