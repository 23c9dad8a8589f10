package memory

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/recall"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/subject"
)

// formats are the migrations of the stored data, in order. The store makes a checkpoint before it
// runs the first of them.
func formats(index *recall.Index, familiar func(string) float64, log *slog.Logger) []store.Migration {
	return []store.Migration{
		{To: 2, Run: func(s *store.Store) error { // every word has a term
			log.Info("messages are indexed again, once: words are split differently now")
			return reindex(s, index)
		}},
		knowledge.Migrate(log),
		{To: 4, Run: func(s *store.Store) error { // models' names are not indexed as authors
			log.Info("messages are indexed again, once: names of models no longer count as people")
			return reindex(s, index)
		}},
		{To: 5, Run: func(s *store.Store) error { // C++, .NET and names of one letter have terms
			log.Info("messages are indexed again, once: short names are words now")
			return reindex(s, index)
		}},
		{To: 6, Run: func(s *store.Store) error { // of a tool call one line is indexed
			log.Info("messages are indexed again, once: what tools returned is no longer searched")
			return reindex(s, index)
		}},
		knowledge.Discard(7, knowledge.OldEpisodes), // episodes are made when they are asked for
		{To: 8, Run: func(s *store.Store) error { // topics and entities are queries for names
			log.Info("names are found in messages again, once: topics and entities are made of them")
			return findNames(s, familiar)
		}},
	}
}

// FormatVersion returns the format of the memory that this build writes. Builds with different
// formats do not share a process.
func FormatVersion() int {
	version := store.FirstFormat
	for _, m := range formats(nil, nil, slog.New(slog.DiscardHandler)) {
		version = m.To
	}
	return version
}

// How many messages, and how much of their text in bytes, are indexed in one batch.
const (
	reindexMessages = 2000
	reindexBytes    = 4 << 20
)

// reindex rebuilds the postings of all messages. It is for a format in which words have other terms
// than before: otherwise the removal of a message would miss its former terms.
func reindex(s *store.Store, index *recall.Index) error {
	list, err := s.Workspaces()
	if err != nil {
		return err
	}
	for _, w := range append(list, store.WorkspaceInfo{}) { // the last is that of sessions without a root
		if err := reindexWorkspace(s, index, w.Number); err != nil {
			return fmt.Errorf("index messages of %q: %w", w.Root, err)
		}
	}
	return nil
}

func reindexWorkspace(s *store.Store, index *recall.Index, ws store.Workspace) error {
	tx := s.Begin(ws, time.Time{})
	prefix := store.Prefix(store.Recall, ws)
	tx.DeleteRange(prefix, store.PrefixEnd(prefix))
	var placed []recall.Placed
	size := 0
	flush := func() error {
		index.AddPrepared(tx, placed)
		err := s.ApplyLater(tx.Batch) // the format number, written afterwards, is synced
		tx, placed, size = s.Begin(ws, time.Time{}), placed[:0], 0
		return err
	}
	err := conversation.Each(tx.View, func(number conversation.Number, i, _ int, m dialogue.Message) error {
		placed = append(placed, recall.Placed{Conversation: uint32(number), Index: i, Prepared: index.Prepare(m)})
		if size += len(m.Content); len(placed) < reindexMessages && size < reindexBytes {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// findNames stores the names in all messages, and discards the topics and entities that an offline
// run had found.
func findNames(s *store.Store, familiar func(string) float64) error {
	list, err := s.Workspaces()
	if err != nil {
		return err
	}
	for _, w := range append(list, store.WorkspaceInfo{}) { // the last is that of sessions without a root
		if err := findNamesIn(s, w.Number, familiar); err != nil {
			return fmt.Errorf("find names in messages of %q: %w", w.Root, err)
		}
	}
	return knowledge.Discard(0, knowledge.OldTopics).Run(s)
}

// findNamesIn stores the names in all messages of a workspace, beside the mentions that they have.
func findNamesIn(s *store.Store, ws store.Workspace, familiar func(string) float64) error {
	tx := s.Begin(ws, time.Time{})
	n := 0
	err := conversation.Each(tx.View, func(number conversation.Number, i, turn int, m dialogue.Message) error {
		names := subject.Names(m, familiar)
		if len(names) == 0 {
			return nil
		}
		if err := subject.AddMore(tx, subject.Place{Conversation: uint32(number), Turn: turn, Message: i}, m.At, names); err != nil {
			return err
		}
		if n++; n%reindexMessages != 0 {
			return nil
		}
		err := s.ApplyLater(tx.Batch) // the format number, written afterwards, is synced
		tx = s.Begin(ws, time.Time{})
		return err
	})
	if err != nil {
		return err
	}
	return s.ApplyLater(tx.Batch)
}
