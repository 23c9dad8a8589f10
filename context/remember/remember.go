// Package remember presents a workspace's memory to the builders of answers: [Past] is a bundle's
// view of it, [Found] a recall's. Both read one consistent state, a [memory.View], which the caller
// opens and closes.
package remember

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/item"
	recalling "github.com/contexture-dev/contexture/context/recall"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/history"
	"github.com/contexture-dev/contexture/memory/subject"
)

// Options are a bundle's options for the past.
type Options struct {
	// Conversation that the prompt continues; it may be "" or not exist yet.
	Conversation string
	// Prompt, which may have been appended already.
	Prompt   string
	Strategy history.Strategy
	// Ticklers bounds the number of reminders; 0 switches them off.
	Ticklers int
	// Budget of the bundle, in tokens: there are no reminders of the turns of the conversation that
	// fit into it whole.
	Budget int
	// Count counts tokens in the bundle's encoding.
	Count func(string) int
	Terms func(text string, yield func(term string))
}

// Past implements bundle.Past. It is for one goroutine.
type Past struct {
	view  *memory.View
	opts  Options
	info  conversation.Info // the zero value when there is no conversation yet
	sizes []history.Size    // of the turns to lay out: without the prompt, if it was appended already
	lead  *dialogue.Turn    // the last of them, if the prompt is left out of it; nil otherwise
	alone bool              // the prompt was appended already

	// For the prompt, after a call of Reminders: its question, the relevance of the best
	// turn, the first of the conversation's turns that are in view, and those on the board.
	asked    *question
	said     float64
	inView   int
	pinned   map[int]bool
	reminds  bool               // there are reminders
	evidence recalling.Evidence // of anything having been said about it, after a call of Passages
}

var _ bundle.Past = (*Past)(nil)

// NewPast finds the conversation.
func NewPast(v *memory.View, opts Options) (*Past, error) {
	p := &Past{view: v, opts: opts}
	if opts.Conversation == "" {
		return p, nil
	}
	info, err := v.Conversations.Find(opts.Conversation)
	if errors.Is(err, conversation.ErrNotFound) {
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	p.info = info
	if p.sizes, err = v.Turns.Sizes(info); err != nil {
		return nil, err
	}
	return p, p.leaveOutPrompt()
}

// leaveOutPrompt removes the prompt if it ends the conversation because the host has appended it
// already. It is a turn of its own, or the first one together with what precedes the first user
// message.
func (p *Past) leaveOutPrompt() error {
	n := len(p.sizes)
	if n == 0 {
		return nil
	}
	turn, err := p.view.Conversations.Turn(p.info, n)
	if err != nil {
		return err
	}
	last := len(turn.Messages) - 1
	asked := func(m dialogue.Message) bool { return m.Role == dialogue.User }
	if m := turn.Messages[last]; !asked(m) || m.Content != p.opts.Prompt || slices.ContainsFunc(turn.Messages[:last], asked) {
		return nil
	}
	p.alone = true
	p.sizes = slices.Clone(p.sizes[:n-1])
	if last > 0 {
		turn.Messages = turn.Messages[:last]
		p.lead, p.sizes = &turn, append(p.sizes, p.view.Turns.SizeOf(turn))
	}
	return nil
}

// layoutPeriod is how many turns are between two layouts of a history.
const layoutPeriod = 10

// Conversation implements bundle.Past.
func (p *Past) Conversation() bundle.Conversation {
	out := bundle.Conversation{Messages: p.info.Messages, Turns: len(p.sizes)}
	if p.alone {
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
func (p *Past) Version() (uint64, error) { return p.view.Knowledge.Version() }

// History implements bundle.Past. A history that fits whole needs no steady room.
func (p *Past) History(room bundle.Room) ([]item.Item, error) {
	steady, spare := room.Steady, 0
	if room.Firm {
		spare = room.Now - room.Steady
	}
	if p.Conversation().Tokens > steady {
		steady = history.Steady(steady)
	}
	h, err := p.view.Turns.History(p.info, memory.Telling{
		Strategy: p.opts.Strategy, Sizes: p.sizes, Last: p.lead, Room: history.Room{Now: room.Now, Steady: steady, Spare: spare},
		Count:  func(b history.Block) int { return p.opts.Count(render.Block(element(b))) },
		Notice: func(from, to int) int { return p.opts.Count(LeftOutText(p.info.ID, from, to)) },
	})
	if err != nil {
		return nil, err
	}
	out := make([]item.Item, 0, len(h.Blocks)+1)
	if left := h.LeftOut; left.To > 0 {
		m := leftOut(p.info.ID, left.From, left.To)
		m.LeftOut, m.Untold, m.Volatile = true, !h.Notice, h.Stable == 0
		out = append(out, m)
	}
	for i, b := range h.Blocks {
		m := p.turns(b, h.MessageIDs[i])
		m.Volatile = b.To > h.Stable
		out = append(out, m)
	}
	return out, nil
}

// leftOut returns the notice that the history has no room for turns, with the call that fetches
// them.
func leftOut(conversation string, from, to int) item.Item {
	id := TurnsID(conversation, from, to)
	turns := fmt.Sprintf("Turns %d to %d of this conversation are", from, to)
	if from == to {
		turns = fmt.Sprintf("Turn %d of this conversation is", from)
	}
	call, err := json.Marshal(map[string]string{"expand": id})
	if err != nil { // cannot fail for a string
		panic(err)
	}
	return item.Item{
		ID: id, Kind: item.Summary, Body: turns + " left out here. Fetch with contexture.recall " + string(call), Format: "summary", Score: 1,
		Reason: "older turns of this conversation, over budget", ConversationID: conversation, TurnID: dialogue.TurnID(from),
	}
}

// LeftOutText returns the element of that notice.
func LeftOutText(conversation string, from, to int) string {
	m := leftOut(conversation, from, to)
	return render.Block(item.Item{Kind: m.Kind, Layer: item.L6History, Body: m.Body})
}

func element(b history.Block) item.Item {
	return item.Item{Kind: item.Turn, Tag: b.Tag, Layer: item.L6History, Body: b.Body}
}

// turns returns the memo of a block of the history.
func (p *Past) turns(b history.Block, messages []string) item.Item {
	m := item.Item{
		ID: TurnsID(p.info.ID, b.From, b.To), Kind: item.Turn, Tag: b.Tag, Title: "Turn " + fmt.Sprint(b.From), Body: b.Body, Format: "full", Score: 1,
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
func (p *Past) Arc(budget int) ([]item.Item, error) {
	a, err := p.view.Arcs.Of(p.info, arc.Rich, budget-arcWrapping)
	if err != nil || a.Text == "" {
		return nil, err
	}
	return []item.Item{{
		ID: "arc:" + p.info.ID, Kind: item.Arc, Body: a.Text, Format: "summary", Score: 1, Reason: "decisions, open questions and focus of this conversation",
		ConversationID: p.info.ID,
	}}, nil
}

// arcWrapping is roughly the number of tokens that the arc's delimiters take.
const arcWrapping = 16

// maxRecent bounds the files and symbols from the last recentTurns turns of a conversation that
// lead the search for code.
const maxRecent, recentTurns = 32, 40

// enough is the number of files and symbols from which a conversation needs no others; below it, at
// most maxLately from the workspace's other recent conversations follow, for a prompt that names
// nothing itself.
const enough, maxLately = 6, 16

// Recent implements bundle.Past.
func (p *Past) Recent() ([]retrieve.Recent, error) {
	var own []subject.DatedMention
	if len(p.sizes) > 0 {
		ledger, err := p.view.Ledger(p.info, max(1, len(p.sizes)-recentTurns+1), len(p.sizes))
		if err != nil {
			return nil, fmt.Errorf("read what the conversation mentions: %w", err)
		}
		own = ledger.Latest(maxRecent)
	}
	out := recent(nil, own, false)
	if len(own) >= enough || !recalling.Points(p.opts.Prompt) {
		return out, nil
	}
	lately, err := p.view.Lately(p.info)
	if err != nil {
		return out, fmt.Errorf("read what the workspace's conversations mention: %w", err)
	}
	return recent(out, slices.DeleteFunc(lately.Latest(maxLately), func(m subject.DatedMention) bool {
		return slices.ContainsFunc(own, func(o subject.DatedMention) bool { return o.Mention == m.Mention })
	}), true), nil
}

func recent(list []retrieve.Recent, mentions []subject.DatedMention, earlier bool) []retrieve.Recent {
	for _, m := range mentions {
		r := retrieve.Recent{Earlier: earlier, Turn: m.Turn}
		if m.Kind == subject.Path {
			r.Path = m.Name
		} else {
			r.Symbol = m.Name
		}
		list = append(list, r)
	}
	return list
}

// LastTurns implements bundle.Past.
func (p *Past) LastTurns(n int) (out []string, err error) {
	for at := len(p.sizes); at > 0 && len(out) < n; at-- {
		turn, err := p.view.Conversations.Turn(p.info, at)
		if err != nil {
			return nil, fmt.Errorf("read a turn: %w", err)
		}
		var text strings.Builder
		for _, m := range turn.Messages {
			if m.Role == dialogue.User || m.Role == dialogue.Assistant {
				text.WriteString(m.Content)
				text.WriteByte('\n')
			}
		}
		out = append(out, text.String())
	}
	return out, nil
}

// Said implements bundle.Past.
func (p *Past) Said(turns int, yield func(text string)) error {
	for n := len(p.sizes); n > 0 && n > len(p.sizes)-turns; n-- {
		turn, err := p.view.Conversations.Turn(p.info, n)
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
