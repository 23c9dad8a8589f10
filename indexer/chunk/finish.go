package chunk

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

const (
	maxHeader = 200 // bytes
	maxTitle  = 100 // bytes
	// maxAttributes bounds the lines between a comment and its definition.
	maxAttributes = 3
)

// finish packs the pieces and turns the drafts into the file's chunks.
func (c *cutter) finish(file string) {
	c.pack()
	if n := len(c.drafts); n > 0 {
		c.file.Chunks = make([]Chunk, 0, n)
	}
	for _, d := range c.drafts {
		c.emit(d)
	}
	c.number()
	if len(c.file.Chunks) == 1 {
		only := &c.file.Chunks[0]
		only.Kind = KindFile
		if len(only.Symbols) == 0 {
			only.Title = oneLine([]byte(path.Base(file)))
		}
	}
}

// emit adds the chunk of d, or several when it is over the hard limit.
func (c *cutter) emit(d draft) {
	span := c.lines.span(d.from, d.to)
	tokens := c.options.Count(c.src[span.Start:span.End])
	hard := c.options.TargetTokens * hardFactor
	if tokens <= hard {
		ch := Chunk{Start: span.Start, End: span.End, StartLine: d.from, EndLine: d.to, Tokens: tokens}
		c.name(&ch, d)
		c.file.Chunks = append(c.file.Chunks, ch)
		return
	}
	for _, span := range c.pare(span, tokens, hard) {
		ch := Chunk{Start: span.Start, End: span.End, StartLine: c.lines.of(span.Start), EndLine: c.lines.of(span.End - 1)}
		ch.Tokens = c.options.Count(c.src[ch.Start:ch.End])
		c.name(&ch, d)
		c.file.Chunks = append(c.file.Chunks, ch)
	}
}

// pare cuts a span that is over the hard limit at line ends, and single lines that are too long at
// rune boundaries.
func (c *cutter) pare(span Span, tokens, hard int) []Span {
	var out []Span
	// The bytes that hold about nine tenths of the limit, at this text's density.
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

// border returns the best position to cut at or before end: after a newline in the second half,
// else after a blank in the last tenth, else before a rune.
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

// name sets a chunk's kind, symbols, enclosing names, title and header.
func (c *cutter) name(ch *Chunk, d draft) {
	symbols := c.file.Symbols
	first, last := c.symbolsIn(ch)
	g := c.groups[d.group]
	own := int(g.symbol)
	head := own >= first && own < last
	next, describes := c.described(ch, last)
	// Members of a class are not parts of it; its fields and its head are.
	if own >= 0 && (head || g.function || first == last && !describes) {
		c.partOf = append(c.partOf, d.group)
		if !head {
			ch.Symbols = append(ch.Symbols, symbols[own].Name)
			ch.Header = c.header(g)
		}
		ch.Symbols = appendNames(ch.Symbols, symbols[first:last])
		ch.Kind, ch.Title = chunkKind(symbols[own].Kind), c.title(own)
		c.enclose(ch, g.parent, []int{own})
		return
	}
	c.partOf = append(c.partOf, -1)
	ch.Symbols = appendNames(ch.Symbols, symbols[first:last])
	outer := c.outermost(first, last)
	if describes && first == last {
		ch.Symbols, outer = append(ch.Symbols, symbols[next].Name), []int{next}
	}
	c.enclose(ch, d.group, outer)
	ch.Kind, ch.Title = c.kindAndTitle(ch, outer)
}

// symbolsIn returns the range of the symbols that begin in a chunk.
func (c *cutter) symbolsIn(ch *Chunk) (first, last int) {
	symbols := c.file.Symbols
	first = sort.Search(len(symbols), func(i int) bool { return symbols[i].Start >= ch.Start })
	last = first
	for last < len(symbols) && symbols[last].Start < ch.End {
		last++
	}
	return first, last
}

func appendNames(names []string, symbols []Symbol) []string {
	for _, s := range symbols {
		names = append(names, s.Name)
	}
	return names
}

// kindAndTitle returns the kind and title of a chunk that is not part of a definition, by its
// outermost definitions.
func (c *cutter) kindAndTitle(ch *Chunk, outer []int) (Kind, string) {
	switch {
	case len(outer) == 1:
		return chunkKind(c.file.Symbols[outer[0]].Kind), c.title(outer[0])
	case len(outer) > 1 && c.heads != nil:
		return KindSection, c.joined(outer)
	case len(outer) > 1:
		return KindBlock, c.joined(outer)
	case c.x == nil:
		return KindParagraph, c.firstLine(ch)
	}
	return KindBlock, c.firstLine(ch)
}

// described returns the definition right below a chunk that is only a comment, when the two are too
// large for one chunk; next is the first symbol after the chunk.
func (c *cutter) described(ch *Chunk, next int) (int, bool) {
	if c.x == nil || next >= len(c.file.Symbols) || !c.commented(c.lines.span(ch.EndLine, ch.EndLine)) {
		return 0, false
	}
	line, until := ch.EndLine+1, c.file.Symbols[next].Line
	for line < until && c.commented(c.lines.span(line, line)) {
		line++
	}
	if until-line > maxAttributes {
		return 0, false
	}
	for ; line < until; line++ {
		if c.lines.blank[line] {
			return 0, false
		}
	}
	return next, true
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

// enclose sets the enclosing names of a chunk: group g and those around it, and the class or
// receiver that all its definitions share.
func (c *cutter) enclose(ch *Chunk, g int32, outer []int) {
	for ; g > 0; g = c.groups[g].parent {
		ch.Enclosing = append(ch.Enclosing, c.groups[g].name)
	}
	slices.Reverse(ch.Enclosing)
	shared := ""
	for i, s := range outer {
		container := c.file.Symbols[s].Container
		if i > 0 && container != shared {
			return
		}
		shared = container
	}
	if shared != "" && !slices.Contains(ch.Enclosing, shared) {
		ch.Enclosing = append(ch.Enclosing, shared)
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

// header returns the signature of a group's definition, from the beginning of its line: "type
// Client struct {", "export class Foo {".
func (c *cutter) header(g group) string {
	start := int(c.lines.start[c.lines.of(int(g.nodeAt))])
	if int(g.nodeAt)-start > maxHeader/2 {
		start = int(g.nodeAt)
	}
	text := trimBlank(c.src[start:max(int(g.bodyAt), start)])
	return clip(strings.ToValidUTF8(string(text), ""), maxHeader)
}

// title returns the definition's first words up to its name: "func (c *Client) Do".
func (c *cutter) title(s int) string {
	symbol := c.file.Symbols[s]
	if c.heads != nil {
		return clip(strings.TrimSpace(c.heads[s].marker+" "+symbol.Name), maxTitle)
	}
	prefix, name := symbol.Kind, symbol.Name
	if c.x != nil {
		text := c.src[symbol.Start:max(int(c.x.nameEnds[s]), symbol.Start)]
		text = text[bytes.LastIndexByte(text, '\n')+1:]
		title := strings.Join(strings.Fields(strings.ToValidUTF8(string(text), "")), " ")
		if title != name && len(title) <= maxTitle && strings.HasSuffix(strings.TrimRight(title, "\"'"), name) {
			return title
		}
		if n := c.x.nodes[c.x.defNodes[s]]; n.symbol != errorSymbol {
			if d := c.x.def[n.symbol]; d != nil && d.title != "" {
				prefix = d.title
			}
		}
	}
	if symbol.Kind == "method" && symbol.Container != "" {
		name = symbol.Container + "." + name
	}
	return clip(prefix+" "+name, maxTitle)
}

// joined returns the titles of several definitions, as many as fit.
func (c *cutter) joined(outer []int) string {
	title := clip(c.title(outer[0]), maxTitle-5)
	for _, s := range outer[1:] {
		next := c.title(s)
		if len(title)+2+len(next) > maxTitle-5 {
			return title + ", …"
		}
		title += ", " + next
	}
	return title
}

// firstLine returns the chunk's first line that contains a letter and is not a comment, else the
// first that contains a letter.
func (c *cutter) firstLine(ch *Chunk) string {
	fallback := ""
	for line := ch.StartLine; line <= ch.EndLine; line++ {
		span := c.lines.span(line, line)
		span.Start, span.End = max(span.Start, ch.Start), min(span.End, ch.End)
		text := trimBlank(c.src[span.Start:span.End])
		if letters(text[:min(len(text), 4*maxTitle)]) == 0 {
			continue
		}
		title := oneLine(text)
		if !c.commented(span) {
			return title
		}
		if fallback == "" {
			fallback = title
		}
	}
	return fallback
}

// oneLine returns the beginning of text on one line.
func oneLine(text []byte) string {
	text = text[:min(len(text), 4*maxTitle)]
	return clip(strings.Join(strings.Fields(strings.ToValidUTF8(string(text), "")), " "), maxTitle)
}

// commented reports whether the middle of a line is in a comment.
func (c *cutter) commented(span Span) bool {
	all := c.file.Comments
	middle := (span.Start + span.End) / 2
	i := sort.Search(len(all), func(i int) bool { return all[i].End > middle })
	return i < len(all) && all[i].Start <= middle
}

// number appends the numbers of the parts of a definition: "func Do (2/3)".
func (c *cutter) number() {
	total := make([]int, len(c.groups))
	for _, g := range c.partOf {
		if g >= 0 {
			total[g]++
		}
	}
	seen := make([]int, len(c.groups))
	for i, g := range c.partOf {
		if g >= 0 && total[g] > 1 {
			seen[g]++
			suffix := fmt.Sprintf(" (%d/%d)", seen[g], total[g])
			c.file.Chunks[i].Title = clip(c.file.Chunks[i].Title, maxTitle-len(suffix)) + suffix
		}
	}
}

// clip shortens text to at most n bytes at a rune boundary.
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
