package knowledge

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/subject"
)

// TalkTurn is a turn of a conversation.
type TalkTurn struct {
	Conversation string
	Turn         dialogue.Turn
	Files        []string // that it mentions, relative to the root
	Shared       bool     // it belongs to an ancestor, whose talk includes it as well
	Messages     int      // of the conversation, including removed ones
	// Distant means that so many turns of other conversations came after this one's that only
	// lasting facts are read.
	Distant bool
}

// ProcessInput is the input of an offline run.
type ProcessInput struct {
	// Turns yields turns, those of one conversation together and in order. Turns that an earlier
	// run has read are skipped unless Full is set; a conversation's last turn is read again, since
	// it may have grown.
	Turns iter.Seq2[TalkTurn, error]
	// Partial reports, once Turns has ended, whether it left out distant conversations that an
	// earlier run has read.
	Partial func() bool
	// Full discards the findings of earlier runs and reads all turns.
	Full bool
	// Terms splits text into terms, as rankers do.
	Terms func(text string, yield func(term string))
	// Sections returns the sections of the workspace's documents on a topic, the best first; nil
	// when there are none.
	Sections func(topic string) ([]Section, error)
	// Gone reports whether a file that a conversation named belonged to the workspace and no longer
	// exists; nil = unknown.
	Gone func(path string) bool
	// Count returns the tokens of a text; nil counts words.
	Count func(text string) int
	// Subjects returns what people call by name; nil = unknown.
	Subjects func() (subject.Set, error)
	// Pause is called between small steps, at most some milliseconds apart; its error ends the run.
	// nil = never.
	Pause func() error
	// Keep stores at once what an interrupted run need not do again; its error ends the run. nil
	// stores it with the rest.
	Keep func(stage func(tx store.Tx)) error
	// Progress is called often with the state of the run; nil = not needed.
	Progress func(Progress)
	// Reason is the reason for the run, for people; Messages and Talked are the numbers of messages
	// and turns in the workspace.
	Reason           string
	Messages, Talked int
}

// ProcessResult counts what exists after a run.
type ProcessResult struct {
	Version                                                      uint64
	Lessons, References, Rules, Topics, Entities, Merged, Pruned int
	// Began is the transaction's time; the caller sets Took.
	Began time.Time
	Took  time.Duration
	// Turns counts those read for the first time.
	Turns    int
	Changes  Changes
	Coverage Coverage
}

// progress is how far runs have read a conversation.
type progress struct {
	Turn int `json:"turn"`           // the last turn that was read completely
	Seen int `json:"seen,omitempty"` // the last turn that was read
	// Messages of the conversation at that time, including removed ones.
	Messages int `json:"messages,omitempty"`
}

// Process makes the next version of the knowledge from turns: lessons, near-duplicates merged,
// weightless items pruned, references, the coverage of questions, recommendations. All is staged in
// one batch. A run that finds nothing new changes only the version; the same turns at the same time
// yield the same knowledge.
func Process(tx store.Tx, in ProcessInput) (ProcessResult, error) {
	s, err := openShelf(tx.View)
	if err != nil {
		return ProcessResult{}, fmt.Errorf("process knowledge: %w", err)
	}
	p := &pass{in: in, pacer: pacer{report: in.Progress, yield: in.Pause}, shelf: s, tx: tx, near: map[string]bool{}, gone: map[*Item]bool{}}
	s.pause = p.pacer.pause
	err = p.pacer.through([]stage{
		{"reading", 60, []func() error{p.load, p.readTurns}},
		{"rules", 1, []func() error{p.learnRules}},
		{"lessons", 2, []func() error{p.learnLessons, p.merge, p.mergeRules, p.prune, p.retire}},
		{"subjects", 5, []func() error{p.findSubjects}},
		{"references", 5, []func() error{p.assemble}},
		{"recommendations", 3, []func() error{p.cover, p.recommend}},
		{"saving", 1, []func() error{p.count, p.note}},
	})
	if err != nil {
		return ProcessResult{}, fmt.Errorf("process knowledge: %w", err)
	}
	if _, err := s.flush(tx); err != nil {
		return ProcessResult{}, fmt.Errorf("process knowledge: %w", err)
	}
	s.raise(tx)
	p.out.Version, p.out.Began = s.version+1, tx.Now
	return p.out, nil
}

// pass is one pass over the conversations, without a model and in one transaction: it loads the
// items, hears the messages that are new, or all, brings the items up to date with them and stores
// what changed, with a record of itself, a [Run].
type pass struct {
	in       ProcessInput
	pacer    pacer
	shelf    *itemStage
	tx       store.Tx
	items    []*Item // all, by id
	gone     map[*Item]bool
	lessons  []*Item         // found in this run
	passages []*passage      // of all conversations
	heard    []heardMessage  // directives that a full run extracts again
	decided  []statement     // by the conversations' arcs
	near     map[string]bool // conversations that were read completely, not only for lasting facts
	// Of the conversations that were read completely: people's questions, the latest first once all
	// are read; and the subjects.
	questions []personQuestion
	set       subject.Set
	subjects  []string // ids of the subjects
	out       ProcessResult
}

// note stores the record of this run. The caller adds the duration.
func (p *pass) note() error {
	p.changedItems()
	return p.tx.SetJSON(key(p.tx.Workspace, keyRun), Run{
		Began: p.tx.Now.UTC(), Reason: p.in.Reason, Turns: p.out.Turns, Changes: p.out.Changes, Messages: p.in.Messages,
		LessonForm: lessonForm, Coverage: p.out.Coverage, Subjects: p.subjects,
	})
}

// load reads the items and the progress of earlier runs.
func (p *pass) load() error {
	prefix := key(p.tx.Workspace, keyItem)
	var ids []string
	err := p.tx.Scan(prefix, store.PrefixEnd(prefix), func(k, _ []byte) (bool, error) {
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
		if err := p.pacer.pause(); err != nil {
			return err
		}
		it, err := p.shelf.get(id)
		if err != nil {
			return err
		}
		if it != nil && it.Team == nil { // what teammates wrote is theirs to change
			p.items = append(p.items, it)
		}
	}
	if p.in.Full {
		prefix := key(p.tx.Workspace, keyProgress)
		p.tx.DeleteRange(prefix, store.PrefixEnd(prefix))
	}
	return nil
}

// findSubjects reads the topics and entities, and compares them with those of the last run.
func (p *pass) findSubjects() (err error) {
	if p.in.Subjects == nil {
		return nil
	}
	if p.set, err = p.in.Subjects(); err != nil {
		return err
	}
	last, err := LastRun(p.tx.View)
	if err != nil {
		return err
	}
	p.subjects = p.out.Changes.note(last.Subjects, &p.set)
	p.out.Topics, p.out.Entities = len(p.set.Topics), len(p.set.Entities)
	return nil
}

// readTurns extracts questions and lessons from the new turns.
func (p *pass) readTurns() error {
	var talk []TalkTurn
	read := 0
	for told, err := range p.in.Turns {
		if err == nil {
			err = p.pacer.at(read, p.in.Talked)
		}
		if err != nil {
			return err
		}
		read++
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
	p.questions = ordered(p.questions)
	return nil
}

// conversation reads the turns of one conversation.
func (p *pass) conversation(talk []TalkTurn) error {
	id := talk[0].Conversation
	if p.in.Full {
		if err := p.hearAgain(talk); err != nil {
			return err
		}
	}
	done, err := p.progress(id)
	if err != nil {
		return err
	}
	for _, t := range talk {
		if t.Turn.Number <= done.Turn {
			continue
		}
		if err := p.pacer.pause(); err != nil {
			return err
		}
		if t.Turn.Number > done.Seen {
			p.out.Turns++
		}
	}
	known, isNew, err := p.factsOf(talk)
	if err == nil && isNew {
		err = p.keep(id, known)
	}
	if err != nil {
		return err
	}
	// The earlier turns are read too, since a fix may come long after the problem.
	a, err := newConversationLog(talk, known, p.pacer.pause)
	if err != nil {
		return err
	}
	lessons, err := lessonsIn(a, p.in.size)
	if err != nil {
		return err
	}
	p.lessons = append(p.lessons, lessons...)
	if err := p.pacer.pause(); err != nil {
		return err
	}
	if !talk[0].Distant {
		p.near[id] = true
		passages, err := passagesOf(a)
		if err != nil {
			return err
		}
		p.passages = append(p.passages, passages...)
		p.questions = append(p.questions, questionsOf(a)...)
		if err := p.quoteDecisions(talk, known); err != nil {
			return err
		}
	}
	last := talk[len(talk)-1].Turn.Number
	done.Turn, done.Seen, done.Messages = max(done.Turn, last-1), max(done.Seen, last), talk[0].Messages
	v, err := json.Marshal(done)
	if err == nil {
		p.tx.Set(key(p.tx.Workspace, keyProgress, id), v)
	}
	return err
}

// heardMessage is a message of a conversation with the directives in it.
type heardMessage struct {
	conversation string
	index        int
	MessageDirectives
}

// hearAgain collects the directives of a conversation.
func (p *pass) hearAgain(talk []TalkTurn) error {
	before := ""
	var all []dialogue.Message
	first, at := len(p.heard), []int{} // of the messages, where each heard one is
	for _, t := range talk {
		for i := range t.Turn.Messages {
			if err := p.pacer.pause(); err != nil {
				return err
			}
			m := &t.Turn.Messages[i]
			if found := Hear(m, before); len(found) > 0 {
				p.heard = append(p.heard, heardMessage{talk[0].Conversation, i, MessageDirectives{Message: *m, Turn: t.Turn.Number, Found: found}})
				at = append(at, len(all))
			}
			all = append(all, *m)
			before = m.Content
		}
	}
	if len(at) > 0 {
		origins := Origins(nil, all)
		for i, k := range at {
			p.heard[first+i].Origin = origins[k]
		}
	}
	return nil
}

// learnRules stages the directives that a full run extracted again, in chronological order. What is
// known already stays as it is.
func (p *pass) learnRules() error {
	slices.SortStableFunc(p.heard, func(a, b heardMessage) int { return a.At.Compare(b.At) })
	for i, h := range p.heard {
		if err := p.pacer.at(i, len(p.heard)); err != nil {
			return err
		}
		for _, f := range h.Found {
			if err := p.shelf.hear(h.conversation, h.index, h.MessageDirectives, f, p.tx.Now); err != nil {
				return err
			}
		}
	}
	p.items = p.items[:0]
	for _, id := range slices.Sorted(maps.Keys(p.shelf.items)) {
		if it := p.shelf.items[id]; it != nil && it.Team == nil {
			p.items = append(p.items, it)
		}
	}
	return nil
}

// partial reports whether the run read only a part of the conversations.
func (in *ProcessInput) partial() bool { return in.Partial != nil && in.Partial() && !in.Full }

// isDistant reports whether all sources of an item are in conversations that the run did not read.
func (p *pass) isDistant(it *Item) bool {
	return p.in.partial() && !slices.ContainsFunc(it.SourceTurns, func(s string) bool {
		c, _, _ := ParseSource(s)
		return p.near[c]
	})
}

func (p *pass) progress(conversation string) (*progress, error) {
	done := &progress{}
	if p.in.Full {
		return done, nil
	}
	v, found, err := p.tx.Get(key(p.tx.Workspace, keyProgress, conversation))
	if err != nil || !found {
		return done, err
	}
	if err := json.Unmarshal(v, done); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return done, nil
}

// Unread reports whether a conversation with the given number of messages has any that no run has
// read.
func Unread(view store.View, conversation string, messages int) (bool, error) {
	var done progress
	err := readJSON(view.Reader, key(view.Workspace, keyProgress, conversation), &done, "read the progress of runs")
	return done.Messages != messages, err
}

func (in *ProcessInput) size(text string) int {
	if in.Count == nil {
		return len(text) / 4
	}
	return in.Count(text)
}

// learnLessons stages the lessons that were found; an existing lesson stays as it is.
func (p *pass) learnLessons() error {
	last, err := LastRun(p.tx.View)
	if err != nil {
		return err
	}
	if p.in.Full || last.LessonForm != lessonForm {
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
	bySource := map[string][]*Item{} // lessons
	place := func(it *Item) {
		for _, s := range it.SourceTurns {
			bySource[s] = append(bySource[s], it)
		}
	}
	for _, it := range p.items {
		if it.Kind == Lesson {
			place(it)
		}
	}
	for i, l := range p.lessons {
		if err := p.pacer.at(i, len(p.lessons)); err != nil {
			return err
		}
		old, err := p.shelf.get(l.ID)
		if err != nil {
			return err
		}
		if old != nil && old.Content == l.Content || p.absorbed(l, bySource) {
			continue
		}
		if old != nil {
			l.CreatedAt = old.CreatedAt
			p.gone[old] = true
		}
		if old == nil {
			p.out.Changes.NewLessons++
		}
		p.shelf.items[l.ID] = l
		p.items = append(p.items, l)
		place(l)
	}
	p.sweep()
	return nil
}

// absorbed reports whether an earlier run has merged the lesson into another, which then has its
// sources. bySource are the lessons by each of their sources.
func (p *pass) absorbed(l *Item, bySource map[string][]*Item) bool {
	return len(l.SourceTurns) > 0 && slices.ContainsFunc(bySource[l.SourceTurns[0]], func(it *Item) bool {
		return it.ID != l.ID && !p.gone[it] && !slices.ContainsFunc(l.SourceTurns, func(s string) bool { return !slices.Contains(it.SourceTurns, s) })
	})
}

// count returns the numbers of the existing items.
func (p *pass) count() error {
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
