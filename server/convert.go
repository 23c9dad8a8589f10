package server

import (
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/server/command"
	"go.lsp.dev/uri"
)

// This file is the border between the wire and the domain: URIs and paths, characters and bytes.

// filePath gives the absolute path that a file: URI names, however it is percent-encoded. ok is false for other
// schemes, for another machine's files, and for what cannot be a path.
func filePath(spelt string) (path string, ok bool) {
	c := uri.URI(spelt).Components()
	if !strings.EqualFold(c.Scheme, "file") || c.Authority != "" && !strings.EqualFold(c.Authority, "localhost") {
		return "", false
	}
	path = c.Path
	if strings.IndexByte(path, '%') >= 0 {
		// A percent sign of the name, or what the library leaves encoded: bytes that are not UTF-8, which names of
		// files may have. A sign that encodes nothing, as some clients leave it, stays as it is.
		if whole, err := url.PathUnescape(encodedPath(spelt)); err == nil {
			path = whole
		}
	}
	if !strings.HasPrefix(path, "/") || strings.IndexByte(path, 0) >= 0 {
		return "", false
	}
	return filepath.Clean(path), true
}

// encodedPath is the path of a URI as it is spelt.
func encodedPath(spelt string) string {
	_, rest, _ := strings.Cut(spelt, ":")
	if end := strings.IndexAny(rest, "?#"); end >= 0 {
		rest = rest[:end]
	}
	if authority, found := strings.CutPrefix(rest, "//"); found {
		rest = authority[strings.IndexByte(authority+"/", '/'):]
	}
	return rest
}

// fileURI gives the URI of an absolute path; bytes that are not UTF-8 are percent-encoded as they are. A path that is
// not absolute gives what names no file.
func fileURI(path string) string {
	if !strings.HasPrefix(path, "/") {
		return "file:" + path
	}
	path = filepath.Clean(path) // the library takes "//name" for another machine, and panics on "////"
	if len(path) < 3 || path[2] != ':' || path[1] < 'A' || path[1] > 'Z' {
		return string(uri.File(path))
	}
	// The library takes "/C:" for a drive and writes it in lower case; here it is a folder.
	const root = "file:///"
	return root + path[1:2] + strings.TrimPrefix(string(uri.File("/"+path[2:])), root)
}

// documentKey names a document whatever way its URI is spelt: "file:" and the path of a file, "uri:" and the URI of all
// else, so that what is no path cannot look like one.
func documentKey(spelt string) string {
	if path, ok := filePath(spelt); ok {
		return "file:" + path
	}
	return "uri:" + spelt
}

// encoding is how characters in a line are counted.
type encoding string

// The encodings of LSP that are spoken here.
const (
	utf8Units  encoding = "utf-8"
	utf16Units encoding = "utf-16"
)

// units is the length of a line in the encoding.
func (e encoding) units(line string) int {
	if e == utf8Units {
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

// offset gives the byte of a line at which a character stands; one behind the end is the end, one inside a rune its
// beginning.
func (e encoding) offset(line string, character int) int {
	if character <= 0 {
		return 0
	}
	if e == utf8Units {
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

// offsetAt gives the byte of a text at which a position stands. A line behind the last is the end of the text, a
// character behind the last of its line the end of that line, before its line break.
func (e encoding) offsetAt(text string, p textPosition) int {
	at := 0
	for range p.Line {
		next := lineEnd(text[at:])
		at += next
		if at == len(text) {
			return at
		}
		at += breakLength(text[at:])
	}
	line := text[at:]
	return at + e.offset(line[:lineEnd(line)], p.Character)
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

// lineRange is the range from the beginning of a line to the end of another, whose text is given.
func (e encoding) lineRange(start, end int, last string) *command.Range {
	return &command.Range{
		Start: command.Position{Line: start},
		End:   command.Position{Line: end, Character: e.units(strings.TrimSuffix(last, "\r"))},
	}
}
