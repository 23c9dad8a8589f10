package arc

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// key stands for a content word: a hash of the word's beginning and, in the last four bits, its
// weight. Most inflected forms of a word share a key.
type key uint32

const keyRunes = 5 // runes of a word that are hashed

func (k key) word() key       { return k >> 4 }
func (k key) weight() float64 { return float64(k&15) / 15 }

func newKey(word string, weight float64) key {
	h := uint32(2166136261)
	for i := 0; i < len(word); i++ {
		h = (h ^ uint32(word[i])) * 16777619
	}
	return key(h&^15 | uint32(max(0, min(weight, 1))*15))
}

// particles are Chinese characters with a grammatical function: a pair with one of them is not a
// key.
const particles = "我你您他她它们的了是在不就也都和与这那有没吗呢吧啊什么怎可以要会能得一个下来去还用把被给让对说很再先上中为"

// keysOf returns the keys of a text, sorted and without duplicates, and its paths and identifiers.
func keysOf(text string) (out []key, names []string) {
	for _, t := range utterance.Terms(text) {
		s := text[t.Start:t.End]
		first, _ := utf8.DecodeRuneInString(s)
		switch {
		case t.Code:
			out, names = append(out, newKey(strings.ToLower(s), 1)), append(names, s)
		case first >= 0x2E80:
			out = appendCharacters(out, s)
		default:
			for _, part := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("-./'’", r) }) {
				out = appendWord(out, part, t.Rarity, t.Start == 0)
			}
		}
	}
	for _, run := range strings.FieldsFunc(text, func(r rune) bool { return r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r) || r >= 0x2E80 }) {
		run = strings.Trim(run, ".")
		if len(run) > 1 && len(run) < 6 && (strings.ContainsAny(run, "0123456789") || len(run) == 2 && strings.ToUpper(run) == run) {
			out = append(out, newKey(strings.ToLower(run), spellings))
		}
	}
	return union(out), names
}

func keys(text string) []key {
	out, _ := keysOf(text)
	return out
}

// appendWord appends the key of a word. Long words and names weigh more: short words are function
// words in most languages, and the rarity of a word is reliable only in the languages that are well
// represented in the corpus.
func appendWord(out []key, s string, rarity float64, opens bool) []key {
	n := utf8.RuneCountInString(s)
	first, _ := utf8.DecodeRuneInString(s)
	weight := (rarity - leastRarity) / (1 - leastRarity) * min(1, float64(n-1)/5)
	if unicode.IsUpper(first) && (!opens || strings.ToUpper(s) == s) {
		weight = max(weight, rarity)
	}
	if weight < leastKeyWeight || n < 3 {
		return out
	}
	low, end := strings.ToLower(s), 0
	for i := 0; i < keyRunes && end < len(low); i++ {
		_, size := utf8.DecodeRuneInString(low[end:])
		end += size
	}
	return append(out, newKey(low[:end], weight))
}

// appendCharacters appends the keys of a run without spaces: katakana as whole words, other
// characters in pairs.
func appendCharacters(out []key, s string) []key {
	var last rune
	start := 0
	kana := func(r rune) bool { return unicode.Is(unicode.Katakana, r) || r == 'ー' }
	for i, r := range s + "\n" {
		switch {
		case kana(r) && kana(last):
		case kana(last):
			if i-start > 6 {
				out = append(out, newKey(s[start:i], 1))
			}
			start = i
		case last != 0 && !kana(r) && r != '\n' && !strings.ContainsRune(particles, r) && !strings.ContainsRune(particles, last):
			out = append(out, newKey(string(last)+string(r), spellings))
			start = i
		default:
			start = i
		}
		last = r
	}
	return out
}

// shared returns the weight of the keys that two sorted lists have in common.
func shared(a, b []key) float64 {
	sum, i := 0.0, 0
	for _, k := range a {
		for i < len(b) && b[i].word() < k.word() {
			i++
		}
		if i < len(b) && b[i].word() == k.word() {
			sum += k.weight()
		}
	}
	return sum
}

func weightOf(keys []key) (sum float64) {
	for _, k := range keys {
		sum += k.weight()
	}
	return sum
}

// union merges sorted lists.
func union(lists ...[]key) []key {
	out := slices.Concat(lists...)
	slices.SortFunc(out, func(a, b key) int { return cmp.Or(cmp.Compare(a.word(), b.word()), cmp.Compare(b, a)) })
	return slices.CompactFunc(out, func(a, b key) bool { return a.word() == b.word() })
}
