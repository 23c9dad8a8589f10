package transport

import (
	"strings"
	"unicode/utf8"
)

// The changes of documents that editors send: lines and characters, in UTF-16 or UTF-8, become
// bytes. A session and the forwarder before it must come to the same text, so both do it here.

// Encoding is how characters in a line are counted.
type Encoding string

// The encodings of LSP that are spoken here.
const (
	UTF8  Encoding = "utf-8"
	UTF16 Encoding = "utf-16"
)

// Change replaces a range, or everything where there is none. The library's union takes whatever
// fails as a range for the whole text, which throws a buffer away over a "rangeLength" of -1, and a
// null range for the beginning.
type Change struct {
	Range *Range `json:"range"`
	Text  string `json:"text"`
}

// Range and Position are wider than the library's, whose 32 bits without a sign fail the whole
// change: a client that says "to the end" by a larger number would be out of step from there on.
// See [Encoding.OffsetAt].
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is a place between two characters; both count from 0.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Apply makes one change. A range that is behind the end, or ends before it starts, is cut to what
// there is.
func (e Encoding) Apply(text string, c Change) string {
	if c.Range == nil {
		return c.Text
	}
	start := e.OffsetAt(text, c.Range.Start)
	end := max(start, e.OffsetAt(text, c.Range.End))
	return text[:start] + c.Text + text[end:]
}

// OffsetAt returns the byte of a text at which a position stands. A line behind the last is the end
// of the text, a character behind the last of its line the end of that line, before its line break.
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

// Units is the length of a line in the encoding.
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

// unitsOf is the number of UTF-16 units of a rune.
func unitsOf(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// offset returns the byte of a line at which a character stands; one behind the end is the end, one
// inside a rune its beginning.
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

// lineEnd is the length of the first line without its break: "\n", "\r\n" or "\r".
func lineEnd(text string) int {
	if i := strings.IndexAny(text, "\n\r"); i >= 0 {
		return i
	}
	return len(text)
}

// breakLength is the length of the line break that text begins with.
func breakLength(text string) int {
	if strings.HasPrefix(text, "\r\n") {
		return 2
	}
	return 1
}
