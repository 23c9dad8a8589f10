package server

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A snippet's size, in lines and bytes.
const (
	snippetLines = 12
	snippetBytes = 800
	maxNeedles   = 16 // of a long query only the longest words are looked for
)

// snipper cuts the lines that have most to do with a query out of texts.
type snipper struct{ needles []string }

func newSnipper(query string) *snipper {
	s := &snipper{}
	seen := map[string]bool{}
	apart := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && r != '_'
	}
	for word := range strings.FieldsFuncSeq(norm.NFC.String(query), apart) {
		word = strings.ToLower(word)
		if len(word) < 3 || seen[word] {
			continue
		}
		seen[word] = true
		s.needles = append(s.needles, word)
	}
	slices.SortStableFunc(s.needles, func(a, b string) int { return len(b) - len(a) })
	s.needles = s.needles[:min(len(s.needles), maxNeedles)]
	return s
}

// cut returns the run of lines of a snippet's size that holds most of the query's words, the first of equals, and the
// number of lines before it.
func (s *snipper) cut(text string) (snippet string, first int) {
	if len(text) <= snippetBytes && strings.Count(text, "\n") < snippetLines {
		return text, 0
	}
	lines := strings.Split(text, "\n")
	score := make([]int, len(lines))
	for i, line := range lines {
		low := strings.ToLower(norm.NFC.String(line))
		for _, n := range s.needles {
			if strings.Contains(low, n) {
				score[i] += min(len(n), 8) // a long word says more than a short one
			}
		}
	}
	best, bestFrom, bestTo := -1, 0, 0
	for from := 0; from < len(lines); from++ {
		to, size, sum := from, 0, 0
		for to < len(lines) && to-from < snippetLines && (size+len(lines[to]) <= snippetBytes || to == from) {
			size += len(lines[to]) + 1
			sum += score[to]
			to++
		}
		if sum > best {
			best, bestFrom, bestTo = sum, from, to
		}
		if to == len(lines) {
			break
		}
	}
	return clipBytes(strings.Join(lines[bestFrom:bestTo], "\n"), snippetBytes), bestFrom
}

// clipBytes shortens a text to at most limit bytes, at a border of runes.
func clipBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
