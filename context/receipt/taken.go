package receipt

import (
	"hash/fnv"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// mostWords bounds the words that are kept of a text.
const mostWords = 200

// wordForm matches a word as prose or code spells it.
var wordForm = regexp.MustCompile(`[\pL\d_]+(?:[./]+[\pL\d_]+)*`)

// codeWords calls f for the words of a text that are spelled as code: with a capital, an
// underscore, a dot or a slash inside. Numbers with a dot, as 0.5s, are none.
func codeWords(text string, f func(word string)) {
	for _, word := range wordForm.FindAllString(text, -1) {
		switch {
		case word[0] >= '0' && word[0] <= '9':
		case strings.ContainsAny(word, "_./"), strings.ContainsFunc(strings.TrimLeftFunc(word, unicode.IsUpper), unicode.IsUpper):
			f(word)
		}
	}
}

// hashOf returns what is kept of a word, since the text may be forgotten later.
func hashOf(word string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(word)) // never fails
	return h.Sum32()
}

// wordsGiven returns the words of a text, without the lines that name places.
func wordsGiven(text string) (out []uint32) {
	seen := map[uint32]bool{}
	for line := range strings.Lines(text) {
		if names, _ := namesIn(line); len(names) > 0 {
			continue
		}
		codeWords(line, func(word string) {
			w := hashOf(word)
			if !seen[w] && len(out) < mostWords {
				seen[w] = true
				out = append(out, w)
			}
		})
	}
	return out
}

// before is the time of a word that the person wrote.
var before = time.Unix(0, 0)

// taken reports whether the assistant first wrote a word after it was given. A log without times is
// in the order of what happened, but what was given is not in it: such a word counts.
func (w *Work) taken(word uint32, given time.Time) bool {
	at, wrote := w.wrote[word]
	return wrote && at != before && (at.IsZero() || !at.Before(given))
}

// noteWords records when the assistant first wrote each of its words, also as arguments of calls.
// Those that the person wrote cannot be taken from what was given. A message with the time of the
// prompt has none of its own: some logs, as VS Code's, have one for a request and its answer.
func (w *Work) noteWords(m dialogue.Message, prompt time.Time) {
	if m.ByPerson() {
		codeWords(m.Content, func(word string) { w.wrote[hashOf(word)] = before })
		return
	}
	if m.Role != dialogue.Assistant {
		return
	}
	at := m.At
	if at.Equal(prompt) {
		at = time.Time{}
	}
	texts := []string{m.Content}
	for _, c := range m.ToolCalls {
		texts = append(texts, resultText(c.Arguments))
	}
	for _, text := range texts {
		codeWords(text, func(word string) {
			for { // a path, which may be absolute, is also written by its ends
				h := hashOf(word)
				if _, known := w.wrote[h]; !known {
					w.wrote[h] = at
				}
				_, end, more := strings.Cut(word, "/")
				if !more {
					return
				}
				word = end
			}
		})
	}
}
