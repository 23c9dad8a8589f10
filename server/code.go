package server

import (
	"context"
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer/chunk"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/session"
)

// openCode waits its turn and opens the index for an answer in which no model takes part, and adds
// what that lacks. work is ctx with the request's deadline. The source has no snapshot where there
// is none, or its turn does not come in time.
func (c lookupCommands) openCode(ctx, work context.Context, r *session.RootView, lacks *[]command.Degradation) (*session.Source, error) {
	late, err := c.enter(ctx, work, r)
	if err != nil {
		return nil, err
	}
	if late {
		*lacks = session.Overloaded(r).Lacks()
		return &session.Source{Release: func() {}}, nil
	}
	src, err := c.Open(work, r)
	if err != nil {
		return nil, err
	}
	for _, d := range src.Lacks() {
		if d.Stage == "index" {
			*lacks = append(*lacks, d)
		}
	}
	return src, nil
}

// Symbol implements command.Commands.
func (c lookupCommands) Symbol(ctx context.Context, args *command.SymbolArgs) (*command.SymbolResult, error) {
	r, err := c.Root(args.Workspace)
	if err != nil {
		return nil, err
	}
	if args.Name == "" && args.Path == "" {
		return nil, command.InvalidParams("name", "is missing; give a name, or a path whose symbols are listed")
	}
	args.Path, _ = pathBelow(r, args.Path) // the end of a path may also begin with a slash
	out := &command.SymbolResult{Name: args.Name}
	work, cancel := c.within(ctx, args.DeadlineMS)
	defer cancel()
	src, err := c.openCode(ctx, work, r, &out.Degraded)
	if err != nil {
		return nil, err
	}
	defer src.Release()
	if src.Snapshot == nil {
		return out, ctx.Err()
	}
	out.Versions.Index = src.Snapshot.Version()
	found := retrieve.LookUp(work, src.Snapshot, retrieve.SymbolQuery{Name: args.Name, Path: args.Path, Limit: args.Limit})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if work.Err() != nil {
		out.Degraded = append(out.Degraded, command.Degradation{Stage: "keyword", Reason: "timeout", Detail: "not all files were read"})
	}
	out.Name, out.Unparsed = found.Name, found.Unparsed
	out.Definitions, out.Implementations = c.definitions(src, found.Definitions), c.definitions(src, found.Implementations)
	out.Similar = c.definitions(src, found.Similar)
	for _, o := range found.Occurrences {
		use := command.Occurrence{
			Path: o.Path, URI: src.URI(o.Path), Range: *session.LineRange(c.Session.Encoding, o.Line, o.Line, o.Whole), Text: o.Text, In: o.In, Call: o.Calls,
		}
		if o.Chance < 1 {
			use.Unsure, use.Probability = true, o.Chance
		}
		out.Occurrences = append(out.Occurrences, use)
	}
	for _, m := range found.Mentions {
		out.Mentions = append(out.Mentions, command.Mention{
			Path: m.Path, URI: src.URI(m.Path), Range: *session.LineRange(c.Session.Encoding, m.Line, m.Line, m.Whole), Text: m.Text,
		})
	}
	out.More = command.SymbolMore{
		Definitions: found.MoreDefinitions, Occurrences: found.MoreOccurrences, Implementations: found.MoreImplementations,
		Mentions: found.MoreMentions, AtLeast: found.Partial,
	}
	return out, nil
}

func (c lookupCommands) definitions(src *session.Source, list []retrieve.Definition) []command.Definition {
	var out []command.Definition
	for _, d := range list {
		shown := command.Definition{
			Name: d.Name, Container: d.Container, Kind: d.Kind, Path: d.Path, URI: src.URI(d.Path), Signature: d.Signature, Text: d.Text,
			Range: *session.LineRange(c.Session.Encoding, d.Line, d.EndLine, d.LastLine),
		}
		if d.Text != "" {
			shown.TextLine = d.First
		}
		if d.Chunk >= 0 {
			shown.ID = bundle.CodeID(src.Snapshot.Chunk(d.Chunk))
		}
		out = append(out, shown)
	}
	return out
}

// syntaxLimit bounds the time for parsing one text.
const syntaxLimit = 50 * time.Millisecond

// Syntax implements command.Commands.
func (c lookupCommands) Syntax(ctx context.Context, args *command.SyntaxArgs) (*command.SyntaxResult, error) {
	out := &command.SyntaxResult{Texts: make([]command.SyntaxSpans, len(args.Texts))}
	h := chunk.NewHighlighter()
	defer h.Close()
	for i := range args.Texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		asked, one := &args.Texts[i], &out.Texts[i]
		text := []byte(asked.Text)
		if one.Language = chunk.NamedLanguage(asked.Language); asked.Language == "" && asked.Path != "" {
			one.Language = chunk.Language(asked.Path, text)
		}
		spans, whole := h.Spans(one.Language, text, syntaxLimit)
		if !whole {
			out.Degraded = append(out.Degraded, command.Degradation{
				Stage: "syntax", Reason: "timeout", Detail: fmt.Sprintf("texts[%d] takes longer than %v to read, or cannot be read as %s", i, syntaxLimit, one.Language),
			})
		}
		one.Spans = make([]command.SyntaxSpan, len(spans))
		for k, s := range spans {
			one.Spans[k] = command.SyntaxSpan{Start: s.Start, End: s.End, Kind: string(s.Kind)}
		}
	}
	return out, nil
}
