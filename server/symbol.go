package server

import (
	"context"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/server/command"
)

// Symbol implements command.Commands.
func (c commands) Symbol(ctx context.Context, args *command.SymbolArgs) (*command.SymbolResult, error) {
	r, err := c.root(args.Workspace)
	if err != nil {
		return nil, err
	}
	out := &command.SymbolResult{Name: args.Name}
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
	src, err := c.open(work, r)
	if err != nil {
		return nil, err
	}
	defer src.release()
	for _, d := range src.lacks() {
		if d.Stage == "index" { // no model has a part in the answer
			out.Degraded = append(out.Degraded, d)
		}
	}
	if src.snapshot == nil {
		return out, ctx.Err()
	}
	out.Versions.Index = src.snapshot.Version()
	found := retrieve.LookUp(work, src.snapshot, retrieve.SymbolQuery{Name: args.Name, Path: args.Path, Limit: args.Limit})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if work.Err() != nil {
		out.Degraded = append(out.Degraded, command.Degradation{Stage: "keyword", Reason: "timeout", Detail: "not all files were read"})
	}
	out.Name = found.Name
	out.Definitions, out.Implementations = c.definitions(src, found.Definitions), c.definitions(src, found.Implementations)
	out.Similar = c.definitions(src, found.Similar)
	for _, o := range found.Occurrences {
		out.Occurrences = append(out.Occurrences, command.Occurrence{
			Path: o.Path, URI: src.uri(o.Path), Range: *lineRange(c.session.encoding, o.Line, o.Line, o.Whole), Text: o.Text, In: o.In, Call: o.Calls,
			Unsure: o.Unsure,
		})
	}
	out.More = command.SymbolMore{
		Definitions: found.MoreDefinitions, Occurrences: found.MoreOccurrences, Implementations: found.MoreImplementations, AtLeast: found.Partial,
	}
	return out, nil
}

func (c commands) definitions(src *searched, list []retrieve.Definition) []command.Definition {
	var out []command.Definition
	for _, d := range list {
		shown := command.Definition{
			Name: d.Name, Container: d.Container, Kind: d.Kind, Path: d.Path, URI: src.uri(d.Path), Signature: d.Signature, Text: d.Text,
			Range: *lineRange(c.session.encoding, d.Line, d.EndLine, d.LastLine),
		}
		if d.Text != "" {
			shown.TextLine = d.First
		}
		if d.Chunk >= 0 {
			shown.ID = bundle.CodeID(src.snapshot.Chunk(d.Chunk))
		}
		out = append(out, shown)
	}
	return out
}
