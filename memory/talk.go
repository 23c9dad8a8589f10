package memory

import (
	"encoding/json"
	"fmt"

	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/extract"
	"github.com/contexture-dev/contexture/memory/store"
	lru "github.com/hashicorp/golang-lru/v2"
)

// talks keeps, of the conversations that were used last, what would otherwise be read again for every answer: all of
// it is derived and may go at any time. A conversation only ever grows, but for what is forgotten, which clears the
// cache.
type talks struct {
	notes     *lru.Cache[talkKey, []arc.Notes]
	weights   *lru.Cache[weightKey, []weight]
	summaries *lru.Cache[summaryKey, summary]
}

type talkKey struct {
	workspace store.Workspace
	number    conversation.Number
}

// weightKey names the weights: they hold for one encoding.
type weightKey struct {
	talkKey
	encoding string
}

// weight is what a window needs to know of a message.
type weight struct {
	tokens     int32
	importance float32 // without what its place in the conversation adds
	turn       int32
}

const (
	keptTalks     = 64
	keptSummaries = 4096
)

func newTalks() *talks {
	notes, _ := lru.New[talkKey, []arc.Notes](keptTalks) // fails for a size below 1 only
	weights, _ := lru.New[weightKey, []weight](keptTalks)
	summaries, _ := lru.New[summaryKey, summary](keptSummaries)
	return &talks{notes, weights, summaries}
}

// clear forgets everything.
func (t *talks) clear() {
	t.notes.Purge()
	t.weights.Purge()
	t.summaries.Purge()
}

// notes are those of a conversation's turns, in order. The last turn's are made anew: it may have grown.
func (v *View) notes(info conversation.Info) ([]arc.Notes, error) {
	key := talkKey{v.w.number, info.Number}
	known, _ := v.w.memory.talks.notes.Get(key)
	if len(known) >= info.Turns {
		known = known[:max(0, info.Turns-1)] // an older state, or the last turn has to be read again
	}
	out := known[:len(known):len(known)]
	add := func(turn int, raw []byte) error {
		var n arc.Notes
		if err := json.Unmarshal(raw, &n); err != nil {
			return fmt.Errorf("read notes of turn %s: %w", dialogue.TurnID(turn), err)
		}
		out = append(out, n)
		return nil
	}
	for turn := len(known) + 1; turn <= info.Turns; turn++ {
		made, _, err := v.versions(info, turn)
		if err != nil {
			return nil, err
		}
		if err := add(turn, made.Notes); err != nil {
			return nil, err
		}
	}
	if len(out) > 0 {
		v.w.memory.talks.notes.Add(key, out[:len(out)-1])
	}
	return out, nil
}

// arcMessages is how many messages are their own arc.
const arcMessages = 6

// Arc tells what was decided in a conversation, what is open and what it is about, in at most budget tokens; 0 leaves
// the length to the style.
func (v *View) Arc(info conversation.Info, style arc.Style, budget int) (arc.Arc, error) {
	if info.Messages <= arcMessages {
		msgs, err := conversation.Messages(v.r, v.w.number, info, 0, info.Messages)
		if err != nil {
			return arc.Arc{}, err
		}
		return arc.Short(msgs), nil
	}
	notes, err := v.notes(info)
	if err != nil {
		return arc.Arc{}, err
	}
	return arc.Fold(notes, style, budget, v.w.memory.opts.Count), nil
}

// weights are those of a conversation's messages, in order, in the tokens of an encoding.
func (v *View) weights(info conversation.Info, encoding string, count func(string) int) ([]weight, error) {
	key := weightKey{talkKey{v.w.number, info.Number}, encoding}
	known, _ := v.w.memory.talks.weights.Get(key)
	if len(known) > info.Messages {
		known = known[:info.Messages]
	}
	if len(known) == info.Messages {
		return known, nil
	}
	out := known[:len(known):len(known)]
	msgs, err := conversation.Messages(v.r, v.w.number, info, len(known), info.Messages)
	if err != nil {
		return nil, err
	}
	out = append(out, weigh(msgs, count)...)
	indexes := make([]int, len(msgs))
	for i := range indexes {
		indexes[i] = len(known) + i
	}
	turns, err := conversation.TurnsOf(v.r, v.w.number, info, indexes)
	if err != nil {
		return nil, err
	}
	for i, n := range turns {
		out[len(known)+i].turn = int32(n)
	}
	v.w.memory.talks.weights.Add(key, out)
	return out, nil
}

// unplaced is a total that makes the importance of a message's place vanish.
const unplaced = 1 << 30

func weigh(msgs []dialogue.Message, count func(string) int) []weight {
	out := make([]weight, len(msgs))
	for i, msg := range msgs {
		out[i] = weight{tokens: int32(count(msg.Content)), importance: float32(extract.Importance(msg, 1, unplaced))}
	}
	return out
}
