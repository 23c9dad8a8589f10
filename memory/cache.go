package memory

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/history"
	"github.com/contexture-dev/contexture/memory/rewrite"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/subject"
	lru "github.com/hashicorp/golang-lru/v2"
)

// conversationCache caches, for the most recently used conversations, what would otherwise be read
// for every answer: all of it is derived and may be dropped at any time. A conversation only grows,
// except when something is forgotten: then the cache is cleared, and older views do not add to it.
type conversationCache struct {
	current atomic.Pointer[cacheGeneration]
}

// cacheGeneration is the cache that views share from one clearing to the next.
type cacheGeneration struct {
	arcs      *lru.Cache[conversationKey, *cachedArc]
	told      *lru.Cache[arcKey, Arc]
	weights   *lru.Cache[weightKey, []weight]
	sizes     *lru.Cache[conversationKey, cachedSizes]
	summaries *lru.Cache[summaryKey, summary]
	rules     *lru.Cache[ruleKey, ruleList]        // the lists are read-only
	subjects  *lru.Cache[ruleKey, *subject.Set]    // by generation; read-only
	described *lru.Cache[subjectKey, *Description] // read-only
}

// cachedSizes are the sizes of all turns of a conversation with so many messages.
type cachedSizes struct {
	list     []history.Size
	messages int
}

// cachedArc is the arc of a conversation without its last turn.
type cachedArc struct {
	mu     sync.Mutex // held while turns are added, so that two readers do not add the same ones
	folder *arc.Folder
}

type conversationKey struct {
	workspace store.Workspace
	number    conversation.Number
}

// arcKey is the key of an arc: the request, and the state of the conversation.
type arcKey struct {
	conversationKey
	messages, budget int
	style            arc.Style
	story            int // how many turns a model summarised, 0 without a model's arc
}

// weightKey is the key of weights, which are valid for one encoding.
type weightKey struct {
	conversationKey
	encoding string
}

// subjectKey is the key of what is known of a subject in one generation of the memory.
type subjectKey struct {
	workspace  store.Workspace
	generation uint64
	id         string
}

// ruleKey is the key of the active rules in one version of a workspace's knowledge.
type ruleKey struct {
	workspace store.Workspace
	version   uint64
}

const (
	keptRules              = 8
	keptSets               = 2 // large ones
	maxCachedConversations = 64
	keptSummaries          = 4096
)

func newConversationCache() *conversationCache {
	t := &conversationCache{}
	t.clear()
	return t
}

// clear drops the whole cache.
func (t *conversationCache) clear() {
	k := &cacheGeneration{}
	k.arcs, _ = lru.New[conversationKey, *cachedArc](maxCachedConversations) // fails only for a size below 1
	k.told, _ = lru.New[arcKey, Arc](maxCachedConversations)
	k.weights, _ = lru.New[weightKey, []weight](maxCachedConversations)
	k.sizes, _ = lru.New[conversationKey, cachedSizes](maxCachedConversations)
	k.rules, _ = lru.New[ruleKey, ruleList](keptRules)
	k.subjects, _ = lru.New[ruleKey, *subject.Set](keptSets)
	k.described, _ = lru.New[subjectKey, *Description](maxCachedConversations)
	k.summaries, _ = lru.New[summaryKey, summary](keptSummaries)
	t.current.Store(k)
}

// notes calls f for the turns from … to with their notes, in order.
func (v *Turns) notes(info conversation.Info, from, to int, f func(n *arc.Notes)) error {
	next := from
	make := func(to int) error {
		for ; next < to; next++ {
			if err := v.late(); err != nil {
				return err
			}
			turn, err := conversation.Turn(v.state, info, next)
			if err != nil {
				return fmt.Errorf("read turn %s: %w", dialogue.TurnID(next), err)
			}
			n := arc.Note(turn)
			f(&n)
		}
		return nil
	}
	err := conversation.EachNotes(v.state, info, from, to, func(turn int, raw []byte) error {
		var n arc.Notes
		if n.UnmarshalBinary(raw) != nil {
			return nil // another format version: made again
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

// Arcs are the arcs of a [View]'s conversations, made of their turns.
type Arcs struct{ turns *Turns }

// folder returns the arc of a conversation without its last turn, which may have grown, and the
// notes of that turn.
func (v *Arcs) folder(info conversation.Info) (*arc.Folder, *arc.Notes, error) {
	key := conversationKey{v.turns.state.Workspace, info.Number}
	kept, ok := v.turns.kept.arcs.Get(key)
	if !ok {
		kept = &cachedArc{folder: arc.NewFolder()}
		v.turns.kept.arcs.Add(key, kept)
	}
	kept.mu.Lock()
	defer kept.mu.Unlock()
	folder := kept.folder
	if folder.Turns() >= info.Turns { // the caller's state is older
		folder = arc.NewFolder()
	}
	var last *arc.Notes
	err := v.turns.notes(info, folder.Turns()+1, info.Turns, func(n *arc.Notes) {
		if n.Turn == info.Turns {
			last = n
			return
		}
		folder.Add(n)
	})
	return folder, last, err
}

// arcMessages is the number of messages up to which a conversation needs no arc.
const arcMessages = 6

// Of returns what was decided in a conversation, what is open and what it is about, in at most
// budget tokens; 0 leaves the length to the style. A model's arc from a few turns ago is used if it
// fits. The caller must not change its lists.
func (v *Arcs) Of(info conversation.Info, style arc.Style, budget int) (Arc, error) {
	if info.Messages <= arcMessages {
		msgs, err := conversation.Messages(v.turns.state, info, 0, info.Messages)
		if err != nil {
			return Arc{}, err
		}
		return Arc{arc.Short(msgs), dialogue.FromExtraction}, nil
	}
	story, err := modelArc(v.turns.state, info)
	if err != nil {
		return Arc{}, err
	}
	key := arcKey{conversationKey: conversationKey{v.turns.state.Workspace, info.Number}, messages: info.Messages, budget: budget, style: style}
	if story != nil {
		key.story = story.Turns
	}
	if a, ok := v.turns.kept.told.Get(key); ok {
		return a, nil
	}
	rules, err := v.byRules(info, style, budget)
	if err != nil {
		return Arc{}, err
	}
	a := Arc{rules, dialogue.FromExtraction}
	if story != nil {
		if told, ok := rewrite.Tell(*story, rules, style, budget, v.turns.opts.Count); ok {
			a = Arc{told, dialogue.FromModel}
		}
	}
	v.turns.kept.told.Add(key, a)
	return a, nil
}
