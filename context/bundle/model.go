package bundle

import (
	"context"
	"slices"

	"github.com/contexture-dev/contexture/context/cut"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/context/retrieve/swarm"
)

// shownShare is how much text of places the filter is asked about, as a share of the budget. Places
// after that would not get in anyway, and each question takes a model's time.
const shownShare = 2

// filter removes what is not relevant to the prompt: by score, and by a chat model's verdict on the
// best of the rest.
func (b *finding) filter(ctx context.Context, found retrieve.Result) []*item.Item {
	kept, weak, least := found.Filter(b.req.Fill)
	for _, c := range weak {
		b.dropWeak(b.src.Snapshot.Place(c.Chunk), c.Score, least)
	}
	outcome := item.OK
	if b.src.Filter != nil {
		var rejected []*item.Item
		kept, rejected, outcome = b.askAgents(ctx, kept)
		for _, c := range rejected {
			b.dropChunk(b.src.Snapshot.Place(c.Chunk), item.Filtered, c.Score)
		}
	}
	b.lap(item.Filter, outcome, len(kept))
	return kept
}

// askAgents has the agents judge the best candidates and returns those that stay and those that
// they reject. A candidate that cannot be read is not shown to them and stays; reading it later
// reports what is wrong with it.
func (b *finding) askAgents(ctx context.Context, list []*item.Item) (kept, rejected []*item.Item, outcome item.Outcome) {
	ctx, cancel := swarm.Within(ctx, b.req.Deadline, filterShare, filterRest)
	defer cancel()
	var items []item.Item
	at := map[int]int{} // in items, by place in list
	for i, room := 0, shownShare*b.req.Budget; i < len(list) && len(items) < swarm.Most && room > 0 && (ctx.Err() == nil || len(items) == 0); i++ {
		chunk, text, gate := b.reader.Chunk(list[i].Chunk)
		if gate == "" {
			at[i] = len(items)
			items = append(items, newPlace(list[i], chunk, string(text)).candidate())
			room -= chunk.Tokens + wrapping
		}
	}
	said := b.src.Filter.Filter(ctx, b.req.Query, items)
	b.out.Degraded = append(b.out.Degraded, said.Degraded...)
	for i, c := range list {
		if k, ok := at[i]; ok && !said.Keep[k] {
			rejected = append(rejected, c)
			continue
		}
		kept = append(kept, c)
	}
	return kept, rejected, said.Outcome
}

// candidate returns a place as a model is asked about it.
func (p *place) candidate() item.Item {
	it := p.Item
	it.Tokens, it.Named = p.chunk.Tokens, p.Named || p.Near
	return it
}

// weighed returns a memory as a model is asked about it. Passages that the prompt asks for stay,
// whatever a model answers.
func (b *memory) weighed(m item.Item) item.Item {
	m.Tokens, m.Named = b.src.Count(m.Body), m.Kind != item.Lesson && m.Kind != item.Reference && m.Kind != item.Tickler
	return m
}

// askJudge has the judge choose among memories and places. The answers are nil without a judge or a
// usable answer. Then everything goes in as far as there is room: the best two lessons and the best
// reference, and the places in full, by score.
func (b *build) askJudge(ctx context.Context, places []*place) (memos, code []swarm.Verdict, outcome item.Outcome) {
	if b.src.Judge == nil {
		return nil, nil, item.Fallback
	}
	ctx, cancel := swarm.Within(ctx, b.req.Deadline, judgeShare, judgeRest)
	defer cancel()
	items := make([]item.Item, 0, len(b.known)+len(b.reminders)+len(places))
	for _, list := range [][]item.Item{b.known, b.reminders} {
		for _, m := range list {
			items = append(items, b.weighed(m))
		}
	}
	for i := range places {
		items = append(items, places[i].candidate())
	}
	share := func(f float64) int { return int(float64(b.req.Budget) * f) }
	said := b.src.Judge.Judge(ctx, b.req.Query, items, swarm.Room{Memory: share(knowledgeShare), Board: share(boardShare)})
	b.out.Degraded = append(b.out.Degraded, said.Degraded...)
	if said.Verdicts == nil {
		return nil, nil, said.Outcome
	}
	n := len(b.known) + len(b.reminders)
	return said.Verdicts[:n], said.Verdicts[n:], said.Outcome
}

// found makes the items of what memory found for the prompt, each layer within its share.
// Without verdicts all are taken as they are.
func (b *build) found(ctx context.Context, places []*place, verdicts []swarm.Verdict) (list []*item.Item) {
	known, reminders := b.known, b.reminders
	if verdicts != nil {
		var board []item.Item
		known, board = b.applyVerdicts(b.known, verdicts[:len(b.known)])
		reminders, _ = b.applyVerdicts(b.reminders, verdicts[len(b.known):])
		if room := boardShare - b.boardUsed(); room > 0 && b.conversation.Messages > 0 {
			list = b.memos(item.L4Conversation, room, false, board)
		} else {
			known = append(known, board...) // no room on the board
		}
	}
	list = append(list, b.memos(item.L5JIT, knowledgeShare, false, known)...)
	passages, reminders := b.passages(ctx, places, offered(list), reminders)
	list = append(list, passages...)
	b.weakDropped(reminders)
	return append(list, b.memos(item.L5JIT, reminderShare, false, reminders)...)
}

// passages makes the items of what was said about the prompt's subject, beside memories of the
// given number of tokens. It also returns the reminders, scored beside the places, with those that
// a passage makes redundant marked as duplicates.
func (b *build) passages(ctx context.Context, places []*place, memories int, reminders []item.Item) ([]*item.Item, []item.Item) {
	// A continued conversation has a history, whose stable part must not depend on the prompt.
	if b.src.Past == nil || b.conversation.Messages > 0 || !intent.PlanFor(b.out.Signals).Retrieve {
		return nil, reminders
	}
	room := b.passageRoom(places, memories)
	best := bestOf(places)
	passages := b.boostMemos(b.recalled(b.src.Past.Passages(ctx, b.out.Signals, best, room)))
	b.weakDropped(passages)
	list := b.memos(item.L5JIT, float64(room)/float64(b.req.Budget), false, passages)
	covered := map[string]bool{}
	for _, m := range passages {
		for _, id := range m.Covers {
			covered[id] = m.Dropped == ""
		}
	}
	for i := range reminders {
		reminders[i].Score = b.src.Past.Reminded(reminders[i].Score, best)
		if covered[reminders[i].ID] {
			reminders[i].Dropped = item.Duplicate
		}
	}
	return list, reminders
}

// bestOf returns the probability of the best place to help, 0 without any.
func bestOf(places []*place) (best float64) {
	for _, p := range places {
		best = max(best, p.Score)
	}
	return best
}

// weakDropped marks what was said as left out where it is less probable to help than a place that
// is worth naming, or than its tokens cost, at the price of those of lines.
func (b *build) weakDropped(said []item.Item) {
	if b.req.Fill == retrieve.Full {
		return
	}
	for i := range said {
		m := &said[i]
		if m.Dropped == "" && m.Score < max(retrieve.Mentioned, cut.TokenPrice*float64(b.count(m.Body))) {
			m.Dropped = item.BelowThreshold
		}
	}
}

// boostMemos multiplies the odds of the memories' scores by the factors that feedback has for them,
// and sorts them when that changes any.
func (b *memory) boostMemos(list []item.Item) []item.Item {
	if len(list) == 0 {
		return list
	}
	ids := make([]string, len(list))
	for i, m := range list {
		ids[i] = m.ID
	}
	boosts := b.boosts(ids)
	if len(boosts) == 0 {
		return list
	}
	list = slices.Clone(list)
	for i, m := range list {
		list[i].Score = boosted(min(1, m.Score), boosts[m.ID])
		list[i].Ignored = ignored(boosts[m.ID])
	}
	slices.SortStableFunc(list, func(x, y item.Item) int {
		return byUse(x.Score, y.Score, boosts[x.ID], boosts[y.ID])
	})
	return list
}

// passageRoom returns the tokens that passages may take: a share of the budget, and in a
// conversation without a history most of what the code leaves.
func (b *build) passageRoom(places []*place, memories int) int {
	least := int(passageShare * float64(b.req.Budget))
	if b.conversation.Messages > 0 {
		return least
	}
	free := b.req.Budget - memories
	for _, it := range b.all() {
		free -= usual(it).Tokens
	}
	for _, p := range places {
		free -= p.Forms[0].Tokens
	}
	return max(least, min(free, int(freeShare*float64(b.req.Budget))))
}

// applyVerdicts applies the judge's verdicts to memories and returns those for the memory layer and
// those for the board.
func (b *memory) applyVerdicts(list []item.Item, verdicts []swarm.Verdict) (memory, board []item.Item) {
	for i, m := range list {
		v := verdicts[i]
		switch {
		case v.Format == "":
			b.dropItem(&m, item.Filtered)
			continue
		case v.Format != swarm.Full && m.Short != "":
			m.Body, m.Short, m.Format = m.Short, "", string(v.Format)
		}
		if v.Board {
			board = append(board, m)
		} else {
			memory = append(memory, m)
		}
	}
	return memory, board
}

// boardUsed returns the share of the budget that the board's drafts take in their shortest form.
func (b *memory) boardUsed() float64 {
	used := 0
	for _, d := range b.board.items {
		used += d.Forms[len(d.Forms)-1].Tokens
	}
	return float64(used) / float64(b.req.Budget)
}
