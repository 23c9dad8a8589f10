package conversation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/memory/store"
)

// Branch is where a fork and the conversation that it shares its past with diverge: the other one's
// id, and the last common turn.
type Branch struct {
	ID   string
	Turn int
}

// Origin returns the conversation that a fork shares its past with. If it was forked within the
// past that its parent shares with another conversation, the origin is that other one. ok is false
// for a conversation that is not a fork, and when the origin was deleted.
func Origin(view store.View, info Info) (b Branch, ok bool, err error) {
	base := info.base()
	if base.messages == 0 {
		return Branch{}, false, nil
	}
	parent, err := ByNumber(view, base.number)
	if errors.Is(err, ErrNotFound) || err == nil && parent.ID == "" {
		return Branch{}, false, nil
	}
	if err != nil {
		return Branch{}, false, fmt.Errorf("read the origin of conversation %d: %w", info.Number, err)
	}
	turn, err := TurnOf(view, info, base.messages-1)
	return Branch{ID: parent.ID, Turn: turn}, err == nil, err
}

// Forks returns the forks with the given origin, by turn and then by id.
func Forks(view store.View, info Info) ([]Branch, error) {
	list, err := sharers(view, info.Number)
	if err != nil {
		return nil, err
	}
	var out []Branch
	for _, l := range list {
		fork, err := ByNumber(view, l.number)
		if err != nil {
			return nil, fmt.Errorf("read forks of conversation %d: %w", info.Number, err)
		}
		base := fork.base()
		if base.number != info.Number || base.messages == 0 {
			continue // it was forked from another fork
		}
		turn, err := TurnOf(view, fork, base.messages-1)
		if err != nil {
			return nil, fmt.Errorf("read forks of conversation %d: %w", info.Number, err)
		}
		out = append(out, Branch{ID: fork.ID, Turn: turn})
	}
	slices.SortFunc(out, func(a, b Branch) int { return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.ID, b.ID)) })
	return out, nil
}
