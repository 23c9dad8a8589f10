package knowledge

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/subject"
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
	// Subjects are the ids of the topics and entities.
	Subjects []string `json:"subjects,omitempty"`
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
	ID   string `json:"id"` // of what is new or changed
}

// Act is the kind of a change.
type Act string

// The acts. Changed applies to items only.
const (
	New     Act = "new"
	Changed Act = "changed"
)

// maxChanges bounds the named changes of each kind.
const maxChanges = 30

// note counts the new and the removed topics and entities and names the new ones; ids are those of
// the run before. What is removed was forgotten, and is not named.
func (c *Changes) note(before []string, after *subject.Set) (ids []string) {
	c.NewTopics, c.GoneTopics = c.compare(subject.TopicKind, before, after.Topics)
	c.NewEntities, c.GoneEntities = c.compare(subject.EntityKind, before, after.Entities)
	for _, list := range [...][]subject.Subject{after.Topics, after.Entities} {
		for i := range list {
			ids = append(ids, list[i].ID)
		}
	}
	return ids
}

// compare names the new subjects of a kind, and returns the numbers of the new and the removed
// ones.
func (c *Changes) compare(kind string, before []string, after []subject.Subject) (added, gone int) {
	had, has := map[string]bool{}, map[string]bool{}
	for _, id := range before {
		had[id] = strings.HasPrefix(id, kind+"-")
	}
	for i := range after {
		id := after[i].ID
		if has[id] = true; had[id] {
			continue
		}
		if added++; added <= maxChanges {
			c.Each = append(c.Each, Change{Kind: kind, Act: New, ID: id})
		}
	}
	for id, of := range had {
		gone += btoi(of && !has[id])
	}
	return added, gone
}

// changedItems names the items whose staged form differs from the stored one.
func (p *pass) changedItems() {
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

// noteForgotten records that another run would find less than the last one.
func noteForgotten(tx store.Tx) error {
	return saveLast(tx, func(l *Run) { l.Forgotten = true })
}
