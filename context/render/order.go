package render

import (
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
)

// Order is an order of the assembled text.
type Order string

const (
	// Cache puts what stays the same from turn to turn first, so that a prefix cache can serve it:
	// identity, preferences, history, arc, memory, board, topics, entities, just-in-time code,
	// prompt.
	Cache Order = "cache"
	// Primed puts what was retrieved before the history: identity, preferences, memory, topics,
	// entities, just-in-time code, board, arc, history, prompt.
	Primed Order = "primed"
)

// Result is an assembled text.
type Result struct {
	Text string
	// Spans holds each item's range in Text, delimiters included, by the item's index
	// in the argument of Assemble.
	Spans []item.Span
	// StablePrefix is the length in bytes of the leading part of Text that consists of stable items
	// only.
	StablePrefix int
}

// Assemble renders the items in the requested order; an unknown order means Cache. Items of one
// section keep the caller's order. The prompt goes last.
func Assemble(items []item.Item, order Order) Result {
	rank := ranks[Cache]
	if r, ok := ranks[order]; ok {
		rank = r
	}
	place := func(i int) int {
		if items[i].Kind == item.Prompt {
			return len(rank)
		}
		return rank[sectionOf(items[i])]
	}
	byPlace := make([]int, len(items))
	for i := range byPlace {
		byPlace[i] = i
	}
	slices.SortStableFunc(byPlace, func(a, b int) int { return place(a) - place(b) })

	res := Result{Spans: make([]item.Span, len(items))}
	var text strings.Builder
	stable := true
	for _, i := range byPlace {
		start := text.Len()
		text.WriteString(Block(items[i]))
		res.Spans[i] = item.Span{Start: start, End: text.Len()}
		stable = stable && items[i].Stable
		if stable {
			res.StablePrefix = text.Len()
		}
	}
	res.Text = text.String()
	return res
}

// section is a part of the text.
type section int

const (
	identity section = iota
	preferences
	history
	arc
	lessons
	references
	ticklers
	board
	topics
	entities
	jit
	prompt
	sections // how many there are
)

// ranks holds the position of each section, by order.
var ranks = map[Order][sections]int{
	Cache: ranked(identity, preferences, history, arc, lessons, references, ticklers, board, topics, entities, jit, prompt),
	Primed: ranked(identity, preferences, lessons, references, ticklers, topics, entities, jit, board, arc, history,
		prompt),
}

func ranked(order ...section) (rank [sections]int) {
	for place, s := range order {
		rank[s] = place
	}
	return rank
}

// layerSections are the sections of layers. The mixed layers hold items of several kinds, whose
// section in kindSections takes precedence.
var layerSections = [item.NumLayers]section{
	item.L0Identity:     identity,
	item.L1Preferences:  preferences,
	item.L2Topic:        topics,
	item.L3Entity:       entities,
	item.L4Conversation: arc,
	item.L5JIT:          jit,
	item.L6History:      history,
	item.L7Message:      prompt,
}

// isMixed reports whether a layer holds items of several sections.
func isMixed(l item.Layer) bool { return l >= item.L2Topic && l <= item.L5JIT }

// kindSections are the kinds with a section of their own, whatever layer pays for them. A turn or
// message outside the history layer was fetched for the board.
var kindSections = map[item.Kind]section{
	"arc":       arc,
	"lesson":    lessons,
	"reference": references,
	"tickler":   ticklers,
	"task":      board,
	"blocker":   board,
	"notice":    board,
	"turn":      board,
	"message":   board,
}

// sectionOf returns the section of an item; one of an invalid layer goes with the retrieved code.
func sectionOf(it item.Item) section {
	valid := it.Layer.Valid()
	if valid && !isMixed(it.Layer) {
		return layerSections[it.Layer]
	}
	if k, ok := kindSections[it.Kind]; ok {
		return k
	}
	if !valid {
		return jit
	}
	return layerSections[it.Layer]
}
