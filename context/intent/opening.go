package intent

import (
	"slices"
	"strings"
)

// talk is the kind of a prompt without a topic.
type talk int

const (
	topical talk = iota
	greeting
	acknowledgement
)

// smallTalk returns whether the prompt is nothing but a greeting or an acknowledgement. "hello",
// "hi Anna!" and "good morning, how are you?" are greetings; with anything else after it ("hi,
// where is the retry code?") it is neither.
func smallTalk(d *document) talk {
	for _, l := range d.lines {
		if (l.code || l.trace) && strings.TrimSpace(l.text) != "" {
			return topical
		}
	}
	return talkOf(d.words, properName(d))
}

// maxSmallTalk bounds the words of small talk.
const maxSmallTalk = 12

// talkOf parses words as phrases of small talk. name, if any, is a capitalised word that may follow
// a greeting.
func talkOf(words []word, name string) talk {
	kind := topical
	if len(words) > maxSmallTalk {
		return topical
	}
	for i := 0; i < len(words); {
		n, k := longest(words[i:], greetings), greeting
		if a := longest(words[i:], acknowledgements); a > n {
			n, k = a, acknowledgement
		}
		switch {
		case n > 0:
			// A greeting with thanks counts as a greeting.
			if kind == topical || k == greeting {
				kind = k
			}
		case kind == topical:
			return topical
		default:
			n = longest(words[i:], fillers)
			if n == 0 && words[i].text == name && name != "" {
				n = 1
			}
		}
		if n == 0 {
			return topical
		}
		i += n
	}
	return kind
}

func longest(words []word, phrases []string) int {
	n := 0
	for _, p := range phrases {
		n = max(n, startsWith(words, p))
	}
	return n
}

// properName returns, in lower case, the second word of the prompt when it is
// capitalised like a name: "Hi Anna".
func properName(d *document) string {
	if len(d.words) < 2 {
		return ""
	}
	for _, l := range d.lines {
		fields := strings.Fields(l.text)
		if len(fields) < 2 {
			continue
		}
		name := strings.Trim(fields[1], ",.!?:;")
		if len(name) > 1 && isUpper(name[0]) && strings.Trim(name[1:], "abcdefghijklmnopqrstuvwxyz") == "" {
			return strings.ToLower(name)
		}
		return ""
	}
	return ""
}

// isSalutation reports whether a line is only an opening such as "Hi all,".
func isSalutation(text string) bool {
	if len(text) > 80 {
		return false
	}
	d := &document{lines: []line{{text: text}}}
	d.makeWords()
	return len(d.words) > 0 && talkOf(d.words, properName(d)) != topical
}

// isQuestion reports whether the prompt asks: one of the asking lines ends in a question mark, or
// the prompt, after its opening, begins like a question.
func isQuestion(d *document) bool {
	for _, l := range d.lines {
		if l.ask && (endsQuestion(l.text) || strings.Contains(clip(l.text, maxAsk), "? ")) {
			return true
		}
	}
	words := d.words
	for i := 0; i < maxOpenings && len(words) > 0; i++ {
		n := max(longest(words, greetings), longest(words, questionOpenings))
		if n == 0 {
			break
		}
		words = words[n:]
	}
	if len(words) == 0 {
		return false
	}
	first := words[0].text
	if questionWords[first] {
		return true
	}
	if len(words) < 2 {
		return false
	}
	return slices.Contains(questionPairs[first], words[1].text)
}
