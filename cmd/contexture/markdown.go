package main

import (
	"regexp"
	"strings"
)

// markdownText renders Markdown as plain text of at most width columns. It supports what the help
// topics use: headings, paragraphs, lists of one level, tables, fenced code, code spans, emphasis
// and links.
func markdownText(text string, width int, p palette) string {
	w := &markdownWriter{width: width, p: p}
	for lines := strings.Split(strings.TrimSpace(text), "\n"); len(lines) > 0; {
		lines = lines[w.block(lines):]
	}
	return w.b.String()
}

type markdownWriter struct {
	b     strings.Builder
	width int
	p     palette
	list  bool // the last block was a list item
}

// block renders the first block of lines and returns the number of its lines.
func (w *markdownWriter) block(lines []string) int {
	first := lines[0]
	item := listMark.FindString(first)
	if w.b.Len() > 0 && first != "" && (item == "" || !w.list) {
		w.b.WriteByte('\n')
	}
	w.list = item != "" || w.list && first == ""
	switch {
	case first == "":
		return 1
	case strings.HasPrefix(first, "#"):
		w.b.WriteString(w.p.bold(plainInline(strings.TrimLeft(first, "# "))) + "\n")
		return 1
	case strings.HasPrefix(first, "```"):
		return w.code(lines)
	case strings.HasPrefix(first, "|"):
		return w.table(lines)
	}
	n := 1
	for n < len(lines) && lines[n] != "" && !startsBlock(lines[n]) {
		n++
	}
	lines[0] = first[len(item):]
	w.b.WriteString(fold(item+plainInline(strings.Join(trimAll(lines[:n]), " ")), len(item), w.width) + "\n")
	return n
}

// listMark begins an item of a list.
var listMark = regexp.MustCompile(`^(- |\d+\. )`)

func startsBlock(line string) bool {
	return listMark.MatchString(line) || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "|")
}

func trimAll(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimSpace(line)
	}
	return out
}

// code renders a fenced block, indented.
func (w *markdownWriter) code(lines []string) int {
	for i, line := range lines[1:] {
		if strings.HasPrefix(line, "```") {
			return i + 2
		}
		w.b.WriteString(hang(strings.TrimRight("    "+line, " "), w.width) + "\n")
	}
	return len(lines)
}

// table writes a table in columns.
func (w *markdownWriter) table(lines []string) int {
	var rows [][]string
	n := 0
	for ; n < len(lines) && strings.HasPrefix(lines[n], "|"); n++ {
		cells := trimAll(strings.Split(strings.TrimSuffix(strings.TrimPrefix(lines[n], "|"), "|"), "|"))
		if strings.HasPrefix(cells[0], "---") {
			continue
		}
		for i := range cells {
			cells[i] = plainInline(cells[i])
		}
		rows = append(rows, cells)
	}
	w.b.WriteString(grid{most: w.width, indent: "  ", rows: rows}.String())
	return n
}

var (
	emphasis = regexp.MustCompile(`\*\*?([^*\s][^*]*)\*\*?`)
	linked   = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)
)

// plainInline drops the marks of code spans, emphasis and links.
func plainInline(s string) string {
	parts := strings.Split(s, "`")
	for i := range parts {
		if i%2 == 0 { // outside code
			parts[i] = linked.ReplaceAllString(emphasis.ReplaceAllString(parts[i], "$1"), "$1")
		}
	}
	return strings.Join(parts, "")
}
