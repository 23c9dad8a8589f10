package knowledge

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/profile"
	"github.com/contexture-dev/contexture/memory/store"
)

// Profiles are the topics and entities of the last offline run, with a person's later steering
// applied.
type Profiles struct {
	// Serial changes whenever the set does.
	Serial uint64 `json:"serial"`
	profile.Set
	// Index finds what a text names; [LoadProfiles] sets it.
	Index *profile.Index `json:"-"`
}

// ProfilesSerial returns the serial of the stored profiles, 0 when there are none: reading it is
// faster than reading them.
func ProfilesSerial(view store.View) (uint64, error) {
	var n uint64
	return n, readJSON(view.Reader, key(view.Workspace, keyProfilesSerial), &n, "read profiles")
}

// LoadProfiles returns the topics and entities of the last offline run.
func LoadProfiles(view store.View) (Profiles, error) {
	var out Profiles
	err := readJSON(view.Reader, key(view.Workspace, keyProfiles), &out, "read profiles")
	out.Index = profile.NewIndex(&out.Set)
	return out, err
}

func saveProfiles(tx store.Tx, set profile.Set) error {
	serial, err := ProfilesSerial(tx.View)
	if err != nil {
		return err
	}
	if err := tx.SetJSON(key(tx.Workspace, keyProfiles), Profiles{Serial: serial + 1, Set: set}); err != nil {
		return err
	}
	return tx.SetJSON(key(tx.Workspace, keyProfilesSerial), serial+1)
}

// read passes a conversation's own turns to the reader of profiles. What a fork shares belongs to
// its ancestor.
func (p *run) read(a *conversationLog, f *facts) error {
	said := map[int][]profile.Sentence{}
	last := lastWork(a.talk)
	for k, s := range a.said {
		if k%100 == 0 {
			if err := p.pause(); err != nil {
				return err
			}
		}
		t := &a.talk[s.turn].Turn
		m := &t.Messages[s.message]
		author := ""
		if m.Named() {
			author = m.Author
		}
		said[s.turn] = append(said[s.turn], profile.Sentence{
			Text: strings.Clone(s.text), Message: m.ID, At: m.At, Author: author, Person: s.person,
			Passing: !s.person && s.message <= last[s.turn], Scores: s.scores,
		})
	}
	byNumber := map[int]int{}
	for i := range a.talk {
		told := &a.talk[i]
		byNumber[told.Turn.Number] = i
		if told.Shared || len(said[i]) == 0 {
			continue
		}
		p.profiles.Add(profile.Turn{
			Source: SourceTurn(told.Conversation, dialogue.TurnID(told.Turn.Number)), Conversation: told.Conversation, Number: told.Turn.Number,
			At: told.Turn.Messages[0].At, Sentences: said[i], Files: told.Files,
		})
	}
	quote := func(list []settled, into *[]profile.Statement) error {
		for _, s := range list {
			if err := p.pause(); err != nil {
				return err
			}
			i, ok := byNumber[s.Turn]
			if !ok || a.talk[i].Shared {
				continue
			}
			if st, ok := statementIn(&a.talk[i], s.Text); ok {
				*into = append(*into, st)
			}
		}
		return nil
	}
	return errors.Join(quote(f.Decided, &p.decided), quote(f.Open, &p.open))
}

// lastWork returns, for each turn, the last message in which a tool is called or answers, -1 when
// there is none: an assistant's messages before it announce actions and state no facts.
func lastWork(talk []Told) []int {
	out := make([]int, len(talk))
	for i, t := range talk {
		out[i] = -1
		for k := range t.Turn.Messages {
			if m := &t.Turn.Messages[k]; len(m.ToolCalls) > 0 || m.Role == dialogue.Tool {
				out[i] = k
			}
		}
	}
	return out
}

// statementIn returns the statement for a text in the messages of a turn.
func statementIn(told *Told, text string) (profile.Statement, bool) {
	for i := range told.Turn.Messages {
		m := &told.Turn.Messages[i]
		if strings.Contains(m.Content, text) {
			return profile.Statement{
				Text: text, Conversation: told.Conversation, Turn: dialogue.TurnID(told.Turn.Number), Message: m.ID, At: m.At.UTC(), Author: m.Author,
				Person: m.ByPerson(),
			}, true
		}
	}
	return profile.Statement{}, false
}

// ruleSure is the probability from which an unconfirmed rule is in a profile.
const ruleSure = .5

// findProfiles makes the topics and entities of this run.
func (p *run) findProfiles() error {
	before, err := LoadProfiles(p.tx.View)
	if err != nil {
		return err
	}
	wishes, err := Steerings(p.tx.View)
	if err != nil {
		return err
	}
	o := profile.Options{Before: before.Set, Steering: wishes, Decided: p.decided, Open: p.open, Familiar: p.in.Familiar, Pause: p.at, Now: p.tx.Now, Partial: p.partial()}
	for _, it := range p.items {
		if it.Kind != Rule || !it.Holds() || it.Standing() == Candidate && it.Probability < ruleSure {
			continue
		}
		st := profile.Statement{Text: it.Content, At: it.CreatedAt, Person: true}
		if len(it.Quotations) > 0 {
			q := it.Quotations[len(it.Quotations)-1]
			st.Text, st.Conversation, st.Turn, st.Message, st.At, st.Author = q.Text, q.Conversation, q.Turn, q.Message, q.At, q.Author
		}
		o.Rules = append(o.Rules, st)
	}
	set, err := p.profiles.Find(o)
	if err != nil {
		return err
	}
	p.set = set
	p.out.Topics, p.out.Entities = len(set.Topics), len(set.Entities)
	p.out.Changes.note(before.Set, set)
	return saveProfiles(p.tx, set)
}

// Steerings returns a person's wishes about topics and entities, in order.
func Steerings(view store.View) ([]profile.Steering, error) {
	var out []profile.Steering
	return out, readJSON(view.Reader, key(view.Workspace, keySteering), &out, "read the wishes about topics")
}

// maxSteerings bounds the stored wishes.
const maxSteerings = 2000

// Steer applies a person's wish about a topic or an entity, now and in all later runs. It returns
// the resulting profiles. Error: ErrNotFound when there is no subject with that id, or none to
// merge it into.
func Steer(tx store.Tx, w profile.Steering) (profile.Set, error) {
	all, err := LoadProfiles(tx.View)
	if err != nil {
		return profile.Set{}, err
	}
	s := all.Subject(w.ID)
	if s == nil || w.Act == profile.Merge && (all.Subject(w.Into) == nil || w.Into == w.ID || kindOfID(w.Into) != kindOfID(w.ID)) {
		return profile.Set{}, fmt.Errorf("steer %q: %w", w.ID, ErrNotFound)
	}
	if w.Keys = s.Keys(); kindOfID(w.ID) == "topic" { // its other words may be topics of their own
		w.Keys = []string{profile.NameKey(s.FoundLabel())}
	}
	wishes, err := Steerings(tx.View)
	if err != nil {
		return profile.Set{}, err
	}
	wishes = slices.DeleteFunc(wishes, func(o profile.Steering) bool {
		return o.ID == w.ID && (o.Act == w.Act || w.Act == profile.Unpin && o.Act == profile.Pin)
	})
	if w.Act != profile.Unpin {
		wishes = append(wishes, w)
	}
	wishes = wishes[max(0, len(wishes)-maxSteerings):]
	set := all.Steer(w)
	if err := tx.SetJSON(key(tx.Workspace, keySteering), wishes); err != nil {
		return profile.Set{}, err
	}
	if err := saveProfiles(tx, set); err != nil {
		return profile.Set{}, err
	}
	shelf, err := openShelf(tx.View)
	if err == nil {
		shelf.raise(tx)
	}
	return set, err
}

// ImportSteerings stages an export's wishes in addition to the stored ones; of equal ones the
// stored stays. Later runs apply them.
func ImportSteerings(tx store.Tx, wishes []profile.Steering) error {
	all, err := Steerings(tx.View)
	if err != nil {
		return err
	}
	for _, w := range wishes {
		if !slices.ContainsFunc(all, func(o profile.Steering) bool { return o.ID == w.ID && o.Act == w.Act }) {
			all = append(all, w)
		}
	}
	all = all[max(0, len(all)-maxSteerings):]
	return tx.SetJSON(key(tx.Workspace, keySteering), all)
}

// kindOfID returns the kind that an id has: topic or entity.
func kindOfID(id string) string {
	kind, _, _ := strings.Cut(id, "-")
	return kind
}

// forgetProfiles removes what was said in turns from topics and entities. A subject whose name only
// forgotten turns may have used is removed until the next run finds it elsewhere. It reports
// whether there was any.
func forgetProfiles(tx store.Tx, conversations []string, gone func(source string) bool) (bool, error) {
	for _, c := range conversations {
		tx.Delete(key(tx.Workspace, keyFacts, c))
	}
	if err := forgetChanges(tx, false); err != nil {
		return false, err
	}
	all, err := LoadProfiles(tx.View)
	if err != nil {
		return false, err
	}
	touched := func(s *profile.Subject) bool {
		return slices.ContainsFunc(s.Turns, gone) || len(s.Turns) < s.Count || slices.ContainsFunc(s.Statements, func(st profile.Statement) bool {
			return st.Turn == "" || gone(st.Source())
		})
	}
	n := len(all.Topics) + len(all.Entities)
	var lost []string
	all.Topics = slices.DeleteFunc(all.Topics, func(t profile.Topic) bool { return touched(&t.Subject) })
	all.Entities = slices.DeleteFunc(all.Entities, func(e profile.Entity) bool {
		if touched(&e.Subject) {
			lost = append(lost, e.Label)
			return true
		}
		return false
	})
	if len(all.Topics)+len(all.Entities) == n {
		return false, nil
	}
	unrelate := func(s *profile.Subject) {
		s.Related = slices.DeleteFunc(s.Related, func(name string) bool { return slices.Contains(lost, name) })
	}
	for i := range all.Topics {
		unrelate(&all.Topics[i].Subject)
	}
	for i := range all.Entities {
		unrelate(&all.Entities[i].Subject)
	}
	if err := forgetChanges(tx, true); err != nil {
		return false, err
	}
	return true, saveProfiles(tx, all.Set)
}
