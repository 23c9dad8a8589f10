package command

import "slices"

// busyness orders the states of indexes: a working one outranks a failed one, and that an idle one.
var busyness = []string{"idle", "error", "indexing", "scanning"}

// Add merges another workspace's status into s: s gets the busier state of the two, and keeps its
// workspace, embedder and watcher.
func (s *IndexStatusResult) Add(from *IndexStatusResult) {
	if slices.Index(busyness, from.State) > slices.Index(busyness, s.State) {
		s.State = from.State
	}
	s.Files += from.Files
	s.FilesTotal += from.FilesTotal
	s.Chunks += from.Chunks
	s.Symbols += from.Symbols
	s.Bytes += from.Bytes
	s.Queue += from.Queue
	s.Stale += from.Stale
	s.Version += from.Version
	s.Errors += from.Errors
	s.Embedder.Pending += from.Embedder.Pending
	s.Embedder.Total += from.Embedder.Total
	if s.Embedder.Problem == "" {
		s.Embedder.Problem = from.Embedder.Problem
	}
	s.Watcher.Watches += from.Watcher.Watches
	if from.IndexedAt.After(s.IndexedAt.Time) {
		s.IndexedAt = from.IndexedAt
	}
	s.Quarantined = append(s.Quarantined, from.Quarantined...)
	for _, skipped := range from.Skipped {
		s.addSkipped(skipped)
	}
	for _, language := range from.Languages {
		s.addLanguage(language)
	}
	for _, folder := range from.Folders {
		s.addFolder(folder)
	}
	slices.SortStableFunc(s.Folders, func(a, b FolderCount) int { return b.Files - a.Files })
	slices.SortStableFunc(s.Languages, func(a, b LanguageCount) int { return b.Files - a.Files })
}

func (s *IndexStatusResult) addLanguage(language LanguageCount) {
	for i := range s.Languages {
		if l := &s.Languages[i]; l.Language == language.Language {
			l.Files += language.Files
			l.Chunks += language.Chunks
			return
		}
	}
	s.Languages = append(s.Languages, language)
}

func (s *IndexStatusResult) addFolder(folder FolderCount) {
	for i := range s.Folders {
		if f := &s.Folders[i]; f.Folder == folder.Folder {
			f.Files += folder.Files
			f.Chunks += folder.Chunks
			return
		}
	}
	s.Folders = append(s.Folders, folder)
}

func (s *IndexStatusResult) addSkipped(skipped SkipCount) {
	for i := range s.Skipped {
		if s.Skipped[i].Reason == skipped.Reason {
			s.Skipped[i].Count += skipped.Count
			return
		}
	}
	s.Skipped = append(s.Skipped, skipped)
}
