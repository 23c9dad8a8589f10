package knowledge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/profile"
	"github.com/contexture-dev/contexture/memory/store"
)

// Profiles are the topics and entities of the last offline run, with what a person has wanted of them since.
type Profiles struct {
	// Serial changes whenever the set does.
	Serial uint64 `json:"serial"`
	profile.Set
	// Index finds what a text names; [LoadProfiles] makes it.
	Index *profile.Index `json:"-"`
}

// ProfilesSerial returns the serial of the stored profiles, 0 where there are none: it is read faster than they are.
func ProfilesSerial(r store.Reader, ws store.Workspace) (uint64, error) {
	var n uint64
	return n, readJSON(r, key(ws, keyProfilesSerial), &n, "read profiles")
}

// LoadProfiles returns the topics and entities of the last offline run.
func LoadProfiles(r store.Reader, ws store.Workspace) (Profiles, error) {
	var out Profiles
	err := readJSON(r, key(ws, keyProfiles), &out, "read profiles")
	out.Index = profile.NewIndex(&out.Set)
	return out, err
}

func saveProfiles(r store.Reader, b *store.Batch, ws store.Workspace, set profile.Set) error {
	serial, err := ProfilesSerial(r, ws)
	if err != nil {
		return err
	}
	if err := saveJSON(b, key(ws, keyProfiles), Profiles{Serial: serial + 1, Set: set}); err != nil {
		return err
	}
	return saveJSON(b, key(ws, keyProfilesSerial), serial+1)
}

// read gives a conversation's own turns to the reader of profiles. What a fork shares is its ancestor's.
func (p *run) read(a *account, f *facts) {
	said := map[int][]profile.Sentence{}
	for _, s := range a.said {
		t := &a.talk[s.turn].Turn
		m := &t.Messages[s.message]
		author := ""
		if m.Named() {
			author = m.Author
		}
		said[s.turn] = append(said[s.turn], profile.Sentence{
			Text: strings.Clone(s.text), Message: m.ID, At: m.At, Author: author, Person: s.person,
			Passing: !s.person && worksOn(t.Messages, s.message), Scores: s.scores,
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
	quote := func(list []settled, into *[]profile.Statement) {
		for _, s := range list {
			i, ok := byNumber[s.Turn]
			if !ok || a.talk[i].Shared {
				continue
			}
			if st, ok := statementIn(&a.talk[i], s.Text); ok {
				*into = append(*into, st)
			}
		}
	}
	quote(f.Decided, &p.decided)
	quote(f.Open, &p.open)
}

// worksOn reports whether a tool is called in or after a message of a turn: what an assistant says before its answer
// tells what it is at, not what is so.
func worksOn(messages []dialogue.Message, i int) bool {
	return slices.ContainsFunc(messages[i:], func(m dialogue.Message) bool { return len(m.ToolCalls) > 0 || m.Role == dialogue.Tool })
}

// statementIn finds a text in the messages of a turn.
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

// ruleSure is the probability from which a rule that nobody has confirmed stands in a profile.
const ruleSure = .5

// findProfiles makes the topics and entities of this run.
func (p *run) findProfiles() error {
	before, err := LoadProfiles(p.shelf.r, p.shelf.ws)
	if err != nil {
		return err
	}
	wishes, err := Steerings(p.shelf.r, p.shelf.ws)
	if err != nil {
		return err
	}
	o := profile.Options{Before: before.Set, Steering: wishes, Decided: p.decided, Open: p.open, Familiar: p.in.Familiar, Pause: p.in.Pause}
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
	p.out.Topics, p.out.Entities = len(set.Topics), len(set.Entities)
	lessons := p.out.Changes.NewLessons
	p.out.Changes = changesOf(before.Set, set)
	p.out.Changes.NewLessons = lessons
	return saveProfiles(p.shelf.r, p.b, p.shelf.ws, set)
}

// Changes counts what a run found that was not there before.
type Changes struct {
	NewTopics    int `json:"newTopics"`
	GoneTopics   int `json:"goneTopics"`
	NewEntities  int `json:"newEntities"`
	GoneEntities int `json:"goneEntities"`
	NewLessons   int `json:"newLessons"`
}

func changesOf(before, after profile.Set) (c Changes) {
	old := map[string]bool{}
	for _, t := range before.Topics {
		old[t.ID] = true
	}
	for _, e := range before.Entities {
		old[e.ID] = true
	}
	for _, t := range after.Topics {
		if !old[t.ID] {
			c.NewTopics++
		}
		delete(old, t.ID)
	}
	for _, e := range after.Entities {
		if !old[e.ID] {
			c.NewEntities++
		}
		delete(old, e.ID)
	}
	for id := range old {
		if strings.HasPrefix(id, "topic-") {
			c.GoneTopics++
		} else {
			c.GoneEntities++
		}
	}
	return c
}

// Steerings are what a person wanted of topics and entities, in order.
func Steerings(r store.Reader, ws store.Workspace) ([]profile.Steering, error) {
	var out []profile.Steering
	return out, readJSON(r, key(ws, keySteering), &out, "read what was wanted of topics")
}

// mostSteerings bounds what is remembered of it.
const mostSteerings = 2000

// Steer does what a person wants of a topic or an entity, now and in all later runs. It returns the profiles as they are
// then. Error: ErrNotFound where there is no subject of that id, or none to merge it into.
func Steer(r store.Reader, b *store.Batch, ws store.Workspace, w profile.Steering) (profile.Set, error) {
	all, err := LoadProfiles(r, ws)
	if err != nil {
		return profile.Set{}, err
	}
	s := all.Subject(w.ID)
	if s == nil || w.Act == profile.Merge && (all.Subject(w.Into) == nil || w.Into == w.ID || kindOfID(w.Into) != kindOfID(w.ID)) {
		return profile.Set{}, fmt.Errorf("steer %q: %w", w.ID, ErrNotFound)
	}
	if w.Keys = s.Keys(); kindOfID(w.ID) == "topic" { // other words of it may be topics of their own
		w.Keys = w.Keys[:1]
	}
	wishes, err := Steerings(r, ws)
	if err != nil {
		return profile.Set{}, err
	}
	wishes = slices.DeleteFunc(wishes, func(o profile.Steering) bool {
		return o.ID == w.ID && (o.Act == w.Act || w.Act == profile.Unpin && o.Act == profile.Pin)
	})
	if w.Act != profile.Unpin {
		wishes = append(wishes, w)
	}
	wishes = wishes[max(0, len(wishes)-mostSteerings):]
	set := all.Steer(w)
	if err := saveJSON(b, key(ws, keySteering), wishes); err != nil {
		return profile.Set{}, err
	}
	if err := saveProfiles(r, b, ws, set); err != nil {
		return profile.Set{}, err
	}
	shelf, err := openShelf(r, ws)
	if err == nil {
		shelf.raise(b)
	}
	return set, err
}

// ImportSteerings stages wishes of an export beside those that there are; of the same one the stored stays. Runs from
// now on keep to them.
func ImportSteerings(r store.Reader, b *store.Batch, ws store.Workspace, wishes []profile.Steering) error {
	all, err := Steerings(r, ws)
	if err != nil {
		return err
	}
	for _, w := range wishes {
		if !slices.ContainsFunc(all, func(o profile.Steering) bool { return o.ID == w.ID && o.Act == w.Act }) {
			all = append(all, w)
		}
	}
	all = all[max(0, len(all)-mostSteerings):]
	return saveJSON(b, key(ws, keySteering), all)
}

// kindOfID is what an id names: topic or entity.
func kindOfID(id string) string {
	kind, _, _ := strings.Cut(id, "-")
	return kind
}

// forgetProfiles takes what was said in turns out of topics and entities. What has a name that only forgotten turns may
// have used is gone until the next run finds it elsewhere. It reports whether there was any.
func forgetProfiles(r store.Reader, b *store.Batch, ws store.Workspace, conversations []string, gone func(source string) bool) (bool, error) {
	for _, c := range conversations {
		b.Delete(key(ws, keyFacts, c))
	}
	all, err := LoadProfiles(r, ws)
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
	if err := saveLast(r, b, ws, func(l *Run) { l.Forgotten = true }); err != nil {
		return false, err
	}
	return true, saveProfiles(r, b, ws, all.Set)
}

// Run is what is known of the last offline run.
type Run struct {
	Began   time.Time     `json:"began"`
	Took    time.Duration `json:"took"`
	Reason  string        `json:"reason"` // why it ran
	Turns   int           `json:"turns"`  // that were read for the first time
	Changes Changes       `json:"changes"`
	// Messages is how many there were in the workspace: while there are no more a run finds nothing new. Forgotten says
	// that something was taken out since.
	Messages  int  `json:"messages"`
	Forgotten bool `json:"forgotten,omitempty"`
}

// LastRun returns what is known of the last offline run; the zero value where there was none.
func LastRun(r store.Reader, ws store.Workspace) (Run, error) {
	var out Run
	return out, readJSON(r, key(ws, keyRun), &out, "read the last run")
}

// NoteTook stages how long the last run took.
func NoteTook(r store.Reader, b *store.Batch, ws store.Workspace, took time.Duration) error {
	return saveLast(r, b, ws, func(l *Run) { l.Took = took })
}

func saveLast(r store.Reader, b *store.Batch, ws store.Workspace, change func(*Run)) error {
	last, err := LastRun(r, ws)
	if err != nil {
		return err
	}
	change(&last)
	text, err := json.Marshal(last)
	if err == nil {
		b.Set(key(ws, keyRun), text)
	}
	return err
}
