package forward

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// What follows reads and makes changes of documents as the server does (its documents.go and convert.go): a text that
// went through here must be the one that a session would have. The server's own is not taken because a forwarder needs
// nothing else of it.

// changeParams are those of didChange.
type changeParams struct {
	TextDocument struct {
		URI     string          `json:"uri"`
		Version json.RawMessage `json:"version"`
	} `json:"textDocument"`
	ContentChanges []textChange `json:"contentChanges"`
}

// textChange replaces a range, or everything where there is none.
type textChange struct {
	Range *textRange `json:"range"`
	Text  string     `json:"text"`
}

type textRange struct {
	Start textPosition `json:"start"`
	End   textPosition `json:"end"`
}

type textPosition struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// units counts the characters of a line.
type units bool

const (
	utf16Units units = false
	utf8Units  units = true
)

// apply makes one change. A range that is behind the end, or ends before it starts, is cut to what there is.
func (u units) apply(text string, c textChange) string {
	if c.Range == nil {
		return c.Text
	}
	start := u.offsetAt(text, c.Range.Start)
	end := max(start, u.offsetAt(text, c.Range.End))
	return text[:start] + c.Text + text[end:]
}

// offsetAt gives the byte of a text at which a position stands.
func (u units) offsetAt(text string, p textPosition) int {
	at := 0
	for range p.Line {
		at += lineEnd(text[at:])
		if at == len(text) {
			return at
		}
		if strings.HasPrefix(text[at:], "\r\n") {
			at++
		}
		at++
	}
	line := text[at:]
	return at + u.offset(line[:lineEnd(line)], p.Character)
}

// lineEnd is the length of the first line without its break: "\n", "\r\n" or "\r".
func lineEnd(text string) int {
	if i := strings.IndexAny(text, "\n\r"); i >= 0 {
		return i
	}
	return len(text)
}

// offset gives the byte of a line at which a character stands; one behind the end is the end, one inside a rune its
// beginning.
func (u units) offset(line string, character int) int {
	if character <= 0 {
		return 0
	}
	if u == utf8Units {
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
		n++
		if r > 0xFFFF {
			n++
		}
		if n > character {
			return i
		}
	}
	return len(line)
}
