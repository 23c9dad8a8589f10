package transport

import (
	"strings"
	"unicode/utf8"
)

// This file applies the changes of documents that editors send: it converts lines and characters,
// in UTF-16 or UTF-8, into bytes. A session and the forwarder before it must arrive at the same
// text, so both use this code.

// Encoding is the unit in which characters in a line are counted.
type Encoding string

// The supported encodings of LSP.
const (
	UTF8  Encoding = "utf-8"
	UTF16 Encoding = "utf-16"
)

// Change replaces a range, or the whole text if it has none. The library's union type treats a
// range that it cannot decode as the whole text, which would discard a buffer because of a
// "rangeLength" of -1, and a null range as the beginning.
type Change struct {
	Range *Range `json:"range"`
	Text  string `json:"text"`
}

// Range and Position are wider than the library's, whose unsigned 32 bits make the whole change
// fail: a client that expresses "to the end" by a larger number would be out of step from there on.
// See [Encoding.OffsetAt].
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is a location between two characters; both fields count from 0.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Apply applies one change. A range beyond the end, or one that ends before it starts, is clipped
// to the text.
func (e Encoding) Apply(text string, c Change) string {
	if c.Range == nil {
		return c.Text
	}
	start := e.OffsetAt(text, c.Range.Start)
	end := max(start, e.OffsetAt(text, c.Range.End))
	return text[:start] + c.Text + text[end:]
}

// OffsetAt returns the byte offset of a position in a text. A line beyond the last is the end of
// the text; a character beyond the last of its line is the end of that line, before its line break.
func (e Encoding) OffsetAt(text string, p Position) int {
	at := 0
	for range p.Line {
		at += lineEnd(text[at:])
		if at == len(text) {
			return at
		}
		at += breakLength(text[at:])
	}
	line := text[at:]
	return at + e.offset(line[:lineEnd(line)], p.Character)
}

// Units returns the length of a line in the encoding.
func (e Encoding) Units(line string) int {
	if e == UTF8 {
		return len(line)
	}
	n := 0
	for _, r := range line {
		n += unitsOf(r)
	}
	return n
}

// unitsOf returns the number of UTF-16 units of a rune.
func unitsOf(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// offset returns the byte offset of a character in a line; a character beyond the end is the end,
// one inside a rune is the beginning of the rune.
func (e Encoding) offset(line string, character int) int {
	if character <= 0 {
		return 0
	}
	if e == UTF8 {
		if character >= len(line) {
			return len(line)
		}
		for character > 0 && !utf8.RuneStart(line[character]) {
			character--
		}
		return character
	}
	n := 0
	for i, r := range line {
		if n += unitsOf(r); n > character {
			return i
		}
	}
	return len(line)
}

// lineEnd returns the length of the first line without its break: "\n", "\r\n" or "\r".
func lineEnd(text string) int {
	if i := strings.IndexAny(text, "\n\r"); i >= 0 {
		return i
	}
	return len(text)
}

// breakLength returns the length of the line break that text begins with.
func breakLength(text string) int {
	if strings.HasPrefix(text, "\r\n") {
		return 2
	}
	return 1
}
