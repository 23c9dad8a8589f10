package bundle

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/indexer"
)

// signatureRunes bounds a signature; decorators is how many lines of decorators and attributes may
// stand before it.
const signatureRunes, decorators = 72, 6

// files are the files of a workspace as one bundle reads them.
type files struct {
	reader *indexer.Reader  // nil until a file is read
	lines  map[int][][]byte // see linesOf
}

// signature returns the first line of a definition that begins at a line, after its decorators; ""
// when the file cannot be read.
func (f *files) signature(file, line int) string {
	lines := f.linesOf(file)
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
func (f *files) linesOf(file int) [][]byte {
	lines, known := f.lines[file]
	if !known {
		if text, gate := f.reader.File(file); gate == "" {
			lines = bytes.Split(text, []byte("\n"))
		}
		if f.lines == nil {
			f.lines = map[int][][]byte{}
		}
		f.lines[file] = lines
	}
	return lines
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
