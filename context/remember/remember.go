// Package remember shows a workspace's memory to those who build answers: [Past] is what a bundle takes of it, [Found]
// what a recall searches. Both read one consistent state, a [memory.View], which the caller opens and closes.
package remember

import (
	"errors"
	"fmt"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/history"
)

// Options are what a bundle wants of the past.
type Options struct {
	// Conversation that the prompt continues; "" or one that does not exist yet is fine.
	Conversation string
	// Prompt, which may have been appended already.
	Prompt   string
	Strategy history.Strategy
	// Ticklers is how many reminders there may be; 0 switches them off.
	Ticklers int
	// Budget of the bundle, in tokens: what of the conversation may fit it whole is not reminded of.
	Budget int
	// Count counts tokens in the bundle's encoding.
	Count func(string) int
	Terms func(text string, yield func(term string))
}

// Past implements bundle.Past. It is for one goroutine.
type Past struct {
	view  *memory.View
	opts  Options
	info  conversation.Info // the zero value where there is no conversation yet
	sizes []history.Size    // of the turns that are told: without the prompt, where it is appended already

	// Of the prompt, once Reminders was called: what it asks, how much the best turn says of it, the first of the
	// conversation's turns that are in view, and those that are on the board.
	asked  *question
	said   float64
	inView int
	pinned map[int]bool
}

var _ bundle.Past = (*Past)(nil)

// NewPast finds the conversation.
func NewPast(v *memory.View, opts Options) (*Past, error) {
	p := &Past{view: v, opts: opts}
	if opts.Conversation == "" {
		return p, nil
	}
	info, err := v.Find(opts.Conversation)
	if errors.Is(err, conversation.ErrNotFound) {
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	p.info = info
	if p.sizes, err = v.Sizes(info); err != nil {
		return nil, err
	}
	return p, p.leaveOutPrompt()
}

// leaveOutPrompt drops the last turn where it is the prompt and nothing else: the host has appended it already.
func (p *Past) leaveOutPrompt() error {
	n := len(p.sizes)
	if n == 0 {
		return nil
	}
	turn, err := p.view.Turn(p.info, n)
	if err != nil {
		return err
	}
	if len(turn.Messages) == 1 && turn.Messages[0].Role == dialogue.User && turn.Messages[0].Content == p.opts.Prompt {
		p.sizes = p.sizes[:n-1]
	}
	return nil
}

// layoutPeriod is how many turns lie between two layouts of a history (SPEC §5).
const layoutPeriod = 10

// Conversation implements bundle.Past.
func (p *Past) Conversation() bundle.Conversation {
	out := bundle.Conversation{Messages: p.info.Messages, Turns: len(p.sizes)}
	if len(p.sizes) < p.info.Turns {
		out.Messages--
	}
	for i, s := range p.sizes {
		out.Tokens += s.R
		if (i+1)%layoutPeriod == 0 {
			out.Settled = out.Tokens
		}
	}
	return out
}

// Version implements bundle.Past.
func (p *Past) Version() (uint64, error) { return p.view.Version() }

// History implements bundle.Past. What can be told whole needs no steady room to stay the same.
func (p *Past) History(budget int) ([]bundle.Memo, error) {
	room := budget
	if p.Conversation().Tokens > budget {
		room = history.Steady(budget)
	}
	h, err := p.view.History(p.info, p.sizes, room, p.opts.Strategy, func(b history.Block) int {
		return p.opts.Count(render.Block(element(b)))
	})
	if err != nil {
		return nil, err
	}
	out := make([]bundle.Memo, len(h.Blocks))
	for i, b := range h.Blocks {
		out[i] = p.turns(b, h.MessageIDs[i])
	}
	return out, nil
}

func element(b history.Block) render.Item {
	return render.Item{Kind: "turn", Tag: b.Tag, Layer: "L6_message_history", Body: b.Body}
}

// turns is a block of the history.
func (p *Past) turns(b history.Block, messages []string) bundle.Memo {
	m := bundle.Memo{
		ID: TurnsID(p.info.ID, b.From, b.To), Kind: "turn", Tag: b.Tag, Title: "Turn " + fmt.Sprint(b.From), Body: b.Body, Format: "full", Score: 1,
		Reason: "of this conversation, " + levelNames[b.Level], ConversationID: p.info.ID, TurnID: dialogue.TurnID(b.To), MessageIDs: messages,
	}
	if b.From != b.To {
		m.Title = fmt.Sprintf("Turns %d to %d", b.From, b.To)
	}
	if b.Level == dialogue.Compressed || b.Level == dialogue.Tiny {
		m.Kind, m.Format = "summary", "summary"
	}
	return m
}

var levelNames = map[dialogue.Level]string{
	dialogue.Raw: "whole", dialogue.Smoothed: "smoothed", dialogue.Compressed: "compressed", dialogue.Tiny: "a sentence each",
}

// Arc implements bundle.Past.
func (p *Past) Arc(budget int) ([]bundle.Memo, error) {
	a, err := p.view.Arc(p.info, arc.Rich, budget-arcWrapping)
	if err != nil || a.Text == "" {
		return nil, err
	}
	return []bundle.Memo{{
		ID: "arc:" + p.info.ID, Kind: "arc", Body: a.Text, Format: "summary", Score: 1, Reason: "decisions, open questions and focus of this conversation",
		ConversationID: p.info.ID,
	}}, nil
}

// arcWrapping is about what the arc's delimiters take, in tokens.
const arcWrapping = 16

// Said implements bundle.Past.
func (p *Past) Said(turns int, yield func(text string)) error {
	for n := len(p.sizes); n > 0 && n > len(p.sizes)-turns; n-- {
		turn, err := p.view.Turn(p.info, n)
		if err != nil {
			return err
		}
		for _, m := range turn.Messages {
			yield(m.Content)
			for _, call := range m.ToolCalls {
				yield(jsonText(call.Arguments))
				yield(jsonText(call.Result))
			}
		}
	}
	return nil
}
