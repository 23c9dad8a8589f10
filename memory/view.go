package memory

import (
	"fmt"
	"math"
	"strings"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/history"
	"github.com/contexture-dev/contexture/memory/level"
)

// Find gives a conversation. Error: conversation.ErrNotFound.
func (v *View) Find(id string) (conversation.Info, error) {
	return conversation.Find(v.r, v.w.number, v.w.name(id))
}

// List gives conversations, the one with the latest message first; before is the next of the page before, or "".
func (v *View) List(limit int, before string) (page []conversation.Info, next string, err error) {
	return conversation.List(v.r, v.w.number, limit, before)
}

// TurnText is a turn at one level.
type TurnText struct {
	Body       string // not escaped
	Source     dialogue.Source
	Pending    bool // a better version is being made, by the rules or by the model that there is now
	MessageIDs []string
}

// TurnText gives a turn at a level. Error: conversation.ErrNotFound.
func (v *View) TurnText(info conversation.Info, number int, level dialogue.Level) (TurnText, error) {
	out, err := v.turnText(info, number, level, math.MaxInt)
	if err == nil && !out.Pending && out.Source == dialogue.FromExtraction && v.w.model() != nil {
		out.Pending, err = conversation.WaitsForModel(v.r, v.w.number, info, number, len(out.MessageIDs))
	}
	return out, err
}

// turnText is TurnText with what a model made when the conversation had fewer turns than before. It does not say whether
// a model is at it.
func (v *View) turnText(info conversation.Info, number int, l dialogue.Level, before int) (TurnText, error) {
	turn, err := conversation.Turn(v.r, v.w.number, info, number)
	if err != nil {
		return TurnText{}, err
	}
	out := TurnText{Source: dialogue.FromRaw}
	for _, m := range turn.Messages {
		out.MessageIDs = append(out.MessageIDs, m.ID)
	}
	if l == dialogue.Raw {
		out.Body = level.RawText(turn)
		return out, nil
	}
	made, pending, err := v.versions(info, number)
	out.Body, out.Source, out.Pending = levelOf(l, made.S, made.C, made.T), made.Source, pending
	if err != nil || pending {
		return out, err
	}
	better, err := v.written(info, number, made)
	if err != nil {
		return out, err
	}
	if better != nil && better.Turns < before {
		if text := levelOf(l, better.S, better.C, better.T); text != "" {
			out.Body, out.Source = text, dialogue.FromModel
		}
	}
	return out, nil
}

func levelOf(level dialogue.Level, s, c, t string) string {
	switch level {
	case dialogue.Smoothed:
		return s
	case dialogue.Compressed:
		return c
	}
	return t
}

// texts gives a conversation's turns to a layout.
type texts struct {
	view *View
	info conversation.Info
	ids  map[int][]string // of the messages of the turns that were asked for
	// border is the turn at which the borders were laid. What a model made since then is not shown before they are laid
	// anew, so that the text up to the newest turns stays as it is. It is never longer than what the sizes were made of.
	border int
}

// Text implements history.Texts.
func (t texts) Text(turn int, level dialogue.Level) (string, error) {
	text, err := t.view.turnText(t.info, turn, level, t.border)
	t.ids[turn] = text.MessageIDs
	return text.Body, err
}

// Sizes are those of every turn of a conversation, in tokens of the encoding that sizes are kept in. They are not to be
// changed.
func (v *View) Sizes(info conversation.Info) ([]history.Size, error) {
	key := talkKey{v.w.number, info.Number}
	old, _ := v.kept.sizes.Get(key)
	if old.messages == info.Messages {
		return old.list, nil
	}
	known := max(min(len(old.list), info.Turns)-1, 0) // the last turn has grown since, or had more then
	out := append(make([]history.Size, 0, info.Turns), old.list[:known]...)
	stored, err := conversation.TurnSizes(v.r, v.w.number, info, known+1)
	if err != nil {
		return nil, fmt.Errorf("read sizes of turns: %w", err)
	}
	for i, s := range stored {
		if s.R == 0 {
			made, _, err := v.versions(info, known+i+1)
			if err != nil {
				if len(out) > len(old.list)+1 {
					v.kept.sizes.Add(key, keptSizes{out, 0}) // the last of them is looked at again
				}
				return nil, err
			}
			s = made.Sizes
		}
		out = append(out, history.Size{R: s.R, S: s.S, C: s.C, T: s.T})
	}
	if info.Messages > old.messages {
		v.kept.sizes.Add(key, keptSizes{out, info.Messages})
	}
	return out, nil
}

// Turn gives a turn. Error: conversation.ErrNotFound.
func (v *View) Turn(info conversation.Info, number int) (dialogue.Turn, error) {
	return conversation.Turn(v.r, v.w.number, info, number)
}

// History is a conversation laid out under a budget.
type History struct {
	history.Layout
	Blocks     []history.Block
	MessageIDs [][]string // of each block's turns
}

// layouts bounds how often a layout is made smaller for an encoding in which it takes more tokens than were foreseen.
const layouts = 4

// History lays a conversation out in at most budget tokens as count counts a block. turns is how many of the turns are
// to be told, all but the last few; sizes are those of Sizes.
func (v *View) History(info conversation.Info, sizes []history.Size, budget int, s history.Strategy, count func(history.Block) int) (History, error) {
	ledger := ledgerRoom(len(sizes), budget, s)
	room := budget - ledger
	for try := 0; ; try++ {
		h := History{Layout: history.Plan(sizes, room, s)}
		var err error
		t := texts{v, info, map[int][]string{}, h.RecalculatedAt}
		if s == history.TaskLog {
			h.Blocks, err = v.oneShot(t, len(sizes), room)
		} else {
			h.Blocks, err = history.Blocks(h.Layout, t)
		}
		if err != nil {
			return History{}, err
		}
		if err := v.addLedger(&h, info, ledger); err != nil {
			return History{}, err
		}
		h.MessageIDs = idsOf(h.Blocks, t.ids)
		used := 0
		for _, b := range h.Blocks {
			used += count(b)
		}
		if used <= budget {
			return h, nil
		}
		if try == layouts {
			return History{Layout: history.Layout{RecalculatedAt: h.RecalculatedAt}}, nil
		}
		room = min(room-1, room*budget/used)
	}
}

func idsOf(blocks []history.Block, turns map[int][]string) [][]string {
	out := make([][]string, len(blocks))
	for i, b := range blocks {
		for n := b.From; n <= b.To; n++ {
			out[i] = append(out[i], turns[n]...)
		}
	}
	return out
}

// loggedTurns is how many of the newest turns a one-shot history may log.
const loggedTurns = 1000

// oneShot tells turns 1 … turns as a specification, tasks and a log.
func (v *View) oneShot(t texts, turns, budget int) ([]history.Block, error) {
	if turns == 0 {
		return nil, nil
	}
	spec, err := t.Text(1, dialogue.Raw)
	if err != nil {
		return nil, err
	}
	completed, blockers, err := v.CurrentTasks()
	if err != nil {
		return nil, err
	}
	var tasks []history.TaskLine
	for _, b := range blockers {
		tasks = append(tasks, history.TaskLine{ID: b.ID, Intent: b.Reason, State: string(b.State)})
	}
	for _, c := range completed {
		tasks = append(tasks, history.TaskLine{ID: c.ID, Intent: c.Intent, State: string(c.State)})
	}
	var log []string
	for n := max(2, turns-loggedTurns+1); n <= turns; n++ {
		line, err := t.Text(n, dialogue.Tiny)
		if err != nil {
			return nil, err
		}
		log = append(log, history.Line(n, line))
	}
	tag := dialogue.RangeTag(1, turns, dialogue.Tiny)
	empty := v.w.memory.opts.Count(v.w.memory.opts.Block(tag, ""))
	body := history.OneShot(spec, tasks, log, budget-empty-1, v.w.memory.opts.Count)
	if body == "" {
		return nil, nil
	}
	return []history.Block{{Tag: tag, Level: dialogue.Tiny, From: 1, To: turns, Body: strings.TrimRight(body, "\n")}}, nil
}
