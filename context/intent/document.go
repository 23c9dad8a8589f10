package intent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of a prompt is read: all of it up to the sum, else its head and its tail. The request is
// at one of the two ends; pasted text fills the middle.
const (
	headBytes = 24 << 10
	tailBytes = 8 << 10
	maxLine   = 2 << 10 // bytes of one line; longer ones are minified code
	maxAsk    = 400     // bytes of a line that count as asking

	maxSalutations = 3 // lines that may precede the request
	maxOpenings    = 6 // polite phrases that may precede the verb
)

// line is a line of the prompt without its line break.
type line struct {
	text  string
	code  bool // inside a fence, or a line of a trace
	trace bool // of a stack trace or a template's comment: the person did not name what it names
	ask   bool // states the request: the first line of prose, and lines that end in '?'
	// position is the file that the line is about, if it starts like a compiler's line:
	// "main.go:12:3: …"; see readTraces.
	position string
}

// word is a lower-case word of the prose.
type word struct {
	text  string
	line  int
	first bool // first of its sentence
}

// document is a prompt, split once for all readers.
type document struct {
	lines []line
	words []word // of the lines that are not code; see makeWords
}

func newDocument(prompt string) *document {
	d := &document{}
	fence, comment := "", false
	for text := range strings.SplitSeq(bounded(prompt), "\n") {
		text = clip(strings.TrimRight(text, " \t\r\v\f"), maxLine)
		trimmed := strings.TrimLeft(text, " \t>")
		switch mark := fenceMark(trimmed); {
		case fence == "" && mark != "":
			fence = mark
			continue
		case fence != "" && mark == fence && strings.Trim(trimmed, fence[:1]) == "":
			fence = ""
			continue
		}
		opened := fence == "" && strings.HasPrefix(trimmed, "<!--")
		comment = comment || opened
		d.lines = append(d.lines, line{text: text, code: fence != "" || looksIndented(text), trace: comment})
		comment = comment && !strings.Contains(text, "-->")
	}
	return d
}

// looksIndented reports whether a line outside fences is code, by its indentation and punctuation.
func looksIndented(text string) bool {
	return (strings.HasPrefix(text, "    ") || strings.HasPrefix(text, "\t")) && strings.ContainsAny(text, "(){}=;")
}

// bounded returns the part of the prompt that is read.
func bounded(prompt string) string {
	if len(prompt) <= headBytes+tailBytes {
		return prompt
	}
	return clip(prompt[:headBytes+1], headBytes) + "\n" + startAtRune(prompt[len(prompt)-tailBytes:])
}

func startAtRune(s string) string {
	for s != "" && s[0]&0xC0 == 0x80 {
		s = s[1:]
	}
	return s
}

// fenceMark returns the fence that a line opens or closes, "" for none.
func fenceMark(s string) string {
	if strings.HasPrefix(s, "```") && !strings.Contains(strings.TrimLeft(s, "`"), "`") {
		return "```"
	}
	if strings.HasPrefix(s, "~~~") {
		return "~~~"
	}
	return ""
}

// makeWords splits the prose, once it is known which lines are traces. If everything is in fences,
// that is the prose.
func (d *document) makeWords() {
	d.splitLines(func(l line) bool { return !l.code && !l.trace })
	if len(d.words) == 0 {
		d.splitLines(func(l line) bool { return !l.trace })
	}
}

func (d *document) splitLines(admit func(line) bool) {
	for i, l := range d.lines {
		if !admit(l) || isTrailer(l.text) {
			continue
		}
		first := true
		text := withoutAddresses(strings.ReplaceAll(strings.ToLower(l.text), "’", "'"))
		for start := 0; start < len(text); {
			end, next := wordAt(text, start)
			if end > start {
				d.words = append(d.words, word{text: strings.Trim(text[start:end], "'"), line: i, first: first})
				first = false
			}
			if endsSentence(text[end:next]) {
				first = true
			}
			start = next
		}
	}
}

// markAsking marks the first line of prose that is more than a salutation, and the
// questions.
func (d *document) markAsking() {
	seen, salutations := false, 0
	for i := range d.lines {
		l := &d.lines[i]
		if l.code || l.trace || strings.TrimSpace(l.text) == "" || len(l.text) > 4*maxAsk {
			continue
		}
		switch {
		case !seen && salutations < maxSalutations && isSalutation(l.text):
			salutations++
		case !seen:
			seen, l.ask = true, true
		case endsQuestion(l.text):
			l.ask = true
		}
	}
}

// withoutAddresses blanks the URLs of a line, since their parts are not topics.
func withoutAddresses(s string) string {
	for {
		i := strings.Index(s, "://")
		if i < 0 {
			return s
		}
		start := strings.LastIndexAny(s[:i], " \t(<[\"'`") + 1
		end := strings.IndexAny(s[i:], " \t)>]\"'`")
		if end < 0 {
			return s[:start]
		}
		s = s[:start] + s[i+end:]
	}
}

// wordAt returns the end of the word at start, which is start itself when there is none, and where
// to search for the next one. Words are letters, digits, underscores and apostrophes; a run of a
// script without spaces is a word of its own.
func wordAt(s string, start int) (end, next int) {
	i, unspaced := start, false
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf {
			if unspaced && isIdent(c) {
				return i, i
			}
			if !isIdent(c) && c != '\'' {
				break
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		if isUnspaced(r) != unspaced {
			if i > start {
				return i, i
			}
			unspaced = true
		}
		i += size
	}
	end = i
	for i < len(s) {
		c := s[i]
		if isIdent(c) || c == '\'' {
			break
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if unicode.IsLetter(r) {
				break
			}
			i += size
			continue
		}
		i++
	}
	return end, i
}

// endsSentence reports whether the text between two words ends a sentence.
func endsSentence(between string) bool {
	return strings.ContainsAny(between, ".!?:;") && strings.ContainsAny(between, " \t") || strings.ContainsAny(between, "。！？")
}

// endsQuestion reports whether a line ends in a question mark, ignoring closing quotes and
// brackets.
func endsQuestion(s string) bool {
	s = strings.TrimRight(s, " \t\"'”’)*_`")
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.HasSuffix(s, "؟")
}

func isIdent(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
