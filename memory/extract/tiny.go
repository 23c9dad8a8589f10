package extract

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// How T shares its tokens.
const (
	bareOrder    = 9 // a request of up to so many tokens says little without what came of it
	leastOutcome = 8 // an outcome cut to fewer tokens than that says nothing
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
	if wanted, came := d.intent(), d.outcome(); wanted < 0 && came >= 0 {
		parts = append(parts, d.shorten(d.units[came].text, room))
	} else if wanted >= 0 {
		parts = d.wantedAndCame(wanted, came, room)
	}
	if len(parts) == 0 && len(d.units) > 0 {
		parts = append(parts, d.shorten(oneSpaced(d.units[0].text), room))
	}
	if end != "" {
		parts = append(parts, end)
	}
	return strings.ReplaceAll(strings.Join(parts, "; "), "?; ", "? ")
}

// wantedAndCame is a request and its outcome in at most about room tokens. The outcome stands there when it fits whole,
// when the request says little alone, or when there is room for both in part; it is cut at a clause or not shown.
func (d *draft) wantedAndCame(wanted, came, room int) []string {
	request := d.request(wanted)
	full := request
	size := d.o.count(request)
	if came < 0 || size+1+leastOutcome > room && room < 2*leastTiny {
		return []string{cutTo(request, room, d.o)}
	}
	if size > room*3/5 {
		request = cutTo(request, room*3/5, d.o)
		size = d.o.count(request)
	}
	outcome := strings.TrimRight(itemText(d.units[came].text), ".: ")
	left := room - size - 1
	cut := cutTo(outcome, left, d.o)
	shown := strings.TrimSuffix(cut, "…")
	words := strings.Count(shown, " ") + 1
	clause := len(shown) < len(outcome) && strings.HasPrefix(outcome, shown) && words > 3 && clauseEnds(outcome, clauseMark(outcome, len(shown)))
	if cut == outcome || size <= bareOrder && words > 2 || clause || d.o.count(cut) >= 2*leastOutcome {
		return []string{request, cut}
	}
	return []string{cutTo(full, room, d.o)}
}

// clauseMark is i, or behind the mark at i.
func clauseMark(s string, i int) int {
	if strings.IndexByte(",;:", s[i]) >= 0 {
		return i + 1
	}
	return i
}

// request is the sentence of what was wanted, with what it points to: "I get this:" says nothing without it.
func (d *draft) request(wanted int) string {
	s := strings.TrimRight(itemText(d.units[wanted].text), ". ")
	if next := wanted + 1; strings.HasSuffix(s, ":") && next < len(d.units) && d.units[next].tier == own && d.units[next].message == d.units[wanted].message {
		line, _ := cutLine(strings.TrimSpace(d.units[next].text))
		if fenceOf(line) == "" {
			s += " " + oneSpaced(itemText(line))
		}
	}
	return s
}

// shorten cuts a sentence to at most limit tokens at a space, with "…" where something went. Its last full stop is
// taken off: it is a clause of a longer sentence.
func (d *draft) shorten(s string, limit int) string {
	s = strings.TrimRight(itemText(s), ". ")
	return cutTo(s, limit, d.o)
}

// cutTo cuts a text to at most limit tokens, "…" included, behind a clause or a word.
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
	if cut := strings.TrimRight(s[:border(s, low)], " ,.;:-–—(…"); cut != "" {
		return cut + "…"
	}
	if o.count("…") <= limit && s != "" {
		return "…"
	}
	return ""
}

// longestName is how many bytes without a space are still a name or a figure, which is shown whole or not at all; a
// longer run is data or a script without spaces.
const longestName = 80

// border is where to cut s at or before end: behind a clause when one ends in the last two fifths, else behind a word,
// and never between a figure and its unit.
func border(s string, end int) int {
	if end >= len(s) {
		return len(s)
	}
	head := s[:end]
	for i := end; i > end*3/5; i-- {
		if clauseEnds(s, i) {
			return i
		}
	}
	word := end
	if s[end] != ' ' {
		word = strings.LastIndexByte(head, ' ') + 1
	}
	if end-word > longestName || word < end && s[word] >= 0x80 {
		if r, _ := utf8.DecodeLastRuneInString(head); unspaced(r) || end-word > longestName {
			return end
		}
	}
	for cut := strings.TrimRight(s[:word], " "); cut != ""; {
		i := strings.LastIndexByte(cut, ' ') + 1
		if strings.Count(cut, "`")%2 == 1 { // not within code
			if j := strings.LastIndexByte(cut, '`'); j > 0 {
				cut = strings.TrimRight(cut[:j], " ")
				continue
			}
		}
		if last := strings.ToLower(strings.Trim(cut[i:], "(,\"'")); !dangling[last] && !hasDigitFirst(last) {
			return len(cut)
		}
		cut = strings.TrimRight(cut[:i], " ")
	}
	return word
}

// dangling are words that end no phrase.
var dangling = wordSet(`a an the and or but nor of in on at by for with to from into than as that which who is are was were be not no its it's
	their my your our this these those so if when while because since per over under between via`)

// hasDigitFirst tells a word that may be a figure whose unit comes next.
func hasDigitFirst(w string) bool { return w != "" && w[0] >= '0' && w[0] <= '9' }

// clauseEnds reports whether a clause of s ends at i: before a conjunction, or at a mark with a space behind it.
func clauseEnds(s string, i int) bool {
	if i >= len(s) || i == 0 || s[i] != ' ' {
		return false
	}
	switch s[i-1] {
	case ',', ';', ':':
		return strings.Count(s[:i], "(") == strings.Count(s[:i], ")")
	}
	rest := s[i+1:]
	for _, w := range [...]string{"and ", "but ", "because ", "so ", "which ", "while ", "since ", "when ", "instead ", "rather ", "(", "— ", "– ", "- "} {
		if strings.HasPrefix(rest, w) {
			return strings.Count(s[:i], "(") == strings.Count(s[:i], ")") && strings.Count(s[:i], "`")%2 == 0
		}
	}
	return false
}
