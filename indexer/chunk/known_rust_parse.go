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
// are any. An error around others may reach over the whole file: it counts when those are in no
// macro.
func setApart(apart map[int]bool, nodes []node, calls []Span) bool {
	before := len(apart)
	last := len(nodes) // the first error after node i, if any
	var outer []Span
	for i := len(nodes) - 1; i >= 0; i-- {
		n := &nodes[i]
		if n.symbol != errorSymbol {
			continue
		}
		if at := (Span{int(n.start), int(n.end)}); last < int(n.next) {
			outer = append(outer, at)
		} else {
			setApartAt(apart, at, calls)
		}
		last = i
	}
	for _, at := range outer {
		if len(apart) == before {
			setApartAt(apart, at, calls)
		}
	}
	return len(apart) > before
}

// setApartAt adds the innermost macro around an error, or else those that it reaches into.
func setApartAt(apart map[int]bool, at Span, calls []Span) {
	inner, covered := -1, []int{}
	for k, c := range calls {
		switch {
		case c.Start <= at.Start && at.End <= c.End:
			inner = k
		case c.Start < at.End && at.Start < c.End:
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
