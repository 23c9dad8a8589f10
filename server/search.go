package server

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
)

// spare is how many candidates more than the limit are asked for: some do not pass their gate, or are of another
// kind.
const spare = 20

// Search implements command.Commands.
func (c commands) Search(ctx context.Context, args *command.SearchArgs) (*command.SearchResult, error) {
	r, err := c.root(args.Workspace)
	if err != nil {
		return nil, err
	}
	args.Query = c.query(r, args.Query)
	out := &command.SearchResult{}
	kinds := wanted(args.Kinds, []string{"code", "doc"})
	work, cancel := c.within(ctx, args.DeadlineMS)
	defer cancel()
	late, err := c.enter(ctx, work, r)
	if err != nil {
		return nil, err
	}
	if late {
		out.Degraded = tooLate(r).lacks()
		return out, nil
	}
	src := &searched{release: func() {}}
	if !c.session.opts.NoIndex || len(kinds) > 0 {
		if src, err = c.open(work, r); err != nil {
			return nil, err
		}
		out.Degraded = src.lacks()
	}
	defer src.release()
	memories := c.searchMemory(work, args, r, out)
	if src.snapshot != nil {
		out.Versions.Index = src.snapshot.Version()
	}
	if src.snapshot == nil || len(kinds) == 0 {
		out.Hits = memories
		return out, ctx.Err()
	}
	found := retrieve.Run(work, src.snapshot, retrieve.Request{
		Query: args.Query, Intent: intent.Classify(args.Query, intent.Context{}), Mode: retrieve.Mode(args.Mode), Limit: args.Limit + spare,
		Deadline: max(time.Millisecond, c.left(work)), Keep: keep(args, kinds), Builtin: src.models == nil,
		Literal: true,
	}, c.session.server.now)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out.Hits = append(c.hits(work, args, src, found.Candidates), memories...)
	slices.SortStableFunc(out.Hits, func(a, b command.Hit) int { return compareScores(a.Score, b.Score) })
	out.Hits = out.Hits[:min(args.Limit, len(out.Hits))]
	out.Stages, out.Degraded = stageResults(found.Stages), append(out.Degraded, degradations(found.Degraded)...)
	c.session.server.metrics.search(out, len(found.Candidates))
	return out, nil
}

// wanted are the kinds of hits that can be given, of those asked for; all where none is.
func wanted(asked, can []string) []string {
	var out []string
	for _, kind := range can {
		if len(asked) == 0 || slices.Contains(asked, kind) {
			out = append(out, kind)
		}
	}
	return out
}

// keep is the filter of a search, nil where it takes everything.
func keep(args *command.SearchArgs, kinds []string) func(path, language string) bool {
	paths := newGlobs(args.Paths)
	if len(paths) == 0 && len(args.Languages) == 0 && len(kinds) == 2 {
		return nil
	}
	return func(path, language string) bool {
		return slices.Contains(kinds, bundle.KindOf(language)) &&
			(len(args.Languages) == 0 || slices.ContainsFunc(args.Languages, func(l string) bool { return strings.EqualFold(l, language) })) &&
			(len(paths) == 0 || paths.match(path))
	}
}

// hits reads what was found and keeps what passes its gate, until there are enough or the time is up.
func (c commands) hits(ctx context.Context, args *command.SearchArgs, src *searched, list []retrieve.Candidate) []command.Hit {
	reader := src.snapshot.NewReader()
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

func (c commands) hit(found retrieve.Candidate, chunk indexer.Chunk, text string, src *searched, snip *snipper) command.Hit {
	title := chunk.Title
	if title == "" {
		title = chunk.Path
	}
	text = strings.TrimRight(text, "\r\n")
	h := command.Hit{
		ID: bundle.CodeID(chunk), Kind: bundle.KindOf(chunk.Language), Score: found.Score, Title: title, URI: src.uri(chunk.Path),
		Range:   lineRange(c.session.encoding, chunk.StartLine, chunk.EndLine, text[strings.LastIndexByte(text, '\n')+1:]),
		Symbols: chunk.Symbols, Signals: make(map[string]command.Signal, len(found.Signals)),
	}
	snippet, first := snip.cut(text)
	h.Snippet, h.SnippetLine = snippet, new(chunk.StartLine+first)
	for name, s := range found.Signals {
		h.Signals[name] = command.Signal{Rank: s.Rank, Score: s.Score}
	}
	return h
}
