package memory

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/subject"
)

// Subjects are the topics and entities of a [View]'s conversations.
type Subjects struct {
	state      store.View
	generation uint64 // of the state or an earlier one: what is made from it is cached under this
	kept       *cacheGeneration
	familiar   func(word string) float64 // see Options.Familiar
}

// All returns the topics and entities of all conversations, with a person's wishes applied.
// The caller must not change them.
func (v *Subjects) All() (*subject.Set, error) {
	key := ruleKey{v.state.Workspace, v.generation}
	if s, ok := v.kept.subjects.Get(key); ok {
		return s, nil
	}
	s, err := subjectsIn(v.state)
	if err != nil {
		return nil, err
	}
	v.kept.subjects.Add(key, &s)
	return &s, nil
}

// subjectsIn reads the uses of all names.
func subjectsIn(view store.View) (subject.Set, error) {
	wishes, err := knowledge.Steerings(view)
	if err != nil {
		return subject.Set{}, err
	}
	uses, sources := map[string][]subject.Use{}, sourceNames{view: view, ids: map[uint32]string{}}
	if err := sources.read("", uses); err != nil {
		return subject.Set{}, err
	}
	return subject.Group(uses, wishes), nil
}

// sourceNames reads uses of names and names their turns.
type sourceNames struct {
	view store.View
	ids  map[uint32]string // of conversations, by number; "" for what remains of deleted ones
}

// read adds the uses of the names with a key, or of all names if it is "".
func (s *sourceNames) read(key string, into map[string][]subject.Use) error {
	var failed error
	err := subject.Uses(s.view, key, func(key string, u subject.Use) bool {
		id, err := s.id(u.Conversation)
		if err != nil {
			failed = err
			return false
		}
		if id != "" {
			u.Source = knowledge.SourceTurn(id, dialogue.TurnID(u.Turn))
			into[key] = append(into[key], u)
		}
		return true
	})
	return errors.Join(err, failed)
}

// id returns the id of the conversation with a number.
func (s *sourceNames) id(number uint32) (string, error) {
	if id, ok := s.ids[number]; ok {
		return id, nil
	}
	info, err := conversation.ByNumber(s.view, conversation.Number(number))
	if err != nil && !errors.Is(err, conversation.ErrNotFound) {
		return "", err
	}
	s.ids[number] = info.ID
	return info.ID, nil
}

// Named returns the topics and entities that a text names, the heaviest of them first, and the
// share of its words in their names, from 0 to 1. It reads only those, unless a person gave one
// another name.
func (v *Subjects) Named(text string) (topics, entities []subject.Subject, share float64, err error) {
	keys := []string{}
	for _, m := range subject.Names(dialogue.Message{Role: dialogue.User, Content: text}, v.familiar) {
		if k := subject.Fold(m.Name); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	wishes, err := knowledge.Steerings(v.state)
	if err != nil {
		return nil, nil, 0, err
	}
	var set subject.Set
	if renamed(wishes, keys, text) {
		all, err := v.All()
		if err != nil {
			return nil, nil, 0, err
		}
		set = *all
	} else {
		uses, sources := map[string][]subject.Use{}, sourceNames{view: v.state, ids: map[uint32]string{}}
		for _, k := range keys {
			if err := sources.read(k, uses); err != nil {
				return nil, nil, 0, err
			}
		}
		set = subject.Group(uses, wishes)
	}
	words := 0
	said := func(list []subject.Subject) (out []subject.Subject) {
		for _, s := range list {
			if slices.ContainsFunc(s.Keys, func(k string) bool { return subject.Says(text, k) }) {
				out = append(out, s)
			}
		}
		return out
	}
	topics, entities = said(set.Topics), said(set.Entities)
	for _, s := range slices.Concat(topics, entities) {
		words = max(words, len(strings.Fields(s.Label)))
	}
	share = min(1, float64(max(words, len(keys)))/float64(max(1, len(strings.Fields(text)))))
	return topics, entities, share, nil
}

// renamed reports whether a person gave one of some names, or a name in a text, to another subject.
func renamed(wishes []subject.Steering, keys []string, text string) bool {
	hashes := map[string]bool{}
	for _, k := range keys {
		hashes[subject.ID(subject.TopicKind, k)], hashes[subject.ID(subject.EntityKind, k)], hashes[subject.NameKey(k)] = true, true, true
	}
	return slices.ContainsFunc(wishes, func(w subject.Steering) bool {
		switch w.Act {
		case subject.Merge:
			return hashes[w.ID] || hashes[w.Into] || slices.ContainsFunc(w.Keys, func(k string) bool { return hashes[k] })
		case subject.Rename:
			return subject.Says(text, subject.Fold(w.Label))
		}
		return false
	})
}

// Steer applies a person's wish about a topic or an entity, now and to all that is said later.
// Error: knowledge.ErrNotFound when there is no subject with its id, or none of its kind to merge
// it into.
func (w *Workspace) Steer(wish subject.Steering) error {
	wish.Label = w.clean(wish.Label)
	return w.change(func(tx store.Tx) error {
		all, err := subjectsIn(tx.View)
		if err != nil {
			return err
		}
		s := all.Subject(wish.ID)
		if s == nil {
			return fmt.Errorf("steer %q: %w", wish.ID, knowledge.ErrNotFound)
		}
		if wish.Act == subject.Merge {
			kind, _, _ := strings.Cut(wish.ID, "-")
			if into := all.Subject(wish.Into); into == nil || wish.Into == wish.ID || !strings.HasPrefix(wish.Into, kind+"-") {
				return fmt.Errorf("merge into %q: %w", wish.Into, knowledge.ErrNotFound)
			}
		}
		wish.Keys = []string{subject.NameKey(s.Keys[0])}
		return knowledge.Steer(tx, wish)
	})
}
