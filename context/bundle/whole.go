package bundle

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer"
)

const (
	// wholeShare is the share of the budget that a definition may take to be shown whole rather
	// than in pieces.
	wholeShare = .2
	// minWholeChance is the smallest probability of helping at which a place's definition is shown
	// whole.
	minWholeChance = .05
	// wholePlaces is how many of the best places are shown whole even if nothing else of their
	// definition was found.
	wholePlaces = 3
)

// wholes replaces pieces by their definition where several pieces were found, or one is among the
// best places, and the whole is not too large.
func (b *build) wholes(list []foundPlace) []foundPlace {
	at := map[int]int{} // in list, by chunk
	for i, f := range list {
		at[f.Chunk] = i
	}
	gone := make([]bool, len(list))
	for i := range list {
		first, n := b.definition(list[i].chunk)
		if gone[i] || n < 2 || list[i].Score < minWholeChance && !list[i].Exact && !list[i].Near {
			continue
		}
		var in []int // of list, the best one first
		tokens := 0
		for c := first; c < first+n; c++ {
			tokens += b.src.Snapshot.Place(c).Tokens
			if k, ok := at[c]; ok {
				in = append(in, k)
			}
		}
		slices.Sort(in)
		if tokens > b.shareOf(wholeShare) || len(in) < 2 && i >= wholePlaces {
			continue
		}
		whole, ok := b.wholeOf(list, in, first, n)
		if !ok {
			continue
		}
		for _, k := range in[1:] {
			gone[k] = true
		}
		list[in[0]] = whole
	}
	out := list[:0]
	for i, f := range list {
		if !gone[i] {
			out = append(out, f)
		}
	}
	return out
}

// definition returns the chunks of the definition that a chunk is a piece of; n is 0 when it is not
// a piece, or when other chunks are between the pieces.
func (b *build) definition(c indexer.Chunk) (first, n int) {
	name, k, n := piece(c.Title)
	if n < 2 || k < 1 || k > n {
		return 0, 0
	}
	first = c.ID - k + 1
	from, end := b.src.Snapshot.FileChunks(c.File)
	if first < from || first+n > end {
		return 0, 0
	}
	for i := range n {
		if other, at, of := piece(b.src.Snapshot.Chunk(first + i).Title); other != name || at != i+1 || of != n {
			return 0, 0
		}
	}
	return first, n
}

// piece splits the title of a piece, "Name (2/7)"; n is 0 for another title.
func piece(title string) (name string, k, n int) {
	open := strings.LastIndex(title, " (")
	if open < 0 || !strings.HasSuffix(title, ")") {
		return "", 0, 0
	}
	which, of, _ := strings.Cut(title[open+2:len(title)-1], "/")
	k, err := strconv.Atoi(which)
	if err != nil {
		return "", 0, 0
	}
	if n, err = strconv.Atoi(of); err != nil {
		return "", 0, 0
	}
	return title[:open], k, n
}

// wholeOf merges a definition's chunks into one place, with the id of the best one that was found.
func (b *build) wholeOf(list []foundPlace, in []int, first, n int) (foundPlace, bool) {
	f := list[in[0]]
	f.id = CodeID(f.chunk)
	from, to := b.src.Snapshot.Chunk(first), b.src.Snapshot.Chunk(first+n-1)
	text, gate := b.reader.File(from.File)
	if gate != "" || to.End > len(text) || from.Start >= to.End {
		return foundPlace{}, false
	}
	pieces := make([]*draft, len(in))
	for i, k := range in {
		p := list[k]
		pieces[i] = &draft{place: &p, item: item.Item{ID: CodeID(p.chunk)}}
		f.Exact = f.Exact || p.Exact
		f.Near = f.Near || p.Near
	}
	f.Score = b.joinedScore(f.id, pieces)
	whole := from
	whole.Title, _, _ = piece(from.Title)
	whole.End, whole.EndLine, whole.Symbols = to.End, to.EndLine, nil
	whole.Tokens = b.src.Count(string(text[from.Start:to.End]))
	shown := map[string]bool{}
	for c := first; c < first+n; c++ {
		chunk := b.src.Snapshot.Chunk(c)
		shown[CodeID(chunk)] = true
		for _, s := range chunk.Symbols {
			if !slices.Contains(whole.Symbols, s) {
				whole.Symbols = append(whole.Symbols, s)
			}
		}
	}
	b.out.Dropped = slices.DeleteFunc(b.out.Dropped, func(d item.Dropped) bool { return shown[d.ID] })
	f.chunk, f.text = whole, string(text[from.Start:to.End])
	return f, true
}
