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
	return strings.TrimRight(b.String(), " ")
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
		all[i] = fold(line, len(line)-len(strings.TrimLeft(line, " ")), most)
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
// would be too narrow for that, the last cells of each row follow it on lines of their own.
func (g grid) String() string {
	widths, words := g.measured()
	room := g.most - len(g.indent)
	if g.most > 0 && total(widths) > room {
		last := len(widths) - 1
		least := make([]int, len(widths))
		for i := range widths {
			least[i] = min(widths[i], leastColumn)
			if i < last { // a cell of the last column can leave its column
				least[i] = max(least[i], words[i])
			}
		}
		if total(least) > room {
			return g.stacked(widths, room)
		}
		room -= total(least)
		for i := range widths {
			more := min(room, widths[i]-least[i])
			widths[i], room = least[i]+more, room-more
		}
	}
	var b strings.Builder
	for _, row := range g.rows {
		g.row(&b, widths, row)
	}
	return b.String()
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

// row writes a row whose cells are folded to the widths of their columns.
func (g grid) row(b *strings.Builder, widths []int, row []string) {
	var cells [][]string
	height := 0
	below := "" // the last cell, if a word of it is wider than its column
	for i, cell := range row {
		text := fold(cell, 0, widths[i])
		cells = append(cells, strings.Split(text, "\n"))
		if i > 0 && i == len(row)-1 && widestLine(cells[i]) > widths[i] {
			below, cells[i] = cell, []string{""}
		}
		height = max(height, len(cells[i]))
	}
	for n := range height {
		line := g.indent
		for i, lines := range cells {
			text := ""
			if n < len(lines) {
				text = lines[n]
			}
			pad := blanks(widths[i] - columnsOf(text))
			if slices.Contains(g.right, i) {
				line += pad + text + "  "
			} else {
				line += text + pad + "  "
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	g.below(b, below)
}

func widestLine(lines []string) (n int) {
	for _, line := range lines {
		n = max(n, columnsOf(line))
	}
	return n
}

// below writes a cell on lines of its own, below its row.
func (g grid) below(b *strings.Builder, cell string) {
	if cell != "" {
		indent := len(g.indent) + hanging
		b.WriteString(fold(blanks(indent)+cell, indent, g.most) + "\n")
	}
}

// stacked keeps as many columns as fit next to each other, the first at least.
func (g grid) stacked(widths []int, room int) string {
	keep := 1
	for keep < len(widths) && total(widths[:keep+1]) <= room {
		keep++
	}
	widths[0] = min(widths[0], room)
	var b strings.Builder
	for _, row := range g.rows {
		g.row(&b, widths, row[:min(keep, len(row))])
		for _, cell := range row[min(keep, len(row)):] {
			g.below(&b, cell)
		}
	}
	return b.String()
}
