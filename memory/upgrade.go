package memory

import (
	"log/slog"

	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/recall"
	"github.com/contexture-dev/contexture/memory/store"
)

// formats are the migrations of the stored data, in order. The store makes a checkpoint before it
// runs the first of them.
func formats(index *recall.Index, opts Options) []store.Migration {
	log := opts.Log
	return []store.Migration{
		{To: 2, Run: func(s *store.Store) error { // every word has a term
			log.Info("messages are indexed again, once: words are split differently now")
			return rebuild(s, index, postings{index})
		}},
		knowledge.Migrate(log),
		{To: 4, Run: func(s *store.Store) error { // models' names are not indexed as authors
			log.Info("messages are indexed again, once: names of models no longer count as people")
			return rebuild(s, index, postings{index})
		}},
		{To: 5, Run: func(s *store.Store) error { // C++, .NET and names of one letter have terms
			log.Info("messages are indexed again, once: short names are words now")
			return rebuild(s, index, postings{index})
		}},
		{To: 6, Run: func(s *store.Store) error { // of a tool call one line is indexed
			log.Info("messages are indexed again, once: what tools returned is no longer searched")
			return rebuild(s, index, postings{index})
		}},
		knowledge.Discard(7, knowledge.OldEpisodes), // episodes are made when they are asked for
		{To: 8, Run: func(s *store.Store) error { // topics and entities are queries for names
			log.Info("names are found in messages again, once: topics and entities are made of them")
			if err := rebuild(s, index, mentions{opts.Relative, opts.Familiar}); err != nil {
				return err
			}
			return knowledge.Discard(0, knowledge.OldTopics).Run(s)
		}},
		{To: 9, Run: func(s *store.Store) error { // failures of commands are found by what they report
			log.Info("commands that failed are found in messages, once")
			return rebuild(s, index, failures{})
		}},
	}
}

// FormatVersion returns the format of the memory that this build writes. Builds with different
// formats do not share a process.
func FormatVersion() int {
	version := store.FirstFormat
	for _, m := range formats(nil, Options{Log: slog.New(slog.DiscardHandler)}) {
		version = m.To
	}
	return version
}
