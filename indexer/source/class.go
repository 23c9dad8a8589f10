package source

import "strings"

// compileClass reads the bracket expression that starts at p[at] and returns
// the set of bytes it matches and the index of its closing bracket. The set
// is nil when the expression is malformed: not closed, or naming a class that
// does not exist.
func compileClass(p string, at int, fold bool) (set *[4]uint64, end int) {
	set = new([4]uint64)
	for c := 0; c < 256; c++ {
		t := byte(c)
		if fold {
			t = lower(t)
		}
		in, e := classHas(p, at, t, fold)
		if e < 0 {
			return nil, 0
		}
		end = e
		if in {
			set[c>>6] |= 1 << (c & 63)
		}
	}
	return set, end
}

// classHas is wildmatch.c's loop over a bracket expression for one byte of
// text. The end is -1 for a malformed one.
func classHas(p string, at int, t byte, fold bool) (in bool, end int) {
	peek := func(i int) byte {
		if i < len(p) {
			return p[i]
		}
		return 0
	}
	i := at + 1
	negated := peek(i) == '!' || peek(i) == '^'
	if negated {
		i++
	}
	first := i // a bracket here stands for itself
	matched := false
	for prev := byte(0); ; i++ {
		c := peek(i)
		if c == ']' && i > first {
			return matched != negated, i
		}
		switch {
		case i >= len(p) || c == 0:
			return false, -1
		case c == '\\':
			i++
			if c = peek(i); c == 0 {
				return false, -1
			}
			matched = matched || t == c
		case c == '-' && prev != 0 && peek(i+1) != 0 && peek(i+1) != ']':
			i++
			if c = peek(i); c == '\\' {
				i++
				if c = peek(i); c == 0 {
					return false, -1
				}
			}
			matched = matched || inRange(t, prev, c, fold)
			c = 0 // a range's end does not start another one
		case c == '[' && peek(i+1) == ':':
			close := strings.IndexByte(p[i+2:], ']')
			if close < 0 {
				return false, -1
			}
			name, ok := strings.CutSuffix(p[i+2:i+2+close], ":")
			if !ok {
				matched = matched || t == '[' // no ":]": an ordinary set
				break
			}
			in, known := posixClass(name, t, fold)
			if !known {
				return false, -1
			}
			matched = matched || in
			i += 2 + close
			c = 0
		default:
			matched = matched || t == c
		}
		prev = c
	}
}

func inRange(t, lo, hi byte, fold bool) bool {
	if lo <= t && t <= hi {
		return true
	}
	if fold && 'a' <= t && t <= 'z' {
		t -= 'a' - 'A'
		return lo <= t && t <= hi
	}
	return false
}

// posixClass answers for the names that Git knows, with Git's own idea of
// them: ASCII only, and white space without vertical tab and form feed.
func posixClass(name string, t byte, fold bool) (in, known bool) {
	isUpper := 'A' <= t && t <= 'Z'
	isLower := 'a' <= t && t <= 'z'
	isDigit := '0' <= t && t <= '9'
	isSpace := t == ' ' || t == '\t' || t == '\n' || t == '\r'
	isPrint := 0x20 <= t && t <= 0x7e
	alnum := isUpper || isLower || isDigit
	switch name {
	case "alnum":
		return alnum, true
	case "alpha":
		return isUpper || isLower, true
	case "blank":
		return t == ' ' || t == '\t', true
	case "cntrl":
		return t < 0x20 || t == 0x7f, true
	case "digit":
		return isDigit, true
	case "graph":
		return isPrint && !isSpace, true
	case "lower":
		return isLower, true
	case "print":
		return isPrint, true
	case "punct":
		return isPrint && t != ' ' && !alnum, true
	case "space":
		return isSpace, true
	case "upper":
		return isUpper || fold && isLower, true
	case "xdigit":
		return isDigit || 'a' <= t && t <= 'f' || 'A' <= t && t <= 'F', true
	}
	return false, false
}
