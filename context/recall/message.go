package recall

import (
	"strings"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Lengths in bytes to which a message is read before it is cut.
const (
	maxHead = 48 << 10 // of its text
	maxTail = 16 << 10
)

// textOf returns what was said in a message.
func textOf(m dialogue.Message) string {
	text := m.Content
	if len(text) > maxHead+maxTail {
		tail := strings.ToValidUTF8(text[len(text)-maxTail:], "")
		text = clip(text, maxHead) + "\n" + tail
	}
	return text
}

// maxRead bounds the bytes of a query that are read for its words.
const maxRead = 4 << 10

// clip cuts at a rune boundary, and at a word boundary if one is near, and marks the cut.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	if i := strings.LastIndexByte(s[:end], ' '); i > end/2 {
		end = i
	}
	return s[:end] + omission
}

// currentWords ask for what is current.
var currentWords = []string{
	"current", "currently", "latest", "newest", "nowadays", "now", "still", "up-to-date", "these days", "at the moment",
	"as of", "most recent",
}

// recency returns how much newness counts for a request: fully if it asks for what is current, half
// if it names a recent time or is about code, where the latest statement is the valid one, and not
// at all for a plain question about the past. The caller's own figure is the minimum.
func recency(req Request) float64 {
	want := min(1, max(0, req.Recency))
	words := " " + strings.Join(strings.FieldsFunc(strings.ToLower(req.Query), func(r rune) bool {
		return strings.ContainsRune(" \t\n\r.,:;!?\"'()", r)
	}), " ") + " "
	for _, w := range currentWords {
		if strings.Contains(words, " "+w+" ") {
			return 1
		}
	}
	if req.MemoryType == "rule" || req.MemoryType == "code" || req.MemoryType == "task" {
		return 1
	}
	s := intent.Classify(req.Query, intent.Context{})
	if len(s.Identifiers)+len(s.Errors)+len(s.Frames)+len(s.Files)+len(s.Signatures) > 0 {
		want = max(want, codeRecency)
	}
	return max(want, codeRecency*s.Recency)
}
