package source

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode/utf16"
)

// binaryProbe is the number of bytes that Git checks for a NUL byte.
const binaryProbe = 8000

// decode converts a file's bytes into text: UTF-16 with a byte order mark becomes UTF-8, and a
// UTF-8 mark is removed, as editors do. It reports false if the content is not text. Bytes that are
// not valid UTF-8 are kept.
func decode(data []byte) ([]byte, bool) {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		data = data[3:]
	case bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")):
		return nil, false // UTF-32
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		data = decodeUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		data = decodeUTF16(data[2:], binary.BigEndian)
	}
	probe := data[:min(len(data), binaryProbe)]
	return data, bytes.IndexByte(probe, 0) < 0 && !mostlyControl(probe)
}

func decodeUTF16(data []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// mostlyControl reports whether more than one byte in ten is a control character that no text uses.
// It detects compressed data that happens to contain no NUL.
func mostlyControl(probe []byte) bool {
	n := 0
	for _, c := range probe {
		n += int(control[c])
	}
	return n*10 > len(probe)
}

// control holds 1 for the control characters that no text uses.
var control = func() (out [256]uint8) {
	for c := range 0x20 {
		if (c < '\b' || c > '\r') && c != 0x1b {
			out[c] = 1
		}
	}
	out[0x7f] = 1
	return out
}()

// textRule returns the rule that leaves out a file by its text, a pointer, generated or minified,
// or nil.
func textRule(name string, text []byte) (Reason, *Rule) {
	if what := pointerTo(text); what != "" {
		return Excluded, &Rule{Pattern: what, Source: builtIn}
	}
	if line := generatedLine(name, text); line > 0 {
		what := strings.TrimSpace(string(nthLine(text, line)))
		return Generated, &Rule{Pattern: fmt.Sprintf("line %d: %.120s (generated)", line, what), Source: builtIn}
	}
	if line := sourceMapLine(name, text); line > 0 {
		return Generated, &Rule{Pattern: fmt.Sprintf("line %d names a source map: a tool built the file (generated)", line), Source: builtIn}
	}
	if isMinified(name, text) {
		return Minified, &Rule{Pattern: "most of it is in very long lines (minified)", Source: builtIn}
	}
	return Indexed, nil
}

func nthLine(text []byte, n int) []byte {
	for ; n > 1; n-- {
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return line
}

// maxPointerBytes bounds the size of a pointer, which Git LFS bounds in the same way.
const maxPointerBytes = 1024

// The files that stand in for contents that are stored elsewhere, as the specification of Git LFS
// and git-annex define them.
var (
	lfsPointer   = regexp.MustCompile(`\Aversion \S+/spec/v1\r?\n(?:ext-\d+-\S+ \S+\r?\n)*oid sha256:[0-9a-f]{64}\r?\nsize \d+\r?\n?\z`)
	annexPointer = regexp.MustCompile(`\A/annex/objects/[^\s/]+\r?\n?\z`)
)

// pointerTo returns what kind of pointer a text is, "" for another text.
func pointerTo(text []byte) string {
	switch {
	case len(text) > maxPointerBytes:
		return ""
	case lfsPointer.Match(text):
		return "a Git LFS pointer (the file's content is not here; git lfs pull fetches it)"
	case annexPointer.Match(text):
		return "a git-annex pointer (the file's content is not here; git annex get fetches it)"
	}
	return ""
}

const (
	headLines = 40   // lines at the head of a file that are searched for a mark of generated code
	headBytes = 4096 // and the same in bytes
)

// generatedLine returns the number of the line that marks the text as generated, or 0. Only a
// comment at the head of the file counts, and only one that starts with a known phrase: prose about
// generated files does not.
func generatedLine(name string, text []byte) int {
	head := text[:min(len(text), headBytes)]
	for n := 1; n <= headLines && len(head) > 0; n++ {
		line, rest, _ := bytes.Cut(head, []byte("\n"))
		head = rest
		trimmed := bytes.TrimSpace(line)
		if strings.HasSuffix(name, ".go") && bytes.HasPrefix(trimmed, []byte("package ")) {
			return 0
		}
		if comment, ok := commentText(string(trimmed)); ok && saysGenerated(comment) {
			return n
		}
	}
	return 0
}

// sourceMapLine returns the number of the last line if that is the comment with which tools that
// build scripts and style sheets name the map to their sources (ECMA-426), or 0.
func sourceMapLine(name string, text []byte) int {
	switch path.Ext(name) {
	case ".js", ".mjs", ".cjs", ".css":
	default:
		return 0
	}
	text = bytes.TrimRight(text, " \t\r\n")
	at := bytes.LastIndexByte(text, '\n') + 1
	for _, mark := range [...]string{"//# sourceMappingURL=", "//@ sourceMappingURL=", "/*# sourceMappingURL="} {
		if bytes.HasPrefix(text[at:], []byte(mark)) {
			return bytes.Count(text[:at], []byte("\n")) + 1
		}
	}
	return 0
}

// commentText strips a line comment's or a block comment's marker.
func commentText(line string) (string, bool) {
	body := strings.TrimLeft(line, "/#*;%-<!'\"({")
	if len(body) == len(line) {
		return "", false
	}
	body = strings.TrimSpace(body)
	return strings.TrimSpace(strings.TrimRight(body, "*/->})\"'")), true
}

// saysGenerated reports whether a comment marks generated code. It recognizes Go's convention
// (https://go.dev/s/generatedcode), the "@generated" of review tools, C#'s tag and the usual
// sentences.
func saysGenerated(comment string) bool {
	low := lowerASCII(strings.TrimSpace(comment))
	if strings.HasPrefix(low, "@generated") || strings.HasPrefix(low, "auto-generated>") || strings.HasPrefix(low, "<auto-generated") ||
		strings.HasPrefix(low, "this file is automatically @generated") || strings.HasPrefix(low, "this file is @generated") {
		return true
	}
	if !strings.Contains(low, "do not edit") && !strings.Contains(low, "do not modify") && !strings.Contains(low, "don't edit") {
		return false
	}
	for _, start := range []string{"code generated ", "generated by ", "generated from ", "auto-generated", "autogenerated", "automatically generated",
		"this file is generated", "this file was generated", "this file is auto", "this file was auto", "this code was generated",
		"this code is generated", "do not edit"} {
		if strings.HasPrefix(low, start) {
			return start != "do not edit" || strings.Contains(low, "generated")
		}
	}
	return false
}

const (
	minifiedFloor = 2 << 10 // bytes below which no file counts as minified
	webLine       = 1000    // bytes from which a line in a web format counts as machine-written
	sourceLine    = 5000    // the same for other formats, which may embed data
)

var (
	webExts   = set("js mjs cjs css json svg")
	proseExts = set("md markdown mdx txt text rst adoc asciidoc org tex csv tsv")
)

// isMinified reports whether more than half of the text is in very long
// lines. Prose has a line a paragraph and is never minified.
func isMinified(name string, text []byte) bool {
	ext := lowerASCII(name[strings.LastIndexByte(name, '.')+1:])
	if len(text) < minifiedFloor || proseExts[ext] {
		return false
	}
	limit := sourceLine
	if webExts[ext] {
		limit = webLine
	}
	long := 0
	for rest := text; len(rest) >= limit; {
		if last := bytes.LastIndexByte(rest[:limit], '\n'); last >= 0 { // no line up to there is long
			rest = rest[last+1:]
			continue
		}
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		if end >= limit {
			long += end
		}
		rest = rest[min(end+1, len(rest)):]
	}
	return long > len(text)/2
}
