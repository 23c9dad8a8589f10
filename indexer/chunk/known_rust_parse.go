package chunk

// outlined returns the tree of a file, without its blank parts. That of Rust has the arguments of
// macros as code, as far as they are code.
func (p *Parser) outlined(l *language, src []byte, blank []Span) ([]node, error) {
	text, ranges := known(l.name, src), p.lines.around(blank)
	if l.name != "rust" {
		return p.syntax.parseWithin(l.grammar, l.keep, text, ranges, p.limit)
	}
	const tries = 3 // with more and more macros that are no code
	apart := map[int]bool{}
	for n := 1; ; n++ {
		code, calls := rustCode(text, apart)
		nodes, err := p.syntax.parseWithin(l.grammar, l.keep, code, ranges, p.limit)
		if err != nil || n == tries || !setApart(apart, nodes, calls) {
			return nodes, err
		}
	}
}

// setApart adds the macros with errors in them, or else those in errors, and reports whether there
// are any.
func setApart(apart map[int]bool, nodes []node, calls []Span) bool {
	before := len(apart)
	for i := range nodes {
		n := &nodes[i]
		if n.symbol != errorSymbol {
			continue
		}
		inner, covered := -1, []int{}
		for k, c := range calls {
			switch {
			case c.Start <= int(n.start) && int(n.end) <= c.End:
				inner = k
			case c.Start < int(n.end) && int(n.start) < c.End:
				covered = append(covered, k)
			}
		}
		if inner >= 0 {
			covered = []int{inner}
		}
		for _, k := range covered {
			apart[calls[k].Start] = true
		}
	}
	return len(apart) > before
}
