package knowledge

import (
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// statement is a quotation and whether a person wrote it.
type statement struct {
	Quotation
	Person bool
}

// source names the statement's turn.
func (s *statement) source() string { return SourceTurn(s.Conversation, s.Turn) }

// quoteDecisions collects what a conversation's own turns decided. What a fork shares belongs to
// its ancestor.
func (p *pass) quoteDecisions(talk []TalkTurn, f *facts) error {
	byNumber := map[int]*TalkTurn{}
	for i := range talk {
		byNumber[talk[i].Turn.Number] = &talk[i]
	}
	for _, s := range f.Decided {
		if err := p.pacer.pause(); err != nil {
			return err
		}
		told := byNumber[s.Turn]
		if told == nil || told.Shared {
			continue
		}
		if st, ok := statementIn(told, s.Text); ok {
			p.decided = append(p.decided, st)
		}
	}
	return nil
}

// statementIn returns the statement for a text in the messages of a turn.
func statementIn(told *TalkTurn, text string) (statement, bool) {
	for i := range told.Turn.Messages {
		m := &told.Turn.Messages[i]
		if strings.Contains(m.Content, text) {
			return statement{Quotation{
				Text: text, Conversation: told.Conversation, Turn: dialogue.TurnID(told.Turn.Number), Message: m.ID, At: m.At.UTC(), Author: m.Author,
			}, m.ByPerson()}, true
		}
	}
	return statement{}, false
}
