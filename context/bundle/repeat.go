package bundle

import (
	"strings"
	"unicode"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/zeebo/xxh3"
)

const (
	// shingle is how many consecutive words are compared at once.
	shingle = 3
	// minRepeatedWords is how many words a memory needs to be recognised.
	minRepeatedWords = 4
)

// saidIndex is an index of what texts of a bundle say, by their words.
type saidIndex struct {
	words, shingles map[uint64]struct{}
}

func newSaidIndex() saidIndex { return saidIndex{map[uint64]struct{}{}, map[uint64]struct{}{}} }

func (t saidIndex) add(text string) {
	words := wordsOf(text)
	for i, w := range words {
		t.words[w.hash] = struct{}{}
		if i+shingle <= len(words) {
			t.shingles[shingleOf(words[i:])] = struct{}{}
		}
	}
}

// repeats reports whether everything that a text says is in t already, in about the same words. A
// name or a number that is not makes it a different text, however similar the rest is.
func (t saidIndex) repeats(text string) bool {
	words := wordsOf(text)
	if len(words) < minRepeatedWords {
		return false
	}
	missing, known := 0, 0
	for i, w := range words {
		if _, ok := t.words[w.hash]; !ok {
			if missing++; w.name {
				return false
			}
		}
		if i+shingle <= len(words) {
			if _, ok := t.shingles[shingleOf(words[i:])]; ok {
				known++
			}
		}
	}
	return float64(missing) <= newWords*float64(len(words)) &&
		float64(known) >= duplicateShare*float64(len(words)-shingle+1)
}

type word struct {
	hash uint64
	name bool // capitalised within a sentence, or with a digit
}

// wordsOf returns the words of a text; in a script without spaces each letter is one.
func wordsOf(text string) []word {
	var out []word
	start, begins := -1, true // begins: a sentence
	flush := func(end int) {
		if start < 0 {
			return
		}
		w := text[start:end]
		lower := strings.ToLower(w)
		out = append(out, word{
			hash: xxh3.HashString(lower),
			name: strings.ContainsFunc(w, unicode.IsDigit) || lower != w && !begins,
		})
		start, begins = -1, false
	}
	for i, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			flush(i)
			start = i
			flush(i + len(string(r)))
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.IsMark(r):
			if start < 0 {
				start = i
			}
		default:
			flush(i)
			begins = begins || strings.ContainsRune(".!?:\n\"“(", r)
		}
	}
	flush(len(text))
	return out
}

func shingleOf(words []word) uint64 {
	h := uint64(0)
	for _, w := range words[:shingle] {
		h = h*0x9e3779b97f4a7c15 ^ w.hash
	}
	return h
}

// dropRepeated removes the memories whose text the bundle shows elsewhere: in the history, in what
// every bundle shows, or in a better memory.
func (b *build) dropRepeated() {
	history, all := newSaidIndex(), newSaidIndex()
	for _, it := range b.taken {
		if it.Path == "" {
			all.add(it.Forms[0].Body)
		}
	}
	for _, it := range b.memory.all() {
		if it.Layer != item.L5JIT && !quotesCandidates(it) && !isProfile(it) {
			all.add(usual(it).Body)
			if it.Layer == item.L6History {
				history.add(it.Forms[0].Body)
			}
		}
	}
	b.withoutSaid(all, history, func(it *item.Item) bool { return it.Layer == item.L5JIT || quotesCandidates(it) })
	b.withoutSaid(all, history, isProfile)
}

// withoutSaid removes what is said already from the memories of a kind; each memory in turn counts
// as said for those after it.
func (b *memory) withoutSaid(all, history saidIndex, kind func(*item.Item) bool) {
	b.discard(func(it *item.Item) bool {
		if !kind(it) {
			return false
		}
		if b.withoutRepeated(it, all) {
			b.dropItem(it, repeatReason(history, it))
			return true
		}
		all.add(it.Forms[0].Body)
		return false
	})
}

// quotesCandidates reports whether an item quotes possible rules; which ones it quotes depends on
// the prompt anyway.
func quotesCandidates(it *item.Item) bool {
	return it.Layer == item.L1Preferences && len(it.Says) > 0
}

func repeatReason(history saidIndex, it *item.Item) item.DropReason {
	if history.repeats(content(it, 0)) {
		return item.Duplicate
	}
	return item.Redundant
}

// content returns what line i of an item's text says, without its lead-in.
func content(it *item.Item, i int) string {
	if i < len(it.Says) {
		return it.Says[i]
	}
	return it.Forms[0].Body
}

// withoutRepeated removes an item's lines that are said already, if it quotes line by line. It
// reports whether nothing is left.
func (b *memory) withoutRepeated(it *item.Item, t saidIndex) bool {
	if len(it.Says) <= 1 {
		return t.repeats(content(it, 0))
	}
	f := it.Forms[0]
	all := strings.Split(strings.TrimRight(f.Body, "\n"), "\n")
	if len(all) != len(it.Says) {
		return false
	}
	var left, says []string
	for i, line := range all {
		if !t.repeats(it.Says[i]) {
			left, says = append(left, line), append(says, it.Says[i])
		}
	}
	if len(left) == 0 || len(left) == len(all) {
		return len(left) == 0
	}
	f.Body = strings.Join(left, "\n")
	it.Forms, it.Says = []item.Form{b.form(it.In(f), f.Format, f.Worth)}, says
	return false
}
