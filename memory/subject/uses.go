package subject

import (
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
)

// Use is a turn in which a person uses a name.
type Use struct {
	Name         string // as it was written
	Conversation uint32
	Turn         int
	At           time.Time
	// Source is the turn's name, "<conversation>/T-7", which the caller of [Uses] sets.
	Source string
}

// Uses calls f for every use of the names with a key, the [Fold] of its spellings, or of all names
// if key is "": those of one key together, and those of one spelling together, the latest first. It
// ends when f returns false.
func Uses(view store.View, key string, f func(key string, u Use) bool) error {
	space := headPrefix(view.Workspace, Name, "")
	space = space[:len(space)-len(store.AppendString(nil, ""))]
	prefix := space
	if key != "" {
		prefix = headPrefix(view.Workspace, Name, key)
	}
	err := view.Scan(prefix, store.PrefixEnd(prefix), func(k, _ []byte) (bool, error) {
		head, rest, ok := store.TakeString(k[len(space):])
		if !ok {
			return false, errDamaged
		}
		name, rest, ok := store.TakeString(rest)
		if !ok {
			return false, errDamaged
		}
		when, at, ok := takeSighting(rest)
		if !ok {
			return false, errDamaged
		}
		return f(head, Use{Name: name, Conversation: at.conversation, Turn: at.turn, At: when}), nil
	})
	if err != nil {
		return fmt.Errorf("read uses of names: %w", err)
	}
	return nil
}
