package knowledge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/store"
)

// supersede closes the rules that a new rule replaces and over which its word counts; closed counts them.
func (s *shelf) supersede(it *Item) (closed int, err error) {
	older, err := s.candidates(it)
	if err != nil {
		return 0, err
	}
	for _, o := range older {
		if o.ID != it.ID && o.Serial <= it.Serial && countsOver(it, o) && it.replaces(o) {
			o.SupersededBy = it.ID
			closed++
		}
	}
	return closed, nil
}

// candidates gives the open rules that may be on a rule's subject.
func (s *shelf) candidates(it *Item) ([]*Item, error) {
	if it.Subject.Against == "" && !it.Subject.Instead && !it.Withdraws {
		return s.under(keySubject, it.Subject.Key)
	}
	keys := map[string]bool{}
	prefix := key(s.ws, keySubject)
	err := s.r.Scan(prefix, store.PrefixEnd(prefix), func(k, _ []byte) (bool, error) {
		name, _, ok := store.TakeString(k[len(prefix):])
		if !ok {
			return false, fmt.Errorf("read knowledge: %w", ErrBroken)
		}
		keys[name] = true
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	for _, o := range s.items {
		if o != nil {
			for _, name := range indexed(o, keySubject) {
				keys[name] = true
			}
		}
	}
	var out []*Item
	for name := range keys {
		items, err := s.under(keySubject, name)
		if err != nil {
			return nil, err
		}
		out = append(out, items...)
	}
	return out, nil
}

// countsOver reports whether one rule's word counts over another's: within one conversation, of one authority, or by
// hand.
func countsOver(newer, older *Item) bool {
	return !newer.Learned || !older.Learned || newer.Conversation == older.Conversation || newer.authority() == older.authority()
}

// replaces reports whether the rule and an older one cannot both hold.
func (it *Item) replaces(o *Item) bool {
	n, was := it.Subject, o.Subject
	switch {
	case it.Withdraws:
		return covers(o.words(), strings.Fields(n.Key)[1:])
	case n.Key == was.Key:
		return true
	case n.Against != "" && !was.Negative:
		// "use X instead of Y" ends "use Y", whatever for.
		return was.Value == n.Against || strings.HasPrefix(was.Key, "have ") && covers(o.words(), contents(tokenize(n.Against))) && len(strings.Fields(was.Key)) <= 3
	case n.Instead:
		return instead(strings.Fields(n.Key), strings.Fields(was.Key))
	}
	return false
}

// words gives the stems of all that a rule speaks of.
func (it *Item) words() []string {
	return append(contents(tokenize(it.Content)), strings.Fields(it.Subject.Key)...)
}

// covers reports whether all of some words are among others; no words are not.
func covers(all, some []string) bool {
	return len(some) > 0 && !slices.ContainsFunc(some, func(w string) bool { return !slices.Contains(all, w) })
}

// instead reports whether two subjects differ in one word only: "add @b to methods instead" after "add @a to methods".
func instead(a, b []string) bool {
	if len(a) != len(b) || len(a) < 2 || a[0] != b[0] {
		return false
	}
	differ := 0
	for _, w := range a {
		if !slices.Contains(b, w) {
			differ++
		}
	}
	return differ == 1
}
