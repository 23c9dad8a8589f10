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

// signature returns the line of a definition that has its name, of the first ones from a line on:
// what stands before it are decorators, attributes and comments. "" means that the file cannot be
// read. Without a name, or where no line has it, it is the first line that is not blank.
func (f *files) signature(file, line int, name string) string {
	lines := f.linesOf(file)
	first := ""
	for _, l := range lines[min(line, len(lines)):min(line+decorators, len(lines))] {
		text := strings.TrimSpace(string(l))
		if first == "" {
			first = text
		}
		if name != "" && strings.Contains(text, name) {
			first = text
			break
		}
	}
	if utf8.RuneCountInString(first) > signatureRunes {
		return string([]rune(first)[:signatureRunes]) + "…"
	}
	return first
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
