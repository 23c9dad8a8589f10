package knowledge

import (
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
)

// Export yields every item, including superseded ones, by id. Topics, episodes and recommendations
// are not exported, because an offline run makes them again.
func Export(view store.View, yield func(Item) error) error {
	prefix := key(view.Workspace, keyItem)
	return view.Scan(prefix, store.PrefixEnd(prefix), func(_, v []byte) (bool, error) {
		it, err := decode(v)
		if err == nil {
			err = yield(*it)
		}
		return err == nil, err
	})
}

// Import stages exported items unchanged, including which supersedes which. An existing item is
// replaced; importing the same again changes nothing. Rules and lessons that an older program
// worded itself are left out, as in [Migrate].
func Import(tx store.Tx, items []Item) error {
	s, err := openShelf(tx.View)
	if err != nil {
		return fmt.Errorf("import knowledge: %w", err)
	}
	for i := range items {
		it := items[i]
		if it.ID == "" || it.Kind != Lesson && it.Kind != Reference && it.Kind != Rule || !it.validLabel() {
			return fmt.Errorf("import knowledge: item %d: %w", i+1, ErrBroken)
		}
		if it.reworded() {
			continue
		}
		if err := s.put(&it); err != nil {
			return fmt.Errorf("import knowledge: %w", err)
		}
		// Rules stated from here on are later than the imported ones.
		s.version = max(s.version, it.Serial>>16)
	}
	if _, err := s.flush(tx); err != nil {
		return fmt.Errorf("import knowledge: %w", err)
	}
	return nil
}
