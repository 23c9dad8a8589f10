package memory

import (
	"fmt"
	"math"
	"strings"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/history"
	"github.com/contexture-dev/contexture/memory/level"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/work"
)

// Turns are the turns of a [View]'s conversations at every level of detail. A version that the
// background has not made yet is made now, and not stored.
type Turns struct {
	state store.View
	opts  *Options
	root  string // of the workspace
	kept  *cacheGeneration
	late  func() error // stops the making of versions, see View.Until
}

// TurnText is a turn at one level.
type TurnText struct {
	Body       string // not escaped
	Source     dialogue.Source
	Pending    bool // a better version is being made, by the rules or by the available model
	MessageIDs []string
}

// Text returns a turn at a level. Error: conversation.ErrNotFound.
func (v *Turns) Text(info conversation.Info, number int, level dialogue.Level) (TurnText, error) {
	out, err := v.text(info, number, level, math.MaxInt)
	if err == nil && !out.Pending && out.Source == dialogue.FromExtraction && v.opts.model(v.root) != nil {
		out.Pending, err = conversation.WaitsForModel(v.state, info, number, len(out.MessageIDs))
	}
	return out, err
}

// text is Text with what a model made when the conversation had fewer than before turns. It
// does not set Pending for work of a model.
func (v *Turns) text(info conversation.Info, number int, l dialogue.Level, before int) (TurnText, error) {
	turn, err := conversation.Turn(v.state, info, number)
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

// texts supplies a conversation's turns to a layout.
type texts struct {
	turns *Turns
	info  conversation.Info
	ids   map[int][]string // of the messages of the requested turns
	// border is the turn at which the borders were last laid. What a model made since then is not
	// shown until they are laid again, so that the text up to the newest turns stays as it is. The
	// shown text is never longer than the one that was measured.
	border int
	last   *dialogue.Turn // see Telling
}

// Text implements history.Texts.
func (t texts) Text(turn int, level dialogue.Level) (string, error) {
	if t.last != nil && turn == t.last.Number {
		made, raw := t.turns.opts.extract(*t.last)
		t.ids[turn] = nil
		for _, m := range t.last.Messages {
			t.ids[turn] = append(t.ids[turn], m.ID)
		}
		if level == dialogue.Raw {
			return raw, nil
		}
		return levelOf(level, made.S, made.C, made.T), nil
	}
	text, err := t.turns.text(t.info, turn, level, t.border)
	t.ids[turn] = text.MessageIDs
	return text.Body, err
}

// Sizes returns the sizes of every turn of a conversation, in tokens of the encoding of stored
// sizes. The caller must not change them.
func (v *Turns) Sizes(info conversation.Info) ([]history.Size, error) {
	key := conversationKey{v.state.Workspace, info.Number}
	old, _ := v.kept.sizes.Get(key)
	if old.messages == info.Messages {
		return old.list, nil
	}
	known := max(min(len(old.list), info.Turns)-1, 0) // the last turn has grown since, or had more messages then
	out := append(make([]history.Size, 0, info.Turns), old.list[:known]...)
	stored, err := conversation.TurnSizes(v.state, info, known+1)
	if err != nil {
		return nil, fmt.Errorf("read sizes of turns: %w", err)
	}
	for i, s := range stored {
		if s.R == 0 {
			made, _, err := v.versions(info, known+i+1)
			if err != nil {
				if len(out) > len(old.list)+1 {
					v.kept.sizes.Add(key, cachedSizes{out, 0}) // the last of them is measured again
				}
				return nil, err
			}
			s = made.Sizes
		}
		out = append(out, sizeOf(s))
	}
	if info.Messages > old.messages {
		v.kept.sizes.Add(key, cachedSizes{out, info.Messages})
	}
	return out, nil
}

// SizeOf returns the size of a turn that is not stored in this form.
func (v *Turns) SizeOf(turn dialogue.Turn) history.Size {
	made, _ := v.opts.extract(turn)
	return sizeOf(made.Sizes)
}

func sizeOf(s conversation.Sizes) history.Size { return history.Size{R: s.R, S: s.S, C: s.C, T: s.T} }

// Telling holds the options of a history.
type Telling struct {
	Strategy history.Strategy
	// Sizes are those of [Turns.Sizes], for the turns to lay out: all except the last few.
	Sizes []history.Size
	// Last replaces the last of these turns; nil shows it as it is stored.
	Last *dialogue.Turn
	// Room is in tokens as counted by Count; its Notice is that of Notice.
	Room  history.Room
	Count func(b history.Block) int
	// Notice returns the tokens of the notice that these turns are left out; nil leaves the notice
	// out.
	Notice func(from, to int) int
}

// History is a conversation laid out under a budget.
type History struct {
	history.Layout
	Blocks     []history.Block
	MessageIDs [][]string // of each block's turns
	// LeftOut are the turns that do not fit, inclusive; zeros for none. Layout.Notice reports
	// whether there is room for a notice.
	LeftOut struct{ From, To int }
}

// layouts bounds how often a layout is repeated a little smaller because the encoding takes more
// tokens than estimated; after that its room is halved.
const layouts = 4

// History returns a conversation laid out in at most t.Room.Now tokens.
func (v *Turns) History(info conversation.Info, t Telling) (History, error) {
	notice := t.Notice
	if notice == nil {
		notice = func(_, _ int) int { return 0 }
	}
	room := t.Room
	room.Notice = notice(max(len(t.Sizes)-1, 1), len(t.Sizes))
	for try := 1; ; try++ {
		h, err := v.layOut(info, t, room)
		if err != nil {
			return History{}, err
		}
		used := 0
		for _, b := range h.Blocks {
			used += t.Count(b)
		}
		if h.Notice {
			used += notice(h.LeftOut.From, h.LeftOut.To)
		}
		if used <= t.Room.Now || room.Now < 1 {
			return h, nil
		}
		if room.Now = min(room.Now-1, room.Now*t.Room.Now/used); try > layouts {
			room.Now /= 2
		}
	}
}

// layOut makes a layout by the known sizes, and reads its texts.
func (v *Turns) layOut(info conversation.Info, t Telling, room history.Room) (h History, err error) {
	h.Layout = history.Plan(t.Sizes, room, t.Strategy)
	texts := texts{v, info, map[int][]string{}, h.RecalculatedAt, t.Last}
	if t.Strategy == history.TaskLog {
		err = v.oneShot(&h, texts, len(t.Sizes), room)
	} else {
		h.Blocks, err = history.Blocks(h.Layout, texts)
		if h.Dropped > 0 {
			h.LeftOut.From, h.LeftOut.To = 1, h.Dropped
		}
	}
	if err == nil {
		h.MessageIDs = idsOf(h.Blocks, texts.ids)
	}
	return h, err
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

// oneShot lays out turns 1 … turns as a specification, tasks and a log.
func (v *Turns) oneShot(h *History, t texts, turns int, room history.Room) error {
	if turns == 0 || room.Now < 1 {
		return nil
	}
	spec, err := t.Text(1, dialogue.Raw)
	if err != nil {
		return err
	}
	tasks, err := taskLines(v.state)
	if err != nil {
		return err
	}
	var log []string
	first := max(2, turns-loggedTurns+1)
	for n := first; n <= turns; n++ {
		line, err := t.Text(n, dialogue.Tiny)
		if err != nil {
			return err
		}
		log = append(log, history.Line(n, line))
	}
	tag := dialogue.RangeTag(1, turns, dialogue.Tiny)
	empty := v.opts.Count(v.opts.Block(tag, "")) + 1
	body, logged := history.OneShot(spec, tasks, log, room.Now-empty, v.opts.Count)
	if logged < turns-1 && room.Notice > 0 {
		if short, n := history.OneShot(spec, tasks, log, room.Now-empty-room.Notice, v.opts.Count); short != "" {
			body, logged, h.Notice = short, n, true
		}
	}
	if body == "" {
		h.LeftOut.From, h.LeftOut.To = 1, turns
		return nil
	}
	if logged < turns-1 {
		h.LeftOut.From, h.LeftOut.To = 2, turns-logged
	}
	h.Blocks = []history.Block{{Tag: tag, Level: dialogue.Tiny, From: 1, To: turns, Body: strings.TrimRight(body, "\n")}}
	return nil
}

// taskLines returns the tasks in a one-shot history, blockers first.
func taskLines(view store.View) (tasks []history.TaskLine, err error) {
	completed, blockers, err := work.ForBundle(view)
	for _, b := range blockers {
		tasks = append(tasks, history.TaskLine{ID: b.ID, Intent: b.Reason, State: string(b.State)})
	}
	for _, c := range completed {
		tasks = append(tasks, history.TaskLine{ID: c.ID, Intent: c.Intent, State: string(c.State)})
	}
	return tasks, err
}
