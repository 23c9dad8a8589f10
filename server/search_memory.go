package server

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/recall"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/session"
)

const (
	// Among places memoryWeight is the most that a memory scores, relative to the best place: who
	// searches wants code first, and the scores of the two are not comparable. memoryLeast is the
	// share of the query's weight that it must contain. When a search requests no kinds,
	// memoryShare is the share of the hits that memories may take.
	memoryWeight = .6
	memoryShare  = 3
	memoryLeast  = .05
	// memorySnippet bounds the bytes of a message in a hit.
	memorySnippet = 400
	// messagesOfTurn is how many messages are searched for per hit: a hit is a turn, and several of
	// its messages may match.
	messagesOfTurn = 4
)

// memoryKinds are the kinds of hits from memory.
var memoryKinds = []string{"message", "lesson", "reference", "rule"}

// searchMemory searches messages and knowledge as requested, not at all when only places are, and
// sets the answer's version of the knowledge. What is missing is in degraded.
func (c lookupCommands) searchMemory(ctx context.Context, args *command.SearchArgs, r *session.RootView, out *command.SearchResult) (hits []command.Hit) {
	kinds := wanted(args.Kinds, memoryKinds)
	if !c.settingsOf(r).Memory.Enabled && (len(args.Kinds) == 0 || len(kinds) == 0) {
		return nil
	}
	err := func() error {
		w, err := c.memoryOf(ctx, r)
		if err != nil {
			return err
		}
		v := w.View()
		defer v.Close()
		if out.Versions.Knowledge, err = v.Knowledge.Version(); err != nil {
			return err
		}
		if len(args.Paths) > 0 || len(args.Languages) > 0 || args.Mode == "symbol" || args.Mode == "semantic" {
			return nil
		}
		hits, err = memoryHits(ctx, v, args, kinds)
		return err
	}()
	if err != nil {
		reason := "error"
		if errors.Is(err, context.DeadlineExceeded) {
			reason = "timeout"
		}
		out.Degraded = append(out.Degraded, command.Degradation{Stage: "memory", Reason: reason, Detail: err.Error()})
	}
	return hits
}

// memoryHits searches memory for some kinds of hits, best first.
func memoryHits(ctx context.Context, v *memory.View, args *command.SearchArgs, kinds []string) (hits []command.Hit, err error) {
	mixed := len(wanted(args.Kinds, fileKinds)) > 0
	if slices.Contains(kinds, "message") {
		var found []recall.Hit
		found, err = searchMessages(ctx, v, args.Query, args.Limit*messagesOfTurn)
		hits = messageHits(v, found, args.Limit, mixed)
	}
	learned, lacking := knowledgeHits(v, args.Query, kinds)
	err = errors.Join(err, lacking)
	hits = append(hits, learned...)
	slices.SortStableFunc(hits, func(a, b command.Hit) int { return compareScores(a.Score, b.Score) })
	limit := args.Limit
	if mixed {
		hits = slices.DeleteFunc(hits, func(h command.Hit) bool { return h.Score < memoryLeast })
	}
	if len(args.Kinds) == 0 {
		limit = max(1, limit/memoryShare)
	}
	return hits[:min(limit, len(hits))], err
}

// behind lowers the scores of memories, which are in order, so that the best place is before them.
func behind(places, memories []command.Hit) {
	if len(memories) == 0 {
		return
	}
	best := 1.0
	if len(places) > 0 {
		best = places[0].Score
	}
	factor := memoryWeight * best / max(memories[0].Score, 1)
	for i := range memories {
		memories[i].Score *= factor
	}
}

// searchMessages ranks messages by a query. A query without any term (a single letter, a stop word,
// an operator) is searched for in the texts themselves. With an error, the hits so far are valid.
func searchMessages(ctx context.Context, v *memory.View, query string, limit int) ([]recall.Hit, error) {
	if hasTerms(query) {
		return v.Messages.Search(ctx, nil, query, 0, limit)
	}
	s := &literalSearch{view: v, needle: retrieve.NewNeedle(query), limit: limit, seen: map[literalPlace]bool{}}
	for before, more := "", true; more && len(s.hits) < limit; more = before != "" {
		infos, next, err := v.Conversations.List(literalPage, before)
		if err != nil {
			return s.hits, err
		}
		for _, info := range infos {
			for _, span := range slices.Backward(info.Spans()) {
				if err := s.span(ctx, span); err != nil {
					return s.hits, err
				}
			}
		}
		before = next
	}
	return s.hits, nil
}

// hasTerms reports whether an index can find a query.
func hasTerms(query string) (has bool) {
	engine.Terms(query, func(string) { has = true })
	return has
}

// literalKnowledge returns the knowledge that contains a text.
func literalKnowledge(text string, items []knowledge.Item) []knowledge.RankedItem {
	needle := retrieve.NewNeedle(text)
	var out []knowledge.RankedItem
	for _, it := range items {
		if weight := needle.Weight([]byte(it.Title + "\n" + it.Content)); weight > 0 {
			out = append(out, knowledge.RankedItem{Item: it, Fit: min(1, float64(weight))})
		}
	}
	return out
}

// literalSearch searches for a text in messages, newest first, until there are enough.
type literalSearch struct {
	view   *memory.View
	needle retrieve.Needle
	limit  int
	seen   map[literalPlace]bool // forks share messages
	hits   []recall.Hit
}

type literalPlace struct {
	conversation conversation.Number
	message      int
}

// literalPage is how many conversations and messages are read at a time.
const literalPage = 100

func (s *literalSearch) span(ctx context.Context, span conversation.Span) error {
	for to := span.To; to > span.From && len(s.hits) < s.limit; to -= literalPage {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		_, places, err := s.view.Messages.Places(uint32(span.Conversation), max(span.From, to-literalPage), to)
		if err != nil {
			return err
		}
		for _, p := range slices.Backward(places) {
			at := literalPlace{span.Conversation, p.Index}
			weight := s.needle.Weight([]byte(p.Message.Content))
			if weight == 0 || s.seen[at] || len(s.hits) == s.limit {
				continue
			}
			s.seen[at] = true
			s.hits = append(s.hits, recall.Hit{Conversation: uint32(at.conversation), Message: at.message, Score: min(1, float64(weight)), Share: 1})
		}
	}
	return nil
}

func compareScores(a, b float64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

// messageHits returns the turns of the messages, each once with its best message, up to a limit. It
// leaves out what no longer exists. A score is relative to the best message's; mixed with places it
// counts by the share of the query in the message, since the best one may have little of it.
func messageHits(v *memory.View, found []recall.Hit, limit int, mixed bool) []command.Hit {
	var hits []command.Hit
	at := map[string]int{} // by the hit's id
	for i, h := range found {
		if len(hits) == limit {
			break
		}
		info, places, err := v.Messages.Places(h.Conversation, h.Message, h.Message+1)
		if err != nil || len(places) == 0 {
			continue
		}
		p := places[0]
		id := remember.TurnsID(info.ID, p.Turn, p.Turn)
		if k, shown := at[id]; shown {
			hits[k].MessageIDs = append(hits[k].MessageIDs, p.Message.ID)
			continue
		}
		at[id] = len(hits)
		score := h.Score
		if mixed {
			score *= min(1, h.Share)
		}
		hits = append(hits, command.Hit{
			ID: id, Kind: "message", Score: score, ConversationID: info.ID, TurnID: dialogue.TurnID(p.Turn),
			Title:   fmt.Sprintf("%s, turn %d, %s", info.Title, p.Turn, p.Message.At.UTC().Format("2006-01-02")),
			Snippet: beginning(p.Message.Content, memorySnippet), MessageIDs: []string{p.Message.ID},
			Signals: map[string]command.Signal{"memory": {Rank: i + 1, Score: h.Score}},
		})
	}
	return hits
}

// knowledgeHits ranks what was learned.
func knowledgeHits(v *memory.View, query string, kinds []string) ([]command.Hit, error) {
	var items []knowledge.Item
	for _, kind := range kinds {
		if kind == "message" {
			continue
		}
		list, err := v.Knowledge.List(knowledge.Filter{Kind: knowledge.Kind(kind)})
		if err != nil {
			return nil, err
		}
		items = append(items, list...)
	}
	ranked := knowledge.Rank(query, items, engine.Terms)
	if !hasTerms(query) {
		ranked = literalKnowledge(query, items)
	}
	var hits []command.Hit
	for i, r := range ranked {
		if r.Fit == 0 && !r.Outdated {
			continue // a rule, which every task is given
		}
		m := remember.KnowledgeItem(r.Item)
		hits = append(hits, command.Hit{
			ID: m.ID, Kind: string(m.Kind), Score: min(r.Fit, 1), Title: r.Item.Title, Snippet: beginning(m.Body, memorySnippet), ConversationID: r.Item.Conversation,
			MessageIDs: m.MessageIDs, Signals: map[string]command.Signal{"knowledge": {Rank: i + 1, Score: r.Fit}},
		})
	}
	return hits, nil
}

// beginning returns the beginning of a text, cut at a rune.
func beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xC0 == 0x80 {
		most--
	}
	return text[:most] + "…"
}
