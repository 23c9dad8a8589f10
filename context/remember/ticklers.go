package remember

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	recalling "github.com/contexture-dev/contexture/context/recall"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/history"
	"github.com/contexture-dev/contexture/memory/subject"
	"github.com/contexture-dev/contexture/memory/tickle"
)

// Ticklers finds earlier turns that relate to a prompt or a location in the code. It is for one
// answer and one goroutine.
type Ticklers struct {
	View *memory.View
	// Mine is the current conversation; the zero value is none.
	Mine conversation.Info
	// Hidden lists the turns of Mine that the reader sees already, besides those from InView on.
	Hidden map[int]bool
	// InView is the first of the newest turns of Mine that are in view; 0 hides none.
	InView int

	known   map[place]*memory.Spoken
	asked   *question           // of the prompt; nil without a topic
	closest float64             // the relevance of the best turn, 0 to 1
	below   []ticklerScore      // the ticklers of turns that are not relevant enough
	said    map[string][]string // ids of the messages, by a tickler's id
}

// place is the storage location of a turn.
type place struct {
	conversation uint32
	turn         int
}

// ticklerScore is a tickler's id, its conversation and its score.
type ticklerScore struct {
	id, conversation string
	score            float64
}

// NewestInView returns the first of the newest turns of a conversation, as many as are in view; 0
// when there are none.
func NewestInView(turns, inView int) int {
	if turns == 0 || inView <= 0 {
		return 0
	}
	return max(1, turns-inView+1)
}

// spoken returns a turn that may be shown: nil for one that is in view, or of which nothing
// remains.
func (t *Ticklers) spoken(at place) (*memory.Spoken, error) {
	if s, ok := t.known[at]; ok {
		return s, nil
	}
	if t.known == nil {
		t.known = map[place]*memory.Spoken{}
	}
	s, err := t.View.Messages.Spoken(at.conversation, at.turn, t.Mine)
	switch {
	case errors.Is(err, conversation.ErrNotFound):
		t.known[at] = nil
		return nil, nil
	case err != nil:
		return nil, err
	}
	t.known[at] = &s
	if s.Info.ID == t.Mine.ID && (t.InView > 0 && s.Number >= t.InView || t.Hidden[s.Number]) {
		t.known[at] = nil
	}
	return t.known[at], nil
}

// make makes the tickler of a turn.
func (t *Ticklers) make(at place, score float64) (tickle.Tickler, error) {
	spoken := t.known[at]
	turn, err := t.View.Reminder(*spoken, at.conversation, t.Mine.ID)
	turn.Score = score
	made := tickle.Make(turn)
	if t.said == nil {
		t.said = map[string][]string{}
	}
	t.said[made.ID] = nil
	for _, m := range spoken.Messages {
		t.said[made.ID] = append(t.said[made.ID], m.ID)
	}
	return made, err
}

// ForPrompt returns the turns related to a prompt, best first. There are none for a prompt without
// a request, such as a greeting, nor for one that has only common words in common with what was
// said.
func (t *Ticklers) ForPrompt(ctx context.Context, s intent.Signals, limit int) ([]tickle.Tickler, error) {
	if limit <= 0 || s.Greeting || s.Acknowledgement {
		return nil, nil
	}
	q, err := newQuestion(ctx, t.View, s)
	if err != nil || q == nil {
		return nil, err
	}
	t.asked = q
	var places []place
	if !q.hopeless() {
		if places, err = t.found(ctx, q, s.Recency); err != nil {
			return nil, err
		}
	}
	named, err := t.named(s)
	if err != nil {
		return nil, err
	}
	for at := range named {
		if !slices.Contains(places, at) {
			places = append(places, at)
		}
	}
	var list []tickle.Tickler
	for _, at := range places {
		spoken, err := t.spoken(at)
		if err != nil {
			return nil, err
		}
		if spoken == nil {
			continue
		}
		said := q.relevance(spoken.Turn)
		t.closest = max(t.closest, said)
		score := 1 - (1-said)*(1-namedWeight*min(1, named[at]))
		if score < least {
			t.below = append(t.below, ticklerScore{tickle.ID(spoken.Info.ID, spoken.Number), spoken.Info.ID, score})
			continue
		}
		made, err := t.make(at, score)
		if err != nil {
			return nil, err
		}
		list = append(list, made)
	}
	chosen := tickle.Choose(list, tickle.Rules{Limit: limit, MinScore: least, MinShare: nextToBest})
	for _, k := range list {
		if !slices.ContainsFunc(chosen, func(c tickle.Tickler) bool { return c.ID == k.ID }) {
			t.below = append(t.below, ticklerScore{k.ID, k.ConversationID, k.Score})
		}
	}
	return chosen, nil
}

// found returns the turns whose messages a search ranks first.
func (t *Ticklers) found(ctx context.Context, q *question, recency float64) ([]place, error) {
	hits, err := t.View.Messages.Search(ctx, nil, q.text, recency, foundMessages)
	if err != nil {
		return nil, err
	}
	var out []place
	for _, h := range hits {
		turn, err := t.View.Messages.TurnOf(h.Conversation, h.Message)
		if errors.Is(err, conversation.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		at := place{h.Conversation, turn}
		if slices.Contains(out, at) {
			continue
		}
		spoken, err := t.spoken(at)
		if err != nil {
			return nil, err
		}
		if spoken == nil {
			continue
		}
		if out = append(out, at); len(out) == lookedAt {
			break
		}
	}
	return out, nil
}

// maxNamed bounds the names of a prompt that are looked up.
const maxNamed = 8

// named returns the turns that mention what the prompt names, with the weight of that.
func (t *Ticklers) named(s intent.Signals) (map[place]float64, error) {
	l := subject.Lookup{Limit: lookedAt}
	for _, f := range s.Files[:min(maxNamed, len(s.Files))] {
		l.Paths = append(l.Paths, strings.TrimPrefix(f, "./"))
	}
	for _, id := range s.Identifiers[:min(maxNamed, len(s.Identifiers))] {
		if !ordinary(id) {
			l.Symbols = append(l.Symbols, id)
		}
	}
	if len(l.Paths)+len(l.Symbols) == 0 {
		return nil, nil
	}
	list, err := t.View.Mentioning(l)
	if err != nil {
		return nil, err
	}
	out := map[place]float64{}
	for _, f := range list {
		out[place{f.Conversation, f.Turn}] = f.Score
	}
	return out, nil
}

// Reminders implements bundle.Past.
func (p *Past) Reminders(ctx context.Context, s intent.Signals, inView int) ([]item.Item, error) {
	t := Ticklers{View: p.view, Mine: p.info, InView: NewestInView(len(p.sizes), max(inView, p.wholeTurns()))}
	if p.alone && t.InView == 0 {
		t.InView = p.info.Turns // the prompt itself
	}
	shown, err := p.OnBoard()
	if err != nil {
		return nil, err
	}
	t.Hidden = map[int]bool{}
	for _, it := range shown {
		if number, _, ok := strings.Cut(strings.TrimPrefix(it.Pinned, "T-"), "-"); ok {
			if n, err := dialogue.ParseTurn(number); err == nil {
				t.Hidden[n] = true
			}
		}
	}
	list, err := t.ForPrompt(ctx, s, max(1, p.opts.Ticklers))
	if err != nil {
		return nil, err
	}
	p.asked, p.said, p.inView, p.pinned, p.reminds = t.asked, t.closest, t.InView, t.Hidden, len(list) > 0
	if p.opts.Ticklers <= 0 {
		return nil, nil
	}
	var out []item.Item
	scores := make([]float64, len(list), len(list)+len(t.below))
	for i, k := range list {
		scores[i] = k.Score
	}
	for _, k := range t.below {
		scores = append(scores, k.score)
	}
	chances := recalling.Chances(p.opts.Prompt, scores, scores)
	for i, k := range t.below {
		out = append(out, item.Item{ID: k.id, Kind: item.Tickler, Name: p.titleOf(k.conversation), Dropped: item.BelowThreshold, Score: chances[len(list)+i]})
	}
	for i, k := range list {
		out = append(out, item.Item{
			ID: k.ID, Kind: item.Tickler, Name: p.titleOf(k.ConversationID), Body: k.Text, Says: []string{k.Summary}, Format: "tickler", Score: chances[i],
			Reason: "an earlier turn about what the prompt asks", ConversationID: k.ConversationID, TurnID: dialogue.TurnID(k.Turn), MessageIDs: t.said[k.ID],
		})
	}
	return out, nil
}

// wholeTurns returns how many of the newest turns the history may show in full.
func (p *Past) wholeTurns() int { return WholeTurns(p.sizes, p.opts.Budget) }

// WholeTurns returns how many of the newest turns fit in a budget in full, in tokens.
func WholeTurns(sizes []history.Size, budget int) int {
	n := 0
	for n < len(sizes) {
		if budget -= sizes[len(sizes)-1-n].R; budget < 0 {
			break
		}
		n++
	}
	return n
}
