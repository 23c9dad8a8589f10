package indexer

import (
	"slices"

	"github.com/contexture-dev/contexture/indexer/source"
)

// Commits calls yield for the commits of the workspace's history that changed some of its files,
// the newest first, with the paths of those files, until it returns false. yield must not keep the
// slice.
func (s *Snapshot) Commits(yield func(files []string) bool) {
	if s.history == nil {
		return
	}
	var files []string
	for _, changed := range s.history.files {
		files = files[:0]
		for _, f := range changed {
			files = append(files, s.history.paths[f.path])
		}
		if !yield(files) {
			return
		}
	}
}

// Buffers returns the paths of the unsaved buffers, in order.
func (s *Snapshot) Buffers() (paths []string) {
	for _, p := range s.layout.parts {
		if p.texts == nil {
			continue
		}
		for _, name := range p.paths {
			if name != "" {
				paths = append(paths, name)
			}
		}
	}
	slices.Sort(paths)
	return paths
}

// Text returns the text of an earlier state of a file as the index would have it: without secrets,
// and of a notebook its cells; nil if the rules exclude the file.
func (s *Snapshot) Text(path string, raw []byte) []byte {
	if raw == nil || s.tree == nil || !s.tree.Admit(path) {
		return nil
	}
	return s.tree.Redact(path, source.Extract(path, raw))
}
