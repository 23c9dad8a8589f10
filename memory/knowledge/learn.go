package knowledge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
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
	// Found are the rules that Distill finds in each of the messages; nil lets Learn look for them.
	Found [][]Found
	Now   time.Time
}

// Learn finds the standing rules in messages and stages them, with what they supersede. A rule repeated in its
// conversation gets another source. Where messages state no rules and none was proposed before, it reads one key and
// stages nothing. learned says that it was otherwise: until the batch is applied, another Learn would not know of it.
func Learn(r store.Reader, b *store.Batch, ws store.Workspace, in Learning) (learned bool, err error) {
	l := learner{in: in, b: b}
	if l.pending, err = loadPending(r, ws, in.Conversation); err != nil {
		return false, fmt.Errorf("learn rules: %w", err)
	}
	had := len(l.pending) > 0
	if in.Found == nil {
		for _, m := range in.Messages {
			in.Found = append(in.Found, Distill(m.Content, m.Role))
		}
	}
	if !had && !slices.ContainsFunc(in.Found, func(f []Found) bool { return len(f) > 0 }) {
		return false, nil
	}
	if l.shelf, err = openShelf(r, ws); err != nil {
		return false, fmt.Errorf("learn rules: %w", err)
	}
	for i, m := range in.Messages {
		if err := l.message(i, m, in.Found[i]); err != nil {
			return false, fmt.Errorf("learn rules: %w", err)
		}
	}
	if had || len(l.pending) > 0 {
		if err := savePending(b, ws, in.Conversation, l.pending); err != nil {
			return false, fmt.Errorf("learn rules: %w", err)
		}
	}
	if _, err := l.shelf.flush(b); err != nil {
		return false, fmt.Errorf("learn rules: %w", err)
	}
	return true, nil
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
	At        time.Time
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
	if err := l.confirm(m, found); err != nil {
		return err
	}
	for _, f := range found {
		if f.Tentative {
			repeated, err := l.repeat(f, id, m.Turn)
			if err != nil {
				return err
			}
			if repeated || m.Role != dialogue.Assistant {
				continue
			}
			if f.Promised && l.asked(i, f) {
				said := l.in.Messages[i-1]
				if err := l.state(f, said.ID, said); err != nil {
					return err
				}
				if _, err := l.repeat(f, id, m.Turn); err != nil {
					return err
				}
				continue
			}
			l.pending = append(l.pending, proposal{Found: f, Turn: m.Turn, MessageID: id, Author: m.Author, At: m.At})
			continue
		}
		if err := l.state(f, id, m); err != nil {
			return err
		}
	}
	return nil
}

// confirm stages what was proposed before where this message takes it on: by a yes or by promising the same. It must be
// the user's, or in a conversation of several the next by another author. What a user leaves open is dropped.
func (l *learner) confirm(m Heard, found []Found) error {
	affirmed := len(l.pending) > 0 && affirms(m.Content)
	var open []proposal
	for _, p := range l.pending {
		if m.Role != dialogue.User && (m.Author == "" || m.Author == p.Author) {
			open = append(open, p)
			continue
		}
		if !affirmed && (p.Found.Promised || !slices.ContainsFunc(found, func(f Found) bool { return f.Subject.same(p.Found.Subject) })) {
			continue
		}
		said := Heard{Turn: p.Turn, Message: dialogue.Message{ID: p.MessageID, Author: p.Author, Role: dialogue.Assistant, At: p.At}}
		if err := l.state(p.Found, p.MessageID, said); err != nil {
			return err
		}
	}
	l.pending = open
	return nil
}

// asked reports whether the user's message before asked for what an assistant promises: it has the promise's words.
func (l *learner) asked(i int, f Found) bool {
	if i == 0 || l.in.Messages[i-1].Role != dialogue.User || l.in.Messages[i-1].ID == "" {
		return false
	}
	words := map[string]bool{}
	for _, t := range tokenize(l.in.Messages[i-1].Content) {
		words[stem(alikeOr(t.low))] = true
		words[t.low] = true
	}
	hit, all := 0, 0
	for _, t := range tokenize(f.Line) {
		if t.class == mark || t.class == word && (filler[t.low] || verbs[t.low]) {
			continue
		}
		all++
		if words[stem(alikeOr(t.low))] || words[t.low] {
			hit++
		}
	}
	return all > 0 && hit*3 >= all*2
}

// affirms reports whether a message begins with a yes.
func affirms(text string) bool {
	ss := sentences(text[:min(len(text), 400)])
	if len(ss) == 0 {
		return false
	}
	for i, t := range ss[0].tokens {
		switch {
		case t.class != word:
		case yes[t.low]:
			return true
		default:
			return follows(ss[0].tokens, i, []string{"got", "it"}) || follows(ss[0].tokens, i, []string{"sounds", "good"}) ||
				follows(ss[0].tokens, i, []string{"of", "course"}) || follows(ss[0].tokens, i, []string{"will", "do"}) ||
				follows(ss[0].tokens, i, []string{"that", "makes", "sense"}) || follows(ss[0].tokens, i, []string{"makes", "sense"})
		}
	}
	return false
}

var yes = set("yes yeah yep right exactly correct agreed precisely absolutely understood noted certainly definitely alright")

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

// state stages a rule that a message states, and what it supersedes.
func (l *learner) state(f Found, id string, m Heard) error {
	if !f.Withdraws {
		if again, err := l.repeat(f, id, m.Turn); again || err != nil {
			return err
		}
	}
	at := m.At
	if at.IsZero() {
		at = l.in.Now
	}
	l.shelf.serial++
	it := &Item{
		ID: makeID(string(Rule), l.in.Conversation, id, f.Line), Kind: Rule, Title: f.title(), Content: f.Line,
		Topics: []string{}, Keywords: []string{}, Weight: 1, SourceTurns: []string{SourceTurn(l.in.Conversation, dialogue.TurnID(m.Turn))},
		CreatedAt: at.UTC(), UpdatedAt: at.UTC(), Learned: true, Conversation: l.in.Conversation, Turn: m.Turn, MessageIDs: []string{id},
		Author: m.Author, Role: m.Role, Subject: f.Subject, Withdraws: f.Withdraws, Serial: l.shelf.serial,
	}
	if f.Subject.Scope != "" {
		it.Topics = []string{f.Subject.Scope}
	}
	if _, err := l.shelf.get(it.ID); err != nil {
		return err
	}
	l.shelf.items[it.ID] = it
	closed, err := l.shelf.supersede(it)
	if f.Withdraws && closed == 0 {
		// There is nothing that it could end.
		delete(l.shelf.items, it.ID)
	}
	return err
}

// title names what a rule is about for a person.
func (f Found) title() string {
	if f.Subject.Scope != "" {
		return strings.TrimSuffix(sentenceCase(f.Subject.Scope), ".")
	}
	return strings.TrimSuffix(f.Line, ".")
}
