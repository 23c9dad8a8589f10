package recall

import (
	"strings"
	"unicode/utf8"
)

// shortener cuts a message to what answers a query.
type shortener struct {
	names map[string]bool // of the speakers, lower case
	// wanted returns the number of different terms of the query in a text.
	wanted func(text string) int
}

// Lengths in bytes to which one message is shortened.
const (
	maxShown  = 700 // of a message that contains terms of the query
	maxBeside = 350 // of one next to such a message
)

// omission replaces sentences left out of the middle.
const omission = "…"

// shorten returns the part of a text to show: without courtesies and, if the text is long, its
// sentences with the query's terms and the ones next to them. ok is false when that part would
// misrepresent the message.
//
// room is the smallest length in bytes that may be shown.
func (s *shortener) shorten(text string, room int) (shown string, ok bool) {
	list := sentences(text)
	keep := make([]int, 0, len(list)) // indices of sentences with content
	length := 0
	for i, sentence := range list {
		if !isCourtesy(sentence, s.names) || s.wanted(sentence) > 0 {
			keep = append(keep, i)
			length += len(sentence) + 1
		}
	}
	if len(keep) == 0 {
		return strings.Join(list, " "), len(list) > 0
	}
	if length <= max(room, maxBeside) {
		return join(list, keep, false), true
	}
	points, best := make([]int, len(list)), 0
	for _, i := range keep {
		points[i] = s.wanted(list[i])
		best = max(best, points[i])
	}
	limit := maxShown
	if best == 0 {
		limit = maxBeside
	}
	limit = max(limit, room)
	if length <= limit {
		return join(list, keep, false), true
	}
	if best == 0 && length > 3*limit && room < maxBeside {
		return "", false
	}
	return join(list, fit(list, keep, points, limit), true), true
}

// fit chooses sentences: first those with the most wanted terms, then those after a wanted one,
// then from the start.
func fit(list []string, keep, points []int, limit int) []int {
	chosen := make([]bool, len(list))
	left := limit
	take := func(i int) {
		if !chosen[i] && len(list[i]) < left {
			chosen[i] = true
			left -= len(list[i]) + 1
		}
	}
	most := 0
	for _, i := range keep {
		most = max(most, points[i])
	}
	for p := most; p > 0; p-- {
		for n, i := range keep {
			if points[i] != p {
				continue
			}
			take(i)
			if n+1 < len(keep) && p == most {
				take(keep[n+1])
			}
		}
	}
	for _, i := range keep {
		take(i)
	}
	var result []int
	for _, i := range keep {
		if chosen[i] {
			result = append(result, i)
		}
	}
	if len(result) == 0 {
		first := keep[0]
		for _, i := range keep {
			if points[i] > points[first] {
				first = i
			}
		}
		list[first] = clip(list[first], limit)
		result = append(result, first)
	}
	return result
}

// join joins sentences in order; marked shows the gaps between them.
func join(list []string, chosen []int, marked bool) string {
	var b strings.Builder
	for n, i := range chosen {
		if n > 0 {
			b.WriteByte(' ')
			if marked && chosen[n-1] != i-1 {
				b.WriteString(omission + " ")
			}
		}
		b.WriteString(list[i])
	}
	return b.String()
}

// clip cuts at a rune boundary, and at a word boundary if one is near, and marks the cut.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	if i := strings.LastIndexByte(s[:cut], ' '); i > cut/2 {
		cut = i
	}
	return s[:cut] + omission
}
