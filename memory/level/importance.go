package level

import (
	"math"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Importance scores the message at index, counted from 0, of total messages: recency up to 20,
// length up to 25, 15 for a code block (half for an unclosed fence), 5 for a question up to 15, 10
// for a decision word, 5 for a problem word up to 15, 5 for a user's message, 15 for the first and
// the last. It reads only the content and is linear in it.
func Importance(m dialogue.Message, index, total int) float64 {
	c := tally(m.Content)
	score := placed(index, total)
	score += math.Min(25, math.Log2(float64(c.words)+1)*5)
	score += float64(c.fences) / 2 * 15
	score += math.Min(15, float64(c.questions)*5)
	score += float64(c.decisions) * 10
	score += math.Min(15, float64(c.problems)*5)
	if m.Role == dialogue.User {
		score += 5
	}
	return score
}

// placed returns the part of a message's importance that depends on its position.
func placed(index, total int) (score float64) {
	if total > 0 {
		score = float64(index) / float64(total) * 20
	}
	if index == 0 || index == total-1 {
		score += 15
	}
	return score
}

type counts struct{ words, fences, questions, decisions, problems int }

// tally counts in one pass. Words are counted as if by splitting at white space: one more than
// there are gaps, including gaps at either end.
func tally(text string) counts {
	c := counts{words: 1}
	inGap := false
	for i := 0; i < len(text); {
		b := text[i]
		if gap := gapLen(text[i:]); gap > 0 {
			if !inGap {
				c.words++
			}
			inGap = true
			i += gap
			continue
		}
		inGap = false
		switch {
		case wordByte(b):
			end := i + 1
			for end < len(text) && wordByte(text[end]) {
				end++
			}
			countWord(text, i, end, &c)
			i = end
		case b == '?':
			c.questions++
			i++
		case b == '`' && strings.HasPrefix(text[i:], "```"):
			c.fences++
			i += 3
		default:
			i++
		}
	}
	return c
}

// countWord counts the formula's decision and problem words. It reads the word text[i:end] and, if
// a phrase begins with it, what follows.
func countWord(text string, i, end int, c *counts) {
	if end-i > 10 {
		return
	}
	var buf [10]byte
	for j := i; j < end; j++ {
		buf[j-i] = lowerByte(text[j])
	}
	switch string(buf[:end-i]) {
	case "let":
		if phraseAt(text[end:], "'s go with") {
			c.decisions++
		}
	case "we":
		if phraseAt(text[end:], "'ll use") {
			c.decisions++
		}
	case "decided", "decision", "agreed", "final", "conclusion", "solution", "answer", "resolved":
		c.decisions++
	case "error", "bug", "issue", "problem", "failed", "broken", "fix", "crash", "exception", "typeerror", "undefined":
		c.problems++
	}
}

// phraseAt reports whether text begins with phrase, ignoring case, and a word ends there.
func phraseAt(text, phrase string) bool {
	if len(text) < len(phrase) || !strings.EqualFold(text[:len(phrase)], phrase) {
		return false
	}
	return len(text) == len(phrase) || !wordByte(text[len(phrase)])
}

// gapLen returns the length of the white space character at the start of s, 0 if there is none.
// White space is that of ECMAScript's \s, in which the formula was written.
func gapLen(s string) int {
	switch b := s[0]; {
	case b == ' ' || b >= '\t' && b <= '\r':
		return 1
	case b < 0xC2 || len(s) < 2:
		return 0
	case b == 0xC2 && s[1] == 0xA0:
		return 2
	case len(s) < 3:
		return 0
	}
	switch s[:3] {
	case "\u1680", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\ufeff":
		return 3
	}
	if s[0] == 0xE2 && s[1] == 0x80 && s[2] >= 0x80 && s[2] <= 0x8A {
		return 3
	}
	return 0
}

func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_'
}

func lowerByte(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
