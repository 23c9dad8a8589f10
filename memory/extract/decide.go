package extract

import "strings"

// Choice is a decision that one sentence states.
type Choice struct {
	Text     string   // the sentence, without list marks and emphasis
	Chosen   string   // what was chosen; "" where the sentence only rules something out
	Rejected []string // the alternatives that it names as not taken
	Subject  string   // what it is for, where the sentence says so: "for the job queue"
	Change   bool     // it changes its mind: "actually", "instead", "switch to"
	Order    bool     // an order ("use X instead of Y"), which decides only from a person
	Mild     bool     // "we'll use X": a plan as much as a decision
}

// longestDecision bounds the sentence of a decision in words: longer ones are stories.
const longestDecision = 60

// Decide reads a sentence as a decision. Precision comes first: what is asked, supposed, only possible or said of
// others' is none, and an order is one only with an alternative ("use X instead of Y", "actually, use Z").
func Decide(sentence string) (Choice, bool) {
	text := plain(sentence)
	if text == "" || len(text) > 600 || strings.HasSuffix(strings.TrimRight(text, `"')`), "?") || !mayDecide(text) {
		return Choice{}, false
	}
	ws := wordsOf(text)
	if len(ws) < 2 || len(ws) > longestDecision {
		return Choice{}, false
	}
	r := reader{text: text, ws: ws}
	for _, rule := range [...]func(*reader) bool{(*reader).label, (*reader).itIs, (*reader).decided, (*reader).went, (*reader).lets,
		(*reader).will, (*reader).prefers, (*reader).order, (*reader).no} {
		r.choice = Choice{Text: text}
		if rule(&r) && (r.choice.Chosen != "" || len(r.choice.Rejected) > 0) {
			return r.choice, true
		}
	}
	return Choice{}, false
}

// plain is a sentence without list marks and Markdown emphasis.
func plain(s string) string {
	s = itemText(s)
	s = strings.ReplaceAll(s, "**", "")
	return strings.TrimSpace(strings.Trim(s, "_"))
}

var decisionHints = wordSet(`let's lets let decided decide decision agreed agree going gonna go went final chose chosen picked settled opted
	selected we'll i'll will won't use using keep switch stick sticking switching drop is it instead rather verdict
	prefer option approach no actually should`)

// mayDecide is the cheap test: one of the words that every rule needs is there.
func mayDecide(s string) bool {
	for i := 0; i < len(s); {
		b := lowerByte(s[i])
		if b < 'a' || b > 'z' {
			i++
			continue
		}
		end := i + 1
		for end < len(s) && (wordByte(s[end]) || s[end] == '\'') {
			end++
		}
		if end-i <= 9 {
			var buf [9]byte
			for j := i; j < end; j++ {
				buf[j-i] = lowerByte(s[j])
			}
			if decisionHints[string(buf[:end-i])] {
				return true
			}
		}
		i = end
		if strings.HasPrefix(s[i:], "’") {
			return true
		}
	}
	return false
}

// word is a word of a sentence, or one of the marks , ; : ( ) and dashes that part it.
type word struct {
	low        string // lower case, plain apostrophe
	start, end int
}

// wordsOf splits a sentence into words and parting marks. Backticks and quotes are left out; what a name or a path is
// made of stays in one word.
func wordsOf(s string) []word {
	ws := make([]word, 0, 24)
	for i := 0; i < len(s) && len(ws) <= longestDecision; {
		switch {
		case s[i] == ' ' || s[i] == '\t' || s[i] == '`' || s[i] == '"':
			i++
		case strings.HasPrefix(s[i:], "—") || strings.HasPrefix(s[i:], "–"):
			ws = append(ws, word{"-", i, i + 3})
			i += 3
		case strings.HasPrefix(s[i:], "“") || strings.HasPrefix(s[i:], "”"):
			i += 3
		case strings.IndexByte(",;:()", s[i]) >= 0:
			ws = append(ws, word{s[i : i+1], i, i + 1})
			i++
		default:
			end := i
			for end < len(s) && !parting(s, end) {
				end++
			}
			start := i
			i = max(end, i+1)
			for end > start && strings.IndexByte(".!'", s[end-1]) >= 0 {
				end--
			}
			if end > start {
				ws = append(ws, word{strings.ReplaceAll(strings.ToLower(s[start:end]), "’", "'"), start, end})
			}
		}
	}
	return ws
}

// parting reports whether a word ends before s[i].
func parting(s string, i int) bool {
	switch s[i] {
	case ' ', '\t', '`', '"', ';', '(', ')':
		return true
	case ',', ':':
		return i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '`' || s[i+1] == '"'
	case 0xE2:
		return strings.HasPrefix(s[i:], "—") || strings.HasPrefix(s[i:], "–") || strings.HasPrefix(s[i:], "“") || strings.HasPrefix(s[i:], "”")
	}
	return false
}
