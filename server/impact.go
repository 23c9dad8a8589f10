package server

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/context/impact"
	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/history"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/session"
)

// Impact implements command.Commands.
func (c lookupCommands) Impact(ctx context.Context, args *command.ImpactArgs) (*command.ImpactResult, error) {
	r, err := c.Root(args.Workspace)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, command.Unavailable("what a change concerns, without a workspace,")
	}
	out := &command.ImpactResult{}
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
	p := &impacts{c: c, src: src, reader: src.Snapshot.NewReader(), limit: args.Limit, out: out, lines: map[string][]string{}}
	changed, err := p.changed(ctx, work, r, args.Revision)
	if err != nil {
		return nil, err
	}
	found := impact.Find(work, src.Snapshot, p.reader, changed, args.Depth)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if work.Err() != nil {
		out.Degraded = append(out.Degraded, command.Degradation{Stage: "keyword", Reason: "timeout", Detail: "not all files were read"})
	}
	p.show(found)
	return out, p.stated(ctx, r, changed)
}

// impacts is one call of Impact.
type impacts struct {
	c      lookupCommands
	src    *session.Source
	reader *indexer.Reader
	limit  int
	out    *command.ImpactResult
	lines  map[string][]string // of files, by path
}

// changed returns the changed files, parsed until work ends, and adds them to the answer.
func (p *impacts) changed(ctx, work context.Context, r *session.RootView, revision string) ([]impact.File, error) {
	s := p.src.Snapshot
	var buffers []string
	if revision == "" {
		for _, path := range s.Buffers() {
			if p.src.Names[path] == "" { // else it is not on disk
				buffers = append(buffers, path)
			}
		}
	}
	diff, err := history.Difference(ctx, r.Real, revision, buffers)
	switch {
	case errors.Is(err, history.ErrRevision):
		return nil, command.InvalidParams("revision", "%v", err)
	case errors.Is(err, history.ErrNoRepository):
		return nil, command.Unavailable(fmt.Sprintf("what a change of %s concerns: it is in %v, which", r.Path, err))
	case err != nil:
		return nil, err
	}
	p.out.From, p.out.To = diff.From, diff.To
	for i := range diff.Files {
		f := &diff.Files[i]
		f.Before, f.After = s.Text(f.Path, f.Before), s.Text(f.Path, f.After)
		if file, ok := s.File(f.Path); ok && diff.To == "" {
			if text, gate := p.reader.File(file); gate == "" {
				f.After, f.Removed = text, false
			}
		}
	}
	changed := impact.Read(work, diff.Files)
	for _, f := range changed[:min(p.limit, len(changed))] {
		p.out.Files = append(p.out.Files, command.ImpactFile{Path: f.Path, Change: f.How})
	}
	p.out.More.Files = len(changed) - len(p.out.Files) + diff.More
	p.out.More.AtLeast = diff.More > 0
	return changed, nil
}

// show adds what was found to the answer.
func (p *impacts) show(found *impact.Result) {
	more := &p.out.More
	more.AtLeast = more.AtLeast || found.Partial
	p.out.Definitions, more.Definitions = p.places(found.Definitions)
	p.out.Callers, more.Callers = p.places(found.Callers)
	p.out.Implementations, more.Implementations = p.places(found.Implementations)
	p.out.Tests, more.Tests = p.places(found.Tests)
	p.out.Documents, more.Documents = p.places(found.Documents)
	p.out.Settings, more.Settings = p.places(found.Settings)
}

// places returns the first places of a list as those of the contract, and how many are left out.
func (p *impacts) places(list []impact.Place) (out []command.ImpactPlace, more int) {
	shown := list[:min(p.limit, len(list))]
	for _, at := range shown {
		one := command.ImpactPlace{Path: at.Path, URI: p.src.URI(at.Path), Name: at.Name, Kind: at.Kind, Why: at.Why}
		if lines := p.text(at.Path); at.Line >= 0 && at.Line < len(lines) {
			last := min(max(at.Line, at.EndLine), len(lines)-1)
			one.Range = session.LineRange(p.c.Session.Encoding, at.Line, last, lines[last])
		}
		out = append(out, one)
	}
	return out, len(list) - len(shown)
}

// text returns the lines of a file, nil if it may not be shown.
func (p *impacts) text(path string) []string {
	lines, known := p.lines[path]
	if known {
		return lines
	}
	if file, ok := p.src.Snapshot.File(path); ok {
		if text, gate := p.reader.File(file); gate == "" {
			lines = strings.Split(string(text), "\n")
		}
	}
	p.lines[path] = lines
	return lines
}

// statedFiles bounds the changed files about which memory is asked.
const statedFiles = 40

// stated adds what memory states about the changed files. Without memory there is nothing.
func (p *impacts) stated(ctx context.Context, r *session.RootView, changed []impact.File) error {
	w, err := p.c.memoryOf(ctx, r)
	if err != nil {
		if e, ok := errors.AsType[*command.Error](err); !ok || e.DataCode != command.DataUnavailable {
			p.out.Degraded = append(p.out.Degraded, command.Degradation{Stage: "memory", Reason: "error", Detail: err.Error()})
		}
		return ctx.Err()
	}
	v := w.View()
	defer v.Close()
	only := alone(r)
	seen := map[string]bool{}
	for i, f := range changed {
		if i == statedFiles || ctx.Err() != nil {
			p.out.More.AtLeast = true
			break
		}
		act := remember.Act{View: v, Alone: only}
		if retrieve.IsCode(f.Language) {
			act.Symbols, act.Others = f.Names()
		}
		list, err := act.BeforeEdit(f.Path)
		if err != nil {
			return fmt.Errorf("read what was stated about %s: %w", f.Path, err)
		}
		for _, t := range list {
			switch {
			case seen[t.ID]:
			case len(p.out.Statements) == p.limit:
				p.out.More.Statements++
			default:
				p.out.Statements = append(p.out.Statements, command.ImpactStatement{Path: f.Path, ActStatement: statement(t)})
			}
			seen[t.ID] = true
		}
	}
	return ctx.Err()
}
