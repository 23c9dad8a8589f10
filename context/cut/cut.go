// Package cut chooses the lines of a file that answer a question: those that probably settle it,
// what they stand in, and the signatures above them. The package is pure.
package cut

import (
	"bytes"
	"maps"
	"slices"
	"unicode"
)

// Term is a word of the question, by a number, and what a line is worth that has it: the rarer the
// word, the more.
type Term struct {
	ID     int
	Weight float64
}

// File is what passages are cut from.
type File struct {
	Lines [][]byte
	// Definitions are the lines of functions and types, from the signature to the end, in the order
	// of their first lines, an outer one before those within it.
	Definitions []Range
	// Terms returns the words of the question in a line.
	Terms func(n int) []Term
	// All is the weight of all words of the question.
	All float64
}

// The measures of a passage, in lines: what a reader needs to see what a line belongs to, and what
// is not worth folding.
const (
	wholeLines  = 30 // a definition of up to as many is shown whole
	gapLines    = 3  // a gap of fewer is shown rather than folded
	headerLines = 4  // of a signature
	mostHeaders = 4  // of the blocks that a line stands in, the innermost first
	// bytesPerToken is about how many bytes of code a token has.
	bytesPerToken = 4
)

// Part is a part of a file whose lines were judged.
type Part struct {
	File
	in     Range
	terms  [][]Term  // by line of in
	chance []float64 // by line of in: that it settles the question, if the part has anything to do with it; 0 far from its words
}

// Judge judges the lines of a range of the file.
func (f File) Judge(in Range) *Part {
	in = Range{max(in.First, 0), min(in.Last, len(f.Lines)-1)}
	p := &Part{File: f, in: in}
	if in.Lines() <= 0 {
		return p
	}
	c := f.examine(in)
	p.terms = c.terms
	for i := range in.Lines() {
		x, chance := c.features(i), 0.0
		if x[featureAround] > 0 {
			chance = fitted().Probability(x)
		}
		p.chance = append(p.chance, chance)
	}
	return p
}

// Cut returns the lines of which the probability that they settle the question exceeds the price of
// their tokens, with what they stand in. chance is the probability that the part has anything to do
// with the question. Without such lines the passage is empty.
func (p *Part) Cut(chance, price float64) Passage {
	c := &cutting{Part: p, shown: map[int]bool{}, wanted: make([]bool, len(p.chance))}
	for i, x := range p.chance {
		c.wanted[i] = chance*x > price*float64(len(p.Lines[p.in.First+i])/bytesPerToken+1)
	}
	for i, want := range c.wanted {
		if want {
			c.show(p.in.First + i)
		}
	}
	return c.passage()
}

// cutting is a passage being cut.
type cutting struct {
	*Part
	wanted []bool // by line of the part
	shown  map[int]bool
}

// show shows a line with what it stands in.
func (c *cutting) show(n int) {
	within := c.enclosing(n)
	if len(within) > 0 {
		if d := within[len(within)-1]; d.Lines() <= wholeLines && c.mostlyWanted(d) {
			c.put(d)
			within = within[:len(within)-1]
		}
	}
	c.put(Range{n, n})
	floor := 0
	for _, d := range within {
		c.put(c.signature(d))
		floor = d.First + 1
	}
	for _, h := range c.headers(n, floor) {
		c.put(Range{h, h})
	}
}

// mostlyWanted reports whether half of a definition's lines in the range are wanted.
func (c *cutting) mostlyWanted(d Range) bool {
	have, of := 0, 0
	for n := max(d.First, c.in.First); n <= min(d.Last, c.in.Last); n++ {
		of++
		if c.wanted[n-c.in.First] {
			have++
		}
	}
	return 2*have >= of
}

func (c *cutting) put(r Range) {
	for n := max(r.First, 0); n <= min(r.Last, len(c.Lines)-1); n++ {
		c.shown[n] = true
	}
}

// enclosing returns the definitions that a line is in, the outermost first.
func (f File) enclosing(n int) (out []Range) {
	for _, d := range f.Definitions {
		if d.First > n {
			break
		}
		if d.holds(n) {
			out = append(out, d)
		}
	}
	return out
}

// signature returns the lines of a definition's signature: up to the one that closes its
// parentheses.
func (f File) signature(d Range) Range {
	open, last := 0, min(d.Last, d.First+headerLines-1, len(f.Lines)-1)
	for n := d.First; n <= last; n++ {
		open += bytes.Count(f.Lines[n], []byte("(")) - bytes.Count(f.Lines[n], []byte(")"))
		if open <= 0 && bytes.ContainsAny(f.Lines[n], "({:=") {
			return Range{d.First, n}
		}
	}
	return Range{d.First, last}
}

// headers returns the lines of the blocks that a line stands in, from a line on: each the nearest
// one above that is indented less.
func (f File) headers(n, from int) (out []int) {
	deep := indent(f.Lines[n])
	for k := n - 1; k >= from && deep > 0 && len(out) < mostHeaders; k-- {
		line := f.Lines[k]
		if d := indent(line); len(bytes.TrimSpace(line)) > 1 && d < deep {
			out, deep = append(out, k), d
		}
	}
	return out
}

// indent returns how far a line is indented, in bytes.
func indent(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }

// Passage is a part of a file.
type Passage struct {
	Shown   []Range // ascending, with at least one line between them
	Matched []int   // the shown lines that have words of the question, ascending
	Bytes   int     // of the shown lines
}

// passage returns what is shown.
func (c *cutting) passage() (p Passage) {
	for _, n := range slices.Sorted(maps.Keys(c.shown)) {
		if isBare(c.Lines[n]) && !c.shown[n-1] && !c.isSignature(n) {
			continue // it closes what is not shown
		}
		if c.in.holds(n) && len(c.terms[n-c.in.First]) > 0 {
			p.Matched = append(p.Matched, n)
		}
		p.add(Range{n, n})
	}
	for _, r := range p.Shown {
		for n := r.First; n <= r.Last; n++ {
			p.Bytes += len(c.Lines[n]) + 1
		}
	}
	return p
}

// isBare reports whether a line has neither letters nor digits.
func isBare(line []byte) bool {
	return !bytes.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

func (c *cutting) isSignature(n int) bool {
	return slices.ContainsFunc(c.Definitions, func(d Range) bool { return d.First == n })
}

func (p *Passage) add(r Range) {
	if k := len(p.Shown) - 1; k >= 0 && r.First-p.Shown[k].Last <= gapLines {
		p.Shown[k].Last = max(p.Shown[k].Last, r.Last)
	} else {
		p.Shown = append(p.Shown, r)
	}
}

// Without returns the passage without the lines for which gone returns true.
func (p Passage) Without(gone func(n int) bool) (out Passage) {
	for _, r := range p.Shown {
		for n := r.First; n <= r.Last; n++ {
			if gone(n) {
				continue
			}
			if k := len(out.Shown) - 1; k >= 0 && out.Shown[k].Last == n-1 {
				out.Shown[k].Last = n
			} else {
				out.Shown = append(out.Shown, Range{n, n})
			}
		}
	}
	for _, n := range p.Matched {
		if !gone(n) {
			out.Matched = append(out.Matched, n)
		}
	}
	return out
}

// Holds reports whether a line is shown.
func (p Passage) Holds(n int) bool {
	return slices.ContainsFunc(p.Shown, func(r Range) bool { return r.holds(n) })
}

// Join returns a passage that shows both.
func (p Passage) Join(q Passage) Passage {
	all := slices.Concat(p.Shown, q.Shown)
	slices.SortFunc(all, func(x, y Range) int { return x.First - y.First })
	out := Passage{Matched: slices.Concat(p.Matched, q.Matched), Bytes: p.Bytes + q.Bytes}
	slices.Sort(out.Matched)
	out.Matched = slices.Compact(out.Matched)
	for _, r := range all {
		out.add(r)
	}
	return out
}

// Text returns the shown lines, a line with … and the numbers of the lines (from 1) where some are
// left out between them.
func (p Passage) Text(lines [][]byte) string {
	var out bytes.Buffer
	for i, r := range p.Shown {
		if i > 0 {
			out.Write(lines[r.First][:indent(lines[r.First])])
			out.WriteString("… " + Range{p.Shown[i-1].Last + 1, r.First - 1}.String() + "\n")
		}
		for n := r.First; n <= r.Last; n++ {
			out.Write(bytes.TrimRight(lines[n], "\r"))
			out.WriteByte('\n')
		}
	}
	return string(bytes.TrimRight(out.Bytes(), "\n"))
}
