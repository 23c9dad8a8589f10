package knowledge

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// factsForm must be raised when a program scores sentences differently, so that stored facts are
// made again.
const factsForm = 3

// facts are a run's findings in a conversation: its sentences with their scores, and its arc.
// Scoring sentences takes most of a run's time, so facts are stored as soon as a conversation was
// read; an interrupted run continues from there.
type facts struct {
	Form      int        `json:"form"`
	Turns     int        `json:"turns"`
	Messages  int        `json:"messages"`
	Sentences []byte     `json:"sentences"` // see appendSentence
	Decided   []arcEntry `json:"decided,omitempty"`
	Open      []arcEntry `json:"open,omitempty"`
}

// arcEntry is a decision or an open question of a conversation's arc.
type arcEntry struct {
	Text string `json:"text"`
	Turn int    `json:"turn"`
}

// factsOf returns the facts of a conversation, made again if it has changed since. isNew means that
// they must be stored.
func (p *pass) factsOf(talk []TalkTurn) (f *facts, isNew bool, err error) {
	messages := 0
	for _, t := range talk {
		messages += len(t.Turn.Messages)
	}
	f = &facts{}
	err = readJSON(p.tx.Reader, key(p.tx.Workspace, keyFacts, talk[0].Conversation), f, "read facts")
	if err != nil {
		return nil, false, err
	}
	if f.Form == factsForm && f.Turns == len(talk) && f.Messages == messages && !p.in.Full {
		return f, false, nil
	}
	f = &facts{Form: factsForm, Turns: len(talk), Messages: messages}
	before := ""
	folder := arc.NewFolder()
	for i := range talk {
		if err := p.pacer.pause(); err != nil {
			return nil, false, err
		}
		if before, err = f.readTurn(i, &talk[i].Turn, before, p.pacer.pause); err != nil {
			return nil, false, err
		}
		notes := arc.Note(talk[i].Turn)
		folder.Add(&notes)
	}
	told := folder.Arc(nil, arc.Rich, 0, nil)
	for _, d := range told.Decisions {
		f.Decided = append(f.Decided, arcEntry{d.Text, d.Turn})
	}
	for _, q := range told.Open {
		f.Open = append(f.Open, arcEntry{q.Text, q.Turn})
	}
	return f, true, nil
}

// readTurn scores the sentences of a turn. It returns the last sentence, as context for the next
// turn.
func (f *facts) readTurn(index int, t *dialogue.Turn, before string, pause func() error) (string, error) {
	for j := range t.Messages {
		if err := pause(); err != nil {
			return "", err
		}
		m := &t.Messages[j]
		if m.Role != dialogue.User && m.Role != dialogue.Assistant {
			continue
		}
		role := utterance.Assistant
		if m.ByPerson() {
			role = utterance.Person
		}
		text := m.Content[:runeStart(m.Content, min(len(m.Content), readHead))]
		for _, s := range utterance.Read(text, role, before) {
			f.appendSentence(index, j, s)
		}
		before = lastSentence(text)
	}
	return before, nil
}

// scoreSteps is the resolution of a stored probability.
const scoreSteps = math.MaxUint16

// appendSentence appends the index of the turn and of the message, the range in the message, as
// varints, and two bytes for each score.
func (f *facts) appendSentence(turn, message int, s utterance.ScoredSentence) {
	b := f.Sentences
	for _, n := range [...]int{turn, message, s.Start, s.End - s.Start} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, p := range s.Scores {
		b = binary.BigEndian.AppendUint16(b, uint16(math.Round(p*scoreSteps)))
	}
	f.Sentences = b
}

// each calls do for every sentence, in order. Error: ErrBroken.
func (f *facts) each(do func(turn, message, start, end int, scores utterance.Scores) error) error {
	for b := f.Sentences; len(b) > 0; {
		var at [4]int
		for i := range at {
			n, size := binary.Uvarint(b)
			if size <= 0 || n > math.MaxInt32 {
				return fmt.Errorf("read facts: %w", ErrBroken)
			}
			at[i], b = int(n), b[size:]
		}
		var scores utterance.Scores
		if len(b) < 2*len(scores) {
			return fmt.Errorf("read facts: %w", ErrBroken)
		}
		for i := range scores {
			scores[i] = float64(binary.BigEndian.Uint16(b[2*i:])) / scoreSteps
		}
		b = b[2*len(scores):]
		if err := do(at[0], at[1], at[2], at[2]+at[3], scores); err != nil {
			return err
		}
	}
	return nil
}

// keep stores facts at once if the caller supports that, else with the run.
func (p *pass) keep(conversation string, f *facts) error {
	v, err := json.Marshal(f)
	if err != nil {
		return err
	}
	k := key(p.tx.Workspace, keyFacts, conversation)
	if p.in.Keep == nil {
		p.tx.Set(k, v)
		return nil
	}
	return p.in.Keep(func(tx store.Tx) { tx.Set(k, v) })
}
