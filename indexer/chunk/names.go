package chunk

import (
	"bytes"
	"fmt"
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

// namer names the chunks of a file by its symbols and groups: their kinds, titles, headers, and
// what is around them.
type namer struct {
	src    []byte
	lines  *lines
	file   *File
	x      *extractor // nil for text without syntax
	groups []group
	heads  []heading // of prose
	partOf []int32   // by chunk: the group that it is a part of, or -1
}

// name sets a chunk's kind, symbols, enclosing names, title and header.
func (n *namer) name(ch *Chunk, d draft) {
	symbols := n.file.Symbols
	first, last := n.symbolsIn(ch)
	g := n.groups[d.group]
	own := int(g.symbol)
	head := own >= first && own < last
	next, describes := n.described(ch, last)
	// Members of a class are not parts of it; its fields and its head are.
	if own >= 0 && (head || g.function || first == last && !describes) {
		n.partOf = append(n.partOf, d.group)
		if !head {
			ch.Symbols = append(ch.Symbols, symbols[own].Name)
			ch.Header = n.header(g)
		}
		ch.Symbols = appendNames(ch.Symbols, symbols[first:last])
		ch.Kind, ch.Title = chunkKind(symbols[own].Kind), n.title(own)
		n.enclose(ch, g.parent, []int{own})
		return
	}
	n.partOf = append(n.partOf, -1)
	ch.Symbols = appendNames(ch.Symbols, symbols[first:last])
	outer := n.outermost(first, last)
	if describes && first == last {
		ch.Symbols, outer = append(ch.Symbols, symbols[next].Name), []int{next}
	}
	n.enclose(ch, d.group, outer)
	ch.Kind, ch.Title = n.kindAndTitle(ch, outer)
}

// symbolsIn returns the range of the symbols that begin in a chunk.
func (n *namer) symbolsIn(ch *Chunk) (first, last int) {
	symbols := n.file.Symbols
	first = sort.Search(len(symbols), func(i int) bool { return symbols[i].Start >= ch.Start })
	last = first
	for last < len(symbols) && symbols[last].Start < ch.End {
		last++
	}
	return first, last
}

// kindAndTitle returns the kind and title of a chunk that is not part of a definition, by its
// outermost definitions.
func (n *namer) kindAndTitle(ch *Chunk, outer []int) (Kind, string) {
	switch {
	case len(outer) == 1:
		return chunkKind(n.file.Symbols[outer[0]].Kind), n.title(outer[0])
	case len(outer) > 1 && n.heads != nil:
		return KindSection, n.joined(outer)
	case len(outer) > 1:
		return KindBlock, n.joined(outer)
	case n.x == nil:
		return KindParagraph, n.firstLine(ch)
	}
	return KindBlock, n.firstLine(ch)
}

// described returns the definition right below a chunk that is only a comment, when the two are too
// large for one chunk; next is the first symbol after the chunk.
func (n *namer) described(ch *Chunk, next int) (int, bool) {
	if n.x == nil || next >= len(n.file.Symbols) || !n.commented(n.lines.span(ch.EndLine, ch.EndLine)) {
		return 0, false
	}
	line, until := ch.EndLine+1, n.file.Symbols[next].Line
	for line < until && n.commented(n.lines.span(line, line)) {
		line++
	}
	if until-line > maxAttributes {
		return 0, false
	}
	for ; line < until; line++ {
		if n.lines.blank[line] {
			return 0, false
		}
	}
	return next, true
}

// outermost returns the symbols of [first, last) that are not inside another.
func (n *namer) outermost(first, last int) []int {
	var out []int
	end := -1
	for s := first; s < last; s++ {
		if n.file.Symbols[s].Start >= end {
			out = append(out, s)
			end = n.file.Symbols[s].End
		}
	}
	return out
}

// enclose sets the enclosing names of a chunk: group g and those around it, and the class or
// receiver that all its definitions share.
func (n *namer) enclose(ch *Chunk, g int32, outer []int) {
	for ; g > 0; g = n.groups[g].parent {
		ch.Enclosing = append(ch.Enclosing, n.groups[g].name)
	}
	slices.Reverse(ch.Enclosing)
	shared := ""
	for i, s := range outer {
		container := n.file.Symbols[s].Container
		if i > 0 && container != shared {
			return
		}
		shared = container
	}
	if shared != "" && !slices.Contains(ch.Enclosing, shared) {
		ch.Enclosing = append(ch.Enclosing, shared)
	}
}

// header returns the signature of a group's definition, from the beginning of its line: "type
// Client struct {", "export class Foo {".
func (n *namer) header(g group) string {
	start := int(n.lines.start[n.lines.of(int(g.nodeAt))])
	if int(g.nodeAt)-start > maxHeader/2 {
		start = int(g.nodeAt)
	}
	text := trimBlank(n.src[start:max(int(g.bodyAt), start)])
	return clip(strings.ToValidUTF8(string(text), ""), maxHeader)
}

// title returns the definition's first words up to its name: "func (c *Client) Do".
func (n *namer) title(s int) string {
	symbol := n.file.Symbols[s]
	if n.heads != nil {
		return clip(strings.TrimSpace(n.heads[s].marker+" "+symbol.Name), maxTitle)
	}
	prefix, name := symbol.Kind, symbol.Name
	if n.x != nil {
		text := n.src[symbol.Start:max(int(n.x.nameEnds[s]), symbol.Start)]
		text = text[bytes.LastIndexByte(text, '\n')+1:]
		title := strings.Join(strings.Fields(strings.ToValidUTF8(string(text), "")), " ")
		if title != name && len(title) <= maxTitle && strings.HasSuffix(strings.TrimRight(title, "\"'"), name) {
			return title
		}
		if at := n.x.nodes[n.x.defNodes[s]]; at.symbol != errorSymbol {
			if d := n.x.def[at.symbol]; d != nil && d.title != "" {
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
func (n *namer) joined(outer []int) string {
	title := clip(n.title(outer[0]), maxTitle-5)
	for _, s := range outer[1:] {
		next := n.title(s)
		if len(title)+2+len(next) > maxTitle-5 {
			return title + ", …"
		}
		title += ", " + next
	}
	return title
}

// firstLine returns the chunk's first line that contains a letter and is not a comment, else the
// first that contains a letter.
func (n *namer) firstLine(ch *Chunk) string {
	fallback := ""
	for line := ch.StartLine; line <= ch.EndLine; line++ {
		span := n.lines.span(line, line)
		span.Start, span.End = max(span.Start, ch.Start), min(span.End, ch.End)
		text := trimBlank(n.src[span.Start:span.End])
		if letters(text[:min(len(text), 4*maxTitle)]) == 0 {
			continue
		}
		title := oneLine(text)
		if !n.commented(span) {
			return title
		}
		if fallback == "" {
			fallback = title
		}
	}
	return fallback
}

// commented reports whether the middle of a line is in a comment.
func (n *namer) commented(span Span) bool {
	all := n.file.Comments
	middle := (span.Start + span.End) / 2
	i := sort.Search(len(all), func(i int) bool { return all[i].End > middle })
	return i < len(all) && all[i].Start <= middle
}

// number appends the numbers of the parts of a definition: "func Do (2/3)".
func (n *namer) number() {
	total := make([]int, len(n.groups))
	for _, g := range n.partOf {
		if g >= 0 {
			total[g]++
		}
	}
	seen := make([]int, len(n.groups))
	for i, g := range n.partOf {
		if g >= 0 && total[g] > 1 {
			seen[g]++
			suffix := fmt.Sprintf(" (%d/%d)", seen[g], total[g])
			n.file.Chunks[i].Title = clip(n.file.Chunks[i].Title, maxTitle-len(suffix)) + suffix
		}
	}
}

func appendNames(names []string, symbols []Symbol) []string {
	for _, s := range symbols {
		names = append(names, s.Name)
	}
	return names
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

// oneLine returns the beginning of text on one line.
func oneLine(text []byte) string {
	text = text[:min(len(text), 4*maxTitle)]
	return clip(strings.Join(strings.Fields(strings.ToValidUTF8(string(text), "")), " "), maxTitle)
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
