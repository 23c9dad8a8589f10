package chunk

import "math"

// depthCost is the cost of one more level of nesting at a place to cut, against the square of its
// relative distance from the ideal size.
const depthCost = 0.15

// draft is a chunk without its names yet: consecutive pieces of one group.
type draft struct {
	from, to int // lines, inclusive, no blank ones at the ends
	group    int32
	lead     bool // only comments that belong to what follows
}

// pack joins neighbouring pieces: those of one group, up to the target, never across a piece that
// is a chunk of its own.
func (c *cutter) pack() {
	for i := 0; i < len(c.pieces); {
		end := i + 1
		if !c.pieces[i].solo {
			for end < len(c.pieces) && c.pieces[end].group == c.pieces[i].group && !c.pieces[end].solo {
				end++
			}
		}
		// Comments before a definition of its own chunk are not part of the run before them.
		rest := end
		for end < len(c.pieces) && rest > i && c.pieces[rest-1].lead {
			rest--
		}
		c.run(i, rest)
		c.run(rest, end)
		i = end
	}
	c.joinTiny()
}

// weight returns a size as a share of the capacity of one chunk.
func (c *cutter) weight(from, to int32) float64 {
	return max(float64(to-from+1)/maxLines, float64(c.lines.size(int(from), int(to)))/float64(c.options.TargetTokens))
}

// run packs pieces [i, end) of one group into chunks of about equal size, and cuts where the
// nesting is shallowest.
func (c *cutter) run(i, end int) {
	for i < end {
		left := c.weight(c.pieces[i].from, c.pieces[end-1].to)
		if left <= 1 || end == i+1 {
			c.draft(i, end)
			return
		}
		parts := float64(int(left) + 1)
		aim := left / parts
		base := c.pieces[i+1].depth
		for j := i + 2; j < end; j++ {
			base = min(base, c.pieces[j].depth)
		}
		cut := i + 1
		best := math.Inf(1)
		for j := i + 1; j < end; j++ {
			w := c.weight(c.pieces[i].from, c.pieces[j-1].to)
			if w > 1 && j > i+1 {
				break
			}
			off := w/aim - 1
			if cost := off*off + depthCost*float64(min(c.pieces[j].depth-base, 4)); cost <= best {
				best, cut = cost, j
			}
		}
		c.draft(i, cut)
		i = cut
	}
}

// draft makes a chunk of pieces [i, end).
func (c *cutter) draft(i, end int) {
	from, to, ok := c.lines.trim(int(c.pieces[i].from), int(c.pieces[end-1].to))
	if !ok {
		return
	}
	d := draft{from: from, to: to, group: c.pieces[i].group, lead: true}
	for _, p := range c.pieces[i:end] {
		d.lead = d.lead && p.lead
	}
	c.drafts = append(c.drafts, d)
}

// joinTiny adds leftovers of a few lines to a neighbour, preferably one of the same group, unless
// the result would be far over the target. Between the parts of one function they may have twice as
// many lines.
func (c *cutter) joinTiny() {
	out := c.drafts[:0]
	for i := range c.drafts {
		d := c.drafts[i] // the previous call may have moved its beginning
		height := d.to - d.from + 1
		inFunction := c.groups[d.group].function && height < 2*tinyLines
		if height >= tinyLines && !inFunction || c.lines.size(d.from, d.to) > c.options.TargetTokens/5 {
			out = append(out, d)
			continue
		}
		last, next := len(out)-1, i+1
		before := last >= 0 && !(d.lead && next < len(c.drafts)) && c.joins(out[last].from, d.to) && (height < tinyLines || out[last].group == d.group)
		after := next < len(c.drafts) && c.joins(d.from, c.drafts[next].to) && (height < tinyLines || c.drafts[next].group == d.group)
		if before && after {
			before = c.closer(d, out[last], c.drafts[next])
		}
		switch {
		case before:
			out[last].to = d.to
		case after:
			c.drafts[next].from = d.from
		default:
			out = append(out, d)
		}
	}
	c.drafts = out
}

// closer reports whether d belongs to the draft before it rather than after.
func (c *cutter) closer(d, before, after draft) bool {
	if d.group == before.group || d.group == after.group {
		return d.group == before.group
	}
	// The head of a class goes with its first member.
	return d.group != c.groups[after.group].parent
}

func (c *cutter) joins(from, to int) bool {
	return to-from < maxLines*5/4 && c.lines.size(from, to) <= c.options.TargetTokens*5/4
}
