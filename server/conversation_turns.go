package server

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/history"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/subject"
	"github.com/contexture-dev/contexture/server/capture"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/settings"
)

// conversationView is a conversation open for reading.
type conversationView struct {
	view     *memory.View
	space    *memory.Workspace
	info     conversation.Info
	settings *settings.Settings
	encoding string
	counter  *tokens.Counter
	close    func()
}

// converse opens a conversation in one consistent state; close releases it.
func (c *call) converse(ctx context.Context, workspace, id string) (*conversationView, error) {
	w, r, err := c.remembered(ctx, workspace)
	if err != nil {
		return nil, err
	}
	set := c.settingsOf(r)
	encoding, err := tokens.Parse(set.Budget.Encoding)
	if err != nil {
		return nil, err
	}
	counter, err := tokens.For(encoding)
	if err != nil {
		return nil, err
	}
	v := w.View()
	info, err := v.Conversations.Find(id)
	if err != nil {
		v.Close()
		return nil, named(err, "conversation %q", id)
	}
	return &conversationView{view: v, space: w, info: info, settings: set, encoding: string(encoding), counter: counter, close: v.Close}, nil
}

// ConversationTurn implements command.Commands.
func (c conversationCommands) ConversationTurn(ctx context.Context, args *command.TurnArgs) (*command.TurnResult, error) {
	talk, err := c.converse(ctx, args.Workspace, args.ConversationID)
	if err != nil {
		return nil, err
	}
	defer talk.close()
	number, err := dialogue.ParseTurn(args.TurnID)
	if err != nil {
		return nil, command.InvalidParams("turnId", "%v", err)
	}
	level := dialogue.Level(args.Level[0])
	turn, err := talk.view.Turns.Text(talk.info, number, level)
	if err != nil {
		return nil, named(err, "turn %s of conversation %q", dialogue.TurnID(number), args.ConversationID)
	}
	tag := dialogue.Tag(number, level)
	text := engine.TurnElement(tag, turn.Body)
	if args.Pin {
		if err := talk.space.Desk().Pin(args.ConversationID, tag, "Turn "+strconv.Itoa(number), turn.Body); err != nil {
			return nil, named(err, "conversation %q", args.ConversationID)
		}
	}
	return &command.TurnResult{
		TurnID: dialogue.TurnID(number), Level: args.Level, Text: text, Tokens: talk.counter.Count(text), Pending: turn.Pending,
		Source: string(turn.Source), MessageIDs: turn.MessageIDs,
	}, nil
}

// ConversationHistory implements command.Commands.
func (c conversationCommands) ConversationHistory(ctx context.Context, args *command.HistoryArgs) (*command.HistoryResult, error) {
	talk, err := c.converse(ctx, args.Workspace, args.ConversationID)
	if err != nil {
		return nil, err
	}
	defer talk.close()
	if args.Strategy == "" {
		args.Strategy = talk.settings.History.Strategy
	}
	sizes, err := talk.view.Turns.Sizes(talk.info)
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	h, err := talk.view.Turns.History(talk.info, memory.Telling{
		Strategy: history.Strategy(args.Strategy), Sizes: sizes, Room: history.Room{Now: args.Budget, Dense: true},
		Count:  func(b history.Block) int { return talk.counter.Count(engine.TurnElement(b.Tag, b.Body)) },
		Notice: func(from, to int) int { return talk.counter.Count(remember.LeftOutText(talk.info.ID, from, to)) },
	})
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	out := &command.HistoryResult{Strategy: args.Strategy, RecalculatedAtTurn: h.RecalculatedAt}
	if left := h.LeftOut; left.To > 0 {
		out.LeftOut = &command.LeftOut{
			From: dialogue.TurnID(left.From), To: dialogue.TurnID(left.To), ID: remember.TurnsID(talk.info.ID, left.From, left.To),
		}
		if h.Notice {
			out.Text = remember.LeftOutText(talk.info.ID, left.From, left.To)
			out.Tokens = talk.counter.Count(out.Text)
			out.LeftOut.Tokens = out.Tokens
		}
	}
	for _, b := range h.Blocks {
		text := engine.TurnElement(b.Tag, b.Body)
		out.Text += text
		n := talk.counter.Count(text)
		out.Tokens += n
		if last := len(out.Bands) - 1; last >= 0 && out.Bands[last].Level == b.Level.String() {
			out.Bands[last].To = dialogue.TurnID(b.To)
			out.Bands[last].Tokens += n
			continue
		}
		out.Bands = append(out.Bands, command.Band{Level: b.Level.String(), From: dialogue.TurnID(b.From), To: dialogue.TurnID(b.To), Tokens: n})
	}
	return out, nil
}

// ConversationArc implements command.Commands.
func (c conversationCommands) ConversationArc(ctx context.Context, args *command.ArcArgs) (*command.ArcResult, error) {
	talk, err := c.converse(ctx, args.Workspace, args.ConversationID)
	if err != nil {
		return nil, err
	}
	defer talk.close()
	a, err := talk.view.Arcs.Of(talk.info, arc.Style(args.Style), 0)
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	out := &command.ArcResult{Arc: a.Text, CurrentFocus: a.Focus, Source: string(a.Source)}
	for _, d := range a.Decisions {
		out.Decisions = append(out.Decisions, command.Decision{Text: d.Text, TurnID: dialogue.TurnID(d.Turn), Rejected: d.Rejected})
	}
	for _, q := range a.Open {
		out.OpenQuestions = append(out.OpenQuestions, command.Question{Text: q.Text, TurnID: dialogue.TurnID(q.Turn)})
	}
	if args.Resume {
		if out.Resume, err = talk.resume(); err != nil {
			return nil, engine.MemoryError(err)
		}
	}
	return out, engine.MemoryError(talk.recent(out))
}

const (
	resumeMessages = 400 // that are read for the last request and the commands that worked
	resumeCommands = 8
)

// resume returns what going on needs, from the last messages.
func (t *conversationView) resume() (*command.Resume, error) {
	latest, err := t.view.Messages.Latest(t.info, resumeMessages)
	if err != nil {
		return nil, err
	}
	var out command.Resume
	messages := make([]dialogue.Message, 0, len(latest))
	for _, m := range latest {
		if out.LastRequest == "" && m.Message.ByPerson() {
			out.LastRequest = m.Message.Content
		}
		messages = append(messages, m.Message)
	}
	slices.Reverse(messages)
	out.Commands, err = knowledge.CommandsThatWorked(messages, resumeCommands)
	return &out, err
}

const (
	// recentMentions bounds the mentions that an arc lists from the last recentTurns turns;
	// recentEnough is the number from which the workspace's other conversations are not needed.
	recentMentions, recentTurns, recentEnough = 16, 40, 6
)

// recent lists what the conversation mentions and, if that is little, what the workspace's other
// conversations mention.
func (t *conversationView) recent(out *command.ArcResult) error {
	ledger, err := t.view.Ledger(t.info, max(1, t.info.Turns-recentTurns+1), t.info.Turns)
	if err != nil {
		return err
	}
	own := ledger.Top(recentMentions)
	out.Recent = mentions(own)
	if len(own) >= recentEnough {
		return nil
	}
	if ledger, err = t.view.Lately(t.info); err != nil {
		return err
	}
	others := slices.DeleteFunc(ledger.Top(recentMentions), func(m subject.Mention) bool { return slices.Contains(own, m) })
	out.WorkspaceRecent = mentions(others)
	return nil
}

func mentions(list []subject.Mention) command.Mentions {
	var out command.Mentions
	for _, m := range list {
		if m.Kind == subject.Path {
			out.Files = append(out.Files, m.Name)
		} else {
			out.Names = append(out.Names, m.Name)
		}
	}
	return out
}

// ConversationWindow implements command.Commands.
func (c conversationCommands) ConversationWindow(ctx context.Context, args *command.WindowArgs) (*command.WindowResult, error) {
	talk, err := c.converse(ctx, args.Workspace, args.ConversationID)
	if err != nil {
		return nil, err
	}
	defer talk.close()
	w, err := talk.view.Window(talk.info, args.Budget, *args.ArcBudget, talk.encoding, talk.counter.Count)
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	out := &command.WindowResult{
		Strategy: string(w.Strategy), Arc: w.Arc, ArcTokens: w.ArcTokens, MessageTokens: w.Tokens,
		Coverage: command.Coverage{
			TotalMessages: w.Coverage.Total, FullMessages: w.Coverage.Full, SummarizedMessages: w.Coverage.Summarized, DroppedMessages: w.Coverage.Dropped,
		},
	}
	for _, m := range w.Messages {
		line := command.WindowMessage{Index: m.From, Role: string(m.Role), Content: m.Content, ID: m.ID, Tokens: m.Tokens, Summary: m.Summary}
		if m.Turn > 0 {
			line.TurnID = dialogue.TurnID(m.Turn)
		}
		if m.Summary {
			line.To = new(m.To)
			out.Compactions = append(out.Compactions, command.Compaction{From: m.From, To: m.To, Level: m.Level, Tokens: m.Tokens, Cached: m.Cached})
		}
		out.Messages = append(out.Messages, line)
	}
	return out, nil
}

// ConversationTurns implements command.Commands.
func (c conversationCommands) ConversationTurns(ctx context.Context, args *command.TurnsArgs) (*command.TurnsResult, error) {
	talk, err := c.converse(ctx, args.Workspace, args.ConversationID)
	if err != nil {
		return nil, err
	}
	defer talk.close()
	talk.view.Until(ctx)
	last := talk.info.Turns
	if args.Before != "" {
		before, err := dialogue.ParseTurn(args.Before)
		if err != nil {
			return nil, command.InvalidParams("before", "%v", err)
		}
		last = min(last, before-1)
	}
	first := max(1, last-args.Limit+1)
	turns, err := talk.view.Timeline(talk.info, first, last)
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	out := &command.TurnsResult{Title: talk.info.Title, Source: captureSource(talk.info.ID)}
	for _, t := range turns {
		out.Turns = append(out.Turns, timelineTurn(t))
	}
	if first > 1 && len(turns) > 0 {
		out.Next = dialogue.TurnID(first)
	}
	if out.ForkOf, err = originOf(talk.view, talk.info); err != nil {
		return nil, engine.MemoryError(err)
	}
	forks, err := talk.view.Conversations.Forks(talk.info)
	for _, f := range forks {
		out.Forks = append(out.Forks, branch(f))
	}
	return out, engine.MemoryError(err)
}

func timelineTurn(t memory.TimelineTurn) command.TimelineTurn {
	out := command.TimelineTurn{
		TurnID: dialogue.TurnID(t.Number), At: command.TimeOf(t.At), Author: t.Author, Title: t.Title, MessageCount: t.Messages, Tokens: t.Tokens,
	}
	for _, m := range t.Marks {
		out.Marks = append(out.Marks, command.TurnMark{Kind: string(m.Kind), Text: m.Text, ID: m.ID, Superseded: m.Ended})
	}
	return out
}

func branch(b conversation.Branch) command.Branch {
	return command.Branch{ConversationID: b.ID, TurnID: dialogue.TurnID(b.Turn)}
}

// originOf returns the origin of a fork, nil for other conversations.
func originOf(v *memory.View, info conversation.Info) (*command.Branch, error) {
	origin, ok, err := v.Conversations.Origin(info)
	if err != nil || !ok {
		return nil, err
	}
	out := branch(origin)
	return &out, nil
}

// captureSource returns the host that a conversation was captured from, by its id; "" for others.
func captureSource(id string) string {
	source, _, ok := strings.Cut(id, "/")
	if ok && capture.IsSource(source) {
		return source
	}
	return ""
}
