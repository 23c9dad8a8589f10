package knowledge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// Heard is a message and the number of its turn.
type Heard struct {
	dialogue.Message
	Turn int
}

// Learning is what Learn reads: messages that were added to a conversation, in order.
type Learning struct {
	Conversation string
	Messages     []Heard
	Now          time.Time
}

// Learn finds the standing rules in messages and stages them, with what they supersede; changed counts the items that
// are new or different. A rule repeated in its conversation gets another source. It reads nothing from the store while
// messages state no rules.
func Learn(r store.Reader, b *store.Batch, ws store.Workspace, in Learning) (changed int, err error) {
	l := learner{in: in, b: b}
	if l.pending, err = loadPending(r, ws, in.Conversation); err != nil {
		return 0, fmt.Errorf("learn rules: %w", err)
	}
	had := len(l.pending) > 0
	for i, m := range in.Messages {
		found := Distill(m.Content, m.Role)
		if len(found) == 0 && !had && len(l.pending) == 0 {
			continue
		}
		if l.shelf == nil {
			if l.shelf, err = openShelf(r, ws); err != nil {
				return 0, fmt.Errorf("learn rules: %w", err)
			}
		}
		if err := l.message(i, m, found); err != nil {
			return 0, fmt.Errorf("learn rules: %w", err)
		}
	}
	if had || len(l.pending) > 0 {
		if err := savePending(b, ws, in.Conversation, l.pending); err != nil {
			return 0, fmt.Errorf("learn rules: %w", err)
		}
	}
	if l.shelf == nil {
		return 0, nil
	}
	return l.shelf.flush(b)
}

type learner struct {
	in      Learning
	b       *store.Batch
	shelf   *shelf
	pending []proposal
}

// proposal is a rule that an assistant stated and that waits for the next user message to confirm it.
type proposal struct {
	Found     Found
	Turn      int
	MessageID string
	Author    string
}

func loadPending(r store.Reader, ws store.Workspace, conversation string) ([]proposal, error) {
	v, found, err := r.Get(key(ws, keyPending, conversation))
	if err != nil || !found {
		return nil, err
	}
	var out []proposal
	if err := json.Unmarshal(v, &out); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return out, nil
}

func savePending(b *store.Batch, ws store.Workspace, conversation string, list []proposal) error {
	if len(list) == 0 {
		b.Delete(key(ws, keyPending, conversation))
		return nil
	}
	v, err := json.Marshal(list)
	if err == nil {
		b.Set(key(ws, keyPending, conversation), v)
	}
	return err
}

// message learns from one message.
func (l *learner) message(i int, m Heard, found []Found) error {
	id := m.ID
	if id == "" {
		id = dialogue.TurnID(m.Turn) + "." + strconv.Itoa(i)
	}
	if m.Role == dialogue.User {
		if len(l.pending) > 0 && affirms(m.Content) {
			for _, p := range l.pending {
				if _, err := l.state(p.Found, p.MessageID, p.Turn, p.Author, dialogue.Assistant, m.At); err != nil {
					return err
				}
			}
		}
		l.pending = nil
	}
	for _, f := range found {
		if m.Role == dialogue.Assistant {
			repeated, err := l.repeat(f, id, m.Turn)
			if err != nil {
				return err
			}
			if !repeated {
				l.pending = append(l.pending, proposal{f, m.Turn, id, m.Author})
			}
			continue
		}
		if _, err := l.state(f, id, m.Turn, m.Author, m.Role, m.At); err != nil {
			return err
		}
	}
	return nil
}

// affirms reports whether a message begins with a yes.
func affirms(text string) bool {
	for _, s := range sentences(text) {
		for _, t := range s.tokens {
			if t.class != word {
				continue
			}
			switch t.low {
			case "yes", "yeah", "yep", "right", "exactly", "correct", "agreed", "precisely", "perfect", "sure", "absolutely", "ok", "okay", "great", "good", "indeed":
				return true
			}
			return false
		}
	}
	return false
}

// repeat adds a message to a rule that it repeats, where one holds in the conversation.
func (l *learner) repeat(f Found, id string, turn int) (bool, error) {
	rules, err := l.shelf.under(keySubject, f.Subject.Key)
	if err != nil {
		return false, err
	}
	for _, it := range rules {
		if it.Conversation == l.in.Conversation && it.Learned && it.Subject.same(f.Subject) && !it.Withdraws {
			it.said(id, SourceTurn(l.in.Conversation, dialogue.TurnID(turn)))
			return true, nil
		}
	}
	return false, nil
}

// said adds a source.
func (it *Item) said(message, source string) {
	if !slices.Contains(it.MessageIDs, message) {
		it.MessageIDs = append(it.MessageIDs, message)
	}
	if !slices.Contains(it.SourceTurns, source) {
		it.SourceTurns = append(it.SourceTurns, source)
	}
}

// state stages a rule and what it supersedes.
func (l *learner) state(f Found, id string, turn int, author string, role dialogue.Role, at time.Time) (*Item, error) {
	if !f.Withdraws {
		if again, err := l.repeat(f, id, turn); again || err != nil {
			return nil, err
		}
	}
	if at.IsZero() {
		at = l.in.Now
	}
	l.shelf.serial++
	it := &Item{
		ID: makeID(string(Rule), l.in.Conversation, id, f.Line), Kind: Rule, Title: f.Subject.title(), Content: f.Line,
		Topics: []string{}, Keywords: []string{}, Weight: 1, SourceTurns: []string{SourceTurn(l.in.Conversation, dialogue.TurnID(turn))},
		CreatedAt: at.UTC(), UpdatedAt: at.UTC(), Learned: true, Conversation: l.in.Conversation, Turn: turn, MessageIDs: []string{id},
		Author: author, Role: role, Subject: f.Subject, Withdraws: f.Withdraws, Serial: l.shelf.serial,
	}
	if f.Subject.Scope != "" {
		it.Topics = []string{f.Subject.Scope}
	}
	if _, err := l.shelf.get(it.ID); err != nil {
		return nil, err
	}
	l.shelf.items[it.ID] = it
	return it, l.shelf.supersede(it)
}

// title names a subject for a person.
func (s Subject) title() string {
	if s.Scope != "" {
		return sentenceCaseTitle(s.Scope)
	}
	return sentenceCaseTitle(s.Key)
}
