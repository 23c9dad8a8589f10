package utterance

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
)

// longestSentence is the largest length of a sentence in bytes; a longer run is not delimited by a
// person.
const longestSentence = 800

// Sentences returns the sentences of the speaker's own words, in order. They follow UAX #29 with
// five differences: a list item is a sentence of its own; a wrapped line continues in the next; an
// abbreviation, an initial or an open backtick does not end a sentence, nor does a question in
// quotation marks after which lower case follows; and a full stop after a whole word does, even if
// the next word begins in lower case.
func Sentences(text string) []Sentence {
	out, _ := split(text)
	return out
}

// split returns the sentences, and the length of what is not the speaker's own words.
func split(text string) (out []Sentence, foreign int) {
	paragraph := 0
	touches := false // pasted lines precede without a blank line
	for _, b := range Blocks(text) {
		if b.Source != Own {
			touches = b.Source != Host && !strings.HasSuffix(text[b.Start:b.End], "\n\n")
			paragraph++
			foreign += b.End - b.Start
			continue
		}
		first, from := len(out), paragraph
		out, paragraph = appendLines(out, text, b, paragraph)
		markQuoted(out[first:], text, b.Start, b.End)
		at, tagged := b.Start, isSmall(tagOf(strings.TrimLeft(text[b.Start:b.End], " \t")))
		for i := first; i < len(out); i++ {
			s := &out[i]
			if k := strings.LastIndexByte(text[at:s.Start], '\n'); k >= 0 {
				tagged = isSmall(tagOf(strings.TrimLeft(text[at+k+1:s.End], " \t")))
			}
			at = s.Start
			s.Near = tagged || touches && s.Paragraph == from
		}
		paragraph++
	}
	return out, foreign
}

// appendLines appends the sentences of a block, paragraph by paragraph and item by item.
func appendLines(out []Sentence, text string, b Block, paragraph int) ([]Sentence, int) {
	start, last := -1, "" // of the run of lines being collected
	listed := false
	flush := func(end int) {
		if start >= 0 {
			out = appendProse(out, text, start, end, paragraph, listed)
		}
		start = -1
	}
	for at := b.Start; at < b.End; {
		end := lineEnd(text, at)
		line := strings.TrimSpace(text[at:end])
		item := itemMark(line)
		switch {
		case line == "":
			flush(at)
			paragraph++
		case item > 0:
			flush(at)
			start = at + strings.Index(text[at:end], line) + item
			listed = true
		case start >= 0 && wraps(last, line):
		default:
			flush(at)
			start, listed = at, false
		}
		last = line
		at = end
	}
	flush(b.End)
	return out, paragraph
}

// itemMark returns the length of the mark with which a trimmed line begins a list item, 0 if it
// does not.
func itemMark(line string) int {
	for _, mark := range [...]string{"- [ ] ", "- [x] ", "- ", "* ", "+ ", "• ", "– "} {
		if strings.HasPrefix(line, mark) {
			return len(mark)
		}
	}
	n := 0
	for n < len(line) && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	if n > 0 && n < 3 && n+1 < len(line) && (line[n] == '.' || line[n] == ')') && line[n+1] == ' ' {
		return n + 2
	}
	return 0
}

// wraps reports whether next continues the line last: last is long enough to have been wrapped and
// does not end a sentence, and next begins in lower case.
func wraps(last, next string) bool {
	end, _ := utf8.DecodeLastRuneInString(last)
	if strings.ContainsRune(".!?:;。！？…", end) || len(last) < 45 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(next)
	return unicode.IsLower(first) || len(last) > 60 && !unicode.IsUpper(first)
}

// appendProse appends the sentences of text[start:end].
func appendProse(out []Sentence, text string, start, end, paragraph int, listed bool) []Sentence {
	first := len(out)
	at, from := start, start
	it := sentences.FromString(text[start:end])
	for it.Next() {
		at += len(it.Value())
		if at < end && at-from <= longestSentence && !endsSentence(text[from:at], text[at:end]) {
			continue
		}
		out = appendParts(out, text, from, at, paragraph)
		from = at
	}
	if from < end {
		out = appendParts(out, text, from, end, paragraph)
	}
	if listed && len(out) > first {
		out[first].Listed = true
	}
	return out
}

// endsSentence reports whether a sentence that UAX #29 ends after head really ends there.
func endsSentence(head, rest string) bool {
	trimmed := strings.TrimRight(head, " \t\r\n")
	if strings.Count(trimmed, "`")%2 == 1 && strings.Contains(rest, "`") {
		return false
	}
	if inner := strings.TrimRight(trimmed, `"'”’»)]`); inner != trimmed && strings.ContainsAny(inner[max(0, len(inner)-1):], "?!") {
		// A question in quotation marks or brackets: the sentence around it goes on in lower case.
		if next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " \t")); unicode.IsLower(next) {
			return false
		}
	}
	if !strings.HasSuffix(trimmed, ".") {
		// A wrapped line: UAX #29 ends a sentence with every line.
		return !strings.HasSuffix(head, "\n") || strings.HasSuffix(trimmed, "?") || strings.HasSuffix(trimmed, "!") || rest == ""
	}
	word := trimmed[strings.LastIndexAny(trimmed[:len(trimmed)-1], " \t\n(")+1 : len(trimmed)-1]
	if next, _ := utf8.DecodeRuneInString(strings.TrimSpace(rest)); numbers(word) && unicode.IsDigit(next) {
		return false
	}
	return !abbreviates(word)
}

// numbers reports whether a full stop after word belongs to the word when a number follows: "no.
// 5".
func numbers(word string) bool {
	switch strings.ToLower(word) {
	case "no", "nr", "fig", "art", "p", "pp", "ch":
		return true
	}
	return false
}

// abbreviates reports whether a full stop after word belongs to the word: "e.g", "z.B", an initial,
// the number of a list item.
func abbreviates(word string) bool {
	if r, n := utf8.DecodeRuneInString(word); n == len(word) && n > 0 {
		return unicode.IsUpper(r) && r != 'I' && r < utf8.RuneSelf
	}
	switch strings.ToLower(word) {
	case "etc", "vs", "cf", "approx", "incl", "resp", "bzw", "ca", "sr", "dr", "mr", "ms", "mrs", "sra":
		return true
	}
	for i, part := range strings.Split(word, ".") { // e.g, i.e, z.B, p.ej
		if len(part) > 2 || part == "" && i > 0 || strings.ContainsAny(part, "0123456789") {
			return false
		}
	}
	return strings.Contains(word, ".")
}

// appendParts appends text[from:to], split where a full stop ends a whole word although the next
// one begins in lower case, as people type in a chat.
func appendParts(out []Sentence, text string, from, to, paragraph int) []Sentence {
	ticks, start := 0, from // of the word at i
	for i := from; i+2 < to; i++ {
		switch text[i] {
		case '`':
			ticks++
		case ' ', '\n', '\t':
			start = i + 1
		}
		if text[i] != '.' || text[i+1] != ' ' || ticks%2 == 1 {
			continue
		}
		word := text[start:i]
		if next, _ := utf8.DecodeRuneInString(text[i+2:]); unicode.IsLower(next) && len(word) > 1 && allLetters(word) && !abbreviates(word) {
			out = appendTrimmed(out, text, from, i+1, paragraph)
			ticks, from, start = 0, i+2, i+2
		}
	}
	return appendTrimmed(out, text, from, to, paragraph)
}

func allLetters(word string) bool {
	for _, r := range word {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}

// appendTrimmed appends a sentence without surrounding white space, unless it is empty or too long.
func appendTrimmed(out []Sentence, text string, from, to, paragraph int) []Sentence {
	s := text[from:to]
	from += len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
	to = from + len(strings.TrimSpace(s))
	if from >= to || to-from > longestSentence {
		return out
	}
	return append(out, Sentence{Start: from, End: to, Paragraph: paragraph})
}
