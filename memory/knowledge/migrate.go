package knowledge

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"

	"github.com/contexture-dev/contexture/memory/store"
)

// QuotationsFormat is the store's format from which memory's own findings are quotations.
const QuotationsFormat = 3

// Migrate returns the migration to QuotationsFormat: rules and lessons that older programs worded
// themselves are dropped, since nobody said them; what was stored on purpose stays, and becomes
// active again if one of those had superseded it. The number of dropped items is logged once. The
// store makes a checkpoint before.
func Migrate(log *slog.Logger) store.Migration {
	return store.Migration{To: QuotationsFormat, Run: func(s *store.Store) error {
		b := s.NewBatch()
		dropped, err := migrate(s, b)
		if err != nil {
			return err
		}
		if err := s.ApplyLater(b); err != nil {
			return err
		}
		if dropped > 0 {
			log.Warn("memory dropped the rules and lessons that an older version had reworded; a full run of contexture.knowledge.process "+
				"reads what people said again", "dropped", dropped)
		}
		return nil
	}}
}

// oldSubject and oldPending are keys of earlier formats: rules by their grammatical subject, and
// proposals.
const oldSubject, oldPending = 'k', 'q'

// OldEpisodes are the keys of the condensed conversations, the episodes made of them, and their
// serial.
const OldEpisodes = "ehd"

// OldTopics are the keys of the terms with their turns, and of the topics and entities made of
// them.
const OldTopics = "tuny"

// Discard returns the migration to a format that no longer has some keys, by their first bytes:
// what they held is made anew from the conversations.
func Discard(to int, keys string) store.Migration {
	return store.Migration{To: to, Run: func(s *store.Store) error {
		list, err := s.Workspaces()
		if err != nil {
			return err
		}
		b := s.NewBatch()
		for _, w := range append(list, store.WorkspaceInfo{}) { // the last is that of sessions without a root
			for _, part := range []byte(keys) {
				prefix := key(w.Number, part)
				b.DeleteRange(prefix, store.PrefixEnd(prefix))
			}
		}
		return s.ApplyLater(b) // the format number, written afterwards, is synced
	}}
}

func migrate(r store.Reader, b *store.Batch) (dropped int, err error) {
	byWorkspace := map[store.Workspace][]*Item{}
	all := []byte{byte(store.Knowledge)}
	err = r.Scan(all, store.PrefixEnd(all), func(k, v []byte) (bool, error) {
		if len(k) < 6 {
			return true, nil
		}
		ws := store.Workspace(binary.BigEndian.Uint32(k[1:5]))
		switch k[5] {
		case oldSubject, oldPending, keySubject, keySuccessor, keyHeard:
			b.Delete(slices.Clone(k))
		case keyItem:
			it, err := decode(v)
			if err != nil {
				return false, err
			}
			byWorkspace[ws] = append(byWorkspace[ws], it)
		}
		return true, nil
	})
	if err != nil {
		return 0, fmt.Errorf("read items: %w", err)
	}
	for ws, items := range byWorkspace {
		n, err := migrateItems(store.Tx{View: store.View{Reader: r, Workspace: ws}, Batch: b}, items)
		if err != nil {
			return 0, err
		}
		dropped += n
	}
	return dropped, nil
}

// migrateItems writes the remaining items of a workspace, and their index.
func migrateItems(tx store.Tx, items []*Item) (dropped int, err error) {
	gone := map[string]string{} // the dropped items, with their successors
	for _, it := range items {
		if it.reworded() {
			gone[it.ID] = it.SupersededBy
		}
	}
	s := &itemStage{view: tx.View}
	for _, it := range items {
		if _, ok := gone[it.ID]; ok {
			tx.Delete(key(tx.Workspace, keyItem, it.ID))
			dropped++
			continue
		}
		for range len(gone) {
			next, ok := gone[it.SupersededBy]
			if !ok {
				break
			}
			it.SupersededBy = next
		}
		text, err := json.Marshal(it)
		if err != nil {
			return 0, err
		}
		tx.Set(key(tx.Workspace, keyItem, it.ID), text)
		s.reindex(tx, it.ID, nil, it)
	}
	return dropped, nil
}

// reworded reports whether memory itself found an item and it is not a quotation.
func (it *Item) reworded() bool {
	return it.Learned && len(it.Quotations) == 0 && (it.Kind == Rule || it.Kind == Lesson)
}
