package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/memory/tickle"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/edit"
	"github.com/contexture-dev/contexture/server/rpc"
	"github.com/contexture-dev/contexture/server/settings"
)

// maxHovered bounds the ticklers that a hover shows.
const maxHovered = 3

// hover is a hover as LSP has it.
type hover struct {
	Contents markup        `json:"contents"`
	Range    command.Range `json:"range"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// hoverParams are those of textDocument/hover.
type hoverParams struct {
	TextDocument located       `json:"textDocument"`
	Position     edit.Position `json:"position"`
}

// hover answers textDocument/hover: what earlier turns said of the symbol under the pointer, null where nothing.
func (s *Session) hover(raw json.RawMessage) rpc.Work {
	var p hoverParams
	if err := decode(raw, &p); err != nil {
		return refuse("textDocument/hover", err)
	}
	v := commands{view: s.view(), slot: s.slot(brisk, len(raw))}
	return rpc.Work{Run: func(ctx context.Context) (any, error) {
		defer v.slot.give()
		var out *hover
		err := v.reminded(ctx, p.TextDocument.URI, func(t settings.Ticklers) bool { return t.Hover }, func(m reminded) (err error) {
			out, err = m.hover(p.Position)
			return err
		})
		if out == nil {
			return nil, err
		}
		return out, err
	}}
}

func (m reminded) hover(p edit.Position) (*hover, error) {
	e := m.session.encoding
	offset := e.OffsetAt(m.spot.text, p)
	start, end := m.spot.word(offset)
	if start == end || isDigit(m.spot.text[start]) {
		return nil, nil
	}
	place := m.spot.place()
	place.Symbols = []remember.Symbol{m.spot.named(start, end)}
	list, err := m.find.ForPlace(place, maxHovered, true)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	line := strings.Count(m.spot.text[:start], "\n")
	before := m.spot.text[strings.LastIndexByte(m.spot.text[:start], '\n')+1 : start]
	from := e.Units(before)
	return &hover{
		Contents: m.session.client.markup(list),
		Range: command.Range{
			Start: command.Position{Line: line, Character: from},
			End:   command.Position{Line: line, Character: from + e.Units(m.spot.text[start:end])},
		},
	}, nil
}

// markup writes ticklers for a person, in Markdown where the client shows it.
func (c client) markup(list []tickle.Tickler) markup {
	kind, strong, text := "markdown", "**", markdown.Replace
	if c.plainHover {
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

// markdown escapes what Markdown takes for more than text. What was said is data: it makes no link and no HTML.
var markdown = func() *strings.Replacer {
	var pairs []string
	for _, c := range "\\`*_{}[]()<>#+-!|~&:" {
		pairs = append(pairs, string(c), "\\"+string(c))
	}
	return strings.NewReplacer(pairs...)
}()
