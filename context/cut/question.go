package cut

import (
	"math/bits"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// mostWords is the number of words of a question that count: those that come first.
const mostWords = 63

// Words is a set of words of a question, by the bits of their numbers. The bit after the last word
// stands for what is asked for without words, such as the line of a stack trace.
type Words uint64

// pointed is the bit of a line that the question points at.
const pointed Words = 1 << mostWords

// Question holds the words of a question. The zero value has none. It is not safe for concurrent
// use.
type Question struct {
	ids    map[string]int
	weight []float64
	like   func(term string) float32 // how much a term says the same; nil if that is unknown
	known  map[string]reading        // of words of files that were read
	begins beginnings
}

// reading is what a word or a line has of a question.
type reading struct {
	words Words
	like  float32 // the sum of how much the terms say the same
}

// beginnings is a set of the first letters of words, by a hash, which rules most words of a file
// out. A stem begins with the same letters as the word, except those of dying, lying, tying and
// skies.
type beginnings struct {
	has [64]uint64
	any bool // some word has no beginning that text must have
}

// beginning is the number of letters.
const beginning = 3

func (b *beginnings) add(word string) {
	if len(word) < beginning || lexical.IsData(word) {
		b.any = true
		return
	}
	h := hashBeginning(word[0], word[1], word[2])
	b.has[h>>6] |= 1 << (h & 63)
}

// mayBeIn reports whether a word of a file may have one of the words in it, in any case of letters.
func (b *beginnings) mayBeIn(word []byte) bool {
	if b.any {
		return true
	}
	for i := range max(0, len(word)-beginning+1) {
		if h := hashBeginning(word[i], word[i+1], word[i+2]); b.has[h>>6]>>(h&63)&1 == 1 {
			return true
		}
	}
	return false
}

// hashBeginning returns 12 bits of three letters without their case.
func hashBeginning(a, b, c byte) int {
	const lower = 0x1f
	return ((int(a&lower)*33+int(b&lower))*33 + int(c&lower)) & (1<<12 - 1)
}

// Add adds words with their weights, multiplied by a share. A word that is there already stays as
// it is.
func (q *Question) Add(words []lexical.QueryTerm, share float64) {
	if q.ids == nil {
		q.ids = map[string]int{}
	}
	for _, t := range words {
		if _, known := q.ids[t.Text]; known || len(q.weight) == mostWords {
			continue
		}
		q.ids[t.Text] = len(q.weight)
		q.begins.add(t.Text)
		q.weight = append(q.weight, t.Weight*share)
	}
}

// Means sets how much a term of a file says the same as the question. It must be called before any
// line is read.
func (q *Question) Means(like func(term string) float32) { q.like = like }

// In returns the words in a line.
func (q *Question) In(line []byte) Words { return q.read(line, false).words }

// read reads a line. Where only the words are wanted, most words of a file need not be read.
func (q *Question) read(line []byte, meaning bool) (found reading) {
	for len(line) > 0 {
		n, plain := wordEnd(line)
		if n == 0 {
			_, size := utf8.DecodeRune(line)
			line = line[size:]
			continue
		}
		if meaning || !plain || q.begins.mayBeIn(line[:n]) {
			r := q.readWord(line[:n])
			found.words |= r.words
			found.like += r.like
		}
		line = line[n:]
	}
	return found
}

// readWord reads a word of a file. Most words of a file come again, so that each is read once.
func (q *Question) readWord(word []byte) (r reading) {
	r, known := q.known[string(word)]
	if known {
		return r
	}
	lexical.Terms(word, func(text string) {
		if id, ok := q.ids[text]; ok {
			r.words |= 1 << id
		}
		if q.like != nil {
			r.like += q.like(text)
		}
	})
	if q.known == nil {
		q.known = map[string]reading{}
	}
	q.known[string(word)] = r
	return r
}

// wordEnd returns the length of the word at the beginning of a line, 0 for none, and whether it is
// all ASCII.
func wordEnd(line []byte) (n int, plain bool) {
	plain = true
	for n < len(line) {
		if c := line[n]; c < utf8.RuneSelf {
			if !asciiWords[c] {
				break
			}
			n++
			continue
		}
		r, size := utf8.DecodeRune(line[n:])
		if !isWordRune(r) {
			break
		}
		n, plain = n+size, false
	}
	return n, plain
}

// asciiWords tells which of the first runes isWordRune admits.
var asciiWords = func() (in [utf8.RuneSelf]bool) {
	for r := range in {
		in[r] = isWordRune(rune(r))
	}
	return in
}()

// isWordRune reports whether a letter can be in a word that is read as a whole.
func isWordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// Share returns the share of the question's words in a line, by weight.
func (q *Question) Share(line []byte) float64 {
	shares := q.weightsOf(nil)
	return shares.of(q.In(line))
}

// weights holds the weights of the words of a question, each as a share of all.
type weights [mostWords + 1]float64

// weightsOf returns the shares of the words, each multiplied by a factor; factors may be shorter
// than the words, whose factor is then 1. What is pointed at is worth as much as all words.
func (q *Question) weightsOf(factors []float64) (out weights) {
	all := 0.0
	for i, w := range q.weight {
		if i < len(factors) {
			w *= factors[i]
		}
		out[i] = w
		all += w
	}
	for i := range q.weight {
		out[i] /= max(all, faint)
	}
	out[mostWords] = 1
	return out
}

// of returns the share of the words in a set.
func (w *weights) of(words Words) (sum float64) {
	for ; words != 0; words &= words - 1 {
		sum += w[bits.TrailingZeros64(uint64(words))]
	}
	return sum
}

// most returns the largest share of a word in a set.
func (w *weights) most(words Words) (top float64) {
	for ; words != 0; words &= words - 1 {
		top = max(top, w[bits.TrailingZeros64(uint64(words))])
	}
	return top
}
