package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/request"
	"github.com/contexture-dev/contexture/server/transport"
)

const (
	// mostLines is the maximum number of matching lines, and the default.
	mostLines = 10_000
	// linePatience is the time for listing lines: unlike a ranking, the list is asked for whole.
	linePatience = time.Minute
)

// rootHit is a hit with the workspace that it was found in.
type rootHit struct {
	command.Hit
	w *workspace
}

// foundHits are the hits in one or several workspaces.
type foundHits struct {
	hits   []rootHit
	result *command.SearchResult // of the first workspace, with those of the others added; its hits are in hits
	limit  int
}

// foundIn returns the hits in one workspace.
func foundIn(w *workspace, r *command.SearchResult) *foundHits {
	all := &foundHits{}
	all.add(w, r)
	return all
}

// searched returns the roots to search, "" for that of the working directory.
func (s *searchFlags) searched() []string {
	if len(s.roots) == 0 {
		return []string{""}
	}
	return s.roots
}

func (s *searchFlags) listsLines() bool { return s.mode == "exact" || s.mode == "regex" }

// search adds the hits in the workspace of f.root.
func (s *searchFlags) search(ctx context.Context, f *flags, args map[string]any, all *foundHits) (err error) {
	w, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	refused, err := w.indexOrMemory(ctx, !s.noWait)
	if err != nil {
		return err
	}
	r, err := call[command.SearchResult](ctx, w.client, "contexture.search", args)
	if err != nil {
		return cmp.Or(refused, refusal(err, searchNames)) // only code was wanted
	}
	all.add(w, r)
	if s.asJSON {
		return nil
	}
	f.env.hintDegraded(r.Degraded)
	if len(r.Hits) > 0 || refused != nil {
		return nil
	}
	if r.Matched != nil {
		f.env.hint("nothing found in %s%s", counted(r.Matched.Searched, "file"), notSearched(r.Matched))
		return nil
	}
	x, err := asked[request.IndexResult](ctx, w.client, request.IndexState, nil)
	if err != nil {
		return explain(err)
	}
	f.env.hint("nothing found in %s", counted(x.Status.Files, "file"))
	return nil
}

// add adds the result of one workspace. A memory of the person that several of them have comes
// once.
func (a *foundHits) add(w *workspace, r *command.SearchResult) {
	for _, h := range r.Hits {
		if h.URI != "" || !slices.ContainsFunc(a.hits, func(o rootHit) bool { return o.ID == h.ID && o.URI == "" }) {
			a.hits = append(a.hits, rootHit{h, w})
		}
	}
	sum := a.result
	if sum == nil {
		only := *r
		a.result = &only
		return
	}
	sum.Stages, sum.Degraded, sum.Versions = append(sum.Stages, r.Stages...), append(sum.Degraded, r.Degraded...), r.Versions
	if m := r.Matched; m != nil {
		sum.Matched.Lines += m.Lines
		sum.Matched.Files += m.Files
		sum.Matched.Searched += m.Searched
		sum.Matched.Unread += m.Unread
		sum.Matched.Complete = sum.Matched.Complete && m.Complete
		for _, s := range m.NotIndexed {
			i := slices.IndexFunc(sum.Matched.NotIndexed, func(o command.SkipCount) bool { return o.Reason == s.Reason })
			if i < 0 {
				sum.Matched.NotIndexed = append(sum.Matched.NotIndexed, s)
			} else {
				sum.Matched.NotIndexed[i].Count += s.Count
			}
		}
	}
}

// finish orders the hits of several workspaces, ranked ones by score, and applies the limit to all
// of them.
func (a *foundHits) finish(lines bool) {
	if !lines {
		slices.SortStableFunc(a.hits, func(x, y rootHit) int { return cmp.Compare(y.Score, x.Score) })
	}
	a.hits = a.hits[:min(a.limit, len(a.hits))]
	if m := a.result.Matched; m != nil && len(a.hits) < m.Lines {
		m.Complete = false
	}
}

// printLines lists matching lines as other programs for this do: on a terminal below the path of
// their file, else each with its path. What is left out is said on standard error.
func printLines(e *environment, all *foundHits) error {
	p := e.outPalette()
	var b strings.Builder
	before := ""
	for _, h := range all.hits {
		path := h.w.listed(h.URI)
		number := strconv.Itoa(*h.SnippetLine + 1)
		text := marked(p, h.Hit)
		if !e.out.On {
			fmt.Fprintf(&b, "%s:%s:%s\n", path, number, text)
			continue
		}
		if path != before {
			if before != "" {
				b.WriteByte('\n')
			}
			fmt.Fprintln(&b, e.link(h.URI, *h.SnippetLine, p.path(path)))
			before = path
		}
		writeBeside(&b, p.green(number)+":", strings.ReplaceAll(text, "\t", "    "), e.widthOf(e.out))
	}
	if err := e.page(b.String()); err != nil {
		return err
	}
	if m := all.result.Matched; len(all.hits) > 0 {
		shown := ""
		if len(all.hits) < m.Lines {
			shown = fmt.Sprintf("; listed are the first %s, see --limit and --path", count(len(all.hits)))
		}
		e.hint("%s in %s%s%s", counted(m.Lines, "line"), counted(m.Files, "file"), shown, notSearched(m))
	}
	return nil
}

// listed returns the path of a document in a list: relative to the working directory if that is in
// the workspace, else absolute, so that it can be opened from there.
func (w *workspace) listed(uri string) string {
	path := cmp.Or(w.placeOf(uri, nil).Path, uri)
	return oneLine(path, 0)
}

// notSearched describes what was not searched.
func notSearched(m *command.Matched) string {
	var parts []string
	if m.Unread > 0 {
		parts = append(parts, counted(m.Unread, "file")+" could not be read")
	}
	var reasons []string
	n := 0
	for _, s := range m.NotIndexed {
		n += s.Count
		reasons = append(reasons, fmt.Sprintf("%s %s", count(s.Count), skipReason(s.Reason)))
	}
	if n > 0 {
		parts = append(parts, fmt.Sprintf("not searched, because not indexed: %s", strings.Join(reasons, ", ")))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; " + strings.Join(parts, "; ")
}

// marked returns a matching line with its matches in colour, and an ellipsis where it is cut.
func marked(p palette, h command.Hit) string {
	line := h.Snippet
	var b strings.Builder
	if h.SnippetCharacter > 0 {
		b.WriteString(p.faint("…"))
	}
	at := 0
	offset := func(pos command.Position) int {
		return transport.UTF16.OffsetAt(line, transport.Position{Character: pos.Character - h.SnippetCharacter})
	}
	for _, m := range h.Matches {
		from, to := max(at, offset(m.Start)), offset(m.End)
		if from >= to {
			continue
		}
		b.WriteString(block(line[at:from]) + p.match(block(line[from:to])))
		at = to
	}
	b.WriteString(block(line[at:]))
	return b.String()
}
