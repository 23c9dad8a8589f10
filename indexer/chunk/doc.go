package chunk

import (
	"bytes"
	"strings"
)

// topComment returns the first comment before any code that describes the file: no #! line, no
// directive to a tool, no licence.
func (x *extractor) topComment() Span {
	var doc Span
	for c := uint32(1); c < uint32(len(x.nodes)); c = x.nodes[c].next {
		n := &x.nodes[c]
		if n.symbol == errorSymbol || x.role[n.symbol]&roleComment == 0 {
			if x.typeOf(c) == "hash_bang_line" {
				continue
			}
			break
		}
		switch {
		case isDirective(x.text(c)):
		case doc.End > doc.Start && x.lines.of(int(n.start)) <= x.lines.of(doc.End-1)+1:
			doc.End = int(n.end)
		default:
			if found := x.unlicensed(doc); found.End > found.Start {
				return found
			}
			doc = Span{int(n.start), int(n.end)}
		}
	}
	return x.unlicensed(doc)
}

// directives are contained in one-line comments to tools.
var directives = []string{
	"# syntax=", "frozen_string_literal", "-*-", "coding:", "coding=", "eslint", "jshint", "@ts-", "swiftlint:", "clang-format",
	"vim:", "shellcheck ", "pylint:", "flake8", "rubocop:", "<reference", "@flow", "prettier-", "noinspection", "tslint:",
}

func isDirective(text []byte) bool {
	if bytes.HasPrefix(text, []byte("#!")) {
		return true
	}
	if len(text) > maxName || bytes.IndexByte(text, '\n') >= 0 {
		return false
	}
	for _, d := range directives {
		if bytes.Contains(text, []byte(d)) {
			return true
		}
	}
	return false
}

// unlicensed returns the part of a comment before its licence; empty when that is not even a
// sentence.
func (x *extractor) unlicensed(doc Span) Span {
	text := x.src[doc.Start:doc.End]
	for at := 0; at < len(text); {
		end := len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		if isLicence(text[at:end]) {
			text = bytes.TrimRight(text[:at], " \t\r\n*/#-;")
			if letters(text) < 20 {
				return Span{}
			}
			return Span{doc.Start, doc.Start + len(text)}
		}
		at = end
	}
	return doc
}

func isLicence(line []byte) bool {
	text := strings.ToLower(string(line[:min(len(line), 4*maxName)]))
	return strings.Contains(text, "copyright") || strings.Contains(text, "license") || strings.Contains(text, "licence") ||
		strings.Contains(text, "all rights reserved")
}
