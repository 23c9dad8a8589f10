package knowledge

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/profile"
	"github.com/contexture-dev/contexture/memory/store"
)

// Told is a turn of a conversation.
type Told struct {
	Conversation string
	Turn         dialogue.Turn
	Files        []string // that it mentions, below the root
	Shared       bool     // it is an ancestor's, which tells it as well
}

// ProcessInput is what an offline run reads.
type ProcessInput struct {
	// Turns gives turns, those of one conversation together and in order. Turns that a run before has read are passed
	// over unless Full is set; a conversation's last turn is read again, as it may have grown.
	Turns iter.Seq2[Told, error]
	// Full forgets what runs before have found and starts from all turns.
	Full bool
	Now  time.Time
	// Terms cuts text into terms, as rankers do.
	Terms func(text string, yield func(term string))
	// Sections returns the sections of the workspace's documents on a topic, the best first; nil where there are none.
	Sections func(topic string) ([]Section, error)
	// Count gives the tokens of a text; nil counts words.
	Count func(text string) int
	// Familiar says how common a word is in the language that it is of; nil = not known. See [profile.Options].
	Familiar func(word string) float64
	// Pause is called between small steps, at most some milliseconds apart; its error ends the run. nil = never.
	Pause func() error
	// Keep stores at once what a run that is cut short need not do again; its error ends the run. nil stores it with the
	// rest.
	Keep func(stage func(b *store.Batch)) error
	// Reason is why it runs, for people; Messages is how many there are in the workspace.
	Reason   string
	Messages int
}

// ProcessResult counts what there is after a run.
type ProcessResult struct {
	Version                                                      uint64
	Lessons, References, Rules, Topics, Entities, Merged, Pruned int
	// Began is the input's Now; Took is set by who runs it.
	Began time.Time
	Took  time.Duration
	// Turns were read for the first time.
	Turns   int
	Changes Changes
}

// progress is how far runs have read a conversation.
type progress struct {
	Turn int `json:"turn"`           // the last turn that was read whole
	Seen int `json:"seen,omitempty"` // the last turn that was read
}

// Process makes the next version of the knowledge from turns: topics, lessons, near-duplicates merged, what weighs
// nothing pruned, references, recommendations. All is staged in one batch. A run that finds nothing new changes the version only; the
// same turns give the same knowledge.
func Process(r store.Reader, b *store.Batch, ws store.Workspace, in ProcessInput) (ProcessResult, error) {
	s, err := openShelf(r, ws)
	if err != nil {
		return ProcessResult{}, fmt.Errorf("process knowledge: %w", err)
	}
	p := &run{in: in, shelf: s, b: b, topics: map[string]*traces{}}
	for _, step := range []func() error{p.load, p.readTurns, p.learnRules, p.learnLessons, p.merge, p.prune, p.assemble, p.findProfiles, p.saveTopics, p.recommend, p.count, p.note} {
		if err := errors.Join(p.pause(), step()); err != nil {
			return ProcessResult{}, fmt.Errorf("process knowledge: %w", err)
		}
	}
	if _, err := s.flush(b); err != nil {
		return ProcessResult{}, fmt.Errorf("process knowledge: %w", err)
	}
	s.raise(b)
	p.out.Version, p.out.Began = s.version+1, in.Now
	return p.out, nil
}

// run is one offline run.
type run struct {
	in       ProcessInput
	shelf    *shelf
	b        *store.Batch
	items    []*Item // all, by id
	topics   map[string]*traces
	lessons  []*Item    // found in this run
	passages []*passage // of all conversations
	heard    []heardIn  // directives that a full run reads again
	profiles profile.Reader
	decided  []profile.Statement // by the conversations' arcs
	open     []profile.Statement // questions of theirs
	out      ProcessResult
}

func (p *run) pause() error {
	if p.in.Pause == nil {
		return nil
	}
	return p.in.Pause()
}

// note stores what is known of this run. How long it took its caller adds.
func (p *run) note() error {
	return saveJSON(p.b, key(p.shelf.ws, keyRun), Run{
		Began: p.in.Now.UTC(), Reason: p.in.Reason, Turns: p.out.Turns, Changes: p.out.Changes, Messages: p.in.Messages,
	})
}

// load reads the items and how far earlier runs came.
func (p *run) load() error {
	prefix := key(p.shelf.ws, keyItem)
	var ids []string
	err := p.shelf.r.Scan(prefix, store.PrefixEnd(prefix), func(k, _ []byte) (bool, error) {
		id, _, ok := store.TakeString(k[len(prefix):])
		if !ok {
			return false, ErrBroken
		}
		ids = append(ids, id)
		return true, nil
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		it, err := p.shelf.get(id)
		if err != nil {
			return err
		}
		p.items = append(p.items, it)
	}
	if p.in.Full {
		prefix := key(p.shelf.ws, keyProgress)
		p.b.DeleteRange(prefix, store.PrefixEnd(prefix))
		return nil
	}
	return p.loadTopics()
}

// readTurns takes the traces of topics, questions and lessons from the turns that are new.
func (p *run) readTurns() error {
	var talk []Told
	for told, err := range p.in.Turns {
		if err == nil {
			err = p.pause()
		}
		if err != nil {
			return err
		}
		if len(talk) > 0 && talk[0].Conversation != told.Conversation {
			if err := p.conversation(talk); err != nil {
				return err
			}
			talk = talk[:0]
		}
		talk = append(talk, told)
	}
	if len(talk) > 0 {
		if err := p.conversation(talk); err != nil {
			return err
		}
	}
	return nil
}

// conversation reads the turns of one conversation.
func (p *run) conversation(talk []Told) error {
	id := talk[0].Conversation
	if p.in.Full {
		p.hearAgain(talk)
	}
	done, err := p.progress(id)
	if err != nil {
		return err
	}
	for _, t := range talk {
		if t.Turn.Number <= done.Turn {
			continue
		}
		if err := p.pause(); err != nil {
			return err
		}
		if t.Turn.Number > done.Seen {
			p.out.Turns++
		}
		p.trace(t)
	}
	known, isNew, err := p.factsOf(talk)
	if err == nil && isNew {
		err = p.keep(id, known)
	}
	if err != nil {
		return err
	}
	// The turns before are read, too: a fix may come long after the problem.
	a, err := newAccount(talk, known)
	if err := errors.Join(err, p.pause()); err != nil {
		return err
	}
	p.lessons = append(p.lessons, lessonsIn(a, p.size)...)
	if err := p.pause(); err != nil {
		return err
	}
	p.passages = append(p.passages, passagesOf(a)...)
	p.read(a, known)
	last := talk[len(talk)-1].Turn.Number
	done.Turn, done.Seen = max(done.Turn, last-1), max(done.Seen, last)
	v, err := json.Marshal(done)
	if err == nil {
		p.b.Set(key(p.shelf.ws, keyProgress, id), v)
	}
	return err
}

// heardIn is a message of a conversation with the directives in it.
type heardIn struct {
	conversation string
	index        int
	Heard
}

// hearAgain collects the directives of a conversation.
func (p *run) hearAgain(talk []Told) {
	before := ""
	for _, t := range talk {
		for i := range t.Turn.Messages {
			m := &t.Turn.Messages[i]
			if found := Hear(m, before); len(found) > 0 {
				p.heard = append(p.heard, heardIn{talk[0].Conversation, i, Heard{Message: *m, Turn: t.Turn.Number, Found: found}})
			}
			before = m.Content
		}
	}
}

// learnRules stages the directives that a full run read again, in the order in which they were said. What is known
// already stays as it is.
func (p *run) learnRules() error {
	slices.SortStableFunc(p.heard, func(a, b heardIn) int { return a.At.Compare(b.At) })
	for _, h := range p.heard {
		for _, f := range h.Found {
			if err := p.shelf.hear(Learning{Conversation: h.conversation, Now: p.in.Now}, h.index, h.Heard, f); err != nil {
				return err
			}
		}
	}
	p.items = p.items[:0]
	for _, id := range slices.Sorted(maps.Keys(p.shelf.items)) {
		if it := p.shelf.items[id]; it != nil {
			p.items = append(p.items, it)
		}
	}
	return nil
}

func (p *run) progress(conversation string) (*progress, error) {
	done := &progress{}
	if p.in.Full {
		return done, nil
	}
	v, found, err := p.shelf.r.Get(key(p.shelf.ws, keyProgress, conversation))
	if err != nil || !found {
		return done, err
	}
	if err := json.Unmarshal(v, done); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return done, nil
}

func (p *run) size(text string) int {
	if p.in.Count == nil {
		return len(text) / 4
	}
	return p.in.Count(text)
}

// learnLessons stages the lessons that were found; a lesson that is there already stays as it is.
func (p *run) learnLessons() error {
	if p.in.Full {
		found := map[string]bool{}
		for _, l := range p.lessons {
			found[l.ID] = true
		}
		for i, it := range p.items {
			if it.Kind == Lesson && it.Learned && !found[it.ID] {
				p.shelf.items[it.ID], p.items[i] = nil, nil
			}
		}
		p.items = slices.DeleteFunc(p.items, func(it *Item) bool { return it == nil })
	}
	for _, l := range p.lessons {
		if err := p.pause(); err != nil {
			return err
		}
		old, err := p.shelf.get(l.ID)
		if err != nil {
			return err
		}
		if old != nil && old.Content == l.Content || p.absorbed(l) {
			continue
		}
		if old != nil {
			l.CreatedAt = old.CreatedAt
			p.items = slices.DeleteFunc(p.items, func(it *Item) bool { return it.ID == l.ID })
		}
		if old == nil {
			p.out.Changes.NewLessons++
		}
		p.shelf.items[l.ID] = l
		p.items = append(p.items, l)
	}
	return nil
}

// absorbed reports whether an earlier run has merged the lesson into another: its sources are that one's.
func (p *run) absorbed(l *Item) bool {
	return slices.ContainsFunc(p.items, func(it *Item) bool {
		return it.Kind == Lesson && it.ID != l.ID && !slices.ContainsFunc(l.SourceTurns, func(s string) bool { return !slices.Contains(it.SourceTurns, s) })
	})
}

// count tells what there is.
func (p *run) count() error {
	for _, it := range p.items {
		if !it.Holds() {
			continue
		}
		switch it.Kind {
		case Lesson:
			p.out.Lessons++
		case Reference:
			p.out.References++
		case Rule:
			p.out.Rules++
		}
	}
	return nil
}
