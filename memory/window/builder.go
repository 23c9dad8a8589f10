package window

import (
	"cmp"
	"slices"
)

// builder fills a window. Positions are indices in msgs, ranges half open.
type builder struct {
	msgs      []Message
	budget    int
	total     int // tokens of all messages
	compactor Compactor

	tokens    int    // shown so far
	whole     []bool // by position: shown whole
	summaries []Piece
}

const (
	minSummary = 24 // tokens below which a summary is useless
	maxGaps    = 8  // summaries in a zone of what did not fit
)

// recent shows those messages of [from, to) whole that fit into room, newest first. After one that
// does not fit it still tries the smaller ones before it.
func (b *builder) recent(from, to, room int) {
	for i := to - 1; i >= from; i-- {
		room -= b.show(i, room)
	}
}

// key shows those messages of [from, to) whole that fit into room, most important first; of equals
// the newer.
func (b *builder) key(from, to, room int) {
	order := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		if !b.whole[i] && b.msgs[i].Tokens <= room {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(x, y int) int {
		return cmp.Or(cmp.Compare(b.msgs[y].Importance, b.msgs[x].Importance), y-x)
	})
	for _, i := range order {
		room -= b.show(i, room)
	}
}

// show shows message i whole if it fits into room, and returns its cost.
func (b *builder) show(i, room int) int {
	cost := b.msgs[i].Tokens
	if b.whole[i] || cost > room {
		return 0
	}
	b.whole[i] = true
	b.tokens += cost
	return cost
}

// summarize shows the messages of [from, to) as one summary of at most half their tokens. If there
// is no room for one, they are dropped.
func (b *builder) summarize(from, to int, level string, room int) error {
	if from >= to {
		return nil
	}
	raw := 0
	for _, m := range b.msgs[from:to] {
		raw += m.Tokens
	}
	room = min(room, raw/2)
	if room < min(minSummary, raw/2) || room < 1 {
		return nil
	}
	p := Piece{From: b.msgs[from].Index, To: b.msgs[to-1].Index, Level: level}
	var err error
	if p.Summary, p.Tokens, p.Cached, err = b.compactor.Compact(p.From, p.To, level, room); err != nil {
		return err
	}
	if p.Summary == "" || p.Tokens > room || p.Tokens < 0 {
		return nil
	}
	b.tokens += p.Tokens
	b.summaries = append(b.summaries, p)
	return nil
}

// gap is a run of messages that are not shown.
type gap struct{ from, to, tokens int }

// gaps summarises the messages of [from, to) that are not shown with what is left of the budget,
// the largest runs first, each in proportion to its tokens.
func (b *builder) gaps(from, to int, level string) error {
	var gaps []gap
	for i := from; i < to; i++ {
		if b.whole[i] {
			continue
		}
		g := gap{from: i}
		for ; i < to && !b.whole[i]; i++ {
			g.tokens += b.msgs[i].Tokens
		}
		g.to = i
		gaps = append(gaps, g)
	}
	slices.SortFunc(gaps, func(x, y gap) int { return cmp.Or(y.tokens-x.tokens, y.from-x.from) })
	gaps = gaps[:min(len(gaps), maxGaps)]
	hidden := 0
	for _, g := range gaps {
		hidden += g.tokens
	}
	for _, g := range gaps {
		if g.tokens == 0 {
			break
		}
		if err := b.summarize(g.from, g.to, level, (b.budget-b.tokens)*g.tokens/hidden); err != nil {
			return err
		}
		hidden -= g.tokens
	}
	return nil
}

// window assembles the pieces.
func (b *builder) window(s Strategy) Window {
	slices.SortFunc(b.summaries, func(x, y Piece) int { return x.From - y.From })
	w := Window{Strategy: s, Tokens: b.tokens, Coverage: Coverage{Total: len(b.msgs)}}
	next := 0
	for i, m := range b.msgs {
		if b.whole[i] {
			w.Pieces = append(w.Pieces, Piece{From: m.Index, To: m.Index, Tokens: m.Tokens})
			w.Coverage.Full++
			continue
		}
		for next < len(b.summaries) && b.summaries[next].From == m.Index {
			w.Pieces = append(w.Pieces, b.summaries[next])
			w.Coverage.Summarized += b.summaries[next].To - b.summaries[next].From + 1
			next++
		}
	}
	w.Coverage.Dropped = w.Coverage.Total - w.Coverage.Full - w.Coverage.Summarized
	return w
}
