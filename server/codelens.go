package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/tickle"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/rpc"
	"github.com/contexture-dev/contexture/server/settings"
)

const (
	// maxLenses bounds the lenses of a document, maxLensed the definitions that are looked up for them.
	maxLenses, maxLensed = 20, 200
	// lensSummary bounds the sentence in a lens, in characters.
	lensSummary = 80
	// editorPatience bounds what a lens or a hover waits for an index that is being opened.
	editorPatience = 250 * time.Millisecond
)

// codeLens is a lens as LSP has it.
type codeLens struct {
	Range   command.Range `json:"range"`
	Command lensCommand   `json:"command"`
}

type lensCommand struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments"`
}

// lensedKinds are the kinds of definitions that get a lens: what a person speaks of by its name.
var lensedKinds = map[string]bool{
	"function": true, "method": true, "class": true, "struct": true, "interface": true, "type": true, "enum": true, "const": true, "var": true,
	"module": true, "macro": true, "rule": true, "trait": true, "constructor": true, "message": true, "service": true, "rpc": true, "table": true,
	"target": true, "resource": true,
}

// codeLens answers textDocument/codeLens: which definitions of a document earlier turns speak of. Whatever keeps it
// from an answer, the answer is that there are none.
func (s *Session) codeLens(raw json.RawMessage) rpc.Work {
	var p documentParams
	if err := decode(raw, &p); err != nil {
		return refuse("textDocument/codeLens", err)
	}
	v := commands{view: s.view(), slot: s.slot(brisk, len(raw))}
	return rpc.Work{Run: func(ctx context.Context) (any, error) {
		defer v.slot.give()
		list := []codeLens{}
		err := v.reminded(ctx, p.TextDocument.URI, func(t settings.Ticklers) bool { return t.CodeLens }, func(m reminded) error {
			found, err := m.lenses()
			list = append(list, found...)
			return err
		})
		return list, err
	}}
}

// reminded is a document that turns may speak of.
type reminded struct {
	*view
	root *rootView
	spot *spot
	find *remember.Ticklers
}

// reminded calls f with the document if its root wants ticklers in this place and all that is needed is there. Its only
// error is the context's; what else goes wrong is for the log.
func (c commands) reminded(ctx context.Context, uri string, wanted func(settings.Ticklers) bool, f func(reminded) error) error {
	r := c.rootOf(uri)
	set := c.settingsOf(r)
	if !set.Enabled || !set.Memory.Enabled || !wanted(set.Ticklers) {
		return nil
	}
	err := func() error {
		w, err := c.memoryOf(ctx, r)
		if err != nil {
			return err
		}
		if err := c.awaitRenames(ctx); err != nil {
			return err
		}
		if err := c.enterPatiently(ctx, r, editorPatience); err != nil {
			return err
		}
		return c.remindOf(ctx, w, r, uri, f)
	}()
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	c.session.log.Debug("no ticklers", "err", err)
	return nil
}

// remindOf calls f on one state of memory and index.
func (v *view) remindOf(ctx context.Context, w *memory.Workspace, r *rootView, uri string, f func(reminded) error) error {
	spot, err := v.spot(ctx, r, uri)
	if err != nil || spot == nil {
		return err
	}
	m := w.View()
	defer m.Close()
	return f(reminded{v, r, spot, &remember.Ticklers{View: m}})
}

// rootOf gives the root that a document lies in, the innermost; nil for none.
func (v *view) rootOf(uri string) *rootView {
	path, ok := filePath(uri)
	if !ok {
		if len(v.roots) == 1 {
			return &v.roots[0]
		}
		return nil
	}
	var best *rootView
	for i := range v.roots {
		r := &v.roots[i]
		if rel, ok := below(path, r.path, r.real); ok && rel != "." && (best == nil || len(r.path) > len(best.path)) {
			best = r
		}
	}
	return best
}

// lenses are those of the document, in the order of their lines.
func (m reminded) lenses() ([]codeLens, error) {
	var symbols []remember.Symbol
	var lines []int
	for _, d := range m.spot.symbols {
		y := remember.Symbol{Name: d.Name, Container: d.Container}
		if lensedKinds[d.Kind] && len(symbols) < maxLensed && !slices.Contains(symbols, y) {
			symbols, lines = append(symbols, y), append(lines, d.Line)
		}
	}
	list, err := m.find.About(m.spot.place(), symbols, maxLenses)
	if err != nil {
		return nil, err
	}
	lineOf := func(p remember.Pointer) int {
		if p.Symbol < 0 {
			return 0
		}
		return lines[p.Symbol]
	}
	slices.SortStableFunc(list, func(a, b remember.Pointer) int { return cmp.Compare(lineOf(a), lineOf(b)) })
	out := make([]codeLens, len(list))
	for i, k := range list {
		out[i] = m.lens(lineOf(k), k.Tickler)
	}
	return out, nil
}

// lens is the lens of a turn on a line.
func (m reminded) lens(line int, k tickle.Tickler) codeLens {
	title := fmt.Sprintf("Turn %d", k.Turn)
	if k.Date != "" {
		title += " · " + k.Date
	}
	if k.Summary != "" {
		title += " · " + clipTitle(k.Summary, lensSummary)
	}
	call := m.retrieve(k, m.root)
	start := command.Position{Line: line}
	return codeLens{
		Range:   command.Range{Start: start, End: start},
		Command: lensCommand{Title: title, Command: call.Command, Arguments: call.Arguments},
	}
}

// clipTitle cuts a text to at most limit characters, the ellipsis included.
func clipTitle(s string, limit int) string {
	r := []rune(s)
	if len(r) <= limit {
		return s
	}
	return strings.TrimRight(string(r[:limit-1]), " ") + "…"
}
