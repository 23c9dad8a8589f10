package bundle

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
)

// signatureRunes bounds a signature.
const signatureRunes = 72

// files are the files of a workspace as one bundle reads them.
type files struct {
	reader *indexer.Reader  // nil until a file is read
	lines  map[int][][]byte // see linesOf
}

// signature returns the line with the name of a definition that begins at a line; without a name
// the first line from there on that is not blank. "" means that the file cannot be read.
func (f *files) signature(file, line int, name string) string {
	lines := f.linesOf(file)
	first := ""
	for n := retrieve.NamedAt(lines, line, name); n < len(lines) && first == ""; n++ {
		first = strings.TrimSpace(string(lines[n]))
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
