package utterance

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Source is the origin of a part of a message.
type Source byte

// The sources.
const (
	Own      Source = iota // the speaker's own words
	Code                   // source code, fenced or not, and diffs
	Output                 // logs, stack traces, listings, commands with their output, data
	Quoted                 // a quotation of another author
	Document               // a text with headings that was pasted or attached
	Host                   // what the host added around the message
)

// Block is a run of whole lines of one source: text[Start:End].
type Block struct {
	Start, End int
	Source     Source
}

// Blocks splits a message into runs of lines by their source. The blocks are in order, do not
// overlap and cover the whole text.
//
// Most lines show their source by their own form. Others, such as the message of an error, show it
// by their neighbours: see spread.
func Blocks(text string) []Block {
	b := blocker{text: text}
	for at := 0; at < len(text); {
		at = b.next(at)
	}
	spread(b.out)
	var out []Block
	for _, p := range b.out {
		if n := len(out); n > 0 && (p.blank || out[n-1].Source == p.Source) {
			out[n-1].End = p.End
			continue
		}
		out = append(out, p.Block)
	}
	return out
}

type blocker struct {
	text   string
	out    []piece
	opened int // number of unclosed elements
}

// piece is a line of a message, or several that belong together.
type piece struct {
	Block
	line  string // trimmed, the first if there are several
	depth int    // of its indentation, in columns
	blank bool
}

// mostOpened is the number of unclosed elements in a message after which no more elements are
// searched for.
const mostOpened = 64

// add appends the piece text[start:end] and returns its end.
func (b *blocker) add(start, end int, s Source) int {
	p := piece{Block: Block{start, end, s}, line: strings.TrimSpace(b.text[start:lineEnd(b.text, start)])}
	p.blank = p.line == ""
	for _, c := range b.text[start:end] {
		if c == '\t' {
			p.depth += literalDepth
		} else if c != ' ' {
			break
		} else {
			p.depth++
		}
	}
	b.out = append(b.out, p)
	return end
}

// next adds the block that begins at the line at.
func (b *blocker) next(at int) int {
	end := lineEnd(b.text, at)
	line := strings.TrimSpace(b.text[at:end])
	if line == "" {
		return b.add(at, end, Own)
	}
	if fence := fenceOf(line); fence != "" {
		return b.add(at, fenceEnd(b.text, end, fence), Code)
	}
	if b.opened < mostOpened && line[0] == '<' {
		if close := elementEnd(b.text, at); close > at {
			return b.add(at, close, Host)
		}
		b.opened++
	}
	switch {
	case continued(line):
		return b.add(at, len(b.text), Host)
	case strings.HasPrefix(line, ">"):
		return b.add(at, end, Quoted)
	case isHeading(line):
		return b.add(at, len(b.text), Document)
	case startsDiff(line):
		return b.add(at, diffEnd(b.text, end), Code)
	case isOutput(line):
		return b.add(at, end, Output)
	case isCode(b.text[at:end]):
		return b.add(at, end, Code)
	}
	return b.add(at, end, Own)
}

// lineEnd returns the start of the line after the one at i.
func lineEnd(text string, i int) int {
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(text)
}

// fenceOf returns the fence with which a trimmed line opens a block, or "".
func fenceOf(line string) string {
	for _, mark := range [...]byte{'`', '~'} {
		n := 0
		for n < len(line) && line[n] == mark {
			n++
		}
		if n >= 3 && !strings.Contains(line[n:], line[:n]) {
			return line[:n]
		}
	}
	return ""
}

// fenceEnd returns the end of a fenced block whose first line is at: after the closing fence, or
// the end of the text.
func fenceEnd(text string, at int, fence string) int {
	for at < len(text) {
		end := lineEnd(text, at)
		line := strings.TrimSpace(text[at:end])
		if strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == "" {
			return end
		}
		at = end
	}
	return at
}

// elementEnd returns the end of the line on which the element that begins at the line at is closed,
// or 0 if no element begins there. Hosts wrap what they add in elements with long names; people do
// not write such names.
func elementEnd(text string, at int) int {
	start := at + len(text[at:]) - len(strings.TrimLeft(text[at:], " \t"))
	if start+2 >= len(text) || text[start] != '<' {
		return 0
	}
	i := start + 1
	for i < len(text) && (isWordByte(text[i]) || text[i] == '-' || text[i] == ':') {
		i++
	}
	name := text[start+1 : i]
	if len(name) < 3 || i == len(text) || text[i] != '>' && text[i] != ' ' && text[i] != '\n' {
		return 0
	}
	closing := strings.Index(text[i:], "</"+name+">")
	if closing < 0 {
		return 0
	}
	return lineEnd(text, i+closing)
}

// continued reports whether a line begins a text that a host writes in the person's name: the
// summary of an earlier session, or the note of an interruption. These are the hosts' own fixed
// texts.
func continued(line string) bool {
	for _, prefix := range [...]string{
		"This session is being continued from a previous conversation", "Caveat: The messages below were generated by",
		"[Request interrupted", "Base directory for this skill:",
	} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

// isHeading reports whether a trimmed line is a Markdown heading.
func isHeading(line string) bool {
	n := 0
	for n < len(line) && line[n] == '#' {
		n++
	}
	return n > 0 && n <= 6 && n+1 < len(line) && line[n] == ' '
}

func startsDiff(line string) bool {
	return strings.HasPrefix(line, "diff --git ") || strings.HasPrefix(line, "@@ -") || strings.HasPrefix(line, "--- a/") ||
		strings.HasPrefix(line, "+++ b/") || strings.HasPrefix(line, "*** Begin Patch")
}

// diffEnd returns the end of the lines of a diff.
func diffEnd(text string, at int) int {
	for at < len(text) {
		end := lineEnd(text, at)
		line := text[at:end]
		switch {
		case line[0] == '+' || line[0] == '-' || line[0] == ' ' || line[0] == '\\' || line[0] == '@',
			startsDiff(line), strings.HasPrefix(line, "index "), strings.HasPrefix(line, "*** "),
			strings.HasPrefix(line, "new file"), strings.HasPrefix(line, "deleted file"), strings.HasPrefix(line, "similarity "):
			at = end
		default:
			return at
		}
	}
	return at
}

// startsWithTime reports whether a line begins with a date or a time of day, as log lines do.
func startsWithTime(line string) bool {
	line = strings.TrimLeft(line, "[(")
	digits, marks := 0, 0
	for i := 0; i < len(line) && i < 24; i++ {
		switch c := line[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == ':' || c == '-' || c == '/' || c == '.':
			marks++
		case c == 'T' || c == 'Z' || c == ',' || c == ' ' && digits >= 4:
		default:
			return digits >= 6 && marks >= 2 && i+1 < len(line)
		}
	}
	return digits >= 6 && marks >= 2
}

// isData reports whether a line is JSON, a table's rule or a row of figures rather than words.
func isData(line string) bool {
	if c := line[0]; (c == '{' || c == '[' || c == '"') && strings.ContainsAny(line, ":,{[") &&
		strings.HasSuffix(strings.TrimRight(line, ","), closerOf(c)) && strings.Contains(line, `"`) {
		return true
	}
	if strings.Count(line, "|") >= 3 && line[0] == '|' {
		return true
	}
	letters, other := 0, 0
	for _, r := range line {
		switch {
		case unicode.IsLetter(r):
			letters++
		case r != ' ':
			other++
		}
	}
	return other > 12 && letters < other
}

func closerOf(c byte) string {
	switch c {
	case '{':
		return "}"
	case '[':
		return "]"
	}
	return `"`
}

// isCode reports whether a line looks like source code, judging by its punctuation, its indentation
// and its end. The line must not be trimmed.
func isCode(line string) bool {
	trimmed := strings.TrimSpace(line)
	if len(trimmed) < 2 {
		return strings.Trim(trimmed, "{}();[]") == ""
	}
	if startsAsCode(trimmed) {
		return true
	}
	n := countMarks(trimmed)
	indented := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
	switch last := trimmed[len(trimmed)-1]; {
	case last == ';' || last == '{' || last == '}':
		return n.marks >= 2 && (n.forms > 0 || 3*n.marks > n.letters) || indented
	case indented:
		return n.marks >= 2 && 8*n.marks > n.letters
	}
	return n.marks >= 4 && 2*n.marks > n.letters
}

// startsAsCode reports whether a line begins with a comment, a script's first line or an include.
func startsAsCode(line string) bool {
	return strings.HasPrefix(line, "//") || strings.HasPrefix(line, "/*") || strings.HasPrefix(line, "#!") || strings.HasPrefix(line, "#include")
}

// markCounts counts the bytes of a line that indicate whether it is code.
type markCounts struct {
	marks   int // brackets and operators outside of backticks
	forms   int // of the marks, those of calls and assignments
	letters int // including digits
}

func countMarks(line string) (n markCounts) {
	ticks := 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '`':
			ticks++
		case strings.IndexByte("{}();=<>[]|&*$\\+", c) >= 0:
			if ticks%2 == 0 {
				n.marks++
				if i > 0 && (c == '(' && isWordByte(line[i-1]) || c == '=' && line[i-1] == ' ') {
					n.forms++
				}
			}
		case c >= utf8.RuneSelf || isWordByte(c):
			n.letters++
		}
	}
	return n
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
