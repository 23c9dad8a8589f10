package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/session"
	"github.com/contexture-dev/contexture/server/transport"
	"golang.org/x/text/unicode/norm"
)

// spare is how many candidates beyond the limit are requested, since some fail the checks, or are
// of another kind.
const spare = 20

// Search implements command.Commands.
func (c lookupCommands) Search(ctx context.Context, args *command.SearchArgs) (*command.SearchResult, error) {
	r, err := c.Root(args.Workspace)
	if err != nil {
		return nil, err
	}
	pattern, err := patternOf(args)
	if err != nil {
		return nil, err
	}
	if args.Paths, err = globsBelow(r, "paths", args.Paths); err != nil {
		return nil, err
	}
	out := &command.SearchResult{}
	kinds := wanted(args.Kinds, fileKinds)
	if pattern != nil {
		out.Matched, args.Kinds = &command.Matched{}, kinds
	}
	work, cancel := c.within(ctx, args.DeadlineMS)
	defer cancel()
	late, err := c.enter(ctx, work, r)
	if err != nil {
		return nil, err
	}
	if late {
		out.Degraded = session.Overloaded(r).Lacks()
		return out, nil
	}
	src := &session.Source{Release: func() {}}
	if !c.Session.Options.NoIndex || len(kinds) > 0 {
		open := c.Open
		if len(wanted(args.Kinds, memoryKinds)) > 0 {
			open = c.OpenForMemory
		}
		if src, err = open(work, r); err != nil {
			return nil, err
		}
		out.Degraded = src.Lacks()
	}
	defer src.Release()
	if pattern != nil {
		c.match(work, args, src, pattern, out)
		return out, ctx.Err()
	}
	args.Query = c.Query(r, args.Query)
	memories := c.searchMemory(work, args, r, out)
	if src.Snapshot != nil {
		out.Versions.Index = src.Snapshot.Version()
	}
	if src.Snapshot == nil || len(kinds) == 0 {
		out.Hits = memories
		return out, ctx.Err()
	}
	found := retrieve.Run(work, src.Snapshot, retrieve.Request{
		Query: args.Query, Intent: intent.Classify(args.Query, intent.Context{}), Mode: retrieve.Mode(args.Mode), Limit: args.Limit + spare,
		Deadline: max(time.Millisecond, c.left(work)), Keep: keep(args, kinds), Builtin: src.Models == nil,
		Literal: true,
	}, c.server.Now)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	places := c.hits(work, args, src, found.Candidates)
	behind(places, memories)
	out.Hits = append(places, memories...)
	slices.SortStableFunc(out.Hits, func(a, b command.Hit) int { return compareScores(a.Score, b.Score) })
	out.Hits = out.Hits[:min(args.Limit, len(out.Hits))]
	out.Stages, out.Degraded = stageResults(found.Stages), append(out.Degraded, degradations(found.Degraded)...)
	c.server.metrics.search(out, len(found.Candidates))
	return out, nil
}

// fileKinds are the kinds of hits in files.
var fileKinds = []string{"code", "doc"}

// wanted returns the requested kinds of hits that can be answered; all of these when none is
// requested.
func wanted(asked, can []string) []string {
	var out []string
	for _, kind := range can {
		if len(asked) == 0 || slices.Contains(asked, kind) {
			out = append(out, kind)
		}
	}
	return out
}

// keep returns the filter of a search, nil when it admits everything.
func keep(args *command.SearchArgs, kinds []string) func(path, language string) bool {
	paths := newGlobs(args.Paths)
	if len(paths) == 0 && len(args.Languages) == 0 && len(kinds) == 2 {
		return nil
	}
	return func(path, language string) bool {
		return slices.Contains(kinds, string(bundle.KindOf(language))) &&
			(len(args.Languages) == 0 || slices.ContainsFunc(args.Languages, func(l string) bool { return strings.EqualFold(l, language) })) &&
			(len(paths) == 0 || paths.match(path))
	}
}

// hits reads the candidates and keeps those that pass the checks, until there are enough or the
// time is up.
func (c lookupCommands) hits(ctx context.Context, args *command.SearchArgs, src *session.Source, list []*item.Item) []command.Hit {
	reader := src.Snapshot.NewReader()
	snip := newSnipper(args.Query)
	out := make([]command.Hit, 0, min(len(list), args.Limit))
	for _, found := range list {
		if len(out) == args.Limit || ctx.Err() != nil {
			break
		}
		chunk, text, gate := reader.Chunk(found.Chunk)
		if gate != "" {
			continue
		}
		out = append(out, c.hit(found, chunk, string(text), src, snip))
	}
	return out
}

func (c lookupCommands) hit(found *item.Item, chunk indexer.Chunk, text string, src *session.Source, snip *snipper) command.Hit {
	title := chunk.Title
	if title == "" {
		title = chunk.Path
	}
	text = strings.TrimRight(text, "\r\n")
	h := command.Hit{
		ID: bundle.CodeID(chunk), Kind: string(bundle.KindOf(chunk.Language)), Score: found.Score, Title: title, URI: src.URI(chunk.Path),
		Range:   session.LineRange(c.Session.Encoding, chunk.StartLine, chunk.EndLine, text[strings.LastIndexByte(text, '\n')+1:]),
		Symbols: chunk.Symbols, Signals: make(map[string]command.Signal, len(found.Signals)),
	}
	snippet, first := snip.cut(text)
	h.Snippet, h.SnippetLine = snippet, new(chunk.StartLine+first)
	for name, s := range found.Signals {
		h.Signals[name] = command.Signal{Rank: s.Rank, Score: s.Score}
	}
	return h
}

// A snippet's size, in lines and bytes.
const (
	snippetLines = 12
	snippetBytes = 800
	maxNeedles   = 16 // of a long query only the longest words are searched for
)

// snipper cuts the lines that match a query best out of texts.
type snipper struct{ needles []string }

func newSnipper(query string) *snipper {
	s := &snipper{}
	seen := map[string]bool{}
	apart := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && r != '_'
	}
	for word := range strings.FieldsFuncSeq(norm.NFC.String(query), apart) {
		word = strings.ToLower(word)
		if len(word) < 3 || seen[word] {
			continue
		}
		seen[word] = true
		s.needles = append(s.needles, word)
	}
	slices.SortStableFunc(s.needles, func(a, b string) int { return len(b) - len(a) })
	s.needles = s.needles[:min(len(s.needles), maxNeedles)]
	return s
}

// cut returns the run of lines of a snippet's size that has most of the query's words, the first of
// equals, and the number of lines before it.
func (s *snipper) cut(text string) (snippet string, first int) {
	if len(text) <= snippetBytes && strings.Count(text, "\n") < snippetLines {
		return text, 0
	}
	lines := strings.Split(text, "\n")
	score := make([]int, len(lines))
	for i, line := range lines {
		low := strings.ToLower(norm.NFC.String(line))
		for _, n := range s.needles {
			if strings.Contains(low, n) {
				score[i] += min(len(n), 8) // a long word is better evidence than a short one
			}
		}
	}
	best, bestFrom, bestTo := -1, 0, 0
	for from := 0; from < len(lines); from++ {
		to, size, sum := from, 0, 0
		for to < len(lines) && to-from < snippetLines && (size+len(lines[to]) <= snippetBytes || to == from) {
			size += len(lines[to]) + 1
			sum += score[to]
			to++
		}
		if sum > best {
			best, bestFrom, bestTo = sum, from, to
		}
		if to == len(lines) {
			break
		}
	}
	return clipBytes(strings.Join(lines[bestFrom:bestTo], "\n"), snippetBytes), bestFrom
}

// clipBytes cuts a text to at most limit bytes, at a rune boundary.
func clipBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// globs are patterns over paths relative to a root. A pattern that matches a folder includes
// everything below it, as in index.exclude.
type globs []string

// globsBelow returns globs relative to a root of which some may be absolute paths or URIs. One that
// leads elsewhere is an error, since nothing could match it.
func globsBelow(r *session.RootView, field string, patterns []string) ([]string, error) {
	out := slices.Clone(patterns)
	for i, p := range patterns {
		rel, ok := pathBelow(r, p)
		if !ok {
			return nil, command.InvalidParams(fmt.Sprintf("%s[%d]", field, i), "%s lies outside of %s: give a path in it, or a glob relative to it such as src/**", p, r.Path)
		}
		if out[i] = rel; rel == "." {
			out[i] = "**"
		}
	}
	return out, nil
}

// pathBelow returns a path, or a glob, relative to a root if it is absolute or a URI; ok is false
// for one that leads elsewhere. With a leading slash it may also begin at the root, as in
// .gitignore.
func pathBelow(r *session.RootView, p string) (rel string, ok bool) {
	path, isURI := transport.FilePath(p)
	if !isURI {
		path = p
	}
	if r == nil || !filepath.IsAbs(path) {
		return p, true
	}
	if rel, ok := engine.Below(path, r.Path, r.Real); ok {
		return rel, true
	}
	return p, !isURI && beginsAt(r.Real, path)
}

// beginsAt reports whether the first element of a glob with a leading slash exists in a folder, or
// may have any name.
func beginsAt(folder, glob string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(glob), "/"), "/")
	if strings.ContainsAny(first, `*?[{\`) {
		return true
	}
	_, err := os.Lstat(filepath.Join(folder, first))
	return err == nil
}

// newGlobs returns the globs of checked patterns; a leading "/" or "./" and a trailing "/" are
// ignored. Unicode normalisation of patterns and paths does not matter.
func newGlobs(patterns []string) globs {
	var out globs
	for _, p := range patterns {
		p = norm.NFC.String(p)
		p = strings.TrimPrefix(strings.TrimPrefix(p, "./"), "/")
		if p = strings.TrimSuffix(p, "/"); p != "" {
			out = append(out, p)
		}
	}
	return out
}

func (g globs) match(path string) bool {
	if len(g) > 0 {
		path = norm.NFC.String(path)
	}
	for _, pattern := range g {
		for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '/') {
			if doublestar.MatchUnvalidated(pattern, path[:end]) {
				return true
			}
		}
	}
	return false
}
