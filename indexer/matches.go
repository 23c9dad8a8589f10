package indexer

import (
	"bytes"
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/contexture-dev/contexture/indexer/exact"
	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/zeebo/xxh3"
)

// MatchRequest asks for the lines that match a pattern.
type MatchRequest struct {
	Pattern *exact.Pattern
	// Keep reports whether a file is searched; nil admits all.
	Keep func(path, language string) bool
	// Limit is the number of lines wanted. All are counted.
	Limit int
}

// Matches are the lines that match a pattern, by path and line, with totals of all of them.
type Matches struct {
	Lines []MatchedLine
	// LineCount and FileCount are the numbers of all lines and files with matches.
	LineCount, FileCount int
	// Searched is the number of files that were searched, and Unread of those that could not be.
	Searched, Unread int
	// Late is the number of files that were not searched because the time was up.
	Late int
}

// MatchedLine is a line with matches.
type MatchedLine struct {
	Chunk Chunk    // around the line
	Line  int      // from 0
	Text  string   // of the line, without its line break
	Spans [][2]int // the matches, in bytes of the text
}

// Matches finds the lines that match a pattern in the present text of the files. A file that
// changed and is not indexed yet may be missed. It stops when ctx is done. Which lines are returned
// does not depend on chance.
func (s *Snapshot) Matches(ctx context.Context, req MatchRequest) Matches {
	files, ruledOut := s.layout.mayMatch(req)
	out := Matches{Searched: ruledOut}
	found := make([]fileMatches, len(files))
	var next, lines atomic.Int64
	var team sync.WaitGroup
	for range min(len(files), runtime.GOMAXPROCS(0)) {
		team.Go(func() {
			w := matcher{s: s, scan: s.tree.NewScan(), pattern: req.Pattern, finder: req.Pattern.NewFinder()}
			defer w.scan.Close()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				// The files that are done come before this one.
				found[i] = w.search(files[i], req.Limit-int(lines.Load()))
				lines.Add(int64(found[i].lines))
			}
		})
	}
	team.Wait()
	for _, f := range found {
		switch {
		case !f.done:
			out.Late++
			continue
		case f.unread:
			out.Unread++
			continue
		}
		out.Searched++
		if f.lines > 0 {
			out.FileCount++
			out.LineCount += f.lines
		}
		var around Chunk
		for i, line := range f.shown[:min(len(f.shown), req.Limit-len(out.Lines))] {
			if i == 0 || line.Line > around.EndLine || around.ID < 0 {
				around = f.chunkOf(line.Line)
			}
			line.Chunk = around
			out.Lines = append(out.Lines, line)
		}
	}
	return out
}

// mayMatch returns the files whose signatures admit a match, by path, and the number of the others.
func (l *layout) mayMatch(req MatchRequest) (files []int, ruledOut int) {
	for k, p := range l.parts {
		for i, name := range p.paths {
			switch {
			case name == "" || req.Keep != nil && !req.Keep(name, p.seg.files[i].Language):
			case req.Pattern.Admits(p.seg.signs.at(i)):
				files = append(files, l.fileBase[k]+i)
			default:
				ruledOut++
			}
		}
	}
	slices.SortFunc(files, func(a, b int) int { return cmp.Compare(l.path(a), l.path(b)) })
	return files, ruledOut
}

// fileMatches are the matches in one file.
type fileMatches struct {
	done, unread bool
	lines        int
	shown        []MatchedLine
	file         int
	s            *Snapshot // in which file is, with its text as it was searched; nil if nothing is shown
}

func (f *fileMatches) chunkOf(line int) Chunk {
	id, ok := f.s.ChunkAt(f.file, line)
	if !ok { // a text without words has no pieces
		return Chunk{ID: -1, File: f.file, Path: f.s.Path(f.file), Language: f.s.Language(f.file)}
	}
	return f.s.Chunk(id)
}

// matcher searches files, one after another.
type matcher struct {
	s       *Snapshot
	scan    *source.Scan
	pattern *exact.Pattern
	finder  *exact.Finder
}

// search finds the matches in a file and returns at most limit lines of them.
func (m *matcher) search(file, limit int) fileMatches {
	out := fileMatches{done: true, file: file, s: m.s}
	p, i := m.s.layout.filePart(file)
	name := p.paths[i]
	var text []byte
	changed := false
	if p.texts != nil {
		text = p.texts[i]
	} else {
		var reason source.Reason
		var err error
		// What has the hash of the indexed text is that text, from which secrets have been removed.
		isIndexed := func(text []byte) bool { return xxh3.Hash128(text) == p.seg.files[i].Hash }
		text, reason, err = m.scan.Read(name, isIndexed)
		if err != nil || reason != source.Indexed {
			out.unread = true
			return out
		}
		changed = !m.scan.Known && !isIndexed(text)
	}
	line, at := 0, 0
	m.finder.Lines(text, func(start, end int) {
		if out.lines++; len(out.shown) >= limit {
			return
		}
		line, at = line+bytes.Count(text[at:start], []byte("\n")), start
		out.shown = append(out.shown, MatchedLine{Line: line, Text: string(text[start:end]), Spans: m.pattern.Spans(text[start:end])})
	})
	if changed && len(out.shown) > 0 {
		if fresh, ok := m.s.reparse(name, text); ok {
			out.s, out.file = newSnapshot(0, []*part{fresh}, nil, nil), 0
		}
	}
	return out
}
