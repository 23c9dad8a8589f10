package memory

import (
	"fmt"
	"sync"

	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/window"
)

// Window is the part of a conversation to send to a model.
type Window struct {
	window.Window
	Arc       string
	ArcTokens int
	Messages  []WindowMessage
}

// WindowMessage is a message of a window, or a summary that replaces several.
type WindowMessage struct {
	From, To int // message indices, inclusive
	Role     dialogue.Role
	Content  string
	ID       string
	Turn     int // 0 for a summary
	Tokens   int
	Summary  bool
	Level    string
	Cached   bool
}

// summaryKey identifies a summary by its input: a conversation's past changes only by forgetting,
// which clears the cache.
type summaryKey struct {
	conversationKey
	from, to, tokens int
	level            string
	encoding         string
}

type summary struct {
	text   string
	tokens int
}

// Window returns what to send of a conversation within budget tokens, of which the arc takes at
// most arcBudget. count counts in the named encoding.
func (v *View) Window(info conversation.Info, budget, arcBudget int, encoding string, count func(string) int) (Window, error) {
	var arcs sync.WaitGroup
	defer arcs.Wait()
	if arcBudget > 0 && info.Messages > manyMessages && !v.Turns.kept.arcs.Contains(conversationKey{v.w.number, info.Number}) {
		// The arc's input is read concurrently; an error there occurs again when the arc is
		// requested.
		arcs.Go(func() { _, _, _ = v.Arcs.folder(info) })
	}
	weights, err := v.weights(info, encoding, count)
	if err != nil {
		return Window{}, err
	}
	msgs := make([]window.Message, len(weights))
	for i, w := range weights {
		msgs[i] = window.Message{Index: i, Tokens: w.tokens, Importance: w.At(i, len(weights))}
	}
	c := &compactor{view: v, info: info, weights: weights, encoding: encoding, count: count}
	built, err := window.Build(msgs, budget-arcBudget, c)
	if err != nil {
		return Window{}, err
	}
	out := Window{Window: built}
	if built.Strategy != window.Full && arcBudget > 0 {
		a, err := v.Arcs.Of(info, styleFor(built.Strategy), arcBudget)
		if err != nil {
			return Window{}, err
		}
		if n := count(a.Text); n <= arcBudget {
			out.Arc, out.ArcTokens = a.Text, n
		}
	}
	return out, show(v.state, &out, info, weights)
}

// manyMessages is the number of messages from which reading the arc's input is slow.
const manyMessages = 500

// styleFor returns the style of the arc for a strategy: the more is hidden, the denser.
func styleFor(s window.Strategy) arc.Style {
	switch s {
	case window.Windowed:
		return arc.Light
	case window.Compacted:
		return arc.Rich
	}
	return arc.Dense
}

// show reads the messages that a window shows in full.
func show(view store.View, out *Window, info conversation.Info, weights []weight) error {
	for i := 0; i < len(out.Pieces); {
		p := out.Pieces[i]
		if p.Summary != "" {
			out.Messages = append(out.Messages, WindowMessage{
				From: p.From, To: p.To, Role: dialogue.System, Content: p.Summary, Tokens: p.Tokens, Summary: true, Level: p.Level, Cached: p.Cached,
			})
			i++
			continue
		}
		end := i + 1
		for end < len(out.Pieces) && out.Pieces[end].Summary == "" && out.Pieces[end].From == out.Pieces[end-1].From+1 {
			end++
		}
		msgs, err := conversation.Messages(view, info, p.From, out.Pieces[end-1].From+1)
		if err != nil {
			return fmt.Errorf("read messages: %w", err)
		}
		for k, m := range msgs {
			at := p.From + k
			out.Messages = append(out.Messages, WindowMessage{
				From: at, To: at, Role: m.Role, Content: m.Content, ID: m.ID, Turn: weights[at].turn, Tokens: weights[at].tokens,
			})
		}
		i = end
	}
	return nil
}

// compactor summarises runs of messages and caches the summaries.
type compactor struct {
	view     *View
	info     conversation.Info
	weights  []weight
	encoding string
	count    func(string) int
}

// Compact implements window.Compactor.
func (c *compactor) Compact(from, to int, level string, tokens int) (text string, n int, cached bool, err error) {
	v := c.view
	key := summaryKey{conversationKey{v.w.number, c.info.Number}, from, to, tokens, level, c.encoding}
	if s, ok := v.Turns.kept.summaries.Get(key); ok {
		return s.text, s.tokens, true, nil
	}
	ledger, err := c.ledger(from, to, tokens)
	if err != nil {
		return "", 0, false, err
	}
	text, wanted, err := c.byModel(key)
	if err != nil {
		return "", 0, false, err
	}
	made := text != ""
	if !made {
		if text, err = c.byRules(from, to, tokens-c.roomOf(ledger)); err != nil {
			return "", 0, false, err
		}
	}
	if whole := withLedger(text, ledger); c.count(whole) <= tokens { // a model's summary from an older version may leave no room
		text = whole
	}
	s := summary{text, c.count(text)}
	v.Turns.kept.summaries.Add(key, s)
	if wanted { // after it is cached: what the model writes removes it again
		v.w.wish(wish{key, c.count})
	}
	return s.text, s.tokens, made, nil
}
