package tokens

// A splitter returns the end of the piece that starts at s[i], i < len(s). seen is how far it read
// to find that end, so that tests can bound the work: each byte is read for at most two pieces.
//
// A splitter gives the result of a backtracking regexp engine with the encoding's pattern,
// alternative by alternative in the pattern's order. The patterns always match at i, never look
// behind i, and look past the end of a piece only in \s+(?!\S).
type splitter func(s string, i int) (end, seen int)

// nextCL100k splits by
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)
//	[^\r\n\p{L}\p{N}]?\p{L}+
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
func nextCL100k(s string, i int) (int, int) {
	if s[i] == '\'' {
		if j := contraction(s, i); j > i {
			return j, j
		}
	}
	k, n := classAt(s, i)
	if k&letter != 0 {
		j := letters(s, i+n)
		return j, j
	}
	if k&number != 0 {
		j := numbers(s, i+n)
		return j, j
	}
	k1, n1 := classAt(s, i+n)
	if k&newline == 0 && k1&letter != 0 {
		j := letters(s, i+n+n1)
		return j, j
	}
	if j := symbols(s, i, k, n, k1); j > i {
		for j < len(s) && (s[j] == '\r' || s[j] == '\n') {
			j++
		}
		return j, j
	}
	return spaces(s, i)
}

// nextO200k splits by, with U = [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}],
// L = [\p{Ll}\p{Lm}\p{Lo}\p{M}] and C = (?i:'s|'t|'re|'ve|'m|'ll|'d),
//
//	[^\r\n\p{L}\p{N}]? U* L+ C?
//	[^\r\n\p{L}\p{N}]? U+ L* C?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
func nextO200k(s string, i int) (int, int) {
	k, n := classAt(s, i)
	if k&letter != 0 {
		j, seen := word(s, i)
		if j == i { // upper case only: the second alternative
			j = seen
		}
		j = contraction(s, j)
		return j, max(j, seen)
	}
	if k&number != 0 {
		j := numbers(s, i+n)
		return j, j
	}
	k1, _ := classAt(s, i+n)
	if k&newline == 0 && (k|k1)&(upper|lower) != 0 {
		if j, seen := prefixedWord(s, i, n, k); j > i {
			j = contraction(s, j)
			return j, max(j, seen)
		}
	}
	if j := symbols(s, i, k, n, k1); j > i {
		for j < len(s) && (s[j] == '\r' || s[j] == '\n' || s[j] == '/') {
			j++
		}
		return j, j
	}
	return spaces(s, i)
}

// prefixedWord matches the two word alternatives of o200k without C at s[i:], whose first rune is
// no letter, number or line break, has class k and n bytes. It returns i if neither matches. That
// first rune is the optional prefix if the first alternative matches behind it; otherwise, if it is
// a mark, it is part of the word; otherwise it is the prefix of the second alternative.
func prefixedWord(s string, i, n int, k class) (j, seen int) {
	j, seen = word(s, i+n)
	switch {
	case j > i+n:
		return j, seen
	case k&(upper|lower) != 0:
		return i + n, seen
	case seen > i+n:
		return seen, seen
	}
	return i, seen
}

// word matches U* L+ at s[i:] and returns its end, or i if it does not match; seen is then the end
// of U*, which is the match of U+ L* unless it is i.
//
// U* takes as many runes as possible. If the next rune is not in L, L+ takes the last rune that is
// in both U and L from U*, and ends behind it, because only runes that are not in L follow that
// one.
func word(s string, i int) (j, seen int) {
	both := i // end of the last rune in both U and L
	for j = i; ; {
		k, n := classAt(s, j)
		if k&upper == 0 {
			if k&lower == 0 {
				return both, j
			}
			break
		}
		j += n
		if k&lower != 0 {
			both = j
		}
	}
	for {
		for j < len(s) && s[j]-'a' < 26 {
			j++
		}
		k, n := classAt(s, j)
		if k&lower == 0 {
			return j, j
		}
		j += n
	}
}

// letters returns the end of \p{L}* at s[j:].
func letters(s string, j int) int {
	for {
		k, n := classAt(s, j)
		if k&letter == 0 {
			return j
		}
		j += n
	}
}

// numbers returns the end of \p{N}{0,2} at s[j:].
func numbers(s string, j int) int {
	for range 2 {
		k, n := classAt(s, j)
		if k&number == 0 {
			break
		}
		j += n
	}
	return j
}

// symbols matches " ?[^\s\p{L}\p{N}]+" at s[i:], whose first rune has class k and n bytes and is
// followed by one of class k1. It returns i if it does not match.
func symbols(s string, i int, k class, n int, k1 class) int {
	if s[i] == ' ' {
		k = k1
	}
	if k&(space|letter|number|end) != 0 {
		return i
	}
	j := i + n
	for {
		k, n := classAt(s, j)
		if k&(space|letter|number|end) != 0 {
			return j
		}
		j += n
	}
}

// spaces matches \s*[\r
// ]+, else \s+(?!\S), else \s+ at s[i:], which starts with a space. It takes all up to the last
// line break; without one, all at the end of the text; otherwise all but the last rune, which may
// become the next piece's prefix; otherwise that one.
func spaces(s string, i int) (j, seen int) {
	last, lineEnd := i, i
	for j = i; ; {
		k, n := classAt(s, j)
		if k&space == 0 {
			break
		}
		last = j
		j += n
		if k&newline != 0 {
			lineEnd = j
		}
	}
	switch {
	case lineEnd > i:
		return lineEnd, j
	case j < len(s) && last > i:
		return last, j
	}
	return j, j
}

// contraction returns the end of (?i:'s|'t|'re|'ve|'m|'ll|'d)? at s[i:]. Only ASCII letters fold to
// those letters: no other rune has one of them as its lower case, and the engine compares lower
// cases.
func contraction(s string, i int) int {
	if i+1 >= len(s) || s[i] != '\'' {
		return i
	}
	switch s[i+1] | 0x20 {
	case 's', 't', 'm', 'd':
		return i + 2
	case 'r', 'v':
		if i+2 < len(s) && s[i+2]|0x20 == 'e' {
			return i + 3
		}
	case 'l':
		if i+2 < len(s) && s[i+2]|0x20 == 'l' {
			return i + 3
		}
	}
	return i
}
