package memory

import (
	"fmt"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/level"
	"github.com/contexture-dev/contexture/memory/store"
)

// TimelineTurn is a turn of a timeline.
type TimelineTurn struct {
	Number   int
	At       time.Time // of its first message
	Author   string    // of the first message of a user with an author name, "" for none
	Title    string    // see conversation.TurnTitle
	Messages int
	Tokens   int // of the raw turn, in the encoding of stored sizes
	Marks    []Mark
}

// Mark is a notable statement of a turn.
type Mark struct {
	Kind  MarkKind
	Text  string
	ID    string // of the item of knowledge, "" for what only the conversation's arc has
	Ended bool   // it was replaced, taken back, outdated, or answered in a later turn
}

// MarkKind is the kind of a mark.
type MarkKind string

// The kinds of the contract.
const (
	DecisionMark MarkKind = "decision"
	QuestionMark MarkKind = "question"
	RuleMark     MarkKind = "rule"
	LessonMark   MarkKind = "lesson"
)

const (
	// exactTurns is the largest number of turns of a conversation whose decisions and questions
	// come from its whole arc. The arc of a longer one takes long to make, so that for each block
	// of markBlock turns only that block and as many turns before and after it are read: what is
	// replaced or answered later than that still counts there as active.
	exactTurns = 4096
	markBlock  = 256
	// timelineRead is how many turns are read at a time.
	timelineRead = 50
)

// Timeline returns the turns from … to of a conversation, inclusive and clamped to the existing
// ones, oldest first. Its cost depends on the number of those turns and of the items learned from
// the conversation, not on the conversation's length.
func (v *View) Timeline(info conversation.Info, from, to int) ([]TimelineTurn, error) {
	from, to = max(from, 1), min(to, info.Turns)
	if from > to {
		return nil, nil
	}
	sizes, err := conversation.TurnSizesTo(v.state, info, from, to)
	if err != nil {
		return nil, err
	}
	out := make([]TimelineTurn, 0, to-from+1)
	for first := from; first <= to; first += timelineRead {
		if err := v.Turns.late(); err != nil {
			return nil, err
		}
		turns, err := conversation.Turns(v.state, info, first, min(to, first+timelineRead-1))
		if err != nil {
			return nil, err
		}
		for _, t := range turns {
			out = append(out, v.timelineTurn(t, sizes[t.Number-from].R))
		}
	}
	add := func(turn int, m Mark) {
		if turn >= from && turn <= to {
			out[turn-from].Marks = append(out[turn-from].Marks, m)
		}
	}
	if err := v.markSaid(info, from, to, add); err != nil {
		return nil, fmt.Errorf("read decisions and questions: %w", err)
	}
	if err := markLearned(v.state, &info, add); err != nil {
		return nil, fmt.Errorf("read what was learned: %w", err)
	}
	kinds := []MarkKind{DecisionMark, QuestionMark, RuleMark, LessonMark}
	for i := range out {
		slices.SortStableFunc(out[i].Marks, func(a, b Mark) int { return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind) })
	}
	return out, nil
}

// timelineTurn returns a turn without marks. Its size is 0 when no versions of it were made yet.
func (v *View) timelineTurn(t dialogue.Turn, size int) TimelineTurn {
	out := TimelineTurn{Number: t.Number, Title: conversation.TurnTitle(t.Messages), Messages: len(t.Messages), Tokens: size}
	if size == 0 {
		out.Tokens = v.w.memory.opts.sizeOf(t.Number, dialogue.Raw, level.RawText(t))
	}
	for i := range t.Messages {
		m := &t.Messages[i]
		if out.At.IsZero() {
			out.At = m.At
		}
		if out.Author == "" && m.Role == dialogue.User && m.Named() {
			out.Author = m.Author
		}
	}
	return out
}

// markSaid adds the decisions and questions of turns.
func (v *View) markSaid(info conversation.Info, from, to int, add func(turn int, m Mark)) error {
	marks := func(f *arc.Folder, last *arc.Notes, from, to int) {
		for _, m := range f.Marks(last, from, to) {
			kind := DecisionMark
			if m.Question {
				kind = QuestionMark
			}
			add(m.Turn, Mark{Kind: kind, Text: m.Text, Ended: m.Ended})
		}
	}
	if info.Turns <= exactTurns {
		folder, last, err := v.Arcs.folder(info)
		if err == nil {
			marks(folder, last, from, to)
		}
		return err
	}
	for block := (from - 1) / markBlock; block*markBlock < to; block++ {
		first := block*markBlock + 1
		folder := arc.NewFolder()
		err := v.Turns.notes(info, max(1, first-markBlock), min(info.Turns, first+2*markBlock-1), func(n *arc.Notes) { folder.Add(n) })
		if err != nil {
			return err
		}
		marks(folder, nil, first, first+markBlock-1)
	}
	return nil
}

// markLearned adds the rules and lessons that were learned from a conversation, and the decisions
// in it that a person asked to remember.
func markLearned(view store.View, info *conversation.Info, add func(turn int, m Mark)) error {
	past, err := stretches(view, info)
	if err != nil {
		return err
	}
	for _, p := range past {
		items, err := knowledge.SaidIn(view, p)
		if err != nil {
			return err
		}
		for i := range items {
			markItem(&items[i], p, add)
		}
	}
	return nil
}

// markItem adds an item: a rule to each turn that states it, in the words of that turn, a lesson to
// the turn in which it was learned, which is the last of its sources.
func markItem(it *knowledge.Item, p knowledge.Stretch, add func(turn int, m Mark)) {
	m := Mark{ID: it.ID, Text: it.Title, Ended: !it.Holds()}
	var turns []int
	for _, source := range it.SourceTurns {
		if turn, ok := p.SourceIn(source); ok && !slices.Contains(turns, turn) {
			turns = append(turns, turn)
		}
	}
	switch {
	case it.Kind == knowledge.Rule:
		m.Kind, m.Text = RuleMark, it.Line()
	case it.Kind == knowledge.Lesson:
		m.Kind, turns = LessonMark, []int{slices.Max(turns)} // it has a source there
	case it.Label == knowledge.Decision:
		m.Kind = DecisionMark
	default:
		return
	}
	for _, turn := range turns {
		said := m
		for _, q := range it.Quotations {
			if it.Kind == knowledge.Rule && q.Conversation == p.Conversation && q.Turn == dialogue.TurnID(turn) {
				said.Text = q.Text
			}
		}
		add(turn, said)
	}
}
