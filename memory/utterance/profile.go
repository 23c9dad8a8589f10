package utterance

import (
	"math"
	"slices"
)

// Profile represents the subject of a sentence for comparison: its words and character n-grams,
// rare ones weighted more, scaled to length 1. It does not depend on the language: inflected forms
// of a word share most of their characters.
type Profile struct {
	features []weightedTerm // by hash
	rare     []weightedTerm // only the words, by hash
	numbers  int            // how many numbers the sentence contains
}

type weightedTerm struct {
	hash   uint32
	weight float64
}

// NewProfile returns the profile of a sentence or a short text.
func NewProfile(text string) Profile { return embedded().Profile(text) }

// SameSubject returns the probability that a later statement is about the same thing as an earlier
// one, so that it repeats or replaces it. change is the probability that the later one changes
// something.
func SameSubject(earlier, later Profile, change float64) float64 {
	return Compare(earlier, later, change).Probability(embedded().pair)
}

// Profile returns the profile of a text with the word weights of this model.
func (m *Model) Profile(text string) Profile {
	var f foldedSentence
	f.fold(text)
	var x features
	x.chars(&f)
	for i, w := range f.words {
		if w.class == codeWord || w.class == numberWord {
			continue // their letters were dropped
		}
		h := mixed(hashBytes(startOf(blockWords), f.text[w.start:w.end]))
		if w.class == hanWord && i+1 < len(f.words) && f.words[i+1].class == hanWord {
			next := f.words[i+1]
			h = mixed(h ^ hashBytes(startOf(blockWords), f.text[next.start:next.end]))
		}
		x[blockWords] = append(x[blockWords], h)
	}
	var p Profile
	x[blockWords] = append(x[blockWords], codeHashes(text)...)
	for _, w := range f.words {
		if w.class == numberWord {
			p.numbers++
		}
	}
	p.rare = m.weigh(x[blockWords])
	p.features = merge(m.weigh(x[blockChars]), p.rare)
	return p
}

// codeHashes returns the identifiers, paths and numbers of a text, each as one word with its
// letters: a statement about one does not apply to another.
func codeHashes(text string) []uint32 {
	var out []uint32
	start := -1
	flush := func(end int) {
		if start >= 0 && end-start > 1 {
			if run := text[start:end]; isCodeWord(run) || isNumber(run) {
				out = append(out, mixed(hashText(startOf(blockWords)^'c', run)))
			}
		}
		start = -1
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if isWordByte(c) || c == '.' && i+1 < len(text) && isWordByte(text[i+1]) || c == '/' || c == '-' || c == '@' {
			if start < 0 {
				start = i
			}
			continue
		}
		flush(i)
	}
	flush(len(text))
	return out
}

// weigh returns the features with their weights: the rarity of each in what people say, times the
// square root of its count. The weights are scaled to length 1.
func (m *Model) weigh(hashes []uint32) []weightedTerm {
	slices.Sort(hashes)
	var out []weightedTerm
	square := 0.0
	for i := 0; i < len(hashes); {
		n := i
		for n < len(hashes) && hashes[n] == hashes[i] {
			n++
		}
		idf := m.idfScale * 255
		if r := m.find(hashes[i]); r != nil {
			idf = m.idfScale * float64(r.idf)
		}
		w := idf * math.Sqrt(float64(n-i))
		square += w * w
		out = append(out, weightedTerm{hashes[i], w})
		i = n
	}
	if square > 0 {
		scale := 1 / math.Sqrt(square)
		for i := range out {
			out[i].weight *= scale
		}
	}
	return out
}

// merge joins two lists of length 1, each contributing half of the squared length.
func merge(a, b []weightedTerm) []weightedTerm {
	out := slices.Concat(a, b)
	slices.SortFunc(out, func(x, y weightedTerm) int {
		if x.hash < y.hash {
			return -1
		}
		return 1
	})
	for i := range out {
		out[i].weight *= math.Sqrt2 / 2
	}
	return out
}

// Likeness returns how much two profiles have in common, from 0 to 1.
func (p Profile) Likeness(o Profile) float64 { return min(1, dot(p.features, o.features)) }

// Shared returns the share of the weight of this profile's words that the other one also has, from
// 0 to 1.
func (p Profile) Shared(o Profile) float64 {
	sum, i := 0.0, 0
	for _, w := range p.rare {
		for i < len(o.rare) && o.rare[i].hash < w.hash {
			i++
		}
		if i < len(o.rare) && o.rare[i].hash == w.hash {
			sum += w.weight * w.weight
		}
	}
	return sum
}

// Subjects returns at most most hashes of the profile's heaviest words, by which an index finds it.
func (p Profile) Subjects(most int) []uint32 {
	list := slices.Clone(p.rare)
	slices.SortFunc(list, func(a, b weightedTerm) int {
		switch {
		case a.weight > b.weight:
			return -1
		case a.weight < b.weight:
			return 1
		case a.hash < b.hash:
			return -1
		}
		return 1
	})
	var out []uint32
	for _, w := range list[:min(most, len(list))] {
		out = append(out, w.hash)
	}
	return out
}

func dot(a, b []weightedTerm) float64 {
	sum, i := 0.0, 0
	for _, w := range a {
		for i < len(b) && b[i].hash < w.hash {
			i++
		}
		if i < len(b) && b[i].hash == w.hash {
			sum += w.weight * b[i].weight
		}
	}
	return sum
}

// Signs holds the features that indicate whether a later statement is about the same thing as an
// earlier one.
type Signs [NumSigns]float64

// NumSigns is the number of signs.
const NumSigns = 6

// Compare returns the signs of a pair. change is the probability that the later statement changes
// something.
func Compare(earlier, later Profile, change float64) Signs {
	like := earlier.Likeness(later)
	a, b := earlier.Shared(later), later.Shared(earlier)
	return Signs{1, like, math.Sqrt(like), max(a, b), math.Sqrt(a * b), change * math.Sqrt(like)}
}

// Probability returns the probability of the same subject under weights that cmd/train fitted.
func (s Signs) Probability(weights [NumSigns]float64) float64 {
	sum := 0.0
	for k, w := range weights {
		sum += w * s[k]
	}
	return 1 / (1 + math.Exp(-sum))
}
