package main

import (
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// leastColumn is the width, in columns of the terminal, below which a column of text is not worth
// having: its cells get lines of their own.
const leastColumn = 24

// hanging is the indentation of what continues a line or a row.
const hanging = 4

// columnsOf returns the number of columns that a text without line breaks takes on a terminal.
func columnsOf(s string) (n int) {
	for i := 0; i < len(s); {
		if s[i] == '\x1b' { // a colour, see palette.code, or the beginning or end of a hyperlink
			end := "m"
			if strings.HasPrefix(s[i:], linkBegin) {
				end = linkEnd
			}
			at := strings.Index(s[i:], end)
			if at < 0 {
				return n
			}
			i += at + len(end)
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch kind := width.LookupRune(r).Kind(); {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case kind == width.EastAsianWide, kind == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}

// blanks returns n blanks.
func blanks(n int) string { return strings.Repeat(" ", max(0, n)) }

// fold breaks a line at blanks so that it fits into most columns, and begins each further line with
// indent blanks. A word that is longer than a line stays whole; most 0 means no limit.
func fold(line string, indent, most int) string {
	if most <= 0 || columnsOf(line) <= most {
		return line
	}
	var b strings.Builder
	body := strings.TrimLeft(line, " ")
	b.WriteString(line[:len(line)-len(body)])
	used, begun := len(line)-len(body), false
	for body != "" {
		word, rest, _ := strings.Cut(body, " ")
		space := len(rest) - len(strings.TrimLeft(rest, " ")) + 1
		size := columnsOf(word)
		if begun && used+size > most {
			text := strings.TrimRight(b.String(), " ")
			b.Reset()
			b.WriteString(text + "\n" + blanks(indent))
			used = indent
		}
		b.WriteString(word + blanks(space))
		used, begun = used+size+space, true
		body = strings.TrimLeft(rest, " ")
	}
	return colouredByLine(strings.TrimRight(b.String(), " "))
}

// colouredByLine ends the colour of each line at its end and begins it again on the next, since
// pagers show each line for itself.
func colouredByLine(text string) string {
	if !strings.Contains(text, "\x1b[") {
		return text
	}
	all, open := strings.Split(text, "\n"), ""
	for i, line := range all {
		body := strings.TrimLeft(line, " ")
		before := open
		if at := strings.LastIndex(line, "\x1b["); at >= 0 {
			open, _, _ = strings.Cut(line[at:], "m")
			open += "m"
		}
		if open == colourEnd {
			open = ""
		}
		all[i] = line[:len(line)-len(body)] + before + body
		if open != "" {
			all[i] += colourEnd
		}
	}
	return strings.Join(all, "\n")
}

// hang folds a line of a listing, such as a command with a remark after two blanks or more: what
// does not fit continues below the remark, or below the line where that is too narrow.
func hang(line string, most int) string {
	if most <= 0 || columnsOf(line) <= most {
		return line
	}
	body := strings.TrimLeft(line, " ")
	indent := len(line) - len(body)
	head, remark, ok := strings.Cut(body, "  ")
	remark = strings.TrimLeft(remark, " ")
	at := columnsOf(line) - columnsOf(remark)
	switch {
	case !ok || remark == "":
		return fold(line, indent+hanging, most)
	case most-at >= leastColumn:
		return fold(line, at, most)
	}
	return fold(blanks(indent)+head, indent+hanging, most) + "\n" + fold(blanks(indent+hanging)+remark, indent+hanging, most)
}

// listing hangs each line of a text, without line breaks at its end.
func listing(text string, most int) string {
	all := strings.Split(strings.TrimRight(text, " \n"), "\n")
	for i, line := range all {
		all[i] = hang(line, most)
	}
	return strings.Join(all, "\n")
}

// folded folds each line of a text, which continues with the indentation of its beginning.
func folded(text string, most int) string {
	if most <= 0 {
		return text
	}
	all := strings.Split(text, "\n")
	for i, line := range all {
		body := strings.TrimLeft(line, " ")
		indent := len(line) - len(body)
		if strings.HasPrefix(body, "- ") { // an item of a list
			indent += len("- ")
		}
		all[i] = fold(line, indent, most)
	}
	return strings.Join(all, "\n")
}

// prose sets the text of a help page: lines that follow each other are one paragraph, and an
// indented line stays a line.
func prose(text string, most int) string {
	var out []string
	paragraph := ""
	end := func() {
		if paragraph != "" {
			out = append(out, fold(paragraph, 0, most))
		}
		paragraph = ""
	}
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, " "):
			end()
			out = append(out, hang(line, most))
		case paragraph == "":
			paragraph = line
		default:
			paragraph += " " + line
		}
	}
	end()
	return strings.Join(out, "\n")
}

// foldingWriter folds the lines that are written to a terminal. What moves the cursor is passed on
// as it is.
type foldingWriter struct {
	io.Writer
	most int
}

func (f *foldingWriter) Write(p []byte) (int, error) {
	if strings.ContainsAny(string(p), "\r\b") {
		return f.Writer.Write(p)
	}
	if _, err := io.WriteString(f.Writer, folded(string(p), f.most)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// grid is a table of texts.
type grid struct {
	most   int    // columns of the terminal; 0 means no limit
	indent string // before each row
	right  []int  // the right-aligned columns
	rows   [][]string
}

// String aligns the columns. A table that is too wide has cells of several lines; where its columns
// would be too narrow for that, the last cells of each row follow it, as a row of their own.
func (g grid) String() string {
	parts := g.parts()
	var b strings.Builder
	for _, row := range g.rows {
		for _, part := range parts {
			part.row(&b, row)
		}
	}
	return b.String()
}

// columnGroup is the layout of neighbouring columns, whose cells share a row.
type columnGroup struct {
	grid
	first  int // of its columns
	widths []int
}

// parts divides the columns into groups that fit, each with as many as fit into a row.
func (g grid) parts() (out []columnGroup) {
	widths, words := g.measured()
	for first := 0; first < len(widths); {
		room := g.most - len(g.indent)
		own := slices.Clone(widths[first:])
		if g.most > 0 && total(own) > room && !shrink(own, words[first:], room) {
			n := 1
			for n < len(own)-1 && total(own[:n+1]) <= room {
				n++
			}
			own = own[:n]
			own[0] = min(own[0], room)
		}
		out = append(out, columnGroup{g, first, own})
		first += len(own)
		if len(out) == 1 {
			g.indent = blanks(len(g.indent) + hanging)
		}
	}
	return out
}

// shrink narrows columns so that they fit into room, and reports whether they can be: each keeps
// its longest word, but the last, whose cells can leave it, and those that have words to fold keep
// leastColumn.
func shrink(widths, words []int, room int) bool {
	least := make([]int, len(widths))
	for i := range widths {
		least[i] = min(widths[i], leastColumn)
		if i < len(widths)-1 {
			least[i] = max(least[i], words[i])
		}
	}
	if total(least) > room {
		return false
	}
	room -= total(least)
	for i := range widths {
		more := min(room, widths[i]-least[i])
		widths[i], room = least[i]+more, room-more
	}
	return true
}

// measured returns the width of each column, and that of its longest word.
func (g grid) measured() (widths, words []int) {
	for _, row := range g.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths, words = append(widths, 0), append(words, 0)
			}
			widths[i] = max(widths[i], columnsOf(cell))
			for word := range strings.FieldsSeq(cell) {
				words[i] = max(words[i], columnsOf(word))
			}
		}
	}
	return widths, words
}

// total returns the width of columns with the gaps between them.
func total(widths []int) (n int) {
	for _, w := range widths {
		n += w + 2
	}
	return n - 2
}

// row writes the cells of a row that are in the group, folded to the widths of their columns.
func (g columnGroup) row(b *strings.Builder, row []string) {
	var cells [][]string
	height := 0
	below := "" // the last cell, if a word of it is wider than its column
	for i, width := range g.widths {
		cell := ""
		if g.first+i < len(row) {
			cell = row[g.first+i]
		}
		lines := strings.Split(fold(cell, 0, width), "\n")
		if i > 0 && i == len(g.widths)-1 && widestLine(lines) > width {
			below, lines = cell, []string{""}
		}
		cells, height = append(cells, lines), max(height, len(lines))
	}
	for n := range height {
		line := g.indent
		for i, lines := range cells {
			text := ""
			if n < len(lines) {
				text = lines[n]
			}
			pad := blanks(g.widths[i] - columnsOf(text))
			if slices.Contains(g.right, g.first+i) {
				line += pad + text + "  "
			} else {
				line += text + pad + "  "
			}
		}
		if line = strings.TrimRight(line, " "); line != "" || g.first == 0 {
			b.WriteString(line + "\n")
		}
	}
	if below != "" {
		indent := len(g.indent) + hanging
		b.WriteString(fold(blanks(indent)+below, indent, g.most) + "\n")
	}
}

func widestLine(lines []string) (n int) {
	for _, line := range lines {
		n = max(n, columnsOf(line))
	}
	return n
}
