package remember

import (
	"context"
	"slices"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/recall"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/tickle"
)

// Passages implements bundle.Past.
func (p *Past) Passages(ctx context.Context, s intent.Signals, best float64, room int) ([]item.Item, error) {
	shows := p.said >= passageAt && room >= minPassage
	if p.asked == nil || !shows && !p.reminds {
		return nil, nil
	}
	f := &Found{View: p.view, Counter: p.opts.Count, Words: p.opts.Terms, Skip: p.seen}
	var res *recall.Result
	for _, query := range slices.Compact([]string{p.opts.Prompt, p.asked.text}) { // what is not found as it is asked, by its subject
		var err error
		res, err = recall.Build(ctx, recall.Request{
			Query: query, Budget: room, MemoryType: "turn", Recency: s.Recency, LeastShare: passageLines,
		}, f)
		if err != nil {
			return nil, err
		}
		if len(res.Items) > 0 {
			break
		}
	}
	p.evidence = res.Evidence
	if !shows {
		return nil, nil
	}
	out := res.Items
	scores, shares := make([]float64, len(out)), make([]float64, len(out))
	for i, s := range res.Signs {
		scores[i], shares[i] = s.Relative, s.Share
	}
	chances := recall.Chances(p.asked.text, scores, shares) // where what was said is needed
	needed := res.Evidence.Needed(best)
	for i := range out {
		it := &out[i]
		it.Score, it.Name, it.Reason = chances[i]*needed, p.titleOf(it.ConversationID), "said about what the prompt asks"
		for _, turn := range it.Turns {
			it.Covers = append(it.Covers, tickle.ID(it.ConversationID, turn))
		}
	}
	return out, nil
}

// Reminded implements bundle.Past.
func (p *Past) Reminded(score, best float64) float64 { return p.evidence.Reminds(score, best) }

// titleOf returns the title of a conversation, or its id if it was deleted meanwhile: the name is
// only for people.
func (p *Past) titleOf(id string) string {
	info, err := p.view.Conversations.Find(id)
	if err != nil || info.Title == "" {
		return id
	}
	return info.Title
}

// seen reports whether a message of the current conversation is in the reader's view.
func (p *Past) seen(number uint32, at memory.Place) bool {
	for _, s := range p.info.Spans() {
		if uint32(s.Conversation) == number && s.From <= at.Index && at.Index < s.To {
			return p.inView > 0 && at.Turn >= p.inView || p.pinned[at.Turn]
		}
	}
	return false
}
