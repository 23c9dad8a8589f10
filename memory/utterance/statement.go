package utterance

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Worth is what a sentence of a person's message is to memory.
type Worth int

// The worths. All but Passing and Foreign are worth keeping.
const (
	Passing Worth = iota // an errand, a question, an acknowledgement, a remark
	Rule                 // a rule, a preference or a convention
	Choice               // a decision that still holds afterwards
	Fact                 // where something is, how something works, what was changed and why
	Trouble              // something that does not work
	Foreign              // not the person's own words: pasted, quoted, or written by the host
	NumWorths
)

// Kinds holds the probabilities of the worths of a sentence; their sum is 1.
type Kinds [NumWorths]float64

// Kept returns the probability that a sentence is worth keeping.
func (k Kinds) Kept() float64 { return k[Rule] + k[Choice] + k[Fact] + k[Trouble] }

// form holds what the sentences of a message have in common.
type form struct {
	bytes, foreign      int // length of the message, and of its parts that are not the person's own words
	lines, sentences    int
	small, stopped      float64 // shares of the sentences that begin in lower case and that end with a full stop
	marked, typographic float64 // shares of the sentences with markup, and with characters that no keyboard has
	length              float64 // of a sentence, in words
	listed              float64
}

func isTypographic(r rune) bool {
	switch r {
	case '—', '–', '’', '“', '”', '…', '•', '→', '←', '≥', '≤', '×', '·':
		return true
	}
	return unicode.Is(unicode.So, r)
}

func formOf(text string, sentences []ScoredSentence, foreign int) form {
	f := form{bytes: len(text), foreign: foreign, lines: strings.Count(text, "\n") + 1, sentences: len(sentences)}
	n := float64(max(1, len(sentences)))
	for _, s := range sentences {
		t := text[s.Start:s.End]
		f.small += share(startsSmall(t), n)
		f.stopped += share(strings.HasSuffix(t, ".") || strings.HasSuffix(t, "。"), n)
		f.marked += share(hasMarkup(t), n)
		f.typographic += share(strings.IndexFunc(t, isTypographic) >= 0, n)
		f.listed += share(s.Listed, n)
		f.length += float64(CountWords(t)) / n
	}
	return f
}

func share(is bool, n float64) float64 {
	if is {
		return 1 / n
	}
	return 0
}

func startsSmall(t string) bool {
	first, _ := utf8.DecodeRuneInString(t)
	return unicode.IsLower(first)
}

func hasMarkup(t string) bool {
	return strings.Contains(t, "**") || strings.Contains(t, "](") || strings.HasPrefix(t, "|") || strings.Contains(t, "`")
}

// bagSize is the number of weights of the words of a statement, by hash.
const bagSize = 1 << 13

// numSigns is the number of signs of a statement.
const numSigns = 53

// Statement is the input of the model of worths for one sentence: signs of its form and its
// surroundings, and its words.
type Statement struct {
	Signs []float32
	Words []uint16
}

// statement returns the input for the i-th sentence of a message.
func (f *form) statement(text string, sentences []ScoredSentence, i int, folded *foldedSentence) Statement {
	s := sentences[i]
	t := text[s.Start:s.End]
	var x Statement
	add := func(v float64) { x.Signs = append(x.Signs, float32(v)) }
	is := func(b bool) { add(share(b, 1)) }
	logit := func(p float64) float64 { return max(-mostLogit, min(mostLogit, math.Log((p+faint)/(1+faint-p))/4)) }
	for _, p := range s.Scores {
		add(logit(p))
	}
	around := func(k int) Scores {
		if k < 0 || k >= len(sentences) {
			return Scores{}
		}
		return sentences[k].Scores
	}
	for _, k := range [...]int{i - 1, i + 1} {
		p := around(k)
		for _, l := range [...]Label{Directive, Decision, Question, Order, Problem} {
			add(p[l])
		}
	}
	folded.fold(t)
	words, code := len(folded.words), 0
	for _, w := range folded.words {
		if w.class == codeWord {
			code++
		}
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(t, "\"'”’)*_` "))
	is(strings.ContainsRune("?？", last))
	is(strings.ContainsRune(".。", last))
	is(strings.ContainsRune(":：", last))
	is(strings.ContainsRune("!！", last))
	is(strings.ContainsRune(t, '?'))
	is(startsSmall(t))
	is(s.Listed)
	is(s.Quoted)
	is(s.Near)
	is(hasMarkup(t))
	is(strings.IndexFunc(t, isTypographic) >= 0)
	is(strings.ContainsAny(t, "()"))
	is(strings.Contains(t, "http"))
	is(words <= 3)
	is(words <= 6)
	is(words > 12)
	is(words > 25)
	add(math.Log1p(float64(words)) / 3)
	add(float64(min(code, 4)) / 4)
	add(float64(code) / float64(max(1, words)))
	is(i == 0)
	is(i == len(sentences)-1)
	is(len(sentences) == 1)
	add(math.Log1p(float64(f.sentences)) / 4)
	add(math.Log1p(float64(f.bytes)) / 8)
	add(math.Log1p(float64(f.lines)) / 5)
	add(float64(f.foreign) / float64(max(1, f.bytes)))
	is(f.foreign > 0)
	add(float64(i) / float64(max(1, f.sentences)))
	add(f.small)
	add(f.stopped)
	add(f.marked)
	add(f.typographic)
	add(f.listed)
	add(min(f.length, 40) / 40)
	x.Words = bag(folded)
	return x
}

// bag returns the hashes of words and pairs of words; begins marks the first two.
func bag(f *foldedSentence) []uint16 {
	var out []uint16
	put := func(h uint32) { out = append(out, uint16(mixed(h)%bagSize)) }
	before := uint32(hashStart)
	for i, w := range f.words {
		h := hashBytes(startOf(blockWords), f.text[w.start:w.end])
		put(h)
		put(h*hashPrime ^ before)
		if i < 2 {
			put(h ^ 'b')
		}
		before = h
	}
	return out
}

// Statements returns the inputs of the model of worths for the sentences of a message with their
// scores; foreign is the length of what is not the person's own words in it.
func Statements(text string, sentences []ScoredSentence, foreign int) []Statement {
	f := formOf(text, sentences, foreign)
	var w foldedSentence
	out := make([]Statement, len(sentences))
	for i := range sentences {
		out[i] = f.statement(text, sentences, i, &w)
	}
	return out
}

// ReadStatements returns the sentences of a person's message, and the input of the model of worths
// for each.
func ReadStatements(text, before string) ([]ScoredSentence, []Statement) {
	read, foreign := scored(text, Person, before)
	return read, Statements(text, read, foreign)
}
