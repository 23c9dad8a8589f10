package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/tickle"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/session"
	"github.com/contexture-dev/contexture/server/settings"
	"github.com/contexture-dev/contexture/server/transport"
)

const (
	// turnsInView is how many of a conversation's newest turns an assistant has in its context at
	// least, however long they are; it also has everything of a conversation that fits in a bundle
	// whole.
	turnsInView = 5
	// indexPatience bounds how long a command without a deadline waits for an index that is being
	// opened.
	indexPatience = time.Second
)

// Ticklers implements command.Commands.
func (c lookupCommands) Ticklers(ctx context.Context, args *command.TicklersArgs) (*command.TicklersResult, error) {
	w, r, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	if err := c.AwaitRenames(ctx); err != nil {
		return nil, err
	}
	if err := c.enterPatiently(ctx, r, indexPatience); err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	t, err := reminding(v, args.ConversationID, c.settingsOf(r).Budget.Default)
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	var list []tickle.Tickler
	if args.Prompt = c.Query(r, args.Prompt); args.Prompt != "" {
		list, err = t.ForPrompt(ctx, intent.Classify(args.Prompt, intent.Context{}), args.Limit)
	} else {
		list, err = c.ticklersAt(ctx, t, r, args)
	}
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	out := &command.TicklersResult{}
	for _, k := range list {
		out.Ticklers = append(out.Ticklers, c.tickler(k, r))
	}
	return out, nil
}

// reminding returns the source of reminders for a conversation whose bundles have a budget, or for
// none; the conversation need not exist yet.
func reminding(v *memory.View, id string, budget int) (*remember.Ticklers, error) {
	t := &remember.Ticklers{View: v}
	if id == "" {
		return t, nil
	}
	info, err := v.Conversations.Find(id)
	if errors.Is(err, conversation.ErrNotFound) {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	sizes, err := v.Turns.Sizes(info)
	t.Mine, t.InView = info, remember.NewestInView(info.Turns, max(turnsInView, remember.WholeTurns(sizes, budget)))
	return t, err
}

// ticklersAt returns the ticklers for a location.
func (c lookupCommands) ticklersAt(ctx context.Context, t *remember.Ticklers, r *session.RootView, args *command.TicklersArgs) ([]tickle.Tickler, error) {
	s, err := c.TextDocument(ctx, r, args.TextDocument.URI)
	if err != nil || s == nil {
		return nil, err
	}
	offset := func(p command.Position) int {
		return c.Session.Encoding.OffsetAt(s.Text, transport.Position{Line: p.Line, Character: p.Character})
	}
	place := s.Place()
	if args.Range != nil {
		from, to := offset(args.Range.Start), offset(args.Range.End)
		place.Symbols = s.SymbolsIn(min(from, to), max(from, to))
	} else {
		place.Symbols = s.SymbolsAt(offset(*args.Position))
	}
	return t.ForPlace(place, args.Limit, false)
}

// tickler converts one tickler; paths become URIs.
func (c lookupCommands) tickler(k tickle.Tickler, r *session.RootView) command.Tickler {
	out := command.Tickler{
		ID: k.ID, Title: k.Title, Date: k.Date, Summary: k.Summary, Text: k.Text, ConversationID: k.ConversationID,
		TurnID: dialogue.TurnID(k.Turn), Score: k.Score, Symbols: k.Symbols, Retrieve: c.retrieve(k, r),
	}
	spelling := spellings(r)
	for _, p := range k.Paths {
		if p = spelling(path.Clean(p)); r != nil && !path.IsAbs(p) && p != ".." && !strings.HasPrefix(p, "../") {
			out.URIs = append(out.URIs, transport.FileURI(r.Path+"/"+p))
		}
	}
	return out
}

// spellings returns a function from a path in memory, in NFC, to that of the file on disk.
func spellings(r *session.RootView) func(path string) string {
	if r != nil && r.Opening != nil {
		if x, err := r.Opening.Now(); err == nil && x != nil {
			return func(path string) string {
				s, release := x.Snapshot()
				defer release()
				return s.Spelling(path)
			}
		}
	}
	return func(path string) string { return path }
}

// retrieve returns the call that fetches a tickler's turn. It names the workspace if that is
// required.
func (c lookupCommands) retrieve(k tickle.Tickler, r *session.RootView) command.Call {
	workspace := ""
	if r != nil && len(c.Roots) > 1 {
		workspace = transport.FileURI(r.Path)
	}
	return command.Call{Command: tickle.Command, Arguments: []any{remember.Call(k, workspace)}}
}

const (
	// maxLenses bounds the lenses of a document, and maxLensed the definitions that are looked up
	// for them.
	maxLenses, maxLensed = 20, 200
	// lensSummary bounds the sentence in a lens, in characters.
	lensSummary = 80
	// editorPatience bounds how long a lens or a hover waits for an index that is being opened.
	editorPatience = 250 * time.Millisecond
)

// codeLens is a lens in LSP.
type codeLens struct {
	Range   command.Range `json:"range"`
	Command lensCommand   `json:"command"`
}

type lensCommand struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments"`
}

// lensedKinds are the kinds of definitions that get a lens: those that people refer to by name.
var lensedKinds = map[string]bool{
	"function": true, "method": true, "class": true, "struct": true, "interface": true, "type": true, "enum": true, "const": true, "var": true,
	"module": true, "macro": true, "rule": true, "trait": true, "constructor": true, "message": true, "service": true, "rpc": true, "table": true,
	"target": true, "resource": true,
}

// CodeLens implements Host: it returns which definitions of a document earlier turns mention. After
// any failure it returns none.
func (h host) CodeLens(s *session.Session, uri string, bytes int) transport.Work {
	v := lookupCommands{&call{server: h.server, View: s.View(), slot: s.Slot(engine.Interactive, bytes)}}
	return transport.Work{Run: func(ctx context.Context) (any, error) {
		defer v.slot.Give()
		list := []codeLens{}
		err := v.withTicklerDocument(ctx, uri, func(t settings.Ticklers) bool { return t.CodeLens }, func(m ticklerDocument) error {
			found, err := m.lenses()
			list = append(list, found...)
			return err
		})
		return list, err
	}}
}

// ticklerDocument is a document that turns may mention.
type ticklerDocument struct {
	lookupCommands
	root *session.RootView
	spot *session.TextDocument
	find *remember.Ticklers
}

// withTicklerDocument calls f with the document if its root's settings want ticklers there and
// everything needed is available. Its only error is the context's; it logs others.
func (c lookupCommands) withTicklerDocument(ctx context.Context, uri string, wanted func(settings.Ticklers) bool, f func(ticklerDocument) error) error {
	r := c.RootOf(uri)
	set := c.settingsOf(r)
	if !set.Enabled || !set.Memory.Enabled || !wanted(set.Ticklers) {
		return nil
	}
	err := func() error {
		w, err := c.memoryOf(ctx, r)
		if err != nil {
			return err
		}
		if err := c.AwaitRenames(ctx); err != nil {
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
	c.Session.Log.Debug("no ticklers", "err", err)
	return nil
}

// remindOf calls f on one state of memory and index.
func (c lookupCommands) remindOf(ctx context.Context, w *memory.Workspace, r *session.RootView, uri string, f func(ticklerDocument) error) error {
	spot, err := c.TextDocument(ctx, r, uri)
	if err != nil || spot == nil {
		return err
	}
	m := w.View()
	defer m.Close()
	return f(ticklerDocument{c, r, spot, &remember.Ticklers{View: m}})
}

// lenses returns those of the document, in the order of their lines.
func (m ticklerDocument) lenses() ([]codeLens, error) {
	var symbols []remember.Symbol
	var lines []int
	for _, d := range m.spot.Symbols {
		y := remember.Symbol{Name: d.Name, Container: d.Container}
		if lensedKinds[d.Kind] && len(symbols) < maxLensed && !slices.Contains(symbols, y) {
			symbols, lines = append(symbols, y), append(lines, d.Line)
		}
	}
	list, err := m.find.About(m.spot.Place(), symbols, maxLenses)
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

// lens returns the lens of a turn on a line.
func (m ticklerDocument) lens(line int, k tickle.Tickler) codeLens {
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

// clipTitle cuts a text to at most limit characters, including the ellipsis.
func clipTitle(s string, limit int) string {
	r := []rune(s)
	if len(r) <= limit {
		return s
	}
	return strings.TrimRight(string(r[:limit-1]), " ") + "…"
}

// maxHovered bounds the ticklers in a hover.
const maxHovered = 3

// hover is a hover in LSP.
type hover struct {
	Contents markup        `json:"contents"`
	Range    command.Range `json:"range"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// Hover implements Host: it returns what earlier turns said about the symbol at a position, null
// when there is nothing.
func (h host) Hover(s *session.Session, uri string, at transport.Position, bytes int) transport.Work {
	v := lookupCommands{&call{server: h.server, View: s.View(), slot: s.Slot(engine.Interactive, bytes)}}
	return transport.Work{Run: func(ctx context.Context) (any, error) {
		defer v.slot.Give()
		var out *hover
		err := v.withTicklerDocument(ctx, uri, func(t settings.Ticklers) bool { return t.Hover }, func(m ticklerDocument) (err error) {
			out, err = m.hover(at)
			return err
		})
		if out == nil {
			return nil, err
		}
		return out, err
	}}
}

func (m ticklerDocument) hover(p transport.Position) (*hover, error) {
	e := m.Session.Encoding
	offset := e.OffsetAt(m.spot.Text, p)
	start, end, ok := m.spot.Identifier(offset)
	if !ok {
		return nil, nil
	}
	place := m.spot.Place()
	place.Symbols = []remember.Symbol{m.spot.SymbolNamed(start, end)}
	list, err := m.find.ForPlace(place, maxHovered, true)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	line := strings.Count(m.spot.Text[:start], "\n")
	before := m.spot.Text[strings.LastIndexByte(m.spot.Text[:start], '\n')+1 : start]
	from := e.Units(before)
	return &hover{
		Contents: markupOf(list, m.Session.PlainHover()),
		Range: command.Range{
			Start: command.Position{Line: line, Character: from},
			End:   command.Position{Line: line, Character: from + e.Units(m.spot.Text[start:end])},
		},
	}, nil
}

// markupOf returns ticklers for a person, in Markdown or as plain text.
func markupOf(list []tickle.Tickler, plain bool) markup {
	kind, strong, text := "markdown", "**", markdown.Replace
	if plain {
		kind, strong, text = "plaintext", "", func(s string) string { return s }
	}
	var parts []string
	for _, k := range list {
		head := fmt.Sprintf("%sTurn %d%s", strong, k.Turn, strong)
		if k.Date != "" {
			head += " · " + k.Date
		}
		if k.Summary != "" {
			head += "\n\n" + text(k.Summary)
		}
		parts = append(parts, head)
	}
	return markup{kind, strings.Join(parts, "\n\n")}
}

// markdown escapes Markdown's special characters. Quotations are data: they create no links and no
// HTML.
var markdown = func() *strings.Replacer {
	var pairs []string
	for _, c := range "\\`*_{}[]()<>#+-!|~&:" {
		pairs = append(pairs, string(c), "\\"+string(c))
	}
	return strings.NewReplacer(pairs...)
}()
