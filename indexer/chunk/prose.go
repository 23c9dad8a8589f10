package chunk

import (
	"bytes"
	"strings"
)

// heading is one heading of a Markdown or reStructuredText document.
type heading struct {
	level      int // 1 is the outermost
	line, last int // lines of the heading itself; an underline included
	title      string
	marker     string // "##", or "" for an underlined one
}

// prose cuts Markdown and reStructuredText by heading: a section with everything below it is one
// chunk if it fits, otherwise its text before the first subheading and each subsection are separate
// chunks.
func (p *Parser) prose(file *File, path string, src []byte) {
	c := &p.cutter
	c.reset(p.options, src, &p.lines, file)
	from, to, ok := p.lines.trim(0, p.lines.count()-1)
	if !ok {
		return
	}
	var heads []heading
	if file.Language == "rst" {
		heads = rstHeadings(src, &p.lines)
	} else {
		heads = markdownHeadings(src, &p.lines)
	}
	c.heads = heads
	sections(file, heads, &p.lines, to)
	d := document{c: c, heads: heads, to: to}
	if len(heads) == 0 || heads[0].line > from {
		end := to
		if len(heads) > 0 {
			end = heads[0].line - 1
		}
		d.text(from, end, 0)
	}
	for i := 0; i < len(heads); {
		i = d.section(i, 0)
	}
	file.Doc = proseDoc(src, &p.lines, heads)
	c.fill(from, to)
	c.finish(path)
}

// sections makes each heading a symbol that extends to the next one of its level.
func sections(file *File, heads []heading, l *lines, to int) {
	for i, h := range heads {
		end := to
		container := ""
		for _, next := range heads[i+1:] {
			if next.level <= h.level {
				end = next.line - 1
				break
			}
		}
		for k := i - 1; k >= 0; k-- {
			if heads[k].level < h.level {
				container = heads[k].title
				break
			}
		}
		for end > h.line && l.blank[end] {
			end--
		}
		span := l.span(h.line, end)
		file.Symbols = append(file.Symbols, Symbol{
			Name: h.title, Kind: "section", Container: container,
			Start: span.Start, End: span.End, Line: h.line, EndLine: end,
		})
	}
}

// document lays out headed text as pieces.
type document struct {
	c     *cutter
	heads []heading
	to    int
}

// section lays out heading i and all below it, and returns the next heading.
func (d *document) section(i int, parent int32) int {
	next := i + 1
	for next < len(d.heads) && d.heads[next].level > d.heads[i].level {
		next++
	}
	end := d.until(next)
	c := d.c
	from := d.heads[i].line
	if !c.oversize(from, end) {
		c.pieces = append(c.pieces, piece{from: int32(from), to: int32(end), group: parent, depth: int16(min(d.heads[i].level, 6) / 2)})
		return next
	}
	c.groups = append(c.groups, group{
		name: d.heads[i].title, symbol: int32(i), parent: parent,
		nodeAt: c.lines.start[from], bodyAt: c.lines.start[d.heads[i].last+1],
	})
	g := int32(len(c.groups) - 1)
	d.text(from, d.until(i+1), g)
	for k := i + 1; k < next; {
		k = d.section(k, g)
	}
	return next
}

// until returns the last line before heading i.
func (d *document) until(i int) int {
	if i < len(d.heads) {
		return d.heads[i].line - 1
	}
	return d.to
}

func (d *document) text(from, to int, g int32) {
	d.c.paragraphs(from, to, g)
}

// markdownHeadings returns the # and underlined headings outside of code fences, front matter and
// HTML comments.
func markdownHeadings(src []byte, l *lines) []heading {
	var heads []heading
	var block markdownBlock
	for line := frontMatter(src, l); line < l.count(); line++ {
		span := l.span(line, line)
		raw := src[span.Start:span.End]
		text := trimBlank(raw)
		if len(text) == 0 || block.holds(text) || indent(raw) >= 4 {
			continue
		}
		switch {
		case text[0] == '#':
			if h, ok := atx(text, line); ok {
				heads = append(heads, h)
			}
		case line > 0 && isUnderline(text):
			if h, ok := setext(src, l, line, text[0]); ok && (len(heads) == 0 || heads[len(heads)-1].last < h.line) {
				heads = append(heads, h)
			}
		}
	}
	return named(heads)
}

// markdownBlock is the state of a block of Markdown without headings: a fenced code block or an
// HTML comment.
type markdownBlock struct {
	fence   []byte // the marks that opened the code block; nil outside of one
	comment bool
}

// holds reports whether a line, trimmed, belongs to such a block, and records the blocks that it
// opens and closes. It must be called for every line that is not blank, in order.
func (b *markdownBlock) holds(text []byte) bool {
	switch {
	case b.fence != nil:
		if bytes.HasPrefix(text, b.fence) && len(trimBlank(bytes.TrimLeft(text, string(b.fence[:1])))) == 0 {
			b.fence = nil
		}
	case b.comment:
		b.comment = !bytes.Contains(text, []byte("-->"))
	case bytes.HasPrefix(text, []byte("```")), bytes.HasPrefix(text, []byte("~~~")):
		n := marks(text)
		if text[0] == '~' || !bytes.Contains(text[n:], []byte("`")) {
			b.fence = text[:n]
		}
	case bytes.HasPrefix(text, []byte("<!--")):
		b.comment = !bytes.Contains(text, []byte("-->"))
	default:
		return false
	}
	return true
}

// marks returns how often the first byte of a text is repeated at its beginning, itself included.
func marks(text []byte) int { return len(text) - len(bytes.TrimLeft(text, string(text[:1]))) }

// isUnderline reports whether a line is the underline of a heading.
func isUnderline(text []byte) bool {
	return (text[0] == '=' || text[0] == '-') && marks(text) == len(text)
}

// atx parses a line that begins with # as a heading, if it is one.
func atx(text []byte, line int) (heading, bool) {
	n := marks(text)
	if n > 6 || n < len(text) && !isBlank(text[n]) {
		return heading{}, false
	}
	title := trimBlank(text[n:])
	if t := bytes.TrimRight(title, "#"); len(t) == 0 || isBlank(t[len(t)-1]) {
		title = trimBlank(t)
	}
	return newHeading(n, line, line, title, string(text[:n])), true
}

// setext parses the paragraph above an underline as a heading of one line.
func setext(src []byte, l *lines, line int, mark byte) (heading, bool) {
	span := l.span(line-1, line-1)
	raw := src[span.Start:span.End]
	text := trimBlank(raw)
	if len(text) == 0 || indent(raw) >= 4 || bytes.IndexByte([]byte("#>|-*+"), text[0]) >= 0 || mark == '-' && line > 1 && !l.blank[line-2] {
		return heading{}, false
	}
	level := 1
	if mark == '-' {
		level = 2
	}
	return newHeading(level, line-1, line, text, ""), true
}

func newHeading(level, line, last int, title []byte, marker string) heading {
	text := strings.Join(strings.Fields(string(bytes.ToValidUTF8(title, nil))), " ")
	return heading{level: level, line: line, last: last, title: clip(text, maxName), marker: marker}
}

// named drops headings without a title.
func named(heads []heading) []heading {
	out := heads[:0]
	for _, h := range heads {
		if h.title != "" {
			out = append(out, h)
		}
	}
	return out
}

func indent(line []byte) int {
	n := 0
	for _, b := range line {
		switch b {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// frontMatter returns the line after a block between --- or +++ lines at the top.
func frontMatter(src []byte, l *lines) int {
	if l.count() == 0 {
		return 0
	}
	mark := trimBlank(bytes.TrimPrefix(src[:l.start[1]], []byte("\xef\xbb\xbf")))
	if s := string(mark); s != "---" && s != "+++" {
		return 0
	}
	for line := 1; line < min(l.count(), 200); line++ {
		span := l.span(line, line)
		if bytes.Equal(trimBlank(src[span.Start:span.End]), mark) {
			return line + 1
		}
	}
	return 0
}

// rstHeadings returns underlined titles. The level of an adornment is the order in which it first
// appears.
func rstHeadings(src []byte, l *lines) []heading {
	var heads []heading
	var seen []string
	for line := 1; line < l.count(); line++ {
		mark, ok := adornment(src, l, line)
		if !ok || l.blank[line-1] {
			continue
		}
		span := l.span(line-1, line-1)
		raw := src[span.Start:span.End]
		if _, ok := adornment(src, l, line-1); ok {
			continue
		}
		under := l.span(line, line)
		title := trimBlank(raw)
		if len(trimBlank(src[under.Start:under.End])) < len([]rune(string(title))) {
			continue
		}
		at, style := line-1, string(mark)
		if line >= 2 {
			if over, ok := adornment(src, l, line-2); ok && over == mark {
				at, style = line-2, style+style
			}
		}
		if at == line-1 && (indent(raw) > 0 || line >= 2 && !l.blank[line-2]) {
			continue
		}
		level := len(seen)
		for k, s := range seen {
			if s == style {
				level = k
				break
			}
		}
		if level == len(seen) {
			seen = append(seen, style)
		}
		heads = append(heads, newHeading(level+1, at, line, title, ""))
	}
	return named(heads)
}

// adornment returns the mark of a line that consists of three or more equal punctuation marks.
func adornment(src []byte, l *lines, line int) (byte, bool) {
	span := l.span(line, line)
	text := bytes.TrimRight(src[span.Start:span.End], " \t\r\n")
	if len(text) < 3 || bytes.IndexByte([]byte("=-`:.'\"~^_*+#<>"), text[0]) < 0 {
		return 0, false
	}
	return text[0], len(bytes.TrimLeft(text, string(text[:1]))) == 0
}

// proseDoc returns the first paragraph other than headings, badges and HTML.
func proseDoc(src []byte, l *lines, heads []heading) Span {
	k := 0
	for line := frontMatter(src, l); line < l.count(); line++ {
		for k < len(heads) && heads[k].last < line {
			k++
		}
		if l.blank[line] || k < len(heads) && heads[k].line <= line && line <= heads[k].last {
			continue
		}
		end := line
		for end+1 < l.count() && !l.blank[end+1] && !(k < len(heads) && heads[k].line == end+1) {
			end++
		}
		span := l.span(line, end)
		text := trimBlank(src[span.Start:span.End])
		if bytes.IndexByte([]byte("<[!|`.:#-*"), text[0]) < 0 && letters(text) >= 20 {
			start := span.Start + bytes.Index(src[span.Start:span.End], text)
			return Span{start, start + len(text)}
		}
		line = end
	}
	return Span{}
}
