// Package translate maps prompts in other languages to English. Code and its comments are mostly
// English: a search by words finds nothing for a question in another language without the meanings
// of its words. The table in words.tsv, which go run ./cmd/train words learned from the translated
// messages of programs, has them: for the prefixes of words, or for short character sequences in
// scripts without spaces, the English words in the same messages.
package translate

import (
	"cmp"
	_ "embed"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// English is the language of prompts that need no reading.
const English = "en"

// Reading is the analysis of a text.
type Reading struct {
	Language string // two letters of ISO 639-1; "" when no word is known
	Words    []Word // those with a meaning, in order; none in English
	// Strange is the share of the text's letters in words that programs do not use in that
	// language, 0 to 1.
	Strange float64
	// Rarity is the mean rarity of the words that programs do use: minus the natural logarithm of
	// their share of all words.
	Rarity float64
	// Letters counts those of the text's words; Unsaid lists the words that programs do not use.
	Letters int
	Unsaid  [][2]int // first byte and end of each
}

// Word is a part of the text.
type Word struct {
	Start, End int       // its bytes
	Means      []Meaning // the most probable first
}

// Meaning is an English translation of a word.
type Meaning struct {
	Word        string
	Probability float64
}

// The parameters of language detection.
const (
	unseen      = -140 // tenths of nats for a word that is not in a language's texts
	preferred   = 30   // the same, as a bonus for English, whose words are frequent in all prompts
	readAtMost  = 4 << 10
	compoundMin = 9   // letters of a word that may be a compound of two
	partMin     = 4   // letters of either
	surePart    = .25 // probability of the meaning of either
	sureWord    = .3  // probability of the best meaning of a word
	faint       = .15
	everywhere  = 55 // frequency in the table from which a word is common everywhere
	sureCommon  = .5 // probability of their best meaning
)

// Read returns the language of a text and the meanings of its words. Of a long text it reads only
// the beginning.
func Read(text string) Reading {
	if len(text) > readAtMost {
		text = strings.ToValidUTF8(text[:readAtMost], "")
	}
	var units []Unit
	Units(text, func(u Unit) { units = append(units, u) })
	language := languageOf(units)
	out := Reading{Language: language}
	out.judge(text, units)
	if language == "" || language == English {
		return out
	}
	type found struct {
		Word
		weight float64
	}
	var all []found
	for _, u := range units {
		if means := telling(ofWord(text[u.Start:u.End], u.Key, language), u.Key, language); len(means) > 0 {
			all = append(all, found{Word{u.Start, u.End, means}, means[0].Probability * float64(utf8.RuneCountInString(u.Key))})
		}
	}
	// Units of scripts without spaces overlap: the longest and most certain stay.
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.weight, a.weight) })
	for _, f := range all {
		if !slices.ContainsFunc(out.Words, func(w Word) bool { return f.Start < w.End && w.Start < f.End }) {
			out.Words = append(out.Words, f.Word)
		}
	}
	slices.SortFunc(out.Words, func(a, b Word) int { return a.Start - b.Start })
	return out
}

// judge measures how similar the text is to programs' texts.
func (r *Reading) judge(text string, units []Unit) {
	letters, known, words, rarity := 0, 0, 0, 0.0
	reached := 0 // end of the counted part
	for i := 0; i < len(units); i++ {
		u := units[i]
		n := 0
		for range text[max(u.Start, reached):max(u.End, reached)] {
			n++
		}
		letters += n
		frequency, ok := frequencyOf(u.Key, r.Language)
		for ; !ok && i+1 < len(units) && units[i+1].Start == u.Start; i++ { // a shorter one
			frequency, ok = frequencyOf(units[i+1].Key, r.Language)
			if ok {
				n = min(n, utf8.RuneCountInString(units[i+1].Key))
			}
		}
		switch {
		case ok:
			known += n
			words++
			rarity += float64(frequency) / 10
		case n > 0:
			r.Unsaid = append(r.Unsaid, [2]int{u.Start, u.End})
		}
		reached = max(reached, u.End)
	}
	if r.Letters = letters; letters > 0 {
		r.Strange = 1 - float64(known)/float64(letters)
	}
	if words > 0 {
		r.Rarity = rarity / float64(words)
	}
}

// telling returns the meanings that are certain enough to search for. Words that are common
// everywhere need an even more certain one.
func telling(means []Meaning, key, language string) []Meaning {
	least := sureWord
	if frequency, ok := frequencyOf(key, language); ok && frequency < everywhere {
		least = sureCommon
	}
	if len(means) == 0 || means[0].Probability < least {
		return nil
	}
	return slices.DeleteFunc(means, func(m Meaning) bool { return m.Probability < faint })
}

// ofWord returns the meanings of a word by its prefix; for a compound of two also by its end.
func ofWord(word, key, language string) []Meaning {
	means := meanings(key, language)
	if utf8.RuneCountInString(word) < compoundMin || len(key) == len(word) {
		return means
	}
	n := 0
	for i := range word {
		if n++; n <= partMin || utf8.RuneCountInString(word[i:]) < partMin {
			continue
		}
		tail := meanings(Stem(word[i:]), language)
		head := meanings(Stem(word[:i]), language)
		if len(head) > 0 && len(tail) > 0 && head[0].Probability >= surePart && tail[0].Probability >= surePart {
			both := slices.Clone(head)
			for _, m := range tail {
				if k := slices.IndexFunc(both, func(h Meaning) bool { return h.Word == m.Word }); k >= 0 {
					both[k].Probability = max(both[k].Probability, m.Probability)
				} else {
					both = append(both, m)
				}
			}
			return both
		}
	}
	return means
}

// Languages returns the languages whose words have meanings, and English.
func Languages() []string { return strings.Fields(find("")) }

// languageOf returns the language in whose texts the units are most frequent together; "" when none
// has any.
func languageOf(units []Unit) string {
	languages := Languages()
	sums := make([]int, len(languages))
	known := false
	for _, u := range units {
		entry := find(u.Key)
		if entry == "" {
			continue
		}
		known = true
		for i := range sums {
			sums[i] += unseen
		}
		for field := range strings.SplitSeq(entry, "\t") {
			language, rest, _ := strings.Cut(field, ":")
			if n, ok := leadingFrequency(rest); ok {
				if i := slices.Index(languages, language); i >= 0 {
					sums[i] -= unseen + n
				}
			}
		}
	}
	if !known {
		return ""
	}
	best, most := "", math.MinInt
	for i, sum := range sums {
		if languages[i] == English {
			sum += preferred
		}
		if sum > most {
			best, most = languages[i], sum
		}
	}
	return best
}

// frequencyOf returns the frequency of a unit in the texts of a language.
func frequencyOf(key, language string) (int, bool) {
	for field := range strings.SplitSeq(find(key), "\t") {
		if rest, ok := strings.CutPrefix(field, language+":"); ok {
			return leadingFrequency(rest)
		}
	}
	return 0, false
}

// leadingFrequency parses the frequency in an entry.
func leadingFrequency(text string) (int, bool) {
	number, _, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(number)
	return n, err == nil
}

// meanings returns the meanings of a unit in a language.
func meanings(key, language string) []Meaning {
	if key == "" {
		return nil
	}
	for field := range strings.SplitSeq(find(key), "\t") {
		rest, ok := strings.CutPrefix(field, language+":")
		if !ok {
			continue
		}
		var out []Meaning
		for i, m := range strings.Fields(rest) {
			word, hundredths, _ := strings.Cut(m, "=")
			if n, err := strconv.Atoi(hundredths); err == nil && i > 0 {
				out = append(out, Meaning{word, float64(n) / 100})
			}
		}
		return out
	}
	return nil
}

// table has a line for each key, in order: the key, and behind tabs for each language that has it
// "LANGUAGE:FREQUENCY WORD=HUNDREDTHS …"; the frequency is minus ten times the logarithm of the
// key's share of the texts. The first line, of the empty key, names the languages.
//
//go:embed words.tsv
var table string

// keyMost bounds the bytes of a key with its tab.
const keyMost = 128

// find returns the entry of a key, "" without one.
func find(key string) string {
	lineAt := func(at int) (start int) { return strings.LastIndexByte(table[:at], '\n') + 1 }
	at := sort.Search(len(table), func(i int) bool {
		line := table[lineAt(i):]
		k, _, _ := strings.Cut(line[:min(len(line), keyMost)], "\t")
		return k >= key
	})
	if at == len(table) {
		return ""
	}
	line, _, _ := strings.Cut(table[lineAt(at):], "\n")
	k, entry, _ := strings.Cut(line, "\t")
	if k != key {
		return ""
	}
	return entry
}
