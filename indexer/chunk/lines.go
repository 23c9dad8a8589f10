package chunk

import (
	"bytes"
	"sort"
)

// lines is an index of a text's lines. A line ends after its \n. Buffers are
// reused from text to text.
type lines struct {
	start []uint32 // byte where each line begins; the last element is the text's length
	// tokens[i] is the estimated number of tokens before line i, without indentation: a run of
	// blanks is one token.
	tokens []uint32
	blank  []bool
}

func (l *lines) count() int { return len(l.blank) }

func (l *lines) index(src []byte) {
	l.start, l.tokens, l.blank = l.start[:0], l.tokens[:0], l.blank[:0]
	total := uint32(0)
	for at := 0; at < len(src); {
		end := len(src)
		if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		l.start = append(l.start, uint32(at))
		l.tokens = append(l.tokens, total)
		text := trimBlank(src[at:end])
		l.blank = append(l.blank, len(text) == 0)
		total += lineTokens(text)
		at = end
	}
	l.start = append(l.start, uint32(len(src)))
	l.tokens = append(l.tokens, total)
}

// lineTokens estimates the tokens of a line without its indentation. The mean over source code in
// o200k is 3.5 bytes a token; a newline is part of a token.
func lineTokens(text []byte) uint32 {
	if len(text) == 0 {
		return 0
	}
	return uint32((len(text)*2+6)/7) + 1
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f'
}

// trimBlank is bytes.TrimSpace for the ASCII blanks only.
func trimBlank(text []byte) []byte {
	for len(text) > 0 && isBlank(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isBlank(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

// of returns the line that contains the byte at offset; the last line for offsets beyond it. The
// text has at least one line.
func (l *lines) of(offset int) int {
	n := sort.Search(len(l.blank), func(i int) bool { return int(l.start[i]) > offset })
	return max(n-1, 0)
}

// size estimates the tokens of the lines from … to, inclusive.
func (l *lines) size(from, to int) int { return int(l.tokens[to+1] - l.tokens[from]) }

// span returns the bytes of the lines from … to, inclusive.
func (l *lines) span(from, to int) Span {
	return Span{int(l.start[from]), int(l.start[to+1])}
}

// trim drops blank lines from both ends; ok is false when nothing is left.
func (l *lines) trim(from, to int) (int, int, bool) {
	for from <= to && l.blank[from] {
		from++
	}
	for to >= from && l.blank[to] {
		to--
	}
	return from, to, from <= to
}
