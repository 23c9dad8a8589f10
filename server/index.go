package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/session"
	"github.com/contexture-dev/contexture/server/transport"
)

// IndexStatus implements command.Commands.
func (c indexCommands) IndexStatus(_ context.Context, args *command.Empty) (*command.IndexStatusResult, error) {
	r, err := c.Root(args.Workspace)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return session.IdleStatus(), nil
	}
	if r.Opening == nil {
		return nil, session.ErrSwitchedOff
	}
	r.Opening.ModelServer().Use()
	return r.Status(r.Opening), nil
}

// IndexRebuild implements command.Commands. The answer is the status once the rebuild has started.
func (c indexCommands) IndexRebuild(ctx context.Context, args *command.RebuildArgs) (*command.IndexStatusResult, error) {
	r, err := c.Root(args.Workspace)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, command.Unavailable("an index without a workspace")
	}
	x, err := r.Opening.Wait(ctx)
	if err != nil {
		return nil, err
	}
	if x == nil {
		return nil, ctx.Err()
	}
	x.Rebuild(args.What == "embeddings")
	out := session.StatusOf(x.Status())
	out.Workspace = r.URI
	return out, nil
}

// IndexWhy implements command.Commands.
func (c indexCommands) IndexWhy(ctx context.Context, args *command.WhyArgs) (*command.WhyResult, error) {
	r, err := c.Root(args.Workspace)
	if err != nil {
		return nil, err
	}
	path, ok := transport.FilePath(args.TextDocument.URI)
	if !ok && !transport.IsUntitled(args.TextDocument.URI) {
		return nil, command.InvalidParams("textDocument.uri", "must be a file: URI of this machine")
	}
	if !ok || r == nil {
		return outside(), nil
	}
	x, err := r.Opening.Wait(ctx)
	if err != nil {
		return nil, err
	}
	if x == nil {
		return nil, ctx.Err()
	}
	if err := c.slot.Take(ctx); err != nil {
		return nil, err
	}
	rel, ok := x.Tree().Rel(path)
	if !ok {
		return outside(), nil
	}
	return whyResult(x.Tree().Decide(rel)), nil
}

// outside returns the answer for a file outside all roots.
func outside() *command.WhyResult {
	return &command.WhyResult{Rule: "the file lies outside the workspace", Source: builtIn}
}

// builtIn is the contract's name for rules that are not in a file.
const builtIn = "builtin"

func whyResult(d source.Decision) *command.WhyResult {
	out := &command.WhyResult{Indexed: d.Indexed}
	switch {
	case d.Rule != nil:
		out.Rule, out.Source, out.Line = d.Rule.Pattern, d.Rule.Source, d.Rule.Line
		if out.Source == "built-in" {
			out.Source = builtIn
		}
	case d.Reason != source.Indexed:
		out.Rule, out.Source = string(d.Reason), builtIn
	}
	return out
}

// opened returns the index of the root that a command concerns, waiting while it is being opened,
// and takes the command's slot. Without a workspace both are nil and there is no error.
func (c indexCommands) opened(ctx context.Context, workspace string) (*session.RootView, *indexer.Index, error) {
	r, err := c.Root(workspace)
	if err != nil || r == nil {
		return nil, nil, err
	}
	x, err := r.Opening.Wait(ctx)
	if err == nil && x == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, nil, err
	}
	return r, x, c.slot.Take(ctx)
}

// IndexSkipped implements command.Commands.
func (c indexCommands) IndexSkipped(ctx context.Context, args *command.SkippedArgs) (*command.SkippedResult, error) {
	after, err := url.PathUnescape(args.After)
	if err != nil {
		return nil, command.InvalidParams("after", "must be the next of an earlier page")
	}
	_, x, err := c.opened(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	out := &command.SkippedResult{}
	if x == nil {
		return out, nil
	}
	page, next, err := x.LeftOut(ctx, indexer.LeftOutQuery{Reason: source.Reason(args.Reason), Match: args.Query, Limit: args.Limit, After: after})
	if err != nil {
		return nil, err
	}
	for _, e := range page {
		why := whyResult(e.Decision)
		out.Files = append(out.Files, command.SkippedFile{
			Path: strings.ToValidUTF8(e.Path, "\uFFFD"), Folder: e.Folder, Reason: string(e.Decision.Reason),
			Rule: why.Rule, Source: why.Source, Line: why.Line,
		})
	}
	out.Next = url.PathEscape(next) // a name need not be UTF-8
	return out, nil
}

// ignoreFile is the rule file of a root that index.exclude changes.
const ignoreFile = ".contextureignore"

// IndexExclude implements command.Commands.
func (c indexCommands) IndexExclude(ctx context.Context, args *command.ExcludeArgs) (*command.ExcludeResult, error) {
	r, x, err := c.opened(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	if x == nil {
		return nil, command.Unavailable("an ignore file without a workspace")
	}
	patterns, err := x.Tree().EditIgnore(args.Pattern, args.Remove)
	switch {
	case errors.Is(err, source.ErrPattern):
		return nil, command.InvalidParams("pattern", "%v", err)
	case errors.Is(err, source.ErrNoSuchPattern):
		return nil, command.NotFound(fmt.Sprintf("pattern %q in %s", args.Pattern, ignoreFile))
	case err != nil:
		return nil, err
	}
	x.Notify([]string{ignoreFile}) // for systems that do not report changes
	out := &command.ExcludeResult{URI: transport.FileURI(r.Path + "/" + ignoreFile)}
	for _, p := range patterns {
		out.Patterns = append(out.Patterns, strings.ToValidUTF8(string(x.Tree().Redact("", []byte(p))), "\uFFFD"))
	}
	return out, nil
}

// IndexSecrets implements command.Commands.
func (c indexCommands) IndexSecrets(ctx context.Context, args *command.SecretsArgs) (*command.SecretsResult, error) {
	after, err := url.PathUnescape(args.After)
	afterPath, afterRule, whole := strings.Cut(after, "\x00")
	if err != nil || after != "" && !whole {
		return nil, command.InvalidParams("after", "must be the next of an earlier page")
	}
	_, x, err := c.opened(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	out := &command.SecretsResult{}
	if x == nil {
		return out, nil
	}
	list, err := x.Redactions(ctx, after != "")
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		out.Total += r.Count
	}
	if after != "" {
		at, found := slices.BinarySearchFunc(list, after, func(r indexer.Redaction, _ string) int {
			return cmp.Or(cmp.Compare(r.Path, afterPath), cmp.Compare(r.Rule, afterRule))
		})
		if found {
			at++
		}
		list = list[at:]
	}
	if len(list) > args.Limit {
		list = list[:args.Limit]
		last := list[args.Limit-1]
		out.Next = url.PathEscape(last.Path + "\x00" + last.Rule)
	}
	for _, r := range list {
		out.Findings = append(out.Findings, command.SecretFinding{Rule: r.Rule, Path: strings.ToValidUTF8(r.Path, "\uFFFD"), Count: r.Count})
	}
	return out, nil
}
