package server

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/knowledge"
)

// Bounds of the sections that a reference may quote, and of those that are looked at for them.
const (
	mostSections = 6
	mostRead     = 40
)

// documentsOf returns the search for sections of a root's documents; nil where there is no index to search. release must
// be called when it is no longer used.
func (c commands) documentsOf(ctx context.Context, r *rootView) (search memory.Documents, release func()) {
	if r == nil {
		return nil, func() {}
	}
	src, err := c.open(ctx, r)
	if err != nil {
		c.session.log.Warn("references quote no documents", "err", err)
		return nil, func() {}
	}
	if src.snapshot == nil || src.behind {
		return nil, src.release
	}
	reader := src.snapshot.NewReader()
	return func(ctx context.Context, topic string) ([]knowledge.Section, error) {
		return sectionsOn(src.snapshot, reader, topic), ctx.Err()
	}, src.release
}

// foundSection is a part of a document that has all terms of a topic.
type foundSection struct {
	knowledge.Section
	titled bool // its heading names the topic
	times  int
}

// sectionsOn returns the sections of Markdown and reStructuredText that have all terms of a topic: those with it in
// their heading first, then those that name it most often.
func sectionsOn(s *indexer.Snapshot, reader *indexer.Reader, topic string) []knowledge.Section {
	var words []string
	terms(topic, func(t string) { words = append(words, t) })
	var list []foundSection
	for _, id := range s.Having(words) {
		if language := s.Language(s.FileOf(id)); language != "markdown" && language != "rst" {
			continue
		}
		if len(list) == mostRead {
			break
		}
		chunk, text, gate := reader.Chunk(id)
		if gate != "" {
			continue
		}
		list = append(list, foundSection{
			Section: knowledge.Section{Path: chunk.Path, Line: chunk.StartLine + 1, Text: string(text)},
			titled:  strings.Contains(strings.ToLower(chunk.Title), topic), times: strings.Count(strings.ToLower(string(text)), topic),
		})
	}
	slices.SortStableFunc(list, func(a, b foundSection) int {
		switch {
		case a.titled != b.titled && a.titled:
			return -1
		case a.titled != b.titled:
			return 1
		}
		return cmp.Or(cmp.Compare(b.times, a.times), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	var out []knowledge.Section
	for _, one := range list[:min(mostSections, len(list))] {
		out = append(out, one.Section)
	}
	return out
}
