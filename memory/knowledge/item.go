package knowledge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"golang.org/x/text/unicode/norm"
)

// Put stores an item by hand. Without an id it makes one from kind, title and content; an item of that id is replaced
// and keeps its CreatedAt. A rule supersedes the rules on its subject, whoever stated them.
func Put(r store.Reader, b *store.Batch, ws store.Workspace, it Item, now time.Time) (Item, error) {
	s, err := openShelf(r, ws)
	if err != nil {
		return Item{}, fmt.Errorf("put knowledge: %w", err)
	}
	if it.ID == "" {
		it.ID = makeID(string(it.Kind), it.Title, it.Content)
	}
	old, err := s.get(it.ID)
	if err != nil {
		return Item{}, fmt.Errorf("put knowledge: %w", err)
	}
	it.CreatedAt, it.UpdatedAt = now.UTC(), now.UTC()
	it.SupersededBy, it.Learned, it.Withdraws = "", false, false
	if old != nil {
		it.CreatedAt = old.CreatedAt
	}
	for _, list := range []*[]string{&it.Topics, &it.Keywords, &it.SourceTurns} {
		if *list == nil {
			*list = []string{}
		}
	}
	if it.Kind == Rule {
		s.serial++
		it.Serial, it.Subject = s.serial, subjectOf(it.Title, it.Content)
	}
	s.items[it.ID] = &it
	if it.Kind == Rule {
		if _, err := s.supersede(&it); err != nil {
			return Item{}, fmt.Errorf("put knowledge: %w", err)
		}
	}
	changed, err := s.flush(b)
	if err == nil && changed == 0 {
		s.raise(b)
	}
	return it, err
}

// subjectOf gives the subject of a rule that was written by hand: that of the first rule its content states, or the
// whole of its title.
func subjectOf(title, content string) Subject {
	for _, text := range []string{content, title} {
		if found := parse(text, handwritten); len(found) > 0 {
			return found[0].Subject
		}
	}
	return plainSubject(title)
}

func makeID(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return parts[0] + "-" + hex.EncodeToString(sum[:8])
}

// Get gives an item. Error: ErrNotFound.
func Get(r store.Reader, ws store.Workspace, id string) (Item, error) {
	it, err := load(r, ws, id)
	if err != nil {
		return Item{}, fmt.Errorf("get knowledge: %w", err)
	}
	if it == nil {
		return Item{}, fmt.Errorf("get knowledge %q: %w", id, ErrNotFound)
	}
	return *it, nil
}

// Delete removes an item as if it had never been: what it superseded holds again. Error: ErrNotFound.
func Delete(r store.Reader, b *store.Batch, ws store.Workspace, id string) error {
	s, err := openShelf(r, ws)
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
	if err := s.remove(id); err != nil {
		return fmt.Errorf("delete knowledge: %w", err)
	}
	_, err = s.flush(b)
	return err
}

// Filter says what List gives; the zero value is all that holds.
type Filter struct {
	Kind       Kind   // "" = all
	Topic      string // "" = all
	Superseded bool   // also what a later item has replaced
	ByHand     bool   // only what was put by hand
}

// excludes reports whether a filter leaves out a stored item for its kind or for how it came to be. It looks for what
// encoding/json writes for them, which stands in no text: there quotes are escaped. To read an item takes fifty times
// as long.
func (f Filter) excludes(stored []byte) bool {
	return f.Kind != "" && !bytes.Contains(stored, []byte(`"kind":"`+string(f.Kind)+`"`)) ||
		f.ByHand && bytes.Contains(stored, []byte(`"learned":true`)) ||
		!f.Superseded && bytes.Contains(stored, []byte(`"supersededBy":"`))
}

// List gives items, the heaviest first, then the latest changed.
func List(r store.Reader, ws store.Workspace, f Filter) ([]Item, error) {
	out := []Item{}
	f.Topic = norm.NFC.String(f.Topic)
	prefix := key(ws, keyItem)
	err := r.Scan(prefix, store.PrefixEnd(prefix), func(_, v []byte) (bool, error) {
		if f.excludes(v) {
			return true, nil
		}
		it, err := decode(v)
		if err != nil {
			return false, err
		}
		if (f.Kind == "" || f.Kind == it.Kind) && (f.Superseded || it.Holds()) && !(f.ByHand && it.Learned) &&
			(f.Topic == "" || slices.ContainsFunc(it.Topics, func(t string) bool { return strings.EqualFold(norm.NFC.String(t), f.Topic) })) {
			out = append(out, *it)
		}
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("list knowledge: %w", err)
	}
	order(out)
	return out, nil
}

// ForgetConversations removes what was learned only from these turns of conversations (nil: from all of them) and takes
// them out of the sources of the rest.
func ForgetConversations(r store.Reader, b *store.Batch, ws store.Workspace, conversations []string, turns []int) error {
	s, err := openShelf(r, ws)
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
			// What it tells is told in the words of its own turns: without one of them none of it stays.
			if it.Learned && slices.Contains(conversations, it.Conversation) && slices.ContainsFunc(it.SourceTurns, gone) {
				if err := s.remove(it.ID); err != nil {
					return fmt.Errorf("forget knowledge: %w", err)
				}
				continue
			}
			it.SourceTurns = slices.DeleteFunc(it.SourceTurns, gone)
		}
	}
	changed, err := s.flush(b)
	if err != nil {
		return fmt.Errorf("forget knowledge: %w", err)
	}
	traces, err := forgetTopics(r, b, ws, conversations, gone)
	if err == nil && traces && changed == 0 {
		s.raise(b)
	}
	return err
}

// forgotten tells the sources in these turns of conversations; nil: in any.
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
