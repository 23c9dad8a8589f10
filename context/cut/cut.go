// Package cut chooses the lines of a file that answer a question: those that probably settle it,
// what they stand in, and the signatures above them. The package is pure.
package cut

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"unicode"

	"github.com/contexture-dev/contexture/context/retrieve/rank"
)

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

// Place is a range of a file that may have to do with a question.
type Place struct {
	*Question
	Lines [][]byte // of the file
	In    Range    // of the place
	// Definitions are the lines of functions and types of the file, from the signature to the end,
	// in the order of their first lines, an outer one before those within it.
	Definitions []Definition
	// Comments holds the lines of the place that are comments or imports.
	Comments map[int]bool
	// Pointed holds the lines that the question points at.
	Pointed map[int]bool
	// Rarity holds for each word of the question, in the order in which it was added, how rare it
	// is in the file, from 0 to 1. It may have fewer.
	Rarity []float64
	// Committed holds how probably lines of the place are to be looked at, by the commits that
	// added them, from 0 to 1.
	Committed map[int]float64
	// Chance is the probability that the place helps, FileChance that of the best place of its
	// file.
	Chance, FileChance float64
	Rank, Piece        int  // among all places, and among those of its file, from 0
	Test               bool // it is in a test
}

// Part is a place whose lines were judged.
type Part struct {
	Place
	in           Range
	words        []Words   // by line of in
	likes        []float32 // by line of in: how much it says the same as the question
	share, local weights   // of the question's words, and with their rarity in the file
	best         float64   // the largest local share of a line
	chance       []float64 // by line of in: that it settles the question
}

// Judge judges the lines of places.
func Judge(places []Place) []*Part { return JudgeBy(model(), places) }

// JudgeBy judges the lines of places by another model.
func JudgeBy(m *rank.Model, places []Place) []*Part {
	parts := read(places)
	for i, lines := range examine(parts) {
		for _, x := range lines {
			chance := 0.0
			if x[fAround] > 0 || x[fCommitted] > 0 {
				chance = m.Probability(x[:])
			}
			parts[i].chance = append(parts[i].chance, chance)
		}
	}
	return parts
}

// Examine returns the inputs of the model for each line of places. cmd/train fits it to them.
func Examine(places []Place) [][]Features { return examine(read(places)) }

// read reads the lines of places for words of the question.
func read(places []Place) []*Part {
	out := make([]*Part, len(places))
	for i, place := range places {
		p := &Part{Place: place, in: Range{max(place.In.First, 0), min(place.In.Last, len(place.Lines)-1)}}
		p.share, p.local = place.weightsOf(nil), place.weightsOf(place.Rarity)
		for n := p.in.First; n <= p.in.Last; n++ {
			has := place.Question.read(place.Lines[n], place.like != nil)
			if place.Pointed[n] {
				has.words |= pointed
			}
			p.words, p.likes = append(p.words, has.words), append(p.likes, has.like)
			p.best = max(p.best, p.local.of(has.words))
		}
		out[i] = p
	}
	return out
}

// examine returns the inputs for each line of each part.
func examine(parts []*Part) [][]Features {
	best := map[*[]byte]float64{} // by the first line of the file
	for _, p := range parts {
		if len(p.words) > 0 {
			best[&p.Lines[0]] = max(best[&p.Lines[0]], p.best)
		}
	}
	out := make([][]Features, len(parts))
	for i, p := range parts {
		if len(p.words) > 0 {
			out[i] = p.examine(best[&p.Lines[0]])
		}
	}
	return out
}

// within returns the words in lines of the part, by their numbers in it.
func (p *Part) within(first, last int) (words Words) {
	for _, w := range p.words[min(max(first, 0), len(p.words)):max(min(last+1, len(p.words)), 0)] {
		words |= w
	}
	return words
}

// Cut returns for each part the lines of which the probability that they settle the question
// exceeds the price of their tokens and is not far below the best, with what they stand in: the
// most probable first, until they have most bytes together. A line that says the same as one of its
// file that was chosen before takes its bytes of these and is not shown. The passage of a part
// without such lines is empty.
func Cut(parts []*Part, price float64, most int) []Passage {
	type line struct {
		part, n int
		chance  float64
	}
	var all []line
	for k, p := range parts {
		for i, chance := range p.chance {
			if n := p.in.First + i; chance > Price(p.Lines, Range{n, n}, price) {
				all = append(all, line{k, n, chance})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b line) int { return cmp.Compare(b.chance, a.chance) })
	all = slices.DeleteFunc(all, func(l line) bool { return l.chance < leastOfBest*all[0].chance })
	cuts := make([]*cutting, len(parts))
	for k, p := range parts {
		cuts[k] = &cutting{Part: p, shown: map[int]bool{}}
	}
	type fileLine struct {
		file *[]byte // its first line
		text string
	}
	size, said := 0, map[fileLine]bool{}
	for _, l := range all {
		if size >= most {
			break
		}
		lines := parts[l.part].Lines
		line := fileLine{&lines[0], string(bytes.TrimSpace(lines[l.n]))}
		if said[line] {
			size += len(line.text) + 1
			continue
		}
		said[line] = true
		size += cuts[l.part].show(l.n)
	}
	out := make([]Passage, len(parts))
	for k, c := range cuts {
		c.complete()
		out[k] = c.passage()
	}
	return out
}

// cutting is a passage being cut.
type cutting struct {
	*Part
	shown map[int]bool
}

// show shows a line with what it stands in, and returns how many bytes that adds.
func (c *cutting) show(n int) (bytes int) {
	bytes = c.put(Range{n, n})
	floor, outer := 0, -1
	for _, d := range c.enclosing(n) {
		bytes += c.put(c.signature(d))
		floor, outer = d.Named+1, indent(c.Lines[d.Named])
	}
	for _, h := range c.headers(n, floor, outer) {
		bytes += c.put(Range{h, h})
	}
	return bytes
}

// complete shows small definitions whole of which half is shown.
func (c *cutting) complete() {
	for _, d := range c.Definitions {
		if d.Lines() > wholeLines || d.First > c.in.Last || d.Last < c.in.First {
			continue
		}
		have := 0
		for n := d.First; n <= d.Last; n++ {
			if c.shown[n] {
				have++
			}
		}
		if 2*have >= d.Lines() {
			c.put(d.Range)
		}
	}
}

// put shows lines, and returns how many bytes those have that were not shown.
func (c *cutting) put(r Range) (bytes int) {
	for n := max(r.First, 0); n <= min(r.Last, len(c.Lines)-1); n++ {
		if !c.shown[n] {
			c.shown[n] = true
			bytes += len(c.Lines[n]) + 1
		}
	}
	return bytes
}

// enclosing returns the definitions that a line is in, the outermost first.
func (p *Part) enclosing(n int) (out []Definition) {
	for _, d := range p.Definitions {
		if d.First > n {
			break
		}
		if d.holds(n) {
			out = append(out, d)
		}
	}
	return out
}

// innermost returns the smallest definition that a line is in.
func (p *Part) innermost(n int) (d Definition, ok bool) {
	after, _ := slices.BinarySearchFunc(p.Definitions, n+1, func(d Definition, n int) int { return d.First - n })
	for i := after - 1; i >= 0; i-- {
		if p.Definitions[i].holds(n) {
			return p.Definitions[i], true
		}
	}
	return d, false
}

// signature returns the lines of a definition's signature: from the one with its name up to the one
// that closes its parentheses.
func (p *Part) signature(d Definition) Range {
	open, last := 0, min(d.Last, d.Named+headerLines-1, len(p.Lines)-1)
	for n := d.Named; n <= last; n++ {
		open += bytes.Count(p.Lines[n], []byte("(")) - bytes.Count(p.Lines[n], []byte(")"))
		if open <= 0 && bytes.ContainsAny(p.Lines[n], "({:=") {
			return Range{d.Named, n}
		}
	}
	return Range{d.Named, last}
}

// headers returns the lines of the blocks that a line stands in, from a line on: each the nearest
// one above that is indented less, but more than what the blocks are in. What is not is no block,
// as a line for a preprocessor.
func (p *Part) headers(n, from, outer int) (out []int) {
	deep := indent(p.Lines[n])
	for k := n - 1; k >= from && deep > 0 && len(out) < mostHeaders; k-- {
		line := p.Lines[k]
		if d := indent(line); len(bytes.TrimSpace(line)) > 1 && outer < d && d < deep {
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
	// Chance holds, by line, the probability that it settles the question, of those that were
	// judged.
	Chance map[int]float64
}

// passage returns what is shown.
func (c *cutting) passage() (p Passage) {
	for _, n := range slices.Sorted(maps.Keys(c.shown)) {
		if isBare(c.Lines[n]) && !c.shown[n-1] && !c.isSignature(n) {
			continue // it closes what is not shown
		}
		if c.in.holds(n) {
			p.note(n, c.chance[n-c.in.First])
			if c.words[n-c.in.First] != 0 {
				p.Matched = append(p.Matched, n)
			}
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

func (p *Passage) note(line int, chance float64) {
	if p.Chance == nil {
		p.Chance = map[int]float64{}
	}
	p.Chance[line] = chance
}

// Best returns the probability of the line of a range that most probably settles the question.
func (p Passage) Best(in Range) (best float64) {
	for n := in.First; n <= in.Last; n++ {
		best = max(best, p.Chance[n])
	}
	return best
}

// Price returns what lines cost at a price of a token.
func Price(lines [][]byte, in Range, price float64) (sum float64) {
	for n := max(in.First, 0); n <= min(in.Last, len(lines)-1); n++ {
		sum += price * float64(len(lines[n])/bytesPerToken+1)
	}
	return sum
}

// isBare reports whether a line has neither letters nor digits.
func isBare(line []byte) bool {
	return !bytes.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

func (c *cutting) isSignature(n int) bool {
	return slices.ContainsFunc(c.Definitions, func(d Definition) bool { return d.First == n })
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
	out.Chance = p.Chance
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
	out := Passage{Matched: slices.Concat(p.Matched, q.Matched), Bytes: p.Bytes + q.Bytes, Chance: maps.Clone(p.Chance)}
	for n, chance := range q.Chance {
		out.note(n, chance)
	}
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
