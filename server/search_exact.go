package server

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/exact"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/session"
)

// maxRanked is the limit of ranked hits.
const maxRanked = 200

// lineMark separates the number of a matching line from the id of the code around it.
const lineMark = ":"

// CheckSearch returns the error of arguments that Search would refuse whatever is in the workspace.
func CheckSearch(args *command.SearchArgs) error {
	_, err := patternOf(args)
	return err
}

// patternOf returns the pattern of a search in the mode exact or regex, nil in other modes.
func patternOf(args *command.SearchArgs) (*exact.Pattern, error) {
	if args.Mode != "exact" && args.Mode != "regex" {
		const needs = "needs the mode exact or regex"
		switch {
		case args.Case:
			return nil, command.InvalidParams("case", needs)
		case args.Word:
			return nil, command.InvalidParams("word", needs)
		case args.Limit > maxRanked:
			return nil, command.InvalidParams("limit", "must be from 1 to %d in mode %s", maxRanked, args.Mode)
		}
		return nil, nil
	}
	if len(wanted(args.Kinds, fileKinds)) == 0 {
		return nil, command.InvalidParams("kinds", "mode %s finds only code and doc", args.Mode)
	}
	p, err := exact.Compile(args.Query, exact.Options{Regex: args.Mode == "regex", Case: args.Case, Word: args.Word})
	if err != nil {
		return nil, command.InvalidParams("query", "%q cannot be searched for: %v", clipBytes(args.Query, snippetBytes), err)
	}
	return p, nil
}

// match finds the lines that match a pattern. They come by path and line, like those of other
// programs for this: a list that may be cut has a predictable part, and the lines of a file are
// together.
func (c lookupCommands) match(ctx context.Context, args *command.SearchArgs, src *session.Source, p *exact.Pattern, out *command.SearchResult) {
	m := out.Matched
	out.Degraded = slices.DeleteFunc(out.Degraded, func(d command.Degradation) bool { return d.Stage != "index" }) // no model is needed
	if src.Snapshot == nil {
		return
	}
	found := src.Snapshot.Matches(ctx, indexer.MatchRequest{Pattern: p, Keep: keep(args, args.Kinds), Limit: args.Limit})
	for _, line := range found.Lines {
		out.Hits = append(out.Hits, c.lineHit(line, src))
	}
	m.Lines, m.Files, m.Searched, m.Unread = found.LineCount, found.FileCount, found.Searched, found.Unread+found.Late
	if found.Late > 0 {
		out.Degraded = append(out.Degraded, command.Degradation{Stage: "keyword", Reason: "timeout", Detail: fmt.Sprintf("%d files were not searched", found.Late)})
	}
	m.NotIndexed = src.NotIndexed()
	m.Complete = len(out.Hits) == m.Lines && m.Unread == 0 && !src.Behind
	c.server.metrics.search(out, len(out.Hits))
}

// lineHit returns a matching line as a hit.
func (c lookupCommands) lineHit(line indexer.MatchedLine, src *session.Source) command.Hit {
	chunk, encoding := line.Chunk, c.Session.Encoding
	h := command.Hit{
		ID: bundle.CodeID(chunk) + lineMark + strconv.Itoa(line.Line+1), Kind: string(bundle.KindOf(chunk.Language)), Score: 1, Title: chunk.Title,
		URI: src.URI(chunk.Path), SnippetLine: &line.Line,
	}
	if h.Title == "" {
		h.Title = chunk.Path
	}
	text := line.Text
	for _, span := range line.Spans {
		h.Matches = append(h.Matches, command.Range{
			Start: command.Position{Line: line.Line, Character: encoding.Units(text[:span[0]])},
			End:   command.Position{Line: line.Line, Character: encoding.Units(text[:span[1]])},
		})
	}
	h.Range = &command.Range{Start: h.Matches[0].Start, End: h.Matches[len(h.Matches)-1].End}
	h.Snippet = text
	if len(text) > snippetBytes {
		from := max(0, min(line.Spans[0][0]-snippetBytes/4, len(text)-snippetBytes))
		for from > 0 && !utf8.RuneStart(text[from]) {
			from--
		}
		h.Snippet, h.SnippetCharacter = clipBytes(text[from:], snippetBytes), encoding.Units(text[:from])
	}
	return h
}
