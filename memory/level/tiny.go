package level

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// leastOutcome is the least room, in tokens, for an outcome that is cut: a shorter one would be
// meaningless.
const leastOutcome = 10

// tiny returns level T in at most about budget tokens: the request, "→" and the outcome, and the
// number of tool calls.
func (d *draft) tiny(budget int) string {
	end := ""
	switch {
	case d.calls == 1:
		end = " (1 tool call)"
	case d.calls > 1:
		end = fmt.Sprintf(" (%d tool calls)", d.calls)
	}
	room := budget - d.o.count(end)
	text := d.wantedAndCame(room)
	if text == "" && len(d.units) > 0 {
		text = d.named(room)
	}
	return strings.TrimSpace(text + end)
}

// wantedAndCame returns a request and its outcome in at most about room tokens. Only the end of the
// text is cut: the outcome if the request leaves room for a good part of it, else the request.
func (d *draft) wantedAndCame(room int) string {
	wanted, came := d.intent(), d.outcome()
	switch {
	case wanted < 0 && came < 0:
		return ""
	case wanted < 0:
		return d.cut(d.sentenceOf(came), room)
	}
	request := d.request(wanted)
	size := d.o.count(request)
	if size > room {
		if cut := d.cut(request, room); cut != "" {
			return cut
		}
		for i := range d.units { // if the request cannot be cut: another that fits whole
			if u := &d.units[i]; i != wanted && u.tier == own && u.group == 0 && u.content >= 1 && d.o.count(d.sentenceOf(i)) <= room {
				return d.sentenceOf(i)
			}
		}
		if came < 0 {
			return ""
		}
		return d.cut(d.sentenceOf(came), room)
	}
	if came < 0 {
		return request
	}
	outcome := d.sentenceOf(came)
	left := room - d.o.count(request+" → ")
	if d.o.count(outcome) <= left {
		return request + " → " + outcome
	}
	if left >= leastOutcome {
		if cut := d.cut(outcome, left); cut != "" && cut != "…" {
			return request + " → " + cut
		}
	}
	return request
}

// named returns the text for a turn of which no sentence fits: names in it, else its beginning.
func (d *draft) named(room int) string {
	text := ""
	for i := range d.units {
		for _, a := range d.units[i].anchors {
			longer := strings.TrimPrefix(text+", "+a, ", ")
			if !slices.Contains(d.units[i].spans, a) && d.o.count(longer+" …") <= room {
				text = longer
			}
		}
	}
	if text != "" {
		return text + " …"
	}
	first := oneSpaced(d.units[0].text)
	if cut := cutTo(first, room, d.o); cut != "" && !turnsRound(first, cut) {
		return cut
	}
	return "…"
}

// sentenceOf returns the text of a unit without the mark of a list item.
func (d *draft) sentenceOf(i int) string {
	u := &d.units[i]
	if len(u.spans) > 0 {
		if first := oneSpaced(u.spans[0]); strings.Contains(u.text, first) {
			return u.text[strings.Index(u.text, first):]
		}
	}
	return oneSpaced(u.text)
}

// request returns the sentence that states what was wanted, with the line that it points to: "I get
// this:" is meaningless without it.
func (d *draft) request(wanted int) string {
	s := d.sentenceOf(wanted)
	if next := wanted + 1; (strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：")) && next < len(d.units) && d.units[next].message == d.units[wanted].message {
		for line := range strings.Lines(d.units[next].text) {
			if line = oneSpaced(line); line != "" && !isFence(line) && d.o.count(s+" "+line) <= mostTiny/2 {
				return s + " " + line
			}
		}
	}
	return s
}

// cut shortens a sentence to at most limit tokens, or returns "" if the rest would change its
// meaning.
func (d *draft) cut(s string, limit int) string {
	out := cutTo(s, limit, d.o)
	if turnsRound(s, out) {
		return ""
	}
	return out
}

// turnsRound reports whether a sentence contains a negation that its cut version has lost.
func turnsRound(s, cut string) bool {
	head := strings.TrimSuffix(cut, "…")
	if len(cut) >= len(s) || !denies(s) || denies(head) {
		return false
	}
	rest, _ := strings.CutPrefix(s, head) // a whole sentence may be dropped
	return rest == "" || !strings.ContainsRune(".;:!?。；", []rune(rest)[0])
}

func denies(s string) bool {
	return slices.Contains(utterance.Marks(s), "¬") || strings.Contains(strings.ReplaceAll(s, "’", "'"), "n't ")
}

// cutTo cuts a text to at most limit tokens, "…" included, after a clause or a word.
func cutTo(s string, limit int, o Options) string {
	if limit <= 0 {
		return ""
	}
	if most := limit * 24; len(s) > most { // longer than any tokenizer's mean
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
	if cut := strings.TrimRightFunc(s[:border(s, low)], isJoint); cut != "" {
		return cut + "…"
	}
	if o.count("…") <= limit && s != "" {
		return "…"
	}
	return ""
}

// isJoint reports whether a character separates clauses and must not end a cut one.
func isJoint(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(",.;:-–—(…，、；：", r)
}

// longestName is the largest number of bytes without a space that count as a name or a figure,
// which is shown whole or not at all; a longer run is data or a script without spaces.
const longestName = 80

// border returns where to cut s at or before end: after a clause if one ends in the last half, else
// after a word, and never between a figure and its unit or within code.
func border(s string, end int) int {
	if end >= len(s) {
		return len(s)
	}
	for i := end; i > end/2; i-- {
		if clauseEnds(s, i) {
			return i
		}
	}
	word := end
	if s[end] != ' ' {
		word = strings.LastIndexByte(s[:end], ' ') + 1
	}
	if r, _ := utf8.DecodeLastRuneInString(s[:end]); end-word > longestName || word < end && r >= 0x2E80 {
		return end
	}
	cut := strings.TrimRight(s[:word], " ")
	for cut != "" {
		i := strings.LastIndexByte(cut, ' ') + 1
		if strings.Count(cut, "`")%2 == 1 {
			if j := strings.LastIndexByte(cut, '`'); j > 0 {
				cut = strings.TrimRight(cut[:j], " ")
				continue
			}
		}
		last := strings.Trim(cut[i:], "(,\"'")
		if last == "" || last[0] < '0' || last[0] > '9' {
			return len(cut)
		}
		cut = strings.TrimRight(cut[:i], " ")
	}
	return word
}

// clauseEnds reports whether a clause of s ends at i: after a mark, or before a bracket or a dash.
func clauseEnds(s string, i int) bool {
	if i >= len(s) || i == 0 {
		return false
	}
	for _, mark := range [...]string{"，", "、", "；", "：", "。"} {
		if strings.HasSuffix(s[:i], mark) {
			return true
		}
	}
	if s[i] != ' ' || strings.Count(s[:i], "(") != strings.Count(s[:i], ")") || strings.Count(s[:i], "`")%2 == 1 {
		return false
	}
	if strings.IndexByte(",;:.!?", s[i-1]) >= 0 {
		return true
	}
	rest := s[i+1:]
	return strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "— ") || strings.HasPrefix(rest, "– ") || strings.HasPrefix(rest, "- ")
}
