package bundle

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// signatureRunes bounds a signature; decorators is how many lines of decorators and attributes may
// stand before it.
const signatureRunes, decorators = 100, 6

// signature returns the first line of a definition that begins at a line, after its decorators; ""
// when the file cannot be read.
func (b *build) signature(file, line int) string {
	lines := b.linesOf(file)
	for _, l := range lines[min(line, len(lines)):min(line+decorators, len(lines))] {
		text := strings.TrimSpace(string(l))
		if text == "" || text[0] == '@' || strings.HasPrefix(text, "#[") {
			continue
		}
		if utf8.RuneCountInString(text) > signatureRunes {
			return string([]rune(text)[:signatureRunes]) + "…"
		}
		return text
	}
	return ""
}

// short returns the first of the names in a title.
func short(title string) string {
	name, _, _ := strings.Cut(title, ", ")
	return name
}

// linesOf returns the lines of a file, nil when it cannot be read. It splits each file once.
func (b *build) linesOf(file int) [][]byte {
	lines, known := b.lines[file]
	if !known {
		if text, gate := b.reader.File(file); gate == "" {
			lines = bytes.Split(text, []byte("\n"))
		}
		if b.lines == nil {
			b.lines = map[int][][]byte{}
		}
		b.lines[file] = lines
	}
	return lines
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
