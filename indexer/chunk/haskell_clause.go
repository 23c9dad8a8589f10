package chunk

import "slices"

// clauses lays out a function: its signature and all of its clauses, consecutively, with the
// comments between them.
func (b *hsBuilder) clauses(from, end, limit, column int) int {
	names, rest := b.defined(from, end)
	if len(names) == 0 {
		b.plain(hsOther, from, end)
		return end
	}
	type part struct{ from, end, rest int }
	parts := []part{{from, end, rest}}
	first := b.text(names[0])
	for at := end; at < limit; {
		if k := b.tokens[at].kind; k == hsNote || k == hsDirective {
			at++
			continue
		}
		after := b.itemEnd(at, limit, column)
		more, rest := b.defined(at, after)
		if len(more) != 1 || b.text(more[0]) != first || rest < after && b.is(rest, "::") {
			break
		}
		names = names[:1]
		parts = append(parts, part{at, after, rest})
		end, at = after, after
	}
	b.open(hsFunction, b.tokens[from].start)
	for i, p := range parts {
		if i == 0 {
			b.clause(p.from, p.end, p.rest, names)
			continue
		}
		for t := parts[i-1].end; t < p.from; t++ {
			b.trivia(t)
		}
		b.clause(p.from, p.end, p.rest, nil)
	}
	b.close(b.end(end - 1))
	return end
}

// function lays out a function of one part whose name is a token, and its head ends at rest.
func (b *hsBuilder) function(from, end, name, rest int) {
	b.open(hsFunction, b.tokens[from].start)
	b.clause(from, end, rest, []int{name})
	b.close(b.end(end - 1))
}

// clause lays out one signature or clause; the names are children of the function.
func (b *hsBuilder) clause(from, end, rest int, names []int) {
	if len(names) == 0 {
		b.open(hsClause, b.tokens[from].start)
		defer b.close(b.end(end - 1))
	}
	for t := from; t < rest; t++ {
		token := b.tokens[t]
		switch {
		case slices.Contains(names, t):
			b.leaf(hsName, 1, token.start, token.end)
		case !b.trivia(t) && token.kind == hsUpper:
			b.leaf(hsTypeName, 0, token.last, token.end)
		}
	}
	b.references(rest, end, !(rest < end && b.is(rest, "::")))
}

// defined returns the tokens of the names that a declaration defines, several for "a, b :: T", and
// the one at which its head ends: ::, = or |. There are none if it is not a definition.
func (b *hsBuilder) defined(from, end int) (names []int, rest int) {
	operator, rest := b.declarationHead(from, end)
	if rest == end {
		return nil, rest
	}
	switch {
	case b.is(rest, "::"):
		return b.signed(from, rest), rest
	case operator > from:
		return []int{operator}, rest
	case b.isVariable(from):
		return []int{from}, rest
	case from+2 < rest && b.is(from, "(") && b.is(from+2, ")") && b.tokens[from+1].kind == hsOperator:
		return []int{from + 1}, rest
	}
	return nil, rest
}

// declarationHead returns the token at which a declaration's head ends, end when it has no ::, = or
// |, and the head's infix operator or name in backquotes, 0 without one.
func (b *hsBuilder) declarationHead(from, end int) (operator, rest int) {
	depth := 0
	for rest = from; rest < end; rest++ {
		if b.tokens[rest].kind == hsOperator && depth == 0 {
			if b.is(rest, "::", "=", "|") {
				break
			}
			switch {
			case b.is(rest, ",", "@", "~", "!", "\\", ";", "'"):
			case b.is(rest, "`"):
				if rest+2 < end && b.is(rest+2, "`") && operator == 0 {
					operator = rest + 1
					rest += 2
				}
			case operator == 0:
				operator = rest
			}
		}
		depth += b.nesting(rest)
	}
	return operator, rest
}

// signed returns the tokens of [from, to) to which a signature assigns a type: names and operators.
func (b *hsBuilder) signed(from, to int) (names []int) {
	for t := from; t < to; t++ {
		if b.isVariable(t) || b.tokens[t].kind == hsOperator && !b.is(t, ",") {
			names = append(names, t)
		}
	}
	return names
}

// isVariable reports whether token t is a name in lower case and not a keyword.
func (b *hsBuilder) isVariable(t int) bool {
	return b.tokens[t].kind == hsLower && !hsKeywords[b.text(t)]
}
