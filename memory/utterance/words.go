package utterance

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Words returns the words of a text in lower case and NFC, in order: its runs of letters, digits
// and marks.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(norm.NFC.String(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// Set returns the elements of a list as a set.
func Set(words []string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}

// Likeness returns the share of the words of two sets that both have (Jaccard's index), from 0 to
// 1; 0 if both are empty.
func Likeness(a, b map[string]bool) float64 {
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	if common == 0 {
		return 0
	}
	return float64(common) / float64(len(a)+len(b)-common)
}

// CountWords returns the number of words of a text; a character of a script without spaces counts
// as half a word.
func CountWords(text string) int {
	var f foldedSentence
	f.fold(text)
	n := 0
	for _, w := range f.words {
		if n += 2; w.class == hanWord {
			n--
		}
	}
	return (n + 1) / 2
}

// denials are negations in the languages of the corpus. Two sentences that differ in one of them do
// not mean the same, however similar they are.
var denials = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`no not never none nothing nobody without don't dont doesn't didn't can't cannot won't shouldn't mustn't isn't aren't stop avoid skip drop
		nicht kein keine keinen keinem keiner nie niemals ohne statt ne pas jamais sans aucun aucune plus nunca jamás sin ni tampoco não nem sem
		non mai senza nessun niet geen nooit zonder nie bez не нет никогда без ни нельзя değil yok asla hayır hiç`) {
		set[w] = true
	}
	return set
}()

// deniers are the negations in scripts without spaces.
const deniers = "不没別别勿非無无未ずぬ안않말"

// Marks returns what distinguishes two similar sentences: the identifiers, paths and numbers of a
// text, and whether it contains a negation. The list is sorted and has no duplicates.
func Marks(text string) []string {
	var out []string
	denied := strings.ContainsAny(text, deniers) || strings.Contains(text, "ない") || strings.Contains(text, "ません")
	for _, field := range strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",;()[]{}!?\"“”«»`", r)
	}) {
		run := strings.Trim(field, ".:'’")
		low := strings.ToLower(strings.ReplaceAll(run, "’", "'"))
		switch {
		case denials[low]:
			denied = true
		case isNumber(run) || isCodeWord(run):
			out = append(out, low)
		}
	}
	if denied {
		out = append(out, "¬")
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Term is a word that may name what a text is about.
type Term struct {
	Start, End int     // in the text
	Rarity     float64 // from 0, a common word, to 1, one that the corpus does not contain
	Code       bool    // an identifier or a path
}

// Terms returns the words of a text that may name a topic, in order: identifiers, words, and runs
// of characters in scripts without spaces. Numbers are excluded.
func Terms(text string) []Term {
	m := embedded()
	var out []Term
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		start := i
		switch {
		case unspaced(r):
			for i < len(text) {
				next, n := utf8.DecodeRuneInString(text[i:])
				if !unspaced(next) || unicode.In(next, unicode.Hiragana) != unicode.In(r, unicode.Hiragana) {
					break
				}
				i += n
			}
			if unicode.In(r, unicode.Hiragana) || i-start < 2*n || i-start > 8*n {
				continue
			}
			out = append(out, Term{Start: start, End: i, Rarity: 1})
		case unicode.IsLetter(r) || r == '_' || r == '@':
			for i < len(text) {
				next, n := utf8.DecodeRuneInString(text[i:])
				if unspaced(next) || !(unicode.IsLetter(next) || unicode.IsDigit(next) || unicode.IsMark(next) || strings.ContainsRune("_-./@'’", next)) {
					break
				}
				i += n
			}
			if t, ok := m.term(text, start, i); ok {
				out = append(out, t)
			}
		default:
			i += n
		}
	}
	return out
}

// Rarity returns the rarity of the rarest word of a text: from 0, a common word, to 1, one that the
// corpus does not contain. Two characters of a script without spaces count as one word. A text
// without words has rarity 0.
func Rarity(text string) float64 {
	if isCodeWord(text) {
		return 1
	}
	m := embedded()
	var f foldedSentence
	f.fold(text)
	rarest := 0.0
	for i, w := range f.words {
		if w.class == numberWord {
			continue
		}
		h := hashBytes(startOf(blockWords), f.text[w.start:w.end])
		if w.class == hanWord && len(f.words) > 1 {
			if i+1 == len(f.words) || f.words[i+1].class != hanWord {
				continue
			}
			next := f.words[i+1] // paired as in collect
			h = h*hashPrime ^ hashBytes(startOf(blockWords), f.text[next.start:next.end])
		}
		r := 1.0
		if known := m.find(mixed(h)); known != nil {
			r = float64(known.idf) / 255
		}
		rarest = max(rarest, r)
	}
	return rarest
}

// term returns the word text[start:end] without the punctuation at its end.
func (m *Model) term(text string, start, end int) (Term, bool) {
	run := strings.TrimRight(text[start:end], "-./'’@")
	t := Term{Start: start, End: start + len(run)}
	if utf8.RuneCountInString(run) < 3 || len(run) > 60 {
		return t, false
	}
	if isCodeWord(run) {
		t.Rarity, t.Code = 1, true
		return t, true
	}
	h := hashBytes(startOf(blockWords), []byte(strings.ToLower(strings.ReplaceAll(run, "’", "'"))))
	t.Rarity = 1
	if r := m.find(mixed(h)); r != nil {
		t.Rarity = float64(r.idf) / 255
	}
	return t, true
}

// InOrder returns the share of the longer text's words that both texts have in the same order, from
// 0 to 1, ignoring common words. Words in another order may mean the opposite: "tabs, not spaces"
// and "spaces, not tabs".
func InOrder(a, b string) float64 {
	x, y := foldedWords(a), foldedWords(b)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	above := make([]int, len(y)+1) // lengths of the longest common subsequence
	for _, w := range x {
		diagonal := 0
		for j, v := range y {
			next := above[j+1]
			if w == v {
				above[j+1] = diagonal + 1
			} else {
				above[j+1] = max(above[j+1], above[j])
			}
			diagonal = next
		}
	}
	return float64(above[len(y)]) / float64(max(len(x), len(y)))
}

// mostOrdered bounds the words that InOrder reads of each text: its time grows with their product.
const mostOrdered = 120

// foldedWords returns the words of a text in lower case without the common ones, or all words if
// nothing else is left.
func foldedWords(text string) []string {
	m := embedded()
	var f foldedSentence
	f.fold(text)
	var all, rare []string
	for _, w := range f.words[:min(mostOrdered, len(f.words))] {
		word := f.text[w.start:w.end]
		all = append(all, string(word))
		r := m.find(mixed(hashBytes(startOf(blockWords), word)))
		if w.class != plainWord || r == nil || float64(r.idf) >= OrdinaryBelow*255 {
			rare = append(rare, string(word))
		}
	}
	if len(rare) == 0 {
		return all
	}
	return rare
}

// SameWords returns the share of the words of both texts that they have in common, from 0 to 1. It
// ignores identifiers, numbers and common words: two rules with the same words differ only in their
// values.
func SameWords(a, b string) float64 {
	return Likeness(plainWords(a), plainWords(b))
}

func plainWords(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range foldedWords(text) {
		if w[0] > byte(numberWord) { // identifiers and numbers were folded to their class
			out[w] = true
		}
	}
	return out
}

// longestValue is the largest number of words of a value that another replaces.
const longestValue = 3

// OneReplaced reports whether two texts have the same words in the same order except for one value
// in the same position, and common words that only one of them has: "with four spaces", "now with
// tabs". At least one of the words that they share is not common: it says what the value is of.
func OneReplaced(a, b string) bool {
	x, y := lowerWords(a), lowerWords(b)
	x, y = x[:min(mostOrdered, len(x))], y[:min(mostOrdered, len(y))]
	i, j, values, shared := 0, 0, 0, false
	for _, m := range append(common(x, y), [2]int{len(x), len(y)}) {
		was, is := x[i:m[0]], y[j:m[1]]
		switch {
		case len(was) > 0 && len(is) > 0:
			values++
			if len(was) > longestValue || len(is) > longestValue {
				return false
			}
		case slices.ContainsFunc(was, isRare) || slices.ContainsFunc(is, isRare):
			return false
		}
		if m[0] < len(x) {
			shared = shared || isRare(x[m[0]])
		}
		i, j = m[0]+1, m[1]+1
	}
	return values == 1 && shared
}

// isRare reports whether a word of a folded text is not a common one.
func isRare(word string) bool {
	m := embedded()
	r := m.find(mixed(hashBytes(startOf(blockWords), []byte(word))))
	return word != "" && word[0] > byte(numberWord) && (r == nil || float64(r.idf) >= OrdinaryBelow*255)
}

func lowerWords(text string) []string {
	var f foldedSentence
	f.fold(text)
	out := make([]string, len(f.words))
	for i, w := range f.words {
		out[i] = string(f.text[w.start:w.end])
	}
	return out
}
