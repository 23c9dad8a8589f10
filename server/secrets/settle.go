package secrets

import (
	"cmp"
	"slices"
	"strings"
)

// A mark replaces a secret that was redacted.
const (
	markOpen  = "[REDACTED:"
	markClose = "]"
)

// allowComment on a line exempts the secrets that begin on it, as in the library.
const allowComment = "gitleaks:allow"

// maxLine limits how far on either side of a secret the comment is searched for, in bytes.
const maxLine = 4096

// add records a secret, unless the user allows it.
func (c *scan) add(rule string, rank, start, end int) {
	if start >= end || c.s.permits.allow(rule, c.text[start:end]) {
		return
	}
	w := whole(c.text, span{start, end})
	c.found = append(c.found, candidate{w, rule, rank})
}

// settle merges secrets that overlap, leaves marks unchanged, and drops what a comment allows. Of
// overlapping rules, the one with the highest rank determines the name, then the longest match,
// then the alphabetical order: the order in which they were found does not matter.
func (c *scan) settle() []Finding {
	if len(c.found) == 0 {
		return nil
	}
	slices.SortFunc(c.found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(b.rank, a.rank), cmp.Compare(a.rule, b.rule))
	})
	var out []Finding
	for i := 0; i < len(c.found); {
		best, all := c.found[i], c.found[i].span
		for i++; i < len(c.found) && c.found[i].start < all.end; i++ {
			f := c.found[i]
			all.end = max(all.end, f.end)
			if cmp.Or(cmp.Compare(f.rank, best.rank), cmp.Compare(f.end-f.start, best.end-best.start), cmp.Compare(best.rule, f.rule)) > 0 {
				best = f
			}
		}
		if !c.commented(all.start) {
			out = c.unmarked(out, best.rule, all)
		}
	}
	return out
}

// unmarked appends the parts of a secret that are not marks.
func (c *scan) unmarked(out []Finding, rule string, all span) []Finding {
	at := all.start
	for at < all.end {
		start, end, ok := c.mark(at, all.end)
		if !ok {
			return append(out, Finding{rule, at, all.end})
		}
		if start > at {
			out = append(out, Finding{rule, at, start})
		}
		at = end
	}
	return out
}

// mark returns the first mark that overlaps at:end.
func (c *scan) mark(at, end int) (int, int, bool) {
	const longest = len(markOpen) + 64
	for from := max(0, at-longest); from < end; {
		i := strings.Index(c.text[from:min(len(c.text), end+len(markOpen))], markOpen)
		if i < 0 {
			return 0, 0, false
		}
		start := from + i
		from = start + 1
		rule, _, ok := strings.Cut(c.text[start+len(markOpen):min(len(c.text), start+longest)], markClose)
		if stop := start + len(markOpen) + len(rule) + len(markClose); ok && c.s.vocab.known[rule] && stop > at && start < end {
			return start, stop, true
		}
	}
	return 0, 0, false
}

// commented reports whether the line of the byte at i has the comment that allows it.
func (c *scan) commented(i int) bool {
	start := max(0, i-maxLine)
	start += strings.LastIndexByte(c.text[start:i], '\n') + 1
	line := c.text[start:min(len(c.text), i+maxLine)]
	if n := strings.IndexByte(line[i-start:], '\n'); n >= 0 {
		line = line[:i-start+n]
	}
	return strings.Contains(line, allowComment)
}
