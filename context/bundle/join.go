package bundle

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/budget"
)

// join makes one draft of the pieces of a file that are chosen in full and stand side by side; it reports whether there
// were any.
func (b *build) join(plan budget.Plan) bool {
	byFile := map[string][]int{}
	for i, c := range plan.Choices {
		if d := b.drafts[i]; d.layer == budget.L5JIT && d.place != nil && c.Form == 0 && d.forms[0].format == "full" {
			byFile[d.item.Path] = append(byFile[d.item.Path], i)
		}
	}
	gone := map[int]bool{}
	for _, list := range byFile {
		slices.SortFunc(list, func(x, y int) int { return cmp.Compare(b.drafts[x].place.chunk.Start, b.drafts[y].place.chunk.Start) })
		for len(list) > 0 {
			n := b.run(list)
			if n > 1 {
				first := slices.Min(list[:n]) // the best of them gives the place
				for _, i := range list[:n] {
					gone[i] = i != first
				}
				b.drafts[first] = b.joined(list[:n])
			}
			list = list[n:]
		}
	}
	if len(gone) == 0 {
		return false
	}
	kept := b.drafts[:0]
	for i, d := range b.drafts {
		if !gone[i] {
			kept = append(kept, d)
		}
	}
	b.drafts = kept
	b.sortPlaces()
	return true
}

// run is how many of the list's first pieces have only blank lines between them.
func (b *build) run(list []int) int {
	text, gate := b.reader.File(b.drafts[list[0]].place.chunk.File)
	n := 1
	for n < len(list) && gate == "" {
		end, start := b.drafts[list[n-1]].place.chunk.End, b.drafts[list[n]].place.chunk.Start
		if start < end || start > len(text) || strings.TrimSpace(string(text[end:start])) != "" {
			break
		}
		n++
	}
	return n
}

// joined makes one draft of several; it keeps the first one's id.
func (b *build) joined(list []int) draft {
	first, last := b.drafts[list[0]], b.drafts[list[len(list)-1]]
	text, _ := b.reader.File(first.place.chunk.File)
	f := *first.place
	f.chunk.End, f.chunk.EndLine = last.place.chunk.End, last.place.chunk.EndLine
	f.text = string(text[f.chunk.Start:f.chunk.End])
	f.chunk.Symbols, f.Reasons = nil, nil
	best, pieces := -1.0, make([]draft, 0, len(list))
	for _, i := range list {
		d := b.drafts[i]
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
	return d
}
