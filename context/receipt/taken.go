package receipt

import (
	"hash/fnv"
	"regexp"
	"strings"
	"unicode"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// mostWords bounds the words that are kept of a text.
const mostWords = 200

// wordForm matches a word as prose or code spells it.
var wordForm = regexp.MustCompile(`[\pL\d_]+(?:[./]+[\pL\d_]+)*`)

// codeWords adds the hashes of the words of a text that are spelled as code: with a capital, an
// underscore, a dot or a slash inside. A hash is kept, since the text may be forgotten later.
func codeWords(text string, add func(uint32)) {
	for _, word := range wordForm.FindAllString(text, -1) {
		if !strings.ContainsAny(word, "_./") && !strings.ContainsFunc(strings.TrimLeftFunc(word, unicode.IsUpper), unicode.IsUpper) {
			continue
		}
		h := fnv.New32a()
		_, _ = h.Write([]byte(word)) // never fails
		add(h.Sum32())
	}
}

// wordsGiven returns the words of a text, without the lines that name places.
func wordsGiven(text string) (out []uint32) {
	seen := map[uint32]bool{}
	for line := range strings.Lines(text) {
		if names, _ := namesIn(line); len(names) > 0 {
			continue
		}
		codeWords(line, func(w uint32) {
			if !seen[w] && len(out) < mostWords {
				seen[w] = true
				out = append(out, w)
			}
		})
	}
	return out
}

// noteWords records the words of a message: the person's are known, and those that the assistant
// wrote after that, also as arguments of calls, may be taken from what was given.
func (w *Work) noteWords(m dialogue.Message) {
	if m.ByPerson() {
		codeWords(m.Content, func(word uint32) { w.wrote[word] = false })
		return
	}
	if m.Role != dialogue.Assistant {
		return
	}
	texts := []string{m.Content}
	for _, c := range m.ToolCalls {
		texts = append(texts, resultText(c.Arguments))
	}
	for _, text := range texts {
		codeWords(text, func(word uint32) {
			if _, known := w.wrote[word]; !known {
				w.wrote[word] = true
			}
		})
	}
}
