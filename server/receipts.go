package server

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/receipt"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/session"
)

const (
	// givenAfter is how long after the time of a prompt in its log, which some hosts round, its
	// hook may have been asked; logs are also written a little later.
	givenAfter = 2 * time.Second
	// promptShown is the length of a prompt in a receipt, in bytes.
	promptShown = 120
	// mostDays is how long hosts keep what was given.
	mostDays = 30
	// turnLasts is the time after which a prompt counts: what the assistant did for it is known.
	turnLasts = time.Hour
)

// Receipts implements command.Commands.
func (c lookupCommands) Receipts(ctx context.Context, args *command.ReceiptsArgs) (*command.ReceiptsResult, error) {
	w, r, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	list, err := c.given(ctx, v, args, rootsOf(r))
	if err != nil {
		return nil, err
	}
	if args.ConversationID != "" && len(list) == 0 {
		if _, err := v.Conversations.Find(args.ConversationID); err != nil {
			return nil, named(err, "conversation %q", args.ConversationID)
		}
	}
	out := &command.ReceiptsResult{Conversations: []command.ConversationReceipt{}, Moments: momentsOf(list)}
	var tried []triedPrompt
	for _, h := range list {
		one, prompts, places, err := c.receiptOf(ctx, v, h)
		if err != nil {
			return nil, engine.MemoryError(err)
		}
		addReceipt(&out.Total, one.Receipt)
		if !one.Seen {
			out.Unseen++
		} else if r != nil && (h.Root == r.Path || h.Root == r.Real) {
			tried = append(tried, places...)
		}
		if args.ConversationID != "" {
			slices.Reverse(prompts)
			out.Prompts = prompts[:min(len(prompts), args.Limit)]
			if err := c.addTexts(out.Prompts); err != nil {
				return nil, err
			}
		}
		if len(out.Conversations) < args.Limit {
			out.Conversations = append(out.Conversations, one)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if args.ConversationID != "" || args.Days < mostDays {
		tried = nil // not all of them, or out of order
	}
	out.Places, err = c.tried(r, tried, args.Reset)
	return out, err
}

// addTexts adds what is kept of what was given for prompts: the texts, and prompts that are not in
// memory.
func (c lookupCommands) addTexts(prompts []command.PromptReceipt) error {
	texts, err := hosts.ReadTexts(c.server.Options.StateDir, c.server.Now())
	for i := range prompts {
		p := &prompts[i]
		for k := range p.Deliveries {
			d := &p.Deliveries[k]
			kept := texts[d.At.UTC()]
			d.Text, d.Prompt = kept.Text, kept.Prompt
			if p.Prompt == "" {
				p.Prompt = beginningOf(kept.Prompt)
			}
		}
	}
	return err
}

// given returns what was given in the roots, or in the conversation that is asked for, in the days
// that are.
func (c lookupCommands) given(ctx context.Context, v *memory.View, args *command.ReceiptsArgs, roots []string) ([]hosts.ConversationDeliveries, error) {
	list, err := hosts.ReadGiven(c.server.Options.StateDir, c.server.Now(), func(of, id string) bool {
		if strings.HasPrefix(id, hosts.AskedBy) {
			return slices.Contains(roots, of)
		}
		if args.ConversationID != "" {
			return id == args.ConversationID
		}
		_, err := v.Conversations.Find(id)
		return slices.Contains(roots, of) || err == nil
	})
	if err != nil {
		return nil, err
	}
	if list, err = attributed(ctx, v, list); err != nil {
		return nil, engine.MemoryError(err)
	}
	if args.ConversationID != "" {
		list = slices.DeleteFunc(list, func(h hosts.ConversationDeliveries) bool { return h.Conversation != args.ConversationID })
	}
	if args.Days < mostDays {
		list = givenSince(list, c.server.Now().AddDate(0, 0, -args.Days))
	}
	return list, nil
}

// givenSince returns what was given at or after a time.
func givenSince(list []hosts.ConversationDeliveries, since time.Time) (out []hosts.ConversationDeliveries) {
	for _, h := range list {
		h.Given = slices.DeleteFunc(slices.Clone(h.Given), func(d receipt.Delivery) bool { return d.At.Before(since) })
		if len(h.Given) > 0 {
			out = append(out, h)
		}
	}
	return out
}

// triedPrompt is what hooks gave for a prompt that is in memory, and what came of it.
type triedPrompt struct {
	at time.Time
	receipt.Receipt
}

// tried counts the prompts that a workspace's trial lacks, and returns it. With reset, it begins
// again.
func (c lookupCommands) tried(r *session.RootView, prompts []triedPrompt, reset bool) (out command.PlacesTrial, err error) {
	if r == nil {
		return out, nil
	}
	was, err := hosts.ReadTrial(c.server.Options.StateDir, r.Path)
	if err != nil {
		return out, err
	}
	now, t := c.server.Now(), was
	slices.SortStableFunc(prompts, func(a, b triedPrompt) int { return a.at.Compare(b.at) })
	for _, p := range prompts {
		if now.Sub(p.at) < turnLasts {
			break
		}
		if p.at.After(t.Since) {
			t.Count(p.at, receipt.Receipt{Places: p.Places, Spared: p.Spared})
		}
	}
	if reset {
		t = receipt.Trial{Since: now}
	}
	if t != was {
		err = hosts.WriteTrial(c.server.Options.StateDir, r.Path, t)
	}
	return command.PlacesTrial{Level: t.Level, Prompts: t.Prompts, Given: t.Places, Spared: t.Spared}, err
}

// rootsOf returns the names under which hooks know a root.
func rootsOf(r *session.RootView) []string {
	if r == nil {
		return nil
	}
	return []string{r.Path, r.Real, r.Home}
}

// momentsOf returns what was given at each kind of moment, the dearest first.
func momentsOf(list []hosts.ConversationDeliveries) []command.MomentReceipt {
	all := map[string]*command.MomentReceipt{}
	for _, h := range list {
		for _, g := range h.Given {
			m := all[g.Moment]
			if m == nil {
				m = &command.MomentReceipt{Moment: g.Moment}
				all[g.Moment] = m
			}
			m.Times++
			m.Given += g.Tokens()
			m.Milliseconds += g.Took.Milliseconds()
		}
	}
	out := []command.MomentReceipt{}
	for _, k := range slices.Sorted(maps.Keys(all)) {
		out = append(out, *all[k])
	}
	slices.SortStableFunc(out, func(a, b command.MomentReceipt) int { return cmp.Compare(b.Given, a.Given) })
	return out
}

// receiptOf returns the receipt of a conversation and those of its prompts, in order, and of these
// what the trial of places counts.
func (c lookupCommands) receiptOf(ctx context.Context, v *memory.View, h hosts.ConversationDeliveries) (command.ConversationReceipt, []command.PromptReceipt, []triedPrompt, error) {
	one := command.ConversationReceipt{ConversationID: h.Conversation, At: command.At(h.Given[len(h.Given)-1].At)}
	info, err := v.Conversations.Find(h.Conversation)
	if err != nil && !errors.Is(err, conversation.ErrNotFound) {
		return one, nil, nil, err
	}
	var turns []dialogue.Turn
	if err == nil {
		one.Seen, one.Title = true, info.Title
		if turns, err = turnsOf(ctx, v, info); err != nil {
			return one, nil, nil, err
		}
	}
	var prompts []command.PromptReceipt
	var given [][]receipt.Delivery // of each prompt
	last := -1
	for i, g := range h.Given {
		at := turnAt(turns, g.At)
		if g.Moment == hosts.AtStart && at+1 < len(turns) {
			at++ // the prompt that follows begins with it in view
		}
		if i == 0 || at != last || at < 0 && g.Moment == hosts.BeforePrompt && h.Given[i-1].Moment != hosts.AtStart {
			p := command.PromptReceipt{At: command.At(g.At), Names: []string{}}
			if at >= 0 {
				p.TurnID, p.Prompt = dialogue.TurnID(turns[at].Number), promptOf(turns[at])
			}
			prompts, given = append(prompts, p), append(given, nil)
		}
		last = at
		given[len(given)-1] = append(given[len(given)-1], g)
	}
	var tried []triedPrompt
	for i := range prompts {
		p := &prompts[i]
		var did receipt.Work
		if k := slices.IndexFunc(turns, func(t dialogue.Turn) bool { return p.TurnID == dialogue.TurnID(t.Number) }); k >= 0 {
			did = receipt.Read(turns[k].Messages, h.Root)
			if byHooks := slices.DeleteFunc(slices.Clone(given[i]), isAsked); len(byHooks) > 0 {
				tried = append(tried, triedPrompt{byHooks[0].At, did.Receipt(byHooks...)})
			}
		}
		p.Receipt = receiptFrom(did.Receipt(given[i]...), given[i])
		for _, g := range given[i] {
			p.Names = append(p.Names, g.Names...)
			p.Deliveries = append(p.Deliveries, command.Delivery{Moment: g.Moment, At: command.At(g.At), Given: g.Tokens()})
		}
		addReceipt(&one.Receipt, p.Receipt)
	}
	return one, prompts, tried, nil
}

func isAsked(g receipt.Delivery) bool { return g.Moment == receipt.Asked }

// turnsOf returns the turns of a conversation that are in memory.
func turnsOf(ctx context.Context, v *memory.View, info conversation.Info) (turns []dialogue.Turn, err error) {
	for n := 1; n <= info.Turns; n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t, err := v.Conversations.Turn(info, n)
		if errors.Is(err, conversation.ErrNotFound) { // forgotten
			continue
		}
		if err != nil {
			return nil, err
		}
		turns = append(turns, t)
	}
	return turns, nil
}

// turnAt returns the turn during which something was given, -1 for none.
func turnAt(turns []dialogue.Turn, at time.Time) int {
	found := -1
	for i, t := range turns {
		if len(t.Messages) > 0 && !t.Messages[0].At.IsZero() && !t.Messages[0].At.After(at.Add(givenAfter)) {
			found = i
		}
	}
	return found
}

// promptOf returns the beginning of a turn's prompt, in one line.
func promptOf(t dialogue.Turn) string {
	for _, m := range t.Messages {
		if !m.ByPerson() {
			continue
		}
		return beginningOf(m.Content)
	}
	return ""
}

func beginningOf(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= promptShown {
		return text
	}
	end := promptShown
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

func receiptFrom(r receipt.Receipt, given []receipt.Delivery) command.Receipt {
	ms := int64(0)
	for _, g := range given {
		ms += g.Took.Milliseconds()
	}
	return command.Receipt{
		Prompts: 1, Given: r.Given, Places: r.Places, Named: r.Named, Opened: r.Opened, Words: r.Words, Taken: r.Taken, Looks: r.Looks, LookTokens: r.LookTokens,
		Needless: r.Needless, Spared: r.Spared, Milliseconds: ms,
	}
}

func addReceipt(sum *command.Receipt, r command.Receipt) {
	sum.Prompts += r.Prompts
	sum.Given += r.Given
	sum.Places += r.Places
	sum.Named += r.Named
	sum.Opened += r.Opened
	sum.Words += r.Words
	sum.Taken += r.Taken
	sum.Looks += r.Looks
	sum.LookTokens += r.LookTokens
	sum.Needless += r.Needless
	sum.Spared += r.Spared
	sum.Milliseconds += r.Milliseconds
}
