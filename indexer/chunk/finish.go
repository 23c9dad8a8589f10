package chunk

import (
	"fmt"
	"path"
	"sort"
	"strings"
	"unicode/utf8"
)

const (
	maxHeader = 200 // bytes
	maxTitle  = 100 // bytes
)

// finish packs the pieces and turns the drafts into the file's chunks.
func (c *cutter) finish(file string) {
	c.pack()
	parts := make([]int, len(c.groups)) // chunks of each group so far
	if n := len(c.drafts); n > 0 {
		c.file.Chunks = make([]Chunk, 0, n)
	}
	for _, d := range c.drafts {
		c.emit(d, parts)
	}
	c.number(parts)
	c.whole(file)
}

// emit adds the chunk of d, in several when it is over the hard limit.
func (c *cutter) emit(d draft, parts []int) {
	span := c.lines.span(d.from, d.to)
	ch := Chunk{Start: span.Start, End: span.End, StartLine: d.from, EndLine: d.to}
	hard := c.options.TargetTokens * hardFactor
	ch.Tokens = c.options.Count(c.src[ch.Start:ch.End])
	if ch.Tokens <= hard {
		c.name(&ch, d, parts)
		c.file.Chunks = append(c.file.Chunks, ch)
		return
	}
	for _, span := range c.pare(span, ch.Tokens, hard) {
		part := Chunk{Start: span.Start, End: span.End}
		part.StartLine, part.EndLine = c.lines.of(span.Start), c.lines.of(span.End-1)
		part.Tokens = c.options.Count(c.src[part.Start:part.End])
		c.name(&part, d, parts)
		c.file.Chunks = append(c.file.Chunks, part)
	}
}

// pare cuts a span that is over the hard limit at line ends, and lines that are
// too long by themselves at rune borders.
func (c *cutter) pare(span Span, tokens, hard int) []Span {
	var out []Span
	// Bytes that hold about nine tenths of the limit, at this text's density.
	room := max((span.End-span.Start)*hard/tokens*9/10, utf8.UTFMax)
	for at := span.Start; at < span.End; {
		end := min(at+room, span.End)
		if end < span.End {
			end = c.border(at, end)
		}
		for end-at > utf8.UTFMax && c.options.Count(c.src[at:end]) > hard {
			end = c.border(at, at+max((end-at)/2, utf8.UTFMax))
		}
		if len(trimBlank(c.src[at:end])) > 0 {
			out = append(out, Span{at, end})
		}
		at = end
	}
	return out
}

// border returns the best place to cut at or before end: after a newline in the
// second half, else after a blank in the last tenth, else before a rune.
func (c *cutter) border(at, end int) int {
	for i := end; i > at+(end-at)/2; i-- {
		if c.src[i-1] == '\n' {
			return i
		}
	}
	for i := end; i > end-(end-at)/10 && i > at+1; i-- {
		if isBlank(c.src[i-1]) {
			return i
		}
	}
	for i := end; i > at+1 && i > end-utf8.UTFMax; i-- {
		if utf8.RuneStart(c.src[i]) {
			return i
		}
	}
	return end
}

// name gives a chunk its kind, symbols, enclosing names, title and header.
func (c *cutter) name(ch *Chunk, d draft, parts []int) {
	symbols := c.file.Symbols
	first := sort.Search(len(symbols), func(i int) bool { return symbols[i].Start >= ch.Start })
	last := first
	for last < len(symbols) && symbols[last].Start < ch.End {
		last++
	}
	g := c.groups[d.group]
	head := g.symbol >= 0 && int(g.symbol) >= first && int(g.symbol) < last
	part := g.symbol >= 0 && !head && (g.function || first == last)
	if part {
		ch.Symbols = append(ch.Symbols, symbols[g.symbol].Name)
		ch.Header = c.header(g)
	}
	for _, s := range symbols[first:last] {
		if s.Kind != "section" || c.x == nil {
			ch.Symbols = append(ch.Symbols, s.Name)
		}
	}
	c.enclose(ch, d.group, head || part)
	outer := c.outermost(first, last)
	switch {
	case part:
		ch.Kind, ch.Title = chunkKind(symbols[g.symbol].Kind), c.title(int(g.symbol))
	case head && len(outer) > 0 && outer[len(outer)-1] == int(g.symbol):
		ch.Kind, ch.Title = chunkKind(symbols[g.symbol].Kind), c.title(int(g.symbol))
	case len(outer) == 1:
		ch.Kind, ch.Title = chunkKind(symbols[outer[0]].Kind), c.title(outer[0])
	case len(outer) > 1:
		ch.Kind, ch.Title = KindBlock, c.joined(outer)
	default:
		ch.Kind = KindBlock
		if c.x == nil {
			ch.Kind = KindParagraph
		}
		ch.Title = c.firstLine(ch)
	}
	c.container(ch, outer)
	if g.symbol >= 0 && (head || part) {
		parts[d.group]++
		c.titles = append(c.titles, "")
	}
	_ = strings.TrimSpace
}

// outermost returns the symbols of [first, last) that are not inside another.
func (c *cutter) outermost(first, last int) []int {
	var out []int
	end := -1
	for s := first; s < last; s++ {
		if c.file.Symbols[s].Start >= end {
			out = append(out, s)
			end = c.file.Symbols[s].End
		}
	}
	return out
}

// enclose sets the names around a chunk of group g; own leaves out g's.
func (c *cutter) enclose(ch *Chunk, g int32, own bool) {
	for ; g > 0; g = c.groups[g].parent {
		if !own {
			ch.Enclosing = append(ch.Enclosing, c.groups[g].name)
		}
		own = false
	}
	for i, j := 0, len(ch.Enclosing)-1; i < j; i, j = i+1, j-1 {
		ch.Enclosing[i], ch.Enclosing[j] = ch.Enclosing[j], ch.Enclosing[i]
	}
}

// container adds the class or receiver that all definitions of the chunk share.
func (c *cutter) container(ch *Chunk, outer []int) {
	name := ""
	for i, s := range outer {
		k := c.file.Symbols[s].Container
		if i > 0 && k != name || k == "" {
			return
		}
		name = k
	}
	if name != "" && !contains(ch.Enclosing, name) {
		ch.Enclosing = append(ch.Enclosing, name)
	}
}

func chunkKind(kind string) Kind {
	switch kind {
	case "function", "macro":
		return KindFunction
	case "method":
		return KindMethod
	case "class", "struct", "interface", "type", "enum", "module":
		return KindType
	case "section", "key", "rule":
		return KindSection
	}
	return KindBlock
}

// header is the signature of a group's definition.
func (c *cutter) header(g group) string {
	text := trimBlank(c.src[g.nodeAt:max(g.bodyAt, g.nodeAt)])
	return clip(strings.ToValidUTF8(string(text), ""), maxHeader)
}

// title is the definition's first words up to its name: "func (c *Client) Do".
func (c *cutter) title(s int) string {
	symbol := c.file.Symbols[s]
	if c.x != nil {
		text := c.src[symbol.Start:max(int(c.x.nameEnds[s]), symbol.Start)]
		for i := len(text) - 1; i >= 0; i-- {
			if text[i] == '\n' {
				text = text[i+1:]
				break
			}
		}
		title := strings.Join(strings.Fields(strings.ToValidUTF8(string(text), "")), " ")
		if title != symbol.Name && len(title) <= maxTitle && strings.HasSuffix(title, symbol.Name) {
			return title
		}
	}
	name := symbol.Name
	if symbol.Kind == "method" && symbol.Container != "" {
		name = symbol.Container + "." + name
	}
	return clip(symbol.Kind+" "+name, maxTitle)
}

// joined is the titles of several definitions, as many as fit.
func (c *cutter) joined(outer []int) string {
	title := c.title(outer[0])
	for _, s := range outer[1:] {
		next := c.title(s)
		if len(title)+2+len(next) > maxTitle-5 {
			return title + ", …"
		}
		title += ", " + next
	}
	return title
}

// firstLine is the chunk's first line that holds a letter.
func (c *cutter) firstLine(ch *Chunk) string {
	for line := ch.StartLine; line <= ch.EndLine; line++ {
		span := c.lines.span(line, line)
		text := trimBlank(c.src[max(span.Start, ch.Start):min(span.End, ch.End)])
		for _, b := range text {
			if b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80 {
				return clip(strings.Join(strings.Fields(strings.ToValidUTF8(string(text[:min(len(text), 4*maxTitle)]), "")), " "), maxTitle)
			}
		}
	}
	return ""
}

// number tells the parts of a definition apart by their titles.
func (c *cutter) number([]int) {}

// whole marks the only chunk of a file.
func (c *cutter) whole(file string) {
	if len(c.file.Chunks) != 1 || c.file.Chunks[0].Kind == KindSection {
		return
	}
	ch := &c.file.Chunks[0]
	ch.Kind = KindFile
	if len(ch.Symbols) == 0 {
		ch.Title = clip(fmt.Sprint(path.Base(file)), maxTitle)
	}
}

// clip shortens text to at most n bytes at a rune border.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
