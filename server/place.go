package server

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
	"github.com/contexture-dev/contexture/server/edit"
	"golang.org/x/text/unicode/norm"
)

// spot is a document of the workspace that reminders are asked for, with unsaved text.
type spot struct {
	snapshot *indexer.Snapshot
	path     string // "" for a buffer without a file
	text     string
	symbols  []indexer.Symbol // in the order of their lines, outer ones first
}

// spot finds a document. It gives nil without an error for one that is none of the workspace: outside the root, or
// left out by the ignore rules, or unreadable; and where the index is not open.
func (v *view) spot(ctx context.Context, r *rootView, uri string) (*spot, error) {
	if r == nil && !isUntitled(uri) {
		return nil, nil
	}
	src, err := v.open(ctx, r)
	if err != nil || src.snapshot == nil {
		return nil, err
	}
	if src.release != nil {
		defer src.release()
	}
	return v.spotIn(src, uri), nil
}

// spotIn is spot in what is open already.
func (v *view) spotIn(src *searched, uri string) *spot {
	name, ok := src.path(uri)
	if !ok || name == "" {
		return nil
	}
	out := &spot{snapshot: src.snapshot}
	doc := v.docs.get(documentKey(uri))
	if !isUntitled(uri) {
		if out.path = name; !src.index.Tree().Admit(name) {
			return nil
		}
	}
	if doc != nil {
		out.text = doc.text
	} else {
		text, _, reason, err := src.index.Tree().Read(name)
		if err != nil || reason != source.Indexed {
			return nil
		}
		out.text = string(text)
	}
	if f, ok := src.snapshot.File(name); ok {
		out.symbols = src.snapshot.FileSymbols(f)
	}
	return out
}

// placeOf says for the retrieval where a person is in a document: nowhere where it is none of the workspace. A selection
// within one identifier is the cursor on it.
func (v *view) placeOf(src *searched, a *command.BundleArgs) retrieve.Place {
	if a.TextDocument == nil || src.snapshot == nil {
		return retrieve.Place{}
	}
	s := v.spotIn(src, a.TextDocument.URI)
	if s == nil {
		return retrieve.Place{}
	}
	path, _ := src.path(a.TextDocument.URI)
	out := retrieve.Place{Path: path}
	offset := func(p command.Position) int {
		return v.session.encoding.OffsetAt(s.text, edit.Position{Line: p.Line, Character: p.Character})
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
		if start, end := s.word(at); start < end && !isDigit(s.text[start]) {
			out.Name, out.Qualifier = s.text[start:end], s.qualifier(start)
		}
	}
	return out
}

// line is the line of an offset, as the index counts them.
func (s *spot) line(offset int) int { return strings.Count(s.text[:offset], "\n") }

// place is the spot's file for reminders.
func (s *spot) place() remember.Place {
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

// word gives the bytes of the identifier at an offset, or right before it.
func (s *spot) word(at int) (start, end int) {
	start, end = at, at
	for start > 0 {
		r, n := utf8.DecodeLastRuneInString(s.text[:start])
		if !isWordRune(r) {
			break
		}
		start -= n
	}
	for end < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[end:])
		if !isWordRune(r) {
			break
		}
		end += n
	}
	return start, end
}

func isWordRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// qualifier gives the name that an identifier is a part of: pool in pool.Acquire, "" where there is none.
func (s *spot) qualifier(start int) string {
	before := s.text[:start]
	for _, sep := range []string{"::", "->", "?.", ".", "#"} {
		if rest, ok := strings.CutSuffix(before, sep); ok {
			from, to := s.word(len(rest))
			if q := s.text[from:min(to, len(rest))]; !slices.Contains(selves, q) {
				return q
			}
			return ""
		}
	}
	return ""
}

// selves are what code calls the value that it belongs to.
var selves = []string{"self", "this", "super", "cls", "Self"}

// maxDefinitions bounds the definitions of a name that are looked at.
const maxDefinitions = 8

// named gives the symbol that an identifier names: where it is defined, as far as the index can tell.
func (s *spot) named(start, end int) remember.Symbol {
	out := remember.Symbol{Name: norm.NFC.String(s.text[start:end])}
	line := s.line(start)
	for _, d := range s.symbols {
		if d.Name == out.Name && d.Line <= line && line <= d.EndLine {
			out.Container = d.Container
		}
	}
	if out.Container != "" {
		return out
	}
	out.Container = s.qualifier(start)
	all := s.snapshot.Definitions(out.Name, maxDefinitions+1)
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

// at gives the symbols at an offset: the one that the identifier there names, then those around it from the inside out.
func (s *spot) at(offset int) []remember.Symbol {
	var out []remember.Symbol
	if start, end := s.word(offset); start < end && !isDigit(s.text[start]) {
		out = append(out, s.named(start, end))
	}
	line := s.line(offset)
	return append(out, s.around(line, line, out)...)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// around gives the definitions that lines lie in, from the inside out, without those that are known.
func (s *spot) around(first, last int, known []remember.Symbol) []remember.Symbol {
	var out []remember.Symbol
	for _, d := range slices.Backward(s.symbols) {
		y := remember.Symbol{Name: d.Name, Container: d.Container}
		if d.Line <= first && last <= d.EndLine && !slices.Contains(known, y) && !slices.Contains(out, y) {
			out = append(out, y)
		}
	}
	return out
}

// maxCalled bounds the identifiers of a range that are looked up.
const maxCalled = 64

// between gives the symbols of a range: what is defined there, what the index knows of the identifiers there, and what
// is around all of it. A range within one identifier is that identifier.
func (s *spot) between(from, to int) []remember.Symbol {
	if start, end := s.word(from); start <= from && to <= end {
		return s.at(from)
	}
	first, last := s.line(from), s.line(to)
	var out []remember.Symbol
	for _, d := range s.symbols {
		y := remember.Symbol{Name: d.Name, Container: d.Container}
		if first <= d.Line && d.Line <= last && !slices.Contains(out, y) && s.defines(d, from, to) {
			out = append(out, y)
		}
	}
	looked := 0
	for at := from; at < to && looked < maxCalled; {
		if r, n := utf8.DecodeRuneInString(s.text[at:]); !isWordRune(r) {
			at += n
			continue
		}
		start, end := s.word(at)
		looked++
		if y := s.named(start, end); !isDigit(s.text[start]) && !slices.ContainsFunc(out, func(o remember.Symbol) bool { return o.Name == y.Name }) &&
			len(s.snapshot.Definitions(y.Name, 1)) > 0 {
			out = append(out, y)
		}
		at = end
	}
	return append(out, s.around(first, last, out)...)
}

// defines reports whether the name of a definition stands in a range of its first line or later ones.
func (s *spot) defines(d indexer.Symbol, from, to int) bool {
	return strings.Contains(norm.NFC.String(s.text[from:to]), d.Name)
}
