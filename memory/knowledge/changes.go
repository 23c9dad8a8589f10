package knowledge

import (
	"maps"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/memory/profile"
	"github.com/contexture-dev/contexture/memory/store"
)

// Run is what is known of the last offline run.
type Run struct {
	Began   time.Time     `json:"began"`
	Took    time.Duration `json:"took"`
	Reason  string        `json:"reason"` // why it ran
	Turns   int           `json:"turns"`  // that were read for the first time
	Changes Changes       `json:"changes"`
	// Messages is how many there were in the workspace: while there are no more a run finds nothing
	// new. Forgotten says that something was taken out since.
	Messages  int  `json:"messages"`
	Forgotten bool `json:"forgotten,omitempty"`
	// LessonForm is that of the lessons that it found.
	LessonForm int `json:"lessonForm,omitempty"`
	// Coverage of what was asked.
	Coverage Coverage `json:"coverage"`
}

// LastRun returns what is known of the last offline run; the zero value where there was none.
func LastRun(view store.View) (Run, error) {
	var out Run
	return out, readJSON(view.Reader, key(view.Workspace, keyRun), &out, "read the last run")
}

// NoteTook stages how long the last run took.
func NoteTook(tx store.Tx, took time.Duration) error {
	return saveLast(tx, func(l *Run) { l.Took = took })
}

func saveLast(tx store.Tx, change func(*Run)) error {
	last, err := LastRun(tx.View)
	if err != nil {
		return err
	}
	change(&last)
	return tx.SetJSON(key(tx.Workspace, keyRun), last)
}

// Changes are what a run found that was not there before, and found no more.
type Changes struct {
	NewTopics    int `json:"newTopics"`
	GoneTopics   int `json:"goneTopics"`
	NewEntities  int `json:"newEntities"`
	GoneEntities int `json:"goneEntities"`
	NewLessons   int `json:"newLessons"`
	// Each names them, topics and entities first and the heaviest of these first, at most
	// mostChanges of each kind.
	Each []Change `json:"each,omitempty"`
}

// Change is one of a topic, an entity, a lesson, a reference or a rule.
type Change struct {
	// Kind is "topic", "entity" or a [Kind] of item.
	Kind string `json:"kind"`
	Act  Act    `json:"act"`
	// ID of what is new or changed, and of what a topic or an entity that is gone has become a part
	// of, "" for none.
	ID string `json:"id,omitempty"`
	// Label of a topic or an entity that is gone. What there still is has its own.
	Label string `json:"label,omitempty"`
}

// Act is what a run did.
type Act string

// The acts. Changed are items only: profiles change with every turn that speaks of them.
const (
	New     Act = "new"
	Changed Act = "changed"
	Gone    Act = "gone"
)

// mostChanges bounds what is named of each kind.
const mostChanges = 30

// note counts and names the topics and entities that are new or gone.
func (c *Changes) note(before, after profile.Set) {
	topics := func(list []profile.Topic) (out []*profile.Subject) {
		for i := range list {
			out = append(out, &list[i].Subject)
		}
		return out
	}
	entities := func(list []profile.Entity) (out []*profile.Subject) {
		for i := range list {
			out = append(out, &list[i].Subject)
		}
		return out
	}
	c.NewTopics, c.GoneTopics = c.compare("topic", topics(before.Topics), topics(after.Topics))
	c.NewEntities, c.GoneEntities = c.compare("entity", entities(before.Entities), entities(after.Entities))
}

// compare names the subjects of a kind that are new or gone, and returns how many there are of
// each.
func (c *Changes) compare(kind string, before, after []*profile.Subject) (added, gone int) {
	had, has := map[string]bool{}, map[string]bool{}
	into := map[string]string{} // what earlier ones have become a part of
	for _, s := range before {
		had[s.ID] = true
	}
	for _, s := range after {
		has[s.ID] = true
		for _, id := range s.Merged {
			into[id] = s.ID
		}
		if had[s.ID] {
			continue
		}
		if added++; added <= mostChanges {
			c.Each = append(c.Each, Change{Kind: kind, Act: New, ID: s.ID})
		}
	}
	for _, s := range before {
		if has[s.ID] {
			continue
		}
		if gone++; gone <= mostChanges {
			c.Each = append(c.Each, Change{Kind: kind, Act: Gone, ID: into[s.ID], Label: s.Label})
		}
	}
	return added, gone
}

// changedItems names the items that were staged otherwise than they are stored.
func (p *run) changedItems() {
	named := map[Kind]int{}
	for _, id := range slices.Sorted(maps.Keys(p.shelf.items)) {
		was, is := p.shelf.was[id], p.shelf.items[id]
		change := Change{Act: New, ID: id}
		switch {
		case is == nil || was != nil && was.Content == is.Content:
			continue // what is gone was pruned or merged: its text is not kept for its name
		case was != nil:
			change.Act = Changed
		}
		change.Kind = string(is.Kind)
		if named[is.Kind]++; named[is.Kind] <= mostChanges {
			p.out.Changes.Each = append(p.out.Changes.Each, change)
		}
	}
}

// forgetChanges takes the names of what the last run found no more out of what is known of it: they
// may be of what is forgotten now. again says that a run would find less than it did.
func forgetChanges(tx store.Tx, again bool) error {
	last, err := LastRun(tx.View)
	if err != nil || last.Began.IsZero() && !again {
		return err
	}
	last.Forgotten = last.Forgotten || again
	last.Changes.Each = slices.DeleteFunc(last.Changes.Each, func(c Change) bool { return c.Label != "" })
	return tx.SetJSON(key(tx.Workspace, keyRun), last)
}
