package extract

import (
	"fmt"
	"strings"
)

// tiny is level T in at most about budget tokens: what was wanted, what came of it, how many tools were called.
func (d *draft) tiny(budget int) string {
	end := ""
	switch {
	case d.calls == 1:
		end = "1 tool call"
	case d.calls > 1:
		end = fmt.Sprintf("%d tool calls", d.calls)
	}
	room := budget
	if end != "" {
		room -= d.o.count("; " + end)
	}
	var parts []string
	wanted, came := d.intent(), d.outcome()
	share := room
	if came >= 0 && wanted >= 0 && room > 24 {
		share = room * 3 / 5
	}
	if wanted >= 0 {
		s := d.shorten(d.units[wanted].text, share)
		parts = append(parts, s)
		room -= d.o.count(s) + 1
	}
	if came >= 0 && (wanted < 0 || room >= 8) {
		parts = append(parts, d.shorten(d.units[came].text, room))
	}
	if end != "" {
		parts = append(parts, end)
	}
	if len(parts) == 0 && len(d.units) > 0 {
		parts = append(parts, d.shorten(oneSpaced(d.units[0].text), room))
	}
	return strings.Join(parts, "; ")
}

// shorten cuts a sentence to at most limit tokens at a space, with "…" where something went. Its last full stop is
// taken off: it is a clause of a longer sentence.
func (d *draft) shorten(s string, limit int) string {
	s = strings.TrimRight(itemText(s), ". ")
	return cutTo(s, limit, d.o)
}

// cutTo cuts a text to at most limit tokens, "…" included, at a space where there is one.
func cutTo(s string, limit int, o Options) string {
	if limit <= 0 {
		return ""
	}
	if most := limit * 24; len(s) > most { // no tokenizer's mean is beyond
		s = s[:runeStart(s, most)] + "…"
	}
	if o.count(s) <= limit {
		return s
	}
	low, high := 0, len(s) // s[:low] fits, s[:high] does not
	for high-low > 8 {
		mid := runeStart(s, (low+high)/2)
		if mid <= low {
			break
		}
		if o.count(s[:mid]+"…") <= limit {
			low = mid
		} else {
			high = mid
		}
	}
	for low > 0 && o.count(s[:low]+"…") > limit {
		low = runeStart(s, low-1)
	}
	cut := s[:low]
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	if cut = strings.TrimRight(cut, " ,;:-…"); cut == "" {
		if o.count("…") <= limit && s != "" {
			return "…"
		}
		return ""
	}
	return cut + "…"
}
