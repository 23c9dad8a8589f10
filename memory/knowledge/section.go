package knowledge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/subject"
)

// Section is a part of a document of the workspace, byte for byte: a heading and the text below it.
// Of code it is a definition with the topic's name: its comment and its first lines.
type Section struct {
	Path string
	Line int // of its first line, from 1
	Text string
	Code bool
}

// maxSectionParagraphs bounds the paragraphs that are quoted of one section.
const maxSectionParagraphs = 3

// sections returns quotations about a topic from the workspace's documents. Without documents it
// returns those of an earlier run.
func (in *ProcessInput) sections(topic string, old *Item) ([]Quotation, error) {
	var out []Quotation
	if in.Sections == nil {
		if old != nil {
			for _, q := range old.Quotations {
				if q.Path != "" {
					out = append(out, q)
				}
			}
		}
		return out, nil
	}
	list, err := in.Sections(topic)
	if err != nil {
		return nil, fmt.Errorf("read documents: %w", err)
	}
	room := sectionTokens
	for _, s := range list {
		found := quoteSection(s, topic)
		n := 0
		for _, q := range found {
			n += in.size(q.Text) + 1
		}
		if n <= room {
			room -= n
			out = append(out, found...)
		}
	}
	return out, nil
}

// quoteSection returns the heading of a section and its first paragraphs that name a topic; nothing
// when none does.
func quoteSection(s Section, topic string) []Quotation {
	if s.Code {
		return []Quotation{{Path: s.Path, Line: s.Line, Text: s.Text}}
	}
	list := paragraphs(s)
	var out []Quotation
	for _, q := range list {
		if len(out) < maxSectionParagraphs && subject.Says(q.Text, subject.Fold(topic)) {
			out = append(out, q)
		}
	}
	switch {
	case len(out) == 0:
		return nil
	case out[0] != list[0]:
		if isHeading(list[0].Text) {
			out = slices.Insert(out, 0, list[0])
		}
	case len(out) == 1 && len(list) > 1 && isHeading(list[0].Text) && !strings.Contains(list[0].Text, "\n"):
		out = append(out, list[1]) // the heading names the subject of the paragraph
	}
	return out
}

// isHeading reports whether a paragraph is only a heading: one line, or an underlined one.
func isHeading(text string) bool {
	first, rest, _ := strings.Cut(text, "\n")
	return len(first) < longestLine && (rest == "" || strings.Trim(rest, "=-~^") == "")
}

// paragraphs splits a section at its headings and its empty lines; a fenced code block stays whole.
func paragraphs(s Section) []Quotation {
	var out []Quotation
	line, start, first, fenced := s.Line, 0, s.Line, false
	flush := func(end int) {
		text := s.Text[start:end]
		if trimmed := strings.TrimRight(text, " \t\r\n"); strings.TrimSpace(trimmed) != "" {
			out = append(out, Quotation{Path: s.Path, Line: first, Text: trimmed})
		}
	}
	at := 0
	for l := range strings.Lines(s.Text) {
		blank := strings.TrimSpace(l) == ""
		if strings.HasPrefix(strings.TrimSpace(l), "```") {
			fenced = !fenced
		}
		if !fenced && (blank || strings.HasPrefix(l, "#")) {
			flush(at)
			start, first = at, line
			if blank {
				start, first = at+len(l), line+1
			}
		}
		at += len(l)
		line++
		if !fenced && strings.HasPrefix(l, "#") {
			flush(at)
			start, first = at, line
		}
	}
	flush(at)
	return out
}
