package conversation

import (
	"errors"
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// ForgetTurn stages that a turn's messages are forgotten: of each only role and time remain, so
// that the numbering stays. This applies to every conversation that shares them. Versions made from
// them are removed, titles made from them are made again. It returns the messages as they were,
// without those forgotten before. Errors: ErrNotFound for the conversation or the turn.
func ForgetTurn(tx store.Tx, id string, turn int) (removed []Part, err error) {
	info, err := Find(tx.View, id)
	if err != nil {
		return nil, fmt.Errorf("forget: %w", err)
	}
	first, end, err := Bounds(tx.View, info, turn)
	if err != nil {
		return nil, fmt.Errorf("forget: %w", err)
	}
	o := turnErasure{tx: tx, info: info, turn: turn, first: first, end: end}
	removed, err = o.messages()
	if err != nil {
		return nil, fmt.Errorf("forget turn %d of conversation %q: %w", turn, id, err)
	}
	numbers, err := o.concerned()
	if err != nil {
		return nil, fmt.Errorf("forget turn %d of conversation %q: %w", turn, id, err)
	}
	for _, n := range numbers {
		if err := o.derived(n); err != nil {
			return nil, fmt.Errorf("forget turn %d of conversation %q: %w", turn, id, err)
		}
	}
	return removed, nil
}

// turnErasure is one turn being forgotten: the messages of info from index first up to end.
type turnErasure struct {
	tx               store.Tx
	info             Info
	turn, first, end int
}

// covers reports whether the message at an index of another conversation is one of those being
// forgotten.
func (o *turnErasure) covers(other Info, index int) bool {
	return index >= o.first && index < o.end && other.messageOwner(index) == o.info.messageOwner(index)
}

// messages replaces the messages by remnants, and returns them in ranges.
func (o *turnErasure) messages() (removed []Part, err error) {
	next := -1 // index that would continue the last part
	err = eachEntry(o.tx.View, o.info, o.first, o.end, func(index int, e entry) error {
		if e.forgotten {
			return nil
		}
		owner := o.info.messageOwner(index)
		if !e.made {
			o.tx.Delete(keyGiven(o.tx.Workspace, owner, e.ID))
		}
		if last := len(removed) - 1; index != next || removed[last].Conversation != owner {
			removed = append(removed, Part{Conversation: owner, First: index})
		}
		part := &removed[len(removed)-1]
		part.Messages, part.TurnOf = append(part.Messages, e.Message), append(part.TurnOf, e.turn)
		next = index + 1
		left := entry{Message: dialogue.Message{Role: e.Role, At: e.At}, turn: e.turn, forgotten: true}
		o.tx.Set(keyMessage(o.tx.Workspace, owner, index), encodeEntry(left))
		return nil
	})
	return removed, err
}

// concerned returns the numbers of all conversations that have one of the messages, or hold the
// turn's records for one that has: that may be a deleted one between the two.
func (o *turnErasure) concerned() ([]Number, error) {
	var numbers []Number
	for _, s := range o.info.Spans() {
		if s.From >= o.end || s.To <= o.first {
			continue
		}
		numbers = append(numbers, s.Conversation)
		list, err := sharers(o.tx.View, s.Conversation)
		if err != nil {
			return nil, err
		}
		for _, l := range list {
			if l.messages <= o.first {
				continue
			}
			info, err := ByNumber(o.tx.View, l.number)
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, l.number, info.turnOwner(o.turn))
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), nil
}

// Sharing returns the ids of the conversations that have a message of a turn: the given one and
// those that share the turn with it, under the same number. Errors: ErrNotFound for the
// conversation or the turn.
func Sharing(view store.View, id string, turn int) (ids []string, err error) {
	info, err := Find(view, id)
	if err != nil {
		return nil, err
	}
	first, end, err := Bounds(view, info, turn)
	if err != nil {
		return nil, err
	}
	o := turnErasure{tx: store.Tx{View: view}, info: info, turn: turn, first: first, end: end}
	numbers, err := o.concerned()
	if err != nil {
		return nil, err
	}
	for _, n := range numbers {
		other, err := ByNumber(view, n)
		if err != nil {
			return nil, err
		}
		if other.ID != "" && turn <= other.Turns {
			ids = append(ids, other.ID)
		}
	}
	return ids, nil
}

// Shares returns the id of a conversation that shares the first message of a turn with a deleted
// one, whose spans are past; "" when there is none.
func Shares(view store.View, past []Span, turn int) (id string, err error) {
	for _, p := range past {
		list, err := sharers(view, p.Conversation)
		if err != nil {
			return "", err
		}
		for _, l := range append([]link{{number: p.Conversation}}, list...) {
			info, err := ByNumber(view, l.number)
			if errors.Is(err, ErrNotFound) || err == nil && (info.ID == "" || turn > info.Turns) {
				continue
			}
			if err != nil {
				return "", err
			}
			first, _, err := Bounds(view, info, turn)
			if err != nil {
				return "", err
			}
			if first < p.To && info.messageOwner(first) == p.Conversation {
				return info.ID, nil
			}
		}
	}
	return "", nil
}

// derived removes what was made from the messages in one conversation: the turn's versions, if it
// holds them itself, and a title. If the turn has other messages too, it is queued for versions of
// the rest.
func (o *turnErasure) derived(n Number) error {
	info, err := ByNumber(o.tx.View, n)
	if err != nil {
		return err
	}
	if err := removeArc(o.tx, n); err != nil {
		return err
	}
	if o.turn <= info.Turns && info.turnOwner(o.turn) == n {
		if err := o.versions(info); err != nil {
			return err
		}
	}
	if info.titleFrom < 0 || !o.covers(info, info.titleFrom) {
		return nil
	}
	from := info.titleFrom + 1
	err = retitle(o.tx.View, &info, from, func(index int) bool { return o.covers(info, index) })
	if err != nil {
		return err
	}
	o.tx.Set(keyInfo(o.tx.Workspace, n), encodeInfo(info))
	return nil
}

func (o *turnErasure) versions(info Info) error {
	first, end, err := Bounds(o.tx.View, info, o.turn)
	if err != nil {
		return err
	}
	rest := false
	err = eachEntry(o.tx.View, info, first, end, func(index int, e entry) error {
		rest = rest || !e.forgotten && !o.covers(info, index)
		return nil
	})
	if err != nil {
		return err
	}
	n, count := info.Number, end-first
	if err := removeWritten(o.tx, n, o.turn, o.turn); err != nil {
		return err
	}
	o.tx.Delete(keyVersions(o.tx.Workspace, n, o.turn))
	o.tx.Delete(keyWeights(o.tx.Workspace, n, first))
	o.tx.Append(keySizes(o.tx.Workspace, n, o.turn), encodeSize(o.turn, count, Sizes{}))
	if rest {
		return renew(o.tx, n, o.turn, count)
	}
	o.tx.Delete(keyPending(o.tx.Workspace, n, o.turn, count))
	return nil
}
