package bundle

import (
	"slices"
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
	// newWords is the share of a memory's words that may be new in a near-duplicate.
	newWords = .05
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
	for i := range b.taken {
		if d := &b.taken[i]; d.place == nil {
			all.add(d.forms[0].render.Body)
		}
	}
	for _, d := range b.all() {
		if d.isMemory() && d.layer != item.L5JIT && d.layer != item.L7Message && !d.candidates() && !d.isProfile() {
			all.add(d.usual().render.Body)
			if d.layer == item.L6History {
				history.add(d.forms[0].render.Body)
			}
		}
	}
	b.withoutSaid(all, history, func(d *draft) bool { return d.layer == item.L5JIT || d.candidates() })
	b.withoutSaid(all, history, (*draft).isProfile)
}

// withoutSaid removes what is said already from the memories of a kind; each memory in turn counts
// as said for those after it.
func (b *build) withoutSaid(all, history saidIndex, kind func(*draft) bool) {
	b.discard(func(d *draft) bool {
		if !d.isMemory() || !kind(d) {
			return false
		}
		if d.withoutRepeated(b, all) {
			b.dropDraft(d, repeatReason(history, d))
			return true
		}
		all.add(d.forms[0].render.Body)
		return false
	})
}

// candidates reports whether the draft quotes possible rules; which ones it quotes depends on the
// prompt anyway.
func (d *draft) candidates() bool { return d.layer == item.L1Preferences && len(d.says) > 0 }

func repeatReason(history saidIndex, d *draft) item.DropReason {
	if history.repeats(d.content(0)) {
		return item.Duplicate
	}
	return item.Redundant
}

// content returns what line i of the draft's text says, without its lead-in.
func (d *draft) content(i int) string {
	if i < len(d.says) {
		return d.says[i]
	}
	return d.forms[0].render.Body
}

// withoutRepeated removes the draft's lines that are said already, if it quotes line by line. It
// reports whether nothing is left.
func (d *draft) withoutRepeated(b *build, t saidIndex) bool {
	if len(d.says) <= 1 {
		return t.repeats(d.content(0))
	}
	f := &d.forms[0]
	all := strings.Split(strings.TrimRight(f.render.Body, "\n"), "\n")
	if len(all) != len(d.says) {
		return false
	}
	var left, says []string
	for i, line := range all {
		if !t.repeats(d.says[i]) {
			left, says = append(left, line), append(says, d.says[i])
		}
	}
	if len(left) == 0 || len(left) == len(all) {
		return len(left) == 0
	}
	f.render.Body = strings.Join(left, "\n")
	d.forms, d.says = slices.Clone(d.forms[:1]), says
	d.forms[0] = b.form(f.render, f.format, f.worth)
	return false
}
