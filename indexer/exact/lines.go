package exact

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// Finder finds the matching lines of texts, one after another. Not safe for concurrent use.
type Finder struct {
	p     *Pattern
	lower []byte
	next  []int // of each anchor, where it occurs next
}

// NewFinder returns a finder.
func (p *Pattern) NewFinder() *Finder { return &Finder{p: p, next: make([]int, len(p.anchors))} }

// Lines calls yield for every line of a text that has a match, in order, with the range of its
// bytes without the line break.
func (f *Finder) Lines(text []byte, yield func(start, end int)) {
	p := f.p
	hay, anchored := text, p.anchors != nil
	if p.fold && anchored {
		if anchored = !hasThirdCase(text); anchored {
			f.lower = appendLower(f.lower[:0], text)
			hay = f.lower
		}
	}
	for i := range f.next {
		f.next[i] = -1
	}
	for at := 0; at < len(text); {
		hit := at
		if anchored {
			if hit = f.seek(hay, at); hit < 0 {
				return
			}
		}
		start := at + bytes.LastIndexByte(text[at:hit], '\n') + 1
		stop := len(text)
		if n := bytes.IndexByte(text[hit:], '\n'); n >= 0 {
			stop = hit + n
		}
		end := stop
		if end > start && text[end-1] == '\r' {
			end--
		}
		if anchored && p.isLiteral || p.matches(text[start:end]) {
			yield(start, end)
		}
		at = stop + 1
	}
}

// seek returns where one of the anchors occurs next, -1 if none does.
func (f *Finder) seek(hay []byte, at int) (first int) {
	first = -1
	for i, anchor := range f.p.anchors {
		if f.next[i] < at {
			f.next[i] = len(hay)
			if n := bytes.Index(hay[at:], anchor); n >= 0 {
				f.next[i] = at + n
			}
		}
		if f.next[i] < len(hay) && (first < 0 || f.next[i] < first) {
			first = f.next[i]
		}
	}
	return first
}

// matches reports whether a line has a match.
func (p *Pattern) matches(line []byte) bool {
	if p.word {
		return len(p.spans(line, 1)) > 0
	}
	return p.re.Match(line)
}

// Spans returns the matches in a line, in bytes of it, in order.
func (p *Pattern) Spans(line []byte) [][2]int { return p.spans(line, -1) }

// spans returns the first n matches in a line, all if n is negative.
func (p *Pattern) spans(line []byte, n int) (out [][2]int) {
	if !p.word {
		for _, m := range p.re.FindAllIndex(line, n) {
			out = append(out, [2]int(m))
		}
		return out
	}
	for at := 0; at <= len(line) && len(out) != n; {
		m := p.re.FindSubmatchIndex(line[at:])
		if m == nil {
			break
		}
		from, to := at+m[2], at+m[3]
		at = from + 1
		if standsAlone(line, from, to) { // the expression does not see what is before its slice
			out = append(out, [2]int{from, to})
			at = max(to, at) // the rune behind a match may be the one before the next
		}
	}
	return out
}

func standsAlone(line []byte, from, to int) bool {
	before, _ := utf8.DecodeLastRune(line[:from])
	after, _ := utf8.DecodeRune(line[to:])
	return (from == 0 || !inWord(before)) && (to == len(line) || !inWord(after))
}

func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}
