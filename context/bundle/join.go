package bundle

import (
	"maps"
	"slices"

	"github.com/contexture-dev/contexture/context/cut"
	"github.com/contexture-dev/contexture/context/item"
)

// joinFiles joins the places of each file into one, at the position and under the id of the best of
// them, in the order of the file. It returns the tokens that this saves; where it would take more,
// places stay apart.
func (b *build) joinFiles(all []choice) (out []choice, freed int) {
	byFile := map[string][]choice{}
	for _, c := range all {
		if c.isJoinable() {
			byFile[c.group] = append(byFile[c.group], c)
		}
	}
	for _, c := range all {
		list := byFile[c.group]
		switch {
		case !c.isJoinable() || len(list) == 1:
			out = append(out, c)
		case len(list) > 1:
			one, less := b.joined(list)
			if less < 0 {
				one, less = list, 0
			}
			out, freed = append(out, one...), freed+less
			byFile[c.group] = nil
		}
	}
	return out, freed
}

func (c choice) isJoinable() bool { return c.place != nil && c.layer == item.L5JIT && c.group != "" }

// joined joins places of one file, the best one first, and returns the tokens that this saves.
func (b *build) joined(list []choice) (one []choice, freed int) {
	d := *list[0].draft
	d.item.Symbols = slices.Clone(d.item.Symbols)
	if name, _, n := piece(d.item.Title); n > 1 {
		d.item.Title = name
	}
	var p cut.Passage
	format, first := "full", d.place
	known := map[int]bool{}
	for _, c := range list {
		p = p.Join(c.form.passage)
		maps.Copy(known, c.known)
		freed += c.form.tokens
		for _, s := range c.item.Symbols {
			if !slices.Contains(d.item.Symbols, s) {
				d.item.Symbols = append(d.item.Symbols, s)
			}
		}
		if c.form.format != "full" {
			format = "lines"
		}
		if c.place.chunk.Start < first.chunk.Start {
			first = c.place
		}
	}
	p = p.Without(func(n int) bool { return known[n] }) // joining fills small gaps
	if len(p.Shown) > 1 {
		format = "lines"
	}
	f := b.placeForm(first.chunk, format, p, p.Text(b.linesOf(first.chunk.File)), 1)
	return []choice{{&d, f}}, freed - f.tokens
}
