package server

import (
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/server/command"
)

// This file is the border between the wire and the domain: URIs and paths, characters and bytes.

// filePath gives the absolute path that a file: URI names, however it is percent-encoded. ok is false for other
// schemes, for another machine's files, and for what cannot be a path.
func filePath(uri string) (path string, ok bool) {
	scheme, rest, found := strings.Cut(uri, ":")
	if !found || !strings.EqualFold(scheme, "file") {
		return "", false
	}
	if authority, found := strings.CutPrefix(rest, "//"); found {
		slash := strings.IndexByte(authority, '/')
		if slash < 0 {
			return "", false
		}
		if host := authority[:slash]; host != "" && !strings.EqualFold(host, "localhost") {
			return "", false
		}
		rest = authority[slash:]
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	path, err := url.PathUnescape(rest)
	if err != nil {
		path = rest // a bare percent sign, as some clients leave it
	}
	if !strings.HasPrefix(path, "/") || strings.IndexByte(path, 0) >= 0 {
		return "", false
	}
	return filepath.Clean(path), true
}

// fileURI gives the URI of an absolute path; bytes that are not UTF-8 are percent-encoded as they are.
func fileURI(path string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(path) + len("file://"))
	b.WriteString("file://")
	for i := range len(path) {
		c := path[i]
		if unreserved(c) {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

// unreserved says which bytes stand for themselves in a path (RFC 3986 pchar, but for what editors encode).
func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("/-._~!$&'()*+,;=@", c) >= 0
}

// documentKey names a document whatever way its URI is spelt.
func documentKey(uri string) string {
	if path, ok := filePath(uri); ok {
		return "file:" + path
	}
	return uri
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
func (e encoding) offsetAt(text string, p wirePosition) int {
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
