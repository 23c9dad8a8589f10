package render

import (
	"slices"
	"strings"
)

// Order names an order of the assembled text (SPEC §5).
type Order string

const (
	// Cache puts first what stays the same from turn to turn, so that a prefix cache
	// can serve it: identity, preferences, history, arc, memory, board, topics,
	// entities, just-in-time code, prompt.
	Cache Order = "cache"
	// Primed puts what was retrieved before the history, as 000 does: identity,
	// preferences, memory, topics, entities, just-in-time code, board, arc, history,
	// prompt.
	Primed Order = "primed"
)

// Span is a byte range of a text; End is exclusive.
type Span struct{ Start, End int }

// Result is an assembled text.
type Result struct {
	Text string
	// Spans holds each item's range in Text, delimiters included, by the item's index
	// in the argument of Assemble.
	Spans []Span
	// StablePrefix is the length in bytes of the leading part of Text that is made of
	// stable items only.
	StablePrefix int
}

// Assemble renders the items in the order asked for; an unknown order is Cache.
// Items of one section keep the caller's order. A raw item goes last.
func Assemble(items []Item, order Order) Result {
	rank := ranks[Cache]
	if r, ok := ranks[order]; ok {
		rank = r
	}
	place := func(i int) int {
		if items[i].Raw {
			return len(rank)
		}
		return rank[sectionOf(items[i])]
	}
	byPlace := make([]int, len(items))
	for i := range byPlace {
		byPlace[i] = i
	}
	slices.SortStableFunc(byPlace, func(a, b int) int { return place(a) - place(b) })

	res := Result{Spans: make([]Span, len(items))}
	var text strings.Builder
	stable := true
	for _, i := range byPlace {
		start := text.Len()
		text.WriteString(Block(items[i]))
		res.Spans[i] = Span{Start: start, End: text.Len()}
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

// ranks gives each section's place, by order.
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

// layerSections places items by layer. The mixed layers hold things of several
// kinds, which kindSections places first.
var layerSections = map[string]section{
	"L0_identity":        identity,
	"L1_global_prefs":    preferences,
	"L2_topic":           topics,
	"L3_entity":          entities,
	"L4_conversation":    arc,
	"L5_jit":             jit,
	"L6_message_history": history,
	"L7_user_message":    prompt,
}

var mixedLayers = map[string]bool{"L2_topic": true, "L3_entity": true, "L4_conversation": true, "L5_jit": true}

// kindSections places the kinds that have a section of their own, whatever layer
// pays for them. A turn or message outside the history layer was fetched for the
// board.
var kindSections = map[string]section{
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

// sectionOf places an item; one of an unknown layer stands with the retrieved code.
func sectionOf(it Item) section {
	s, known := layerSections[it.Layer]
	if known && !mixedLayers[it.Layer] {
		return s
	}
	if k, ok := kindSections[it.Kind]; ok {
		return k
	}
	if !known {
		return jit
	}
	return s
}
