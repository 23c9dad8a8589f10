package secrets

import (
	"strings"
	"unicode/utf8"
)

// Extents of windows, in bytes. The longest tokens of the library are some hundred bytes long; the
// names before an assigned value have at most 50 bytes (by its expressions) and the values 150.
const (
	maxName   = 50
	maxLeft   = 128
	maxToken  = 4096
	maxValue  = 512
	maxSpread = 256
	maxLines  = 1024 // after a keyword whose rule covers several lines
	tail      = 8    // what may end a value
)

// span is a range of bytes.
type span struct{ start, end int }

// set is a set of bytes.
type set [256]bool

func bytesOf(list string) *set {
	var s set
	for i := range len(list) {
		s[list[i]] = true
	}
	return &s
}

const (
	digits  = "0123456789"
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	blanks  = " \t"
	breaks  = "\r\n\f\v"
)

var (
	wordBytes       = bytesOf(letters + digits + "_")
	nameBytes       = bytesOf(letters + digits + "_.-")
	tokenBytes      = bytesOf(letters + digits + `_-./+=~|%:\@`)
	valueBytes      = bytesOf(letters + digits + `_-./+=~|%:@`)
	alnumSlashBytes = bytesOf(letters + digits + "+/")
	equalsBytes     = bytesOf("=")
	digitBytes      = bytesOf(digits)
	numberBytes     = bytesOf(digits + ".eE+-_")
	phraseBytes     = bytesOf(letters + "-_")
	dashes          = bytesOf("-")
	blockBytes      = bytesOf(" BLOCK-")
	// Bytes that may occur between a name and its value: quotes and their escapes, blanks, and the
	// operators.
	beforeOperator = bytesOf(letters + digits + `_.-'"\` + blanks + breaks)
	operators      = bytesOf("=:>|?,")
	beforeValue    = bytesOf("=:>|?,'\"`\\" + blanks + breaks)
)

// forward is the end of the run of bytes of s that begins at i, at most max bytes on.
func forward(text string, i, max int, s *set) int {
	end := min(len(text), i+max)
	for i < end && s[text[i]] {
		i++
	}
	return i
}

// backward is the beginning of the run of bytes of s that ends at i, at most max bytes back.
func backward(text string, i, max int, s *set) int {
	end := i - max
	if end < 0 {
		end = 0
	}
	for i > end && s[text[i-1]] {
		i--
	}
	return i
}

// window is the part of the text that a rule has to see for the keyword at start:end; none when a
// secret cannot be there.
func (c *scan) window(r *rule, start, end int) (span, bool) {
	text := c.text
	switch match, secret := r.sizes(); r.shape {
	case assigned:
		value := assignedValue(text, end)
		most := min(secret.most, maxValue)
		stop := forward(text, value, most+slack, valueBytes)
		if stop-value < max(minAssigned, secret.least-slack) || stop < len(text) && !enders[text[stop]] {
			return span{}, false
		}
		return span{backward(text, start, maxName, nameBytes), min(len(text), stop+tail)}, true
	case valued:
		run := c.run(start)
		if run.end-run.start < secret.least {
			return span{}, false
		}
		return span{max(0, start-maxLeft), min(len(text), run.end+tail, end+min(secret.most, maxToken)+tail)}, true
	case tokened:
		run := c.run(start)
		if run.end-run.start < match.least {
			return span{}, false
		}
		reach := min(match.most, maxToken)
		return span{max(0, run.start-1, start-reach-1), min(len(text), run.end+tail, end+reach+tail)}, true
	}
	return span{max(0, start-maxSpread), min(len(text), end+maxLines)}, true
}

// run is the run of bytes of tokens around i. The last one is remembered, so that a long one is not
// measured at every keyword in it.
func (c *scan) run(i int) span {
	if i < c.last.start || i >= c.last.end {
		c.last = span{backward(c.text, i, len(c.text), tokenBytes), forward(c.text, i, len(c.text), tokenBytes)}
	}
	return c.last
}

// slack is how much longer a run may be than the value in it: signs such as = may belong to what
// stands before.
const slack = 6

// enders may follow an assigned value; a backslash begins an escape.
var enders = bytesOf("'\"`;\\" + blanks + breaks)

// minAssigned is the minimum length of a value of an assigned rule, in bytes.
const minAssigned = 10

// assignedValue returns where the value begins if the name around a keyword that ends at i is
// followed by an operator, otherwise the text's end. The expressions of the library allow 23 bytes
// before the operator and 8 of operators and quotes; escaped quotes take more.
func assignedValue(text string, i int) int {
	i = forward(text, i, 28, beforeOperator)
	if i == len(text) || !operators[text[i]] {
		return len(text)
	}
	if b := text[i]; (b == '|' || b == '?') && (i+1 == len(text) || text[i+1] != '=' && text[i+1] != b) {
		return len(text) // a table's border, a question
	}
	return forward(text, i, 16, beforeValue)
}

// merge appends a window, or extends the last one if they overlap, so that the windows of a rule
// never contain a byte twice. Windows are passed in the order of their keywords.
func merge(list []span, w span) []span {
	if n := len(list); n > 0 && w.start <= list[n-1].end {
		last := &list[n-1]
		last.start, last.end = min(last.start, w.start), max(last.end, w.end)
		for ; n > 1 && list[n-2].end >= list[n-1].start; n-- {
			list[n-2].end = max(list[n-2].end, list[n-1].end)
			list = list[:n-1]
		}
		return list
	}
	return append(list, w)
}

// whole extends the borders of a window to the nearest character boundaries.
func whole(text string, w span) span {
	for n := 0; n < utf8.UTFMax && w.start > 0 && !utf8.RuneStart(text[w.start]); n++ {
		w.start--
	}
	for n := 0; n < utf8.UTFMax && w.end < len(text) && !utf8.RuneStart(text[w.end]); n++ {
		w.end++
	}
	return w
}

// unescaped returns text with its escapes, as in JSON and program text, replaced by the characters
// that they represent, padded with blanks so that every byte keeps its position; ok is false if it
// has none.
func unescaped(text string) (plain string, ok bool) {
	at := strings.IndexByte(text, '\\')
	if at < 0 {
		return "", false
	}
	out := []byte(text)
	for i := at; i < len(out); i++ {
		if out[i] != '\\' {
			continue
		}
		from := i
		for i < len(out) && out[i] == '\\' { // escaped repeatedly: JSON within JSON
			out[i] = ' '
			i++
		}
		if i == len(out) {
			break
		}
		switch out[i] {
		case 'n', 'r':
			out[i] = '\n'
		case 't':
			out[i] = '\t'
		case 'u':
			if b := escapedByte(out[i:]); b != 0 {
				copy(out[i:], "     ")
				i += 4
				out[i] = b
			}
		case '"', '\'', '`', '/':
		default:
			copy(out[from:i], text[from:i]) // an escape that hides nothing
		}
	}
	return string(out), true
}

// escapedByte is the ASCII character that `uXXXX` stands for, or 0.
func escapedByte(text []byte) byte {
	if len(text) < 5 || text[1] != '0' || text[2] != '0' {
		return 0
	}
	n := 0
	for _, b := range text[3:5] {
		digit := strings.IndexByte("0123456789abcdef", b|0x20)
		if digit < 0 {
			return 0
		}
		n = n<<4 | digit
	}
	if n >= utf8.RuneSelf {
		return 0
	}
	return byte(n)
}
