package bundle

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// noteShare is the part of a shortened text that the names of what was left out may take, as a
// divisor.
const noteShare = 5

// Shorten cuts a Markdown text to at most max tokens. It keeps whole sections in their order, and
// leaves out those that do not fit. If no section under a heading fits, it keeps the first
// paragraphs and list items of the sections; if not one of these fits, the first sentences, and at
// last the first lines. A heading is kept only with text under it, and the last line names what was
// left out. Shorten returns "" if nothing fits. The result depends on the arguments alone, so that
// it stays the same from bundle to bundle.
func Shorten(text string, max int, count func(string) int) string {
	if max <= 0 {
		return ""
	}
	if count(text) <= max {
		return text
	}
	s := newShortening(text, max, count)
	s.fill(func(body string) []string { return []string{body} })
	if slices.ContainsFunc(s.sections, func(sec section) bool { return sec.kept != "" && sec.heading != "" }) {
		return s.result()
	}
	for _, divide := range []func(string) []string{splitBlocks, splitSentences, splitLines} {
		if s.fill(divide); s.keepsAny() {
			return s.result()
		}
	}
	return ""
}

// ShortenRules cuts a Markdown text with rules to at most max tokens: it keeps paragraphs and list
// items, in their order under their headings, of those that begin with a rule as many as fit, and
// then of the others. rate returns the probability that a sentence is a rule. The rest is as in
// Shorten, which it falls back on if nothing fits.
func ShortenRules(text string, max int, count func(string) int, rate func(sentence string) float64) string {
	if max > 0 && count(text) > max {
		s := newShortening(text, max, count)
		if s.keepRules(rate); s.keepsAny() {
			return s.result()
		}
	}
	return Shorten(text, max, count)
}

// keepRules keeps blocks: those first that are most probably rules for what they take, with the
// headings that they still need, and before all others those that are more probably than not.
func (s *shortening) keepRules(rate func(sentence string) float64) {
	type rule struct {
		section, tokens int
		chance          float64
		text            string
		kept            bool
	}
	var rules []rule
	for i, sec := range s.sections {
		for _, text := range splitBlocks(sec.body) {
			first := listItem.ReplaceAllString(strings.TrimSpace(text), "")
			if fenceAfter("", first) == "" {
				rules = append(rules, rule{section: i, tokens: s.count(text), chance: rate(strings.TrimSpace(splitSentences(first)[0])), text: text})
			}
		}
	}
	left, headed := s.max-s.noteRoom(), map[int]bool{}
	for {
		best, cost, most := -1, 0, 0.0
		for i, r := range rules {
			c := max(r.tokens+s.headingCost(r.section, headed), 1)
			if r.kept || c > left {
				continue
			}
			value := r.chance / float64(c)
			if r.chance >= ruleLeast {
				value++
			}
			if value > most {
				best, cost, most = i, c, value
			}
		}
		if best < 0 {
			break
		}
		rules[best].kept = true
		left -= cost
		s.addHeadings(rules[best].section, headed)
	}
	for _, r := range rules {
		if r.kept {
			s.sections[r.section].kept += r.text
		}
	}
}

// headingCost returns the tokens of the headings that a section's text needs besides those that are
// there already.
func (s *shortening) headingCost(section int, headed map[int]bool) (tokens int) {
	if !headed[section] {
		tokens = s.headings[section]
	}
	for _, i := range s.sections[section].above {
		if !headed[i] {
			tokens += s.headings[i]
		}
	}
	return tokens
}

// addHeadings notes that those headings are there.
func (s *shortening) addHeadings(section int, headed map[int]bool) {
	headed[section] = true
	for _, i := range s.sections[section].above {
		headed[i] = true
	}
}

// keepsAny reports whether something is kept.
func (s *shortening) keepsAny() bool {
	return slices.ContainsFunc(s.sections, func(sec section) bool { return sec.kept != "" })
}

// section is a heading with the text up to the next heading; "" is the heading of what is before
// the first one.
type section struct {
	heading string
	level   int // how many signs the heading has
	body    string
	above   []int  // the sections without a body that contain it, the outermost first
	kept    string // what is kept of body
}

// shortening is a text that is being cut.
type shortening struct {
	sections []section
	headings []int // the tokens of each section's heading, with the seam
	max      int
	count    func(string) int
}

func newShortening(text string, max int, count func(string) int) *shortening {
	s := &shortening{sections: splitSections(text), max: max, count: count}
	for _, sec := range s.sections {
		s.headings = append(s.headings, count(sec.heading)+2)
	}
	return s
}

// fill keeps as many of the first parts of each section's body as fit.
func (s *shortening) fill(divide func(body string) []string) {
	left := s.max - s.noteRoom()
	headed := map[int]bool{}
	for i := range s.sections {
		sec := &s.sections[i]
		sec.kept = ""
		cost := s.headingCost(i, headed)
		for _, part := range divide(sec.body) {
			if cost += s.count(part); cost > left {
				break
			}
			sec.kept += part
			left -= cost
			cost = 0
		}
		if sec.kept != "" {
			s.addHeadings(i, headed)
		}
	}
}

// result joins what is kept, and names the rest as far as there is room.
func (s *shortening) result() string {
	var out []string
	written := map[int]bool{}
	for _, sec := range s.sections {
		if sec.kept == "" {
			continue
		}
		for _, a := range sec.above {
			if !written[a] {
				written[a] = true
				out = append(out, s.sections[a].heading)
			}
		}
		out = append(out, strings.TrimSpace(sec.heading+"\n"+strings.TrimRight(sec.kept, " \t\r\n")))
	}
	text, names := strings.Join(out, "\n\n"), s.leftOut()
	best := text + "\n\n" + note(names, 0)
	for n := range names {
		longer := text + "\n\n" + note(names, n+1)
		if s.count(longer) > s.max {
			break
		}
		best = longer
	}
	return best
}

// noteRoom returns the tokens that the note may take of the room for text.
func (s *shortening) noteRoom() int {
	for i := range s.sections {
		s.sections[i].kept = ""
	}
	names := s.leftOut()
	return 2 + max(s.count(note(names, 0)), min(s.max/noteShare, s.count(note(names, len(names)))))
}

// leftOut names the sections of which text is left out.
func (s *shortening) leftOut() (names []string) {
	for _, sec := range s.sections {
		name := strings.TrimSpace(strings.Trim(sec.heading, "# \t\r"))
		if name == "" {
			name = "the text before the first heading"
			if len(s.sections) == 1 {
				name = "the text"
			}
		}
		switch {
		case sec.kept == sec.body: // all of it, or there is nothing but the heading
		case sec.kept != "":
			names = append(names, "the rest of "+name)
		default:
			names = append(names, name)
		}
	}
	return names
}

// note tells what is left out, by its first most names and the number of the rest.
func note(names []string, most int) string {
	switch rest := len(names) - most; {
	case most == 0:
		return fmt.Sprintf("[left out for lack of room: %s]", sections(rest))
	case rest > 0:
		return fmt.Sprintf("[left out for lack of room: %s; and %s more]", strings.Join(names[:most], "; "), sections(rest))
	}
	return fmt.Sprintf("[left out for lack of room: %s]", strings.Join(names, "; "))
}

func sections(n int) string {
	if n == 1 {
		return "1 section"
	}
	return strconv.Itoa(n) + " sections"
}

// splitSections cuts before each heading that is not inside a code fence.
func splitSections(text string) []section {
	var out []section
	var body []string
	cur, fence := section{}, ""
	end := func() {
		if cur.body = strings.Join(body, "\n"); strings.TrimSpace(cur.body) == "" {
			cur.body = ""
		}
		cur.body = strings.Trim(cur.body, "\r\n")
		if cur.heading != "" || cur.body != "" {
			out = append(out, cur)
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		level := 0
		if fence == "" {
			level = headingLevel(line)
		}
		if fence = fenceAfter(fence, line); level == 0 {
			body = append(body, line)
			continue
		}
		end()
		cur, body = section{heading: strings.TrimSpace(line), level: level, above: bareAbove(out, level)}, nil
	}
	end()
	return out
}

// bareAbove returns those of the sections without a body that contain a heading of a level after
// them, the outermost first.
func bareAbove(list []section, level int) (above []int) {
	for i := len(list) - 1; i >= 0 && level > 1; i-- {
		if sec := list[i]; sec.level > 0 && sec.level < level {
			if level = sec.level; sec.body == "" {
				above = append(above, i)
			}
		}
	}
	slices.Reverse(above)
	return above
}

// headingLevel returns how many signs a heading has, 0 for a line that is none.
func headingLevel(line string) int {
	rest := strings.TrimLeft(line, "#")
	if n := len(line) - len(rest); n <= 6 && (rest == "" || strings.ContainsRune(" \t\r", rune(rest[0]))) {
		return n
	}
	return 0
}

// fenceAfter returns the mark of the code fence that is open after a line, "" if there is none.
func fenceAfter(open, line string) string {
	line = strings.TrimSpace(line)
	if open != "" {
		if strings.HasPrefix(line, open) && strings.Trim(line, open[:1]) == "" {
			return ""
		}
		return open
	}
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// splitBlocks cuts a section's body before each paragraph and each item of a list. It cuts neither
// code in a fence nor what continues a list's item or follows a colon. The blocks together are the
// body.
func splitBlocks(body string) (blocks []string) {
	start, at, fence := 0, 0, ""
	blank, last := false, "" // whether the line before is blank, and the last one that is not
	for line := range strings.SplitAfterSeq(body, "\n") {
		text := strings.TrimSpace(line)
		isIndented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		begins := text != "" && !isIndented && (blank || listItem.MatchString(line))
		if begins && fence == "" && at > 0 && !strings.HasSuffix(last, ":") {
			blocks = append(blocks, body[start:at])
			start = at
		}
		fence, blank = fenceAfter(fence, line), text == ""
		if !blank {
			last = text
		}
		at += len(line)
	}
	return append(blocks, body[start:])
}

// listItem matches the beginning of a list's item.
var listItem = regexp.MustCompile(`^([-*+]|\d{1,3}[.)])\s`)

// sentenceEnd matches the end of a sentence.
var sentenceEnd = regexp.MustCompile(`[.!?]\s+|[。！？]\s*`)

// splitSentences cuts a text behind each sentence before its first code fence.
func splitSentences(text string) (list []string) {
	text, code := untilFence(text)
	start := 0
	for _, at := range sentenceEnd.FindAllStringIndex(text, -1) {
		list = append(list, text[start:at[1]])
		start = at[1]
	}
	return append(list, text[start:]+code)
}

// splitLines cuts a text behind each line before its first code fence.
func splitLines(text string) []string {
	text, code := untilFence(text)
	list := strings.SplitAfter(text, "\n")
	list[len(list)-1] += code
	return list
}

// untilFence cuts a text before its first code fence, which is whole or not at all.
func untilFence(text string) (before, rest string) {
	at := 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		if fenceAfter("", line) != "" {
			break
		}
		at += len(line)
	}
	return text[:at], text[at:]
}
