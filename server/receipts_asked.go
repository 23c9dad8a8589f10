package server

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/receipt"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/server/hosts"
)

const (
	// answeredWithin is how long after a call in a log, which a person may have to allow, its
	// answer may have been recorded.
	answeredWithin = 10 * time.Minute
	// askedPage is the number of conversations that are read at once.
	askedPage = 100
)

// attributed moves what assistants asked for themselves to the conversations in whose log a call of
// the program's tools precedes it most closely. What has none stays under its own id.
func attributed(ctx context.Context, v *memory.View, list []hosts.ConversationDeliveries) ([]hosts.ConversationDeliveries, error) {
	var asked []hosts.ConversationDeliveries
	out := slices.DeleteFunc(list, func(h hosts.ConversationDeliveries) bool {
		isAsked := strings.HasPrefix(h.Conversation, hosts.AskedBy)
		if isAsked {
			asked = append(asked, h)
		}
		return isAsked
	})
	if len(asked) == 0 {
		return out, nil
	}
	calls, err := ownCalls(ctx, v, asked)
	if err != nil {
		return nil, err
	}
	for _, h := range asked {
		var unknown []receipt.Delivery
		for _, g := range h.Given {
			id, ok := callBefore(calls, g)
			if !ok {
				unknown = append(unknown, g)
				continue
			}
			i := slices.IndexFunc(out, func(o hosts.ConversationDeliveries) bool { return o.Conversation == id })
			if i < 0 {
				i = len(out)
				out = append(out, hosts.ConversationDeliveries{Root: h.Root, Conversation: id})
			}
			out[i].Given = append(out[i].Given, g)
		}
		if len(unknown) > 0 {
			out = append(out, hosts.ConversationDeliveries{Root: h.Root, Conversation: h.Conversation, Given: unknown})
		}
	}
	for _, h := range out {
		slices.SortStableFunc(h.Given, func(a, b receipt.Delivery) int { return a.At.Compare(b.At) })
	}
	hosts.SortGiven(out)
	return out, nil
}

// ownCall is a call of one of the program's tools.
type ownCall struct {
	at           time.Time
	conversation string
}

// ownCalls returns the calls of the program's tools in the conversations that were under way when
// it was asked.
func ownCalls(ctx context.Context, v *memory.View, asked []hosts.ConversationDeliveries) (calls []ownCall, err error) {
	first := asked[0].Given[0].At
	for _, h := range asked {
		for _, g := range h.Given {
			if g.At.Before(first) {
				first = g.At
			}
		}
	}
	underWay := func(info conversation.Info) bool {
		return slices.ContainsFunc(asked, func(h hosts.ConversationDeliveries) bool {
			return slices.ContainsFunc(h.Given, func(g receipt.Delivery) bool {
				return !info.StartedAt.After(g.At.Add(givenAfter)) && !info.LastAt.Before(g.At.Add(-answeredWithin))
			})
		})
	}
	for before := ""; ; {
		page, next, err := v.Conversations.List(askedPage, before)
		if err != nil {
			return nil, err
		}
		for _, info := range page {
			if info.LastAt.Before(first.Add(-answeredWithin)) {
				return calls, nil // those that follow ended earlier
			}
			if !underWay(info) {
				continue
			}
			of, err := callsIn(ctx, v, info)
			if err != nil {
				return nil, err
			}
			calls = append(calls, of...)
		}
		if before = next; next == "" {
			return calls, nil
		}
	}
}

func callsIn(ctx context.Context, v *memory.View, info conversation.Info) (calls []ownCall, err error) {
	turns, err := turnsOf(ctx, v, info)
	for _, t := range turns {
		for _, m := range t.Messages {
			if !m.At.IsZero() && slices.ContainsFunc(m.ToolCalls, receipt.IsOwn) {
				calls = append(calls, ownCall{m.At, info.ID})
			}
		}
	}
	return calls, err
}

// callBefore returns the conversation of the last call before an answer.
func callBefore(calls []ownCall, g receipt.Delivery) (id string, ok bool) {
	var best time.Time
	for _, c := range calls {
		if !c.at.After(g.At.Add(givenAfter)) && c.at.After(best) && g.At.Sub(c.at) <= answeredWithin {
			best, id, ok = c.at, c.conversation, true
		}
	}
	return id, ok
}

// withConversation returns which records of what was given are forgotten together with a
// conversation: its own, and those with answers that may have been given to it. roots are the names
// under which its workspace is known.
func withConversation(ctx context.Context, v *memory.View, stateDir string, roots []string, id string) (gone func(root, record string) bool, err error) {
	info, err := v.Conversations.Find(id)
	if errors.Is(err, conversation.ErrNotFound) {
		return func(_, record string) bool { return record == id }, nil
	}
	if err != nil {
		return nil, err
	}
	calls, err := callsIn(ctx, v, info)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{id: true}
	list, err := hosts.ReadGiven(stateDir, time.Time{}, func(root, record string) bool {
		return strings.HasPrefix(record, hosts.AskedBy) && slices.Contains(roots, root)
	})
	for _, h := range list {
		known[h.Conversation] = slices.ContainsFunc(h.Given, func(g receipt.Delivery) bool {
			_, ok := callBefore(calls, g)
			return ok
		})
	}
	return func(_, record string) bool { return known[record] }, err
}
