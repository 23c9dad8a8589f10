package chunk

import "sort"

// maxLines is the target limit of lines in a chunk, and soloLines the number from which a
// definition is a chunk of its own: the best retrieval was measured with chunks of 25 to 60 lines
// at symbol borders (bench/README.md).
const (
	maxLines  = 60
	soloLines = 25
	tinyLines = 5
	maxLead   = 30 // lines of comment that still belong to a definition
	maxDepth  = 64 // of nodes that are searched for a place to cut
)

// cutter turns a tree, or plain lines, into chunks, in two steps. First the text is laid out as
// pieces, the smallest runs of lines that are not cut unless they are too large themselves; then
// neighbours are joined (see pack.go). Nodes that are too large are replaced by their children's
// pieces, so that the number of pieces is in the order of the number of chunks times the lines of
// one.
type cutter struct {
	namer
	options Options
	pieces  []piece
	drafts  []draft
}

// piece is a run of lines.
type piece struct {
	from, to int32 // lines, inclusive
	at       int32 // its own first line, before the comments that it claimed
	group    int32
	depth    int16 // nesting depth in its group: cuts are better where it is small
	lead     bool  // a comment or attribute: belongs to what follows
	solo     bool  // a definition large enough to be a chunk
}

// group is a definition that is cut into several chunks, or another node with a name that contains
// definitions; groups[0] is the file.
type group struct {
	name     string
	symbol   int32 // index into file.Symbols; -1 for the file and for scopes that are no symbol
	parent   int32
	bodyAt   uint32 // byte where its signature ends
	nodeAt   uint32 // byte where it begins, without its comments
	function bool
}

func (c *cutter) reset(options Options, src []byte, l *lines, file *File) {
	c.options, c.src, c.lines, c.file, c.x = options, src, l, file, nil
	c.pieces, c.drafts, c.partOf, c.heads = c.pieces[:0], c.drafts[:0], c.partOf[:0], nil
	c.groups = append(c.groups[:0], group{symbol: -1})
}

// oversize reports whether the lines from … to, inclusive, are too many for one chunk.
func (c *cutter) oversize(from, to int) bool {
	return to-from >= maxLines || c.lines.size(from, to) > c.options.TargetTokens*11/10
}

// syntax lays out the tree of the file as pieces.
func (c *cutter) syntax(l *language, nodes []node, x *extractor) {
	c.x = x
	last := c.lines.count() - 1
	from, to, ok := c.lines.trim(0, last)
	if !ok {
		return
	}
	if !c.oversize(from, to) {
		c.push(piece{from: int32(from), to: int32(to)})
		return
	}
	c.children(0, 0, 0)
	c.fill(from, to)
}

// children lays out the children of node i.
func (c *cutter) children(i uint32, g int32, depth int16) {
	nodes := c.x.nodes
	for k := i + 1; k < nodes[i].next; k = nodes[k].next {
		c.node(k, g, depth)
	}
}

// node lays out node k: as one piece, as a group if it is a definition that is too large, or as its
// children's pieces if it is another node that is too large.
func (c *cutter) node(k uint32, g int32, depth int16) {
	n := &c.x.nodes[k]
	from, to := c.extent(n)
	if to < from {
		return
	}
	if !c.oversize(from, to) || n.next == k+1 || from == to || depth > maxDepth {
		lead := n.symbol != errorSymbol && c.x.role[n.symbol]&roleLead != 0
		c.push(piece{from: int32(from), to: int32(to), group: g, depth: depth, lead: lead, solo: c.solo(k, from, to)})
		return
	}
	if s, ok := c.symbol(k); ok && n.symbol != errorSymbol {
		sym := c.file.Symbols[s]
		c.groups = append(c.groups, group{
			name: sym.Name, symbol: int32(s), parent: g, nodeAt: n.start, bodyAt: c.signature(k, s), function: isFunction(sym.Kind) || !c.x.def[n.symbol].scope,
		})
		g, depth = int32(len(c.groups)-1), 0
	} else if name := c.x.scopeName(k); name != "" {
		c.groups = append(c.groups, group{name: name, symbol: -1, parent: g})
		g, depth = int32(len(c.groups)-1), 0
	}
	c.begin(from, g, depth)
	c.children(k, g, depth+1)
}

// begin starts a node at its first line, so that comments before it join it.
func (c *cutter) begin(from int, g int32, depth int16) {
	c.push(piece{from: int32(from), to: int32(from), group: g, depth: depth})
}

// extent returns the lines of a node, without trailing blank ones.
func (c *cutter) extent(n *node) (from, to int) {
	start, end := n.start, n.end
	for end > start && isBlank(c.src[end-1]) {
		end--
	}
	for start < end && isBlank(c.src[start]) {
		start++
	}
	if end == start {
		return 0, -1
	}
	from = c.lines.of(int(start))
	if c.lines.start[from+1] >= end {
		return from, from
	}
	return from, c.lines.of(int(end - 1))
}

// symbol returns the symbol that node k itself defines.
func (c *cutter) symbol(k uint32) (int, bool) {
	d := c.x.defNodes
	s := sort.Search(len(d), func(i int) bool { return d[i] >= k })
	return s, s < len(d) && d[s] == k
}

// solo reports whether a node contains a definition that fills a chunk.
func (c *cutter) solo(k uint32, from, to int) bool {
	if to-from+1 < soloLines && c.lines.size(from, to) < c.options.TargetTokens/2 {
		return false
	}
	s, _ := c.symbol(k)
	return s < len(c.x.defNodes) && c.x.defNodes[s] < c.x.nodes[k].next
}

// signature returns the byte where the body of the definition at node k begins.
func (c *cutter) signature(k uint32, s int) uint32 {
	if b, ok := c.x.field(k, "body"); ok {
		return c.x.nodes[b].start
	}
	line := c.lines.of(int(c.x.nameEnds[s]))
	return c.lines.start[line+1]
}

// push appends a piece. Pieces are disjoint and in order: lines already used are left out, and what
// begins on the last piece's last line joins it.
func (c *cutter) push(p piece) {
	k := len(c.pieces)
	if k > 0 {
		last := &c.pieces[k-1]
		if p.to <= last.to {
			c.adopt(last, p)
			return
		}
		if p.from <= last.to {
			c.adopt(last, p)
			last.to = p.to
			last.solo = last.solo || p.solo
			return
		}
	}
	p.at = p.from
	if !p.lead {
		p.from = c.claim(p)
	}
	c.pieces = append(c.pieces, p)
}

// adopt moves the last piece into the group of a definition that begins on its line, such as
// "export" before "class".
func (c *cutter) adopt(last *piece, p piece) {
	if p.group > last.group && last.at == p.from {
		last.group, last.depth = p.group, p.depth
	}
	last.lead = last.lead && p.lead
}

// claim removes the comments and attributes right above p from the list and returns the line where
// p then begins. One blank line may be in between, except at the top of the file, where the licence
// is.
func (c *cutter) claim(p piece) int32 {
	from := p.from
	for k := len(c.pieces) - 1; k >= 0; k-- {
		last := c.pieces[k]
		gap := int32(1)
		if k > 0 && from == p.from {
			gap = 2
		}
		if !last.lead || from-last.to > gap || p.from-last.from > maxLead || c.oversize(int(last.from), int(p.to)) {
			break
		}
		from = last.from
		c.pieces = c.pieces[:k]
	}
	return from
}

// fill adds the lines between the pieces to the previous piece, and cuts pieces that are too large
// at their blank lines or anywhere.
func (c *cutter) fill(from, to int) {
	if len(c.pieces) == 0 {
		c.pieces = append(c.pieces, piece{})
	}
	c.pieces[0].from = int32(from)
	for k := range c.pieces {
		end := int32(to)
		if k+1 < len(c.pieces) {
			end = c.pieces[k+1].from - 1
		}
		c.pieces[k].to = max(end, c.pieces[k].from)
	}
	for k := range c.pieces {
		p := &c.pieces[k]
		if c.oversize(int(p.from), int(p.to)) && p.to > p.from {
			c.windows()
			return
		}
	}
}

// windows replaces pieces that are too large by pieces of one line.
func (c *cutter) windows() {
	var out []piece
	for _, p := range c.pieces {
		f, t, ok := c.lines.trim(int(p.from), int(p.to))
		if !ok || !c.oversize(f, t) {
			out = append(out, p)
			continue
		}
		for line := p.from; line <= p.to; line++ {
			depth := p.depth + 2
			if line == p.from {
				depth = p.depth
			} else if c.lines.blank[line-1] {
				depth = p.depth + 1
			}
			out = append(out, piece{from: line, to: line, group: p.group, depth: depth})
		}
	}
	c.pieces = out
}

// paragraphs lays out lines from to to as one piece for each run of lines
// without a blank one between them and without the beginning of a symbol.
func (c *cutter) paragraphs(from, to int, g int32) {
	symbols := c.file.Symbols
	next := sort.Search(len(symbols), func(i int) bool { return symbols[i].Line >= from })
	for line := from; line <= to; line++ {
		if c.lines.blank[line] {
			continue
		}
		end := line
		for end < to && !c.lines.blank[end+1] {
			for next < len(symbols) && symbols[next].Line <= end {
				next++
			}
			if next < len(symbols) && symbols[next].Line == end+1 {
				break
			}
			end++
		}
		c.pieces = append(c.pieces, piece{from: int32(line), to: int32(end), group: g})
		line = end
	}
}
