package memory

import (
	"fmt"
	"sync"

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
	arcs      *lru.Cache[talkKey, *keptArc]
	weights   *lru.Cache[weightKey, []weight]
	summaries *lru.Cache[summaryKey, summary]
}

// keptArc is what a conversation was about, but for its last turn.
type keptArc struct {
	mu     sync.Mutex // held while turns are added, so that two readers do not add the same ones
	folder *arc.Folder
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
	arcs, _ := lru.New[talkKey, *keptArc](keptTalks) // fails for a size below 1 only
	weights, _ := lru.New[weightKey, []weight](keptTalks)
	summaries, _ := lru.New[summaryKey, summary](keptSummaries)
	return &talks{arcs, weights, summaries}
}

// clear forgets everything.
func (t *talks) clear() {
	t.arcs.Purge()
	t.weights.Purge()
	t.summaries.Purge()
}

// notes calls f for the turns from … to with their notes, in order.
func (v *View) notes(info conversation.Info, from, to int, f func(n *arc.Notes)) error {
	next := from
	make := func(to int) error {
		for ; next < to; next++ {
			made, _, err := v.versions(info, next)
			if err != nil {
				return err
			}
			var n arc.Notes
			if err := n.UnmarshalBinary(made.Notes); err != nil {
				return fmt.Errorf("read notes of turn %s: %w", dialogue.TurnID(next), err)
			}
			f(&n)
		}
		return nil
	}
	err := conversation.EachNotes(v.r, v.w.number, info, from, to, func(turn int, raw []byte) error {
		var n arc.Notes
		if n.UnmarshalBinary(raw) != nil {
			return nil // of another form: made anew
		}
		if err := make(turn); err != nil {
			return err
		}
		f(&n)
		next = turn + 1
		return nil
	})
	if err != nil {
		return err
	}
	return make(to + 1)
}

// folder gives the arc of a conversation and the notes of its last turn, which may have grown and is not in it.
func (v *View) folder(info conversation.Info) (*arc.Folder, *arc.Notes, error) {
	key := talkKey{v.w.number, info.Number}
	kept, ok := v.w.memory.talks.arcs.Get(key)
	if !ok {
		kept = &keptArc{folder: arc.NewFolder()}
		v.w.memory.talks.arcs.Add(key, kept)
	}
	kept.mu.Lock()
	defer kept.mu.Unlock()
	folder := kept.folder
	if folder.Turns() >= info.Turns { // an older state is asked for
		folder = arc.NewFolder()
	}
	var last *arc.Notes
	err := v.notes(info, folder.Turns()+1, info.Turns, func(n *arc.Notes) {
		if n.Turn == info.Turns {
			last = n
			return
		}
		folder.Add(n)
	})
	return folder, last, err
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
	folder, last, err := v.folder(info)
	if err != nil {
		return arc.Arc{}, err
	}
	return folder.Arc(last, style, budget, v.w.memory.opts.Count), nil
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
