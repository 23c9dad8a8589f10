package source

import "strings"

// An op is one step of a compiled wildcard pattern.
type op struct {
	kind opKind
	c    byte       // opByte
	set  *[4]uint64 // opSet: one bit per byte value
}

type opKind uint8

const (
	opByte  opKind = iota
	opAny          // one byte, not a slash
	opSet          // one byte of a class, not a slash
	opStar         // any bytes, no slash
	opCross        // any bytes, slashes too
	opDirs         // nothing, or anything up to and with a slash
	opNever        // a malformed class: the pattern matches nothing
)

// compileWild compiles a pattern as Git's wildmatch.c interprets it. With pathname, "*" stops at
// slashes and "**" crosses them if it fills a whole path segment; without it, no text contains
// slashes. With fold, the text to match is in lower case. Git's quirks are kept: a class or an
// escaped letter in upper case never matches when folding, and the start of the text counts as the
// start of a segment.
func compileWild(p string, pathname, fold bool) []op {
	ops := make([]op, 0, len(p))
	for i := 0; i < len(p); i++ {
		switch c := p[i]; c {
		case '*':
			end := i
			for end < len(p) && p[end] == '*' {
				end++
			}
			kind := opStar
			if pathname && end-i >= 2 && (i == 0 || p[i-1] == '/') {
				switch {
				case end == len(p), strings.HasPrefix(p[end:], `\/`):
					kind = opCross
				case p[end] == '/':
					kind = opDirs
					end++
				}
			}
			ops = append(ops, op{kind: kind})
			i = end - 1
		case '?':
			ops = append(ops, op{kind: opAny})
		case '[':
			set, end := compileClass(p, i, fold)
			if set == nil {
				return []op{{kind: opNever}}
			}
			ops = append(ops, op{kind: opSet, set: set})
			i = end
		case '\\':
			i++
			if i == len(p) {
				return []op{{kind: opNever}}
			}
			ops = append(ops, op{kind: opByte, c: p[i]})
		default:
			if fold {
				c = lower(c)
			}
			ops = append(ops, op{kind: opByte, c: c})
		}
	}
	return ops
}

// matchWild reports whether the pattern matches all of s. It takes at most len(s) × len(ops) steps
// for each folder in s: only the latest "*" and the latest "**" are retried, because an earlier one
// could only reach positions that the later one has tried, and the end of the text is final.
func matchWild(ops []op, s string) bool {
	i, k := 0, 0
	star, starAt := -1, 0
	wide, wideAt, wideDirs := -1, 0, false
	for {
		if k < len(ops) {
			switch kind := ops[k].kind; kind {
			case opStar:
				k++
				star, starAt = k, i
				continue
			case opCross, opDirs:
				k++
				if kind == opCross && k == len(ops) {
					return true
				}
				star, wide, wideAt, wideDirs = -1, k, i, kind == opDirs
				continue
			case opNever:
				return false
			}
			if i == len(s) {
				return false
			}
			if ops[k].matches(s[i]) {
				i++
				k++
				continue
			}
		} else if i == len(s) {
			return true
		}
		switch {
		case star >= 0 && s[starAt] != '/':
			starAt++
			i, k = starAt, star
		case wide >= 0 && wideDirs:
			next := strings.IndexByte(s[wideAt:], '/')
			if next < 0 {
				return false
			}
			wideAt += next + 1
			i, k, star = wideAt, wide, -1
		case wide >= 0:
			wideAt++
			i, k, star = wideAt, wide, -1
		default:
			return false
		}
	}
}

func (o *op) matches(c byte) bool {
	switch o.kind {
	case opByte:
		return c == o.c
	case opAny:
		return c != '/'
	default:
		return c != '/' && o.set[c>>6]&(1<<(c&63)) != 0
	}
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
