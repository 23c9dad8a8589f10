package knowledge

import (
	"slices"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/subject"
)

// Steerings returns a person's wishes about topics and entities, in order.
func Steerings(view store.View) ([]subject.Steering, error) {
	var out []subject.Steering
	return out, readJSON(view.Reader, key(view.Workspace, keySteering), &out, "read the wishes about topics")
}

// maxSteerings bounds the stored wishes.
const maxSteerings = 2000

// Steer stages a person's wish about a topic or an entity, which has the keys of its names. A later
// wish of the same act about the same subject replaces the earlier one.
func Steer(tx store.Tx, w subject.Steering) error {
	wishes, err := Steerings(tx.View)
	if err != nil {
		return err
	}
	wishes = slices.DeleteFunc(wishes, func(o subject.Steering) bool {
		about := o.ID == w.ID || slices.ContainsFunc(o.Keys, func(k string) bool { return slices.Contains(w.Keys, k) })
		return about && (o.Act == w.Act || w.Act == subject.Unpin && o.Act == subject.Pin)
	})
	if w.Act != subject.Unpin {
		wishes = append(wishes, w)
	}
	if err := tx.SetJSON(key(tx.Workspace, keySteering), wishes[max(0, len(wishes)-maxSteerings):]); err != nil {
		return err
	}
	shelf, err := openShelf(tx.View)
	if err == nil {
		shelf.raise(tx)
	}
	return err
}

// ImportSteerings stages an export's wishes in addition to the stored ones; of equal ones the
// stored stays.
func ImportSteerings(tx store.Tx, wishes []subject.Steering) error {
	all, err := Steerings(tx.View)
	if err != nil {
		return err
	}
	for _, w := range wishes {
		if !slices.ContainsFunc(all, func(o subject.Steering) bool { return o.ID == w.ID && o.Act == w.Act }) {
			all = append(all, w)
		}
	}
	all = all[max(0, len(all)-maxSteerings):]
	return tx.SetJSON(key(tx.Workspace, keySteering), all)
}
