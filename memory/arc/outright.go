package arc

import (
	"strings"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// mostLabel is the largest number of words of a label.
const mostLabel = 4

// labelOf returns the few words before a colon that say what the rest of a sentence is, as in
// "Decision: the cache lives in Redis", and whether there are any. A label without a rest is a
// heading: it belongs to the list below it.
func labelOf(text string) (label, rest string, ok bool) {
	at, width := strings.Index(text+" ", ": "), len(":")
	if wide := strings.Index(text, "："); wide >= 0 && (at < 0 || wide < at) {
		at, width = wide, len("：")
	}
	if at < 0 {
		return "", "", false
	}
	label, rest = strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+width:])
	return label, rest, utterance.CountWords(label) <= mostLabel
}

// headingOf returns the label that a line of its own gives to the list items below it, "" if it is
// none.
func headingOf(line string) string {
	if label, rest, ok := labelOf(line); ok && rest == "" {
		return label
	}
	return ""
}

// announce sets the marks of a person's sentence that its label alone decides, or that of the
// heading above a list item: what they call open stays open whatever the reply is, and what they
// call decided is decided.
func (l *Line) announce(heading string) {
	label, rest, ok := labelOf(l.Text)
	if heading != "" && l.is(listed) {
		label, rest, ok = heading, l.Text, true
	}
	if !ok || rest == "" {
		return
	}
	l.Keys = keys(rest) // labels are common to what has nothing else in common
	question := strings.ContainsRune("?？", lastRune(rest))
	switch decided, open := announced(label); {
	case open || question && utterance.CountWords(label) > 1 && denied(label):
		l.Marks = l.Marks&^settling | deferring | stated
	case decided && !question:
		l.Marks |= settling | stated
	}
}

// announced reports what a label calls what it belongs to.
func announced(label string) (decided, open bool) {
	low := lower(label)
	scan(low, func(c cue, start, stop int) {
		not, _ := negated(low, start)
		decided = decided || c == decision || c == settle && !not
		few := utterance.CountWords(label) <= 2 || stop == len(low) // not "open the file: …"
		open = open || c == pending && few || c == deferred || c == settle && not
	})
	return decided && !open, open
}

// How near to a cue a denial belongs to it.
const (
	wordsNear = 3 // words before it, in scripts with spaces
	runesNear = 2 // characters before it, in scripts without
	runesPast = 7 // characters after it, where the verb has its negation at the end
)

// negated reports whether the cue that begins at an offset of a lower-case text is denied, in its
// own clause: "not yet decided", "まだ決めていません". A denial that begins the clause may be an answer
// instead, as in "no we go with Redis".
func negated(low string, start int) (is, answers bool) {
	const ends = ",;:.、。，：；"
	first, _ := utf8.DecodeRuneInString(low[start:])
	before, after := low[strings.LastIndexAny(low[:start], ends)+1:start], low[start:]
	if first < 0x2E80 {
		words := strings.Fields(before)
		for i := len(words) - 1; i >= max(0, len(words)-wordsNear); i-- {
			if denied(words[i]) || strings.HasSuffix(words[i], "n't") {
				return true, i == 0
			}
		}
		return false, false
	}
	if i := strings.IndexAny(after, ends); i >= 0 {
		after = after[:i]
	}
	past := []rune(after)
	verb := string(past[:min(len(past), 1+runesPast)])
	was := []rune(strings.TrimFunc(before, func(r rune) bool { return r == '\uFFFD' }))
	return denied(string(was[max(0, len(was)-runesNear):])) || strings.Contains(verb, "ない") || strings.Contains(verb, "ません"), false
}
