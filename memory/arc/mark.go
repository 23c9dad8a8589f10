package arc

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// markOf maps cues to the marks they set.
var markOf = [numCues]Mark{settle: settling, renew: changing, withdraw: withdrawing, deferred: deferring, pending: leaving, offer: offering}

// mark reads the cues and the form of a line, the i-th of the lines of its message.
func (l *Line) mark(low string, isListed bool, i, of int) {
	question := strings.ContainsRune("?？", lastRune(low))
	plain := strings.ReplaceAll(low, "’", "'")
	scan(plain, func(c cue, start, _ int) {
		if c == settle {
			if not, answers := negated(plain, start); not && (!answers || l.p(utterance.Decision) < rather) {
				l.Marks |= deferring | undecided
				return
			}
		}
		l.Marks |= markOf[c]
	})
	set := func(m Mark, is bool) {
		if l.Marks &^= m; is {
			l.Marks |= m
		}
	}
	set(asks, (question || l.p(utterance.Question) > likely) && l.p(utterance.Order) < clearly)
	set(denies, l.Words <= shortReply && denied(l.Text))
	set(settling, l.is(settling) && !question)
	set(changing, l.is(changing) || l.p(utterance.Change) > rather)
	set(listed, isListed || optionMark(l.Text) != 0)
	set(opening, i < 2)
	set(last, i >= of-3)
	if !question {
		l.Rejected = rejected(l.Text, low)
	}
}

// lastRune returns the last character of a text that is not a closing mark.
func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, " \t\"'”’»」)*_`:;-("))
	return r
}

// optionMark returns the letter that marks an option: "B) cursors", "Option B: cursors". It returns
// 0 if there is none.
func optionMark(text string) byte {
	fields := strings.Fields(text)
	for _, f := range fields[:min(len(fields), 2)] {
		if len(f) == 2 && f[0] >= 'A' && f[0] <= 'F' && strings.IndexByte(").:", f[1]) >= 0 {
			return f[0]
		}
	}
	return 0
}

// mostRejected is the largest number of words in an alternative.
const mostRejected = 6

// rejected returns the alternatives that a sentence rejects: what follows a contrast or, in
// languages that put the contrast last, what precedes it. Each is a part of the sentence.
func rejected(text, low string) []string {
	at, end, before := -1, 0, false
	scan(low, func(c cue, start, stop int) {
		if at < 0 && (c == contrast || c == ruled) {
			at, end, before = start, stop, c == ruled
		}
	})
	if at < 0 || len(low) != len(text) {
		return nil
	}
	if before {
		start := strings.LastIndexAny(text[:at], " ,.:;、。，はが") + 1
		for start < at && text[start]&0xC0 == 0x80 {
			start++ // after the character that was found
		}
		if s := strings.TrimSpace(text[start:at]); s != "" && utterance.CountWords(s) <= mostRejected {
			return []string{s}
		}
		return nil
	}
	rest := text[end:]
	if i := strings.IndexAny(rest, ",;!?()\n"); i >= 0 {
		rest = rest[:i]
	}
	for _, stop := range []string{". ", " - ", " – ", " — ", ": ", "，", "。", "、"} {
		rest, _, _ = strings.Cut(rest, stop)
	}
	rest = strings.Trim(strings.TrimRight(rest, ". "), " \"'`“”")
	words := utterance.CountWords(rest)
	if fields := strings.Fields(rest); words > mostRejected && len(fields) > mostRejected {
		rest = rest[:strings.Index(rest, fields[mostRejected-1])+len(fields[mostRejected-1])]
	}
	if words == 0 || strings.IndexFunc(rest, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
		return nil
	}
	return []string{rest}
}

// naming counts the paths and identifiers of a turn.
type naming struct {
	uses map[string]int
	list []string
}

func newNaming() *naming { return &naming{uses: map[string]int{}} }

func (c *naming) add(m dialogue.Message, lines []Line) {
	weight := 1
	if m.Role == dialogue.User {
		weight = 3
	}
	count := func(name string) {
		if len(name) > 80 || len(c.list) > 400 {
			return
		}
		if c.uses[name] == 0 {
			c.list = append(c.list, name)
		}
		c.uses[name] += weight
	}
	for i := range lines {
		for _, name := range lines[i].names {
			count(name)
		}
	}
	for _, s := range m.Symbols {
		count(s)
	}
}

func (c *naming) top() []string {
	slices.SortStableFunc(c.list, func(a, b string) int { return c.uses[b] - c.uses[a] })
	return c.list[:min(len(c.list), mostNames)]
}
