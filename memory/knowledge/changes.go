package knowledge

import (
	"maps"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/memory/profile"
	"github.com/contexture-dev/contexture/memory/store"
)

// Run is the record of the last offline run.
type Run struct {
	Began   time.Time     `json:"began"`
	Took    time.Duration `json:"took"`
	Reason  string        `json:"reason"` // why it was started
	Turns   int           `json:"turns"`  // read for the first time
	Changes Changes       `json:"changes"`
	// Messages is how many the workspace had: while there are no more a run finds nothing new.
	// Forgotten means that something was removed since.
	Messages  int  `json:"messages"`
	Forgotten bool `json:"forgotten,omitempty"`
	// LessonForm is the format version of its lessons.
	LessonForm int `json:"lessonForm,omitempty"`
	// Coverage of the questions that people asked.
	Coverage Coverage `json:"coverage"`
}

// LastRun returns the record of the last offline run; the zero value when there was none.
func LastRun(view store.View) (Run, error) {
	var out Run
	return out, readJSON(view.Reader, key(view.Workspace, keyRun), &out, "read the last run")
}

// NoteTook stages the duration of the last run.
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

// Changes are the differences between a run's result and the previous one.
type Changes struct {
	NewTopics    int `json:"newTopics"`
	GoneTopics   int `json:"goneTopics"`
	NewEntities  int `json:"newEntities"`
	GoneEntities int `json:"goneEntities"`
	NewLessons   int `json:"newLessons"`
	// Each names them, topics and entities first, by weight, at most maxChanges of each kind.
	Each []Change `json:"each,omitempty"`
}

// Change is a change of a topic, an entity, a lesson, a reference or a rule.
type Change struct {
	// Kind is "topic", "entity" or a [Kind] of item.
	Kind string `json:"kind"`
	Act  Act    `json:"act"`
	// ID of what is new or changed; for a removed topic or entity, that of the one it was merged
	// into, "" for none.
	ID string `json:"id,omitempty"`
	// Label of a removed topic or entity. Existing ones have their own.
	Label string `json:"label,omitempty"`
}

// Act is the kind of a change.
type Act string

// The acts. Changed applies to items only: profiles change with every turn that mentions them.
const (
	New     Act = "new"
	Changed Act = "changed"
	Gone    Act = "gone"
)

// maxChanges bounds the named changes of each kind.
const maxChanges = 30

// note counts and names the new and the removed topics and entities.
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

// compare names the new and the removed subjects of a kind, and returns their numbers.
func (c *Changes) compare(kind string, before, after []*profile.Subject) (added, gone int) {
	had, has := map[string]bool{}, map[string]bool{}
	into := map[string]string{} // what earlier ones were merged into
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
		if added++; added <= maxChanges {
			c.Each = append(c.Each, Change{Kind: kind, Act: New, ID: s.ID})
		}
	}
	for _, s := range before {
		if has[s.ID] {
			continue
		}
		if gone++; gone <= maxChanges {
			c.Each = append(c.Each, Change{Kind: kind, Act: Gone, ID: into[s.ID], Label: s.Label})
		}
	}
	return added, gone
}

// changedItems names the items whose staged form differs from the stored one.
func (p *run) changedItems() {
	named := map[Kind]int{}
	for _, id := range slices.Sorted(maps.Keys(p.shelf.items)) {
		was, is := p.shelf.was[id], p.shelf.items[id]
		change := Change{Act: New, ID: id}
		switch {
		case is == nil || was != nil && was.Content == is.Content:
			continue // it was pruned or merged: its text is not kept for its name
		case was != nil:
			change.Act = Changed
		}
		change.Kind = string(is.Kind)
		if named[is.Kind]++; named[is.Kind] <= maxChanges {
			p.out.Changes.Each = append(p.out.Changes.Each, change)
		}
	}
}

// forgetChanges removes the names of removed subjects from the record of the last run: they may
// belong to what is now being forgotten. again means that another run would find less than that
// one.
func forgetChanges(tx store.Tx, again bool) error {
	last, err := LastRun(tx.View)
	if err != nil || last.Began.IsZero() && !again {
		return err
	}
	last.Forgotten = last.Forgotten || again
	last.Changes.Each = slices.DeleteFunc(last.Changes.Each, func(c Change) bool { return c.Label != "" })
	return tx.SetJSON(key(tx.Workspace, keyRun), last)
}
