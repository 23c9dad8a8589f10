package session

import (
	"context"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/transport"
	"golang.org/x/text/unicode/norm"
)

// TextDocument is a document of the workspace, with unsaved text and its entries in the index. It
// must not be used after the release of its source. It is for one goroutine.
type TextDocument struct {
	snapshot *indexer.Snapshot
	path     string // "" for a buffer without a file
	Text     string
	Symbols  []indexer.Symbol // in the order of their lines, outer ones first
}

// TextDocument returns a document. It returns nil without an error for one that does not belong to
// the workspace: outside the root, left out by the ignore rules, or unreadable; and when the index
// is not open.
func (v *View) TextDocument(ctx context.Context, r *RootView, uri string) (*TextDocument, error) {
	if r == nil && !transport.IsUntitled(uri) {
		return nil, nil
	}
	src, err := v.Open(ctx, r)
	if err != nil || src.Snapshot == nil {
		return nil, err
	}
	if src.Release != nil {
		defer src.Release()
	}
	return v.textDocumentIn(src, uri), nil
}

// textDocumentIn is TextDocument on an open source.
func (v *View) textDocumentIn(src *Source, uri string) *TextDocument {
	name, ok := src.Path(uri)
	if !ok || name == "" {
		return nil
	}
	out := &TextDocument{snapshot: src.Snapshot}
	doc := v.Documents.get(transport.DocumentKey(uri))
	if !transport.IsUntitled(uri) {
		if out.path = name; !src.index.Tree().Admit(name) {
			return nil
		}
	}
	if doc != nil {
		out.Text = doc.text
	} else {
		text, _, reason, err := src.index.Tree().Read(name)
		if err != nil || reason != source.Indexed {
			return nil
		}
		out.Text = string(text)
	}
	if f, ok := src.Snapshot.File(name); ok {
		out.Symbols = src.Snapshot.Symbols().InFile(f)
	}
	return out
}

// PlaceOf returns the position of a person in a document, for the retrieval: the zero value when
// the document does not belong to the workspace. A selection within one identifier counts as the
// cursor on it.
func (v *View) PlaceOf(src *Source, a *command.BundleArgs) retrieve.Place {
	if a.TextDocument == nil || src.Snapshot == nil {
		return retrieve.Place{}
	}
	s := v.textDocumentIn(src, a.TextDocument.URI)
	if s == nil {
		return retrieve.Place{}
	}
	path, _ := src.Path(a.TextDocument.URI)
	out := retrieve.Place{Path: path}
	offset := func(p command.Position) int {
		return v.Session.Encoding.OffsetAt(s.Text, transport.Position{Line: p.Line, Character: p.Character})
	}
	if a.Selection != nil {
		from, to := offset(a.Selection.Start), offset(a.Selection.End)
		from, to = min(from, to), max(from, to)
		if start, end := s.word(from); from < to && (to > end || from < start) {
			out.Known, out.Selected = true, true
			out.First, out.Last = s.line(from), s.line(to-1)
			return out
		}
		if a.Position == nil || from < to {
			a.Position = &a.Selection.Start
		}
	}
	if a.Position != nil {
		at := offset(*a.Position)
		out.Known, out.First, out.Last = true, s.line(at), s.line(at)
		if start, end, ok := s.Identifier(at); ok {
			out.Name, out.Qualifier = s.Text[start:end], s.qualifier(start)
		}
	}
	return out
}

// line returns the line of an offset, as counted by the index.
func (s *TextDocument) line(offset int) int { return strings.Count(s.Text[:offset], "\n") }

// Place returns the document's file, for reminders.
func (s *TextDocument) Place() remember.Place {
	alone := map[string]bool{}
	return remember.Place{Path: norm.NFC.String(s.path), Alone: func(base string) bool {
		is, known := alone[base]
		if !known {
			n := 0
			s.snapshot.Paths(func(_ int, p string) {
				if norm.NFC.String(path.Base(p)) == base {
					n++
				}
			})
			is = n <= 1
			alone[base] = is
		}
		return is
	}}
}

// word returns the bytes of the identifier at an offset, or right before it.
func (s *TextDocument) word(at int) (start, end int) {
	start, end = at, at
	for start > 0 {
		r, n := utf8.DecodeLastRuneInString(s.Text[:start])
		if !isWordRune(r) {
			break
		}
		start -= n
	}
	for end < len(s.Text) {
		r, n := utf8.DecodeRuneInString(s.Text[end:])
		if !isWordRune(r) {
			break
		}
		end += n
	}
	return start, end
}

// Identifier returns the bytes of the identifier at an offset, or right before it; ok is false when
// there is none. A number is not an identifier.
func (s *TextDocument) Identifier(at int) (start, end int, ok bool) {
	start, end = s.word(at)
	return start, end, start < end && !isDigit(s.Text[start])
}

func isWordRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// qualifier returns the name that an identifier is a member of: pool in pool.Acquire, "" when there
// is none.
func (s *TextDocument) qualifier(start int) string {
	before := s.Text[:start]
	for _, sep := range []string{"::", "->", "?.", ".", "#"} {
		if rest, ok := strings.CutSuffix(before, sep); ok {
			from, to := s.word(len(rest))
			if q := s.Text[from:min(to, len(rest))]; !slices.Contains(selves, q) {
				return q
			}
			return ""
		}
	}
	return ""
}

// selves are the names of a method's own receiver.
var selves = []string{"self", "this", "super", "cls", "Self"}

// maxDefinitions bounds the definitions of a name that are examined.
const maxDefinitions = 8

// SymbolNamed returns the symbol that the identifier in the bytes from start to end names.
func (s *TextDocument) SymbolNamed(start, end int) remember.Symbol {
	out := remember.Symbol{Name: norm.NFC.String(s.Text[start:end])}
	line := s.line(start)
	for _, d := range s.Symbols {
		if d.Name == out.Name && d.Line <= line && line <= d.EndLine {
			out.Container = d.Container
		}
	}
	if out.Container != "" {
		return out
	}
	out.Container = s.qualifier(start)
	all := s.snapshot.Symbols().Definitions(out.Name, maxDefinitions+1)
	if len(all) == 0 || len(all) > maxDefinitions {
		return out
	}
	first := all[0]
	switch {
	case slices.ContainsFunc(all, func(d indexer.Symbol) bool { return d.Container != first.Container }):
		out.Unsure = !slices.ContainsFunc(all, func(d indexer.Symbol) bool { return strings.EqualFold(d.Container, out.Container) })
	case first.Container != "":
		out.Container = first.Container
	}
	if len(all) == 1 && first.Path != s.path && s.path != "" {
		out.File = first.Path
	}
	return out
}

// SymbolsAt returns the symbols at an offset: the one that the identifier there names, then the
// enclosing ones from the inside out.
func (s *TextDocument) SymbolsAt(offset int) []remember.Symbol {
	var out []remember.Symbol
	if start, end, ok := s.Identifier(offset); ok {
		out = append(out, s.SymbolNamed(start, end))
	}
	line := s.line(offset)
	return append(out, s.around(line, line, out)...)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// around returns the definitions that enclose lines, from the inside out, without the known ones.
func (s *TextDocument) around(first, last int, known []remember.Symbol) []remember.Symbol {
	var out []remember.Symbol
	for _, d := range slices.Backward(s.Symbols) {
		y := remember.Symbol{Name: d.Name, Container: d.Container}
		if d.Line <= first && last <= d.EndLine && !slices.Contains(known, y) && !slices.Contains(out, y) {
			out = append(out, y)
		}
	}
	return out
}

// maxCalled bounds the identifiers of a range that are looked up.
const maxCalled = 64

// SymbolsIn returns the symbols of a range: what is defined there, what the index has for the
// identifiers there, and what encloses all of it. A range within one identifier is treated as that
// identifier.
func (s *TextDocument) SymbolsIn(from, to int) []remember.Symbol {
	if start, end := s.word(from); start <= from && to <= end {
		return s.SymbolsAt(from)
	}
	first, last := s.line(from), s.line(to)
	var out []remember.Symbol
	for _, d := range s.Symbols {
		y := remember.Symbol{Name: d.Name, Container: d.Container}
		if first <= d.Line && d.Line <= last && !slices.Contains(out, y) && s.defines(d, from, to) {
			out = append(out, y)
		}
	}
	looked := 0
	for at := from; at < to && looked < maxCalled; {
		if r, n := utf8.DecodeRuneInString(s.Text[at:]); !isWordRune(r) {
			at += n
			continue
		}
		start, end := s.word(at)
		looked++
		if y := s.SymbolNamed(start, end); !isDigit(s.Text[start]) && !slices.ContainsFunc(out, func(o remember.Symbol) bool { return o.Name == y.Name }) &&
			len(s.snapshot.Symbols().Definitions(y.Name, 1)) > 0 {
			out = append(out, y)
		}
		at = end
	}
	return append(out, s.around(first, last, out)...)
}

// defines reports whether the name of a definition is in a range of its first line or later ones.
func (s *TextDocument) defines(d indexer.Symbol, from, to int) bool {
	return strings.Contains(norm.NFC.String(s.Text[from:to]), d.Name)
}
