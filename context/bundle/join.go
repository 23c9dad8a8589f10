package bundle

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
)

// join merges the adjacent pieces of a file that are chosen in full into one draft each, and
// reports whether there were any.
func (b *build) join(plan filledPlan) bool {
	byFile := map[string][]int{} // indices of places
	for i, d := range b.places {
		if form, in := plan.shows(d); in && form == 0 && d.layer == item.L5JIT && d.forms[0].format == "full" {
			byFile[d.item.Path] = append(byFile[d.item.Path], i)
		}
	}
	gone := map[int]bool{}
	for _, list := range byFile {
		slices.SortFunc(list, func(x, y int) int { return cmp.Compare(b.places[x].place.chunk.Start, b.places[y].place.chunk.Start) })
		for len(list) > 0 {
			n := b.run(list)
			if n > 1 {
				first := slices.Min(list[:n]) // its position is that of the best of them
				for _, i := range list[:n] {
					gone[i] = i != first
				}
				b.places[first] = b.joined(list[:n])
			}
			list = list[n:]
		}
	}
	if len(gone) == 0 {
		return false
	}
	var kept []*draft
	for i, d := range b.places {
		if !gone[i] {
			kept = append(kept, d)
		}
	}
	b.places = kept
	b.sortPlaces()
	return true
}

// run returns how many places at the beginning of a list of indices have only blank lines between
// them.
func (b *build) run(list []int) int {
	text, gate := b.reader.File(b.places[list[0]].place.chunk.File)
	n := 1
	for n < len(list) && gate == "" {
		end, start := b.places[list[n-1]].place.chunk.End, b.places[list[n]].place.chunk.Start
		if start < end || start > len(text) || strings.TrimSpace(string(text[end:start])) != "" {
			break
		}
		n++
	}
	return n
}

// joined merges several drafts into one, which keeps the first one's id.
func (b *build) joined(list []int) *draft {
	first, last := b.places[list[0]], b.places[list[len(list)-1]]
	text, _ := b.reader.File(first.place.chunk.File)
	f := *first.place
	f.chunk.End, f.chunk.EndLine = last.place.chunk.End, last.place.chunk.EndLine
	f.text = string(text[f.chunk.Start:f.chunk.End])
	f.chunk.Symbols, f.Reasons = nil, nil
	best, pieces := -1.0, make([]*draft, 0, len(list))
	for _, i := range list {
		d := b.places[i]
		pieces = append(pieces, d)
		for _, s := range d.place.chunk.Symbols {
			if !slices.Contains(f.chunk.Symbols, s) {
				f.chunk.Symbols = append(f.chunk.Symbols, s)
			}
		}
		if d.place.Score > best {
			best, f.Reasons = d.place.Score, d.place.Reasons
		}
	}
	f.Score = b.joinedScore(first.item.ID, pieces)
	d := b.codeDraft(f, 0)
	d.item.ID, d.item.Title = first.item.ID, first.item.Title
	return &d
}
