package bundle

import (
	"context"
	"math"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
)

// Past is what a bundle takes from memory: one consistent state, as seen from the conversation that
// the prompt continues. An error of a method costs the bundle only that part.
type Past interface {
	// Conversation describes the conversation; the zero value where there is none yet.
	Conversation() Conversation
	// History returns the conversation laid out, oldest first, preceded by a notice of the turns
	// that are left out. What is not volatile of it stays the same as long as the steady room does,
	// whatever the rest of the room.
	History(room Room) ([]item.Item, error)
	// Arc returns, in at most budget tokens, what was decided, what is open and what the
	// conversation is about; nothing while the history covers all of it.
	Arc(budget int) ([]item.Item, error)
	// Rules returns the active standing rules.
	Rules() ([]item.Item, error)
	// Work returns tasks and blockers, Board the items on the conversation's board.
	Work() ([]item.Item, error)
	Board() ([]item.Item, error)
	// Profiles returns what is known of the topics and the entities that the prompt names, best
	// first; nothing where it names none. room returns how many tokens the given numbers of topics
	// and entities may take.
	Profiles(ctx context.Context, room func(topics, entities int) (topicTokens, entityTokens int)) (topics, entities []item.Item, err error)
	// Knowledge returns the lessons and references on the prompt, best first.
	Knowledge(ctx context.Context, s intent.Signals) ([]item.Item, error)
	// Reminders returns turns that are related to the prompt and not in view, best first.
	Reminders(ctx context.Context, s intent.Signals, inView int) ([]item.Item, error)
	// Passages returns, in at most room tokens, what was said about the subject of a prompt, in
	// full, best first; nothing where the conversations say nothing about it. Best is the
	// probability with which the best place of the workspace helps: what code answers rarely needs
	// memory. It must be called after Reminders.
	Passages(ctx context.Context, s intent.Signals, best float64, room int) ([]item.Item, error)
	// Reminded returns the probability that a reminder helps, from its score and the probability
	// with which the best place of the workspace does. It must be called after Passages.
	Reminded(score, best float64) float64
	// Said calls yield for every text of the newest turns.
	Said(turns int, yield func(text string)) error
	// Boosts returns, by id, the factors learned from use by which items' scores are multiplied; an
	// id without an entry stays as it is.
	Boosts(ids []string) (map[string]float64, error)
	// Recent returns the files and symbols that the conversation was about, the most important
	// first.
	Recent() ([]retrieve.Recent, error)
	// LastTurns returns what people and assistants wrote in the newest n turns, one text a turn,
	// the latest first.
	LastTurns(n int) ([]string, error)
	// Version returns the version of the knowledge.
	Version() (uint64, error)
}

// Conversation is what the negotiation needs to know of a conversation.
type Conversation struct {
	Messages, Turns, Tokens int
	// Settled counts the tokens of the turns at which the history was last laid out again.
	Settled int
}

// Room is the number of tokens that a history may take.
type Room struct {
	Steady int // the same from prompt to prompt
	Now    int // for this prompt: Steady or more
	// Firm means that the room beyond Steady changes only volatile items, unless it is enough for
	// the whole conversation as it is.
	Firm bool
}

// remember makes the items of what memory holds. It runs before the code is retrieved, so that
// what the conversation quotes is not sent again. What memory finds for the prompt is only read
// here, because the judge may choose among it.
func (b *build) remember(ctx context.Context, plan intent.Plan) {
	past := b.src.Past
	if past == nil {
		return
	}
	b.conversation = past.Conversation()
	var err error
	b.out.KnowledgeVersion, err = past.Version()
	b.recalled(nil, err)
	b.rules = b.memos(item.L1Preferences, rulesShare, true, b.recalled(past.Rules()))
	b.work = b.notes(workShare, b.recalled(past.Work()))
	b.board = b.notes(boardShare, b.recalled(past.Board()))
	b.quoted = newQuoted()
	b.recalled(nil, past.Said(plan.Window, b.quoted.add))
	if !plan.Retrieve {
		return
	}
	b.profiles = b.profileItems(ctx)
	b.known = b.boostMemos(b.withoutDropped(b.recalled(past.Knowledge(ctx, b.out.Signals))))
	b.reminders = b.boostMemos(b.withoutDropped(b.recalled(past.Reminders(ctx, b.out.Signals, plan.Window))))
}

// recalled returns what was read of memory without what the caller included or omitted by id, and
// records it when a part of memory could not be read.
func (b *answer) recalled(list []item.Item, err error) []item.Item {
	if err != nil {
		b.out.Degraded = append(b.out.Degraded, item.Degradation{Stage: item.Memory, Reason: item.Error, Detail: err.Error()})
	}
	return b.wanted(list)
}

// recent returns what the conversation was about.
func (b *answer) recent() (list []retrieve.Recent, said []string) {
	if b.src.Past == nil {
		return nil, nil
	}
	list, err := b.src.Past.Recent()
	if err == nil {
		said, err = b.src.Past.LastTurns(spokenTurns)
	}
	if err != nil {
		b.out.Degraded = append(b.out.Degraded, item.Degradation{Stage: item.Memory, Reason: item.Error, Detail: err.Error()})
	}
	return list, said
}

// spokenTurns is how many of the newest turns add their words to the search.
const spokenTurns = 3

// memos makes items within a share of the budget and drops the rest.
func (b *memory) memos(layer item.Layer, share float64, stable bool, list []item.Item) []*item.Item {
	items, left := b.fitting(layer, b.shareOf(share), stable, list)
	for _, m := range left {
		b.dropItem(&m, item.OverBudget)
	}
	return items
}

// shareOf returns a share of the budget, in tokens.
func (b *answer) shareOf(share float64) int { return int(math.Ceil(float64(b.req.Budget) * share)) }

// fitting makes items while they fit the room. The first is made in any case, since its layer may
// have room for it. Earlier ones are shortened before a later one is left out. It also returns
// what is left out.
func (b *memory) fitting(layer item.Layer, room int, stable bool, list []item.Item) (items []*item.Item, left []item.Item) {
	list = b.withoutDropped(list)
	for i, m := range list {
		it := b.remembered(layer, m, stable)
		least := it.Forms[len(it.Forms)-1].Tokens
		if least > room && i > 0 {
			left = append(left, m)
			continue
		}
		room -= least
		items = append(items, it)
	}
	for _, shortFirst := range []bool{false, true} {
		for _, d := range items {
			if d.Ignored != shortFirst {
				continue
			}
			last := len(d.Forms) - 1
			k := 0
			for k < last && d.Forms[k].Tokens-d.Forms[last].Tokens > room {
				k++
			}
			room -= d.Forms[k].Tokens - d.Forms[last].Tokens
			d.Forms = d.Forms[k:]
		}
	}
	return items, left
}

// withoutDropped records the memories that are not to be shown and returns the others.
func (b *answer) withoutDropped(list []item.Item) []item.Item {
	out := make([]item.Item, 0, len(list))
	for _, m := range list {
		if m.Dropped != "" {
			b.dropItem(&m, m.Dropped)
			continue
		}
		out = append(out, m)
	}
	return out
}
