package knowledge

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/utterance"
	"golang.org/x/text/unicode/norm"
)

// Put stores an item by hand. An item without an id gets one made from kind, title and content; an
// existing item with that id is replaced and keeps its CreatedAt. A rule supersedes the rules on
// its subject, by whichever person.
func Put(tx store.Tx, it Item) (Item, error) {
	s, err := openShelf(tx.View)
	if err != nil {
		return Item{}, fmt.Errorf("put knowledge: %w", err)
	}
	it.ID = IDOf(it)
	old, err := s.get(it.ID)
	if err != nil {
		return Item{}, fmt.Errorf("put knowledge: %w", err)
	}
	it.CreatedAt, it.UpdatedAt = tx.Now.UTC(), tx.Now.UTC()
	it.SupersededIn, it.Team = "", nil
	it.SupersededBy, it.Outdated, it.Learned, it.State, it.Confirmation = "", "", false, Confirmed, StoredBy
	if old != nil {
		it.CreatedAt = old.CreatedAt
		if it.Kind == old.Kind {
			it.Label = cmp.Or(it.Label, old.Label)
		}
	}
	for _, list := range []*[]string{&it.Topics, &it.Keywords, &it.SourceTurns} {
		if *list == nil {
			*list = []string{}
		}
	}
	if it.Kind == Rule {
		s.serial++
		it.Serial = s.serial
	}
	s.items[it.ID], s.changed[it.ID] = &it, true
	if it.Kind == Rule {
		if err := s.supersede(&it); err != nil {
			return Item{}, fmt.Errorf("put knowledge: %w", err)
		}
	}
	changed, err := s.flush(tx)
	if err == nil && changed == 0 {
		s.raise(tx)
	}
	return it, err
}

// IDOf returns an item's id, or the one that Put would assign.
func IDOf(it Item) string {
	if it.ID != "" {
		return it.ID
	}
	return makeID(cmp.Or(string(it.Label), string(it.Kind)), it.Title, it.Content)
}

func makeID(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return parts[0] + "-" + hex.EncodeToString(sum[:8])
}

// Get returns an item. Error: ErrNotFound.
func Get(view store.View, id string) (Item, error) {
	it, err := load(view, id)
	if err != nil {
		return Item{}, fmt.Errorf("get knowledge: %w", err)
	}
	if it == nil {
		return Item{}, fmt.Errorf("get knowledge %q: %w", id, ErrNotFound)
	}
	return *it, nil
}

// Delete removes an item as if it had never been: what it superseded becomes active again. A
// removed quotation does not come back when its message is read again. Error: ErrNotFound.
func Delete(tx store.Tx, id string) error {
	s, err := openShelf(tx.View)
	if err != nil {
		return fmt.Errorf("delete knowledge: %w", err)
	}
	it, err := s.get(id)
	if err != nil {
		return fmt.Errorf("delete knowledge: %w", err)
	}
	if it == nil {
		return fmt.Errorf("delete knowledge %q: %w", id, ErrNotFound)
	}
	switch {
	case it.Kind == Reference || it.Team != nil: // what it quotes may be a rule that stays
		tx.Set(key(tx.Workspace, keyRemoved, removedName(id)), nil)
	default:
		for _, q := range it.Quotations {
			tx.Set(key(tx.Workspace, keyRemoved, removedName(q.Text)), nil)
		}
	}
	if err := s.remove(id); err != nil {
		return fmt.Errorf("delete knowledge: %w", err)
	}
	if _, err := dropRecommendations(tx, func(g Recommendation) bool { return slices.Contains(g.Items, id) }); err != nil {
		return fmt.Errorf("delete knowledge: %w", err)
	}
	_, err = s.flush(tx)
	return err
}

// Accept confirms a candidate. A confirmed item stays as it is. What a teammate wrote then replaces
// what it repeats or replaces, as if it had been put by hand. Error: ErrNotFound.
func Accept(tx store.Tx, id string, by Confirmation) (Item, error) {
	s, err := openShelf(tx.View)
	if err != nil {
		return Item{}, fmt.Errorf("accept knowledge: %w", err)
	}
	it, err := s.get(id)
	if err != nil {
		return Item{}, fmt.Errorf("accept knowledge: %w", err)
	}
	if it == nil {
		return Item{}, fmt.Errorf("accept knowledge %q: %w", id, ErrNotFound)
	}
	if it.State == Candidate {
		it.State, it.Confirmation, it.UpdatedAt = Confirmed, by, tx.Now.UTC()
		err := s.put(it)
		if err == nil && it.Team != nil {
			err = s.takeOver(it)
		}
		if err != nil {
			return Item{}, fmt.Errorf("accept knowledge: %w", err)
		}
		if _, err := s.flush(tx); err != nil {
			return Item{}, fmt.Errorf("accept knowledge: %w", err)
		}
	}
	return *it, nil
}

// supersede closes the active rules that a rule put by hand repeats or replaces.
func (s *itemStage) supersede(it *Item) error {
	byHand, others, err := s.onSubject(it.shape(), "")
	if err != nil {
		return err
	}
	others = slices.DeleteFunc(slices.Concat(byHand, others), func(o *Item) bool { return o.ID == it.ID })
	said := DirectiveText{Text: it.Content, profile: it.shape()}
	for _, read := range utterance.ReadAll(clipped(it.Content), utterance.Person, "") {
		said.Change, said.Settles = max(said.Change, read.Scores[utterance.Change]), max(said.Settles, read.Scores[utterance.Decision])
	}
	if old, how := related(others, said); how != unrelated {
		return s.replace(old, it, "")
	}
	return nil
}

// Filter selects the items that List returns; the zero value selects all that hold.
type Filter struct {
	Kind       Kind   // "" = all
	Topic      string // "" = all
	Superseded bool   // also items that a later one replaced
	ByHand     bool   // only what was put by hand
}

// excludes reports whether a filter leaves out a stored item for its kind or for its origin. It
// searches for their encoding by encoding/json, which cannot occur in texts, where quotes are
// escaped. Decoding an item takes fifty times as long.
func (f Filter) excludes(stored []byte) bool {
	return f.Kind != "" && !bytes.Contains(stored, []byte(`"kind":"`+string(f.Kind)+`"`)) ||
		f.ByHand && bytes.Contains(stored, []byte(`"learned":true`)) ||
		!f.Superseded && (bytes.Contains(stored, []byte(`"supersededBy":"`)) || bytes.Contains(stored, []byte(`"outdated":"`)))
}

// List returns items sorted by weight, then by the latest change.
func List(view store.View, f Filter) ([]Item, error) {
	out := []Item{}
	f.Topic = norm.NFC.String(f.Topic)
	read := func(it *Item) {
		if (f.Kind == "" || f.Kind == it.Kind) && (f.Superseded || it.Holds()) && !(f.ByHand && it.Learned) &&
			(f.Topic == "" || slices.ContainsFunc(it.Topics, func(t string) bool { return strings.EqualFold(norm.NFC.String(t), f.Topic) })) {
			out = append(out, *it)
		}
	}
	if f.Kind != "" && (f.Kind != Rule || f.ByHand) {
		s, err := openShelf(view)
		if err != nil {
			return nil, fmt.Errorf("list knowledge: %w", err)
		}
		kept, err := s.under(keyKept, string(f.Kind))
		if err != nil {
			return nil, fmt.Errorf("list knowledge: %w", err)
		}
		for _, it := range kept {
			read(it)
		}
		order(out)
		return out, nil
	}
	prefix := key(view.Workspace, keyItem)
	err := view.Scan(prefix, store.PrefixEnd(prefix), func(_, v []byte) (bool, error) {
		if f.excludes(v) {
			return true, nil
		}
		it, err := decode(v)
		if err != nil {
			return false, err
		}
		read(it)
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("list knowledge: %w", err)
	}
	order(out)
	return out, nil
}

// ForgetConversations removes what was learned only from these turns of conversations (nil: from
// all of them) and removes them from the sources of the rest.
func ForgetConversations(tx store.Tx, conversations []string, turns []int) error {
	s, err := openShelf(tx.View)
	if err != nil {
		return fmt.Errorf("forget knowledge: %w", err)
	}
	gone := forgotten(conversations, turns)
	for _, conversation := range conversations {
		items, err := s.under(keyHeard, conversation)
		if err != nil {
			return fmt.Errorf("forget knowledge: %w", err)
		}
		for _, it := range items {
			if it.Learned && !it.outlives(gone) {
				if err := s.remove(it.ID); err != nil {
					return fmt.Errorf("forget knowledge: %w", err)
				}
			}
			it.SourceTurns = slices.DeleteFunc(it.SourceTurns, gone)
		}
	}
	changed, err := s.flush(tx)
	if err != nil {
		return fmt.Errorf("forget knowledge: %w", err)
	}
	for _, c := range conversations {
		tx.Delete(key(tx.Workspace, keyProgress, c))
		tx.Delete(key(tx.Workspace, keyFacts, c))
	}
	if err := noteForgotten(tx); err != nil {
		return fmt.Errorf("forget knowledge: %w", err)
	}
	_, err = dropRecommendations(tx, func(g Recommendation) bool { return g.shownBy(gone) })
	if err == nil && changed == 0 {
		s.raise(tx)
	}
	return err
}

// outlives removes the quotations from forgotten turns from an item that memory found, and reports
// whether one remains. A lesson is quoted from all of its turns: without one of them none of it
// remains.
func (it *Item) outlives(gone func(source string) bool) bool {
	if it.Kind == Reference {
		it.Quotations = slices.DeleteFunc(it.Quotations, func(q Quotation) bool { return q.Path == "" && gone(SourceTurn(q.Conversation, q.Turn)) })
		return it.requote()
	}
	if it.Kind != Rule {
		return !slices.ContainsFunc(it.SourceTurns, gone)
	}
	it.Quotations = slices.DeleteFunc(it.Quotations, func(q Quotation) bool { return gone(SourceTurn(q.Conversation, q.Turn)) })
	if len(it.Quotations) == 0 {
		return false
	}
	first := it.Quotations[0]
	it.Content, it.Title, it.Conversation, it.Author = first.Text, titleOf(first.Text), first.Conversation, first.Author
	it.Turn, _ = dialogue.ParseTurn(first.Turn) // memory wrote it
	it.MessageIDs = nil
	for _, q := range it.Quotations {
		it.MessageIDs = append(it.MessageIDs, q.Message)
	}
	it.weigh()
	it.profile, it.words = nil, nil
	return true
}

// forgotten returns a function that reports whether a source is in these turns of conversations;
// nil: in any.
func forgotten(conversations []string, turns []int) func(source string) bool {
	return func(source string) bool {
		c, id, ok := ParseSource(source)
		if !ok || !slices.Contains(conversations, c) {
			return false
		}
		n, err := dialogue.ParseTurn(id)
		return turns == nil || err == nil && slices.Contains(turns, n)
	}
}

// Judge records that a model has seen candidates, and confirms those at the indices in confirmed.
// It skips removed items.
func Judge(tx store.Tx, list []Item, confirmed []int) error {
	s, err := openShelf(tx.View)
	if err != nil {
		return fmt.Errorf("judge candidates: %w", err)
	}
	for i := range list {
		it, err := s.get(list[i].ID)
		if err != nil {
			return fmt.Errorf("judge candidates: %w", err)
		}
		if it == nil || it.Content != list[i].Content {
			continue
		}
		it.Judged = true
		if it.State == Candidate && slices.Contains(confirmed, i) {
			it.State, it.Confirmation, it.UpdatedAt = Confirmed, ModelBy, tx.Now.UTC()
		}
	}
	if _, err := s.flush(tx); err != nil {
		return fmt.Errorf("judge candidates: %w", err)
	}
	return nil
}
