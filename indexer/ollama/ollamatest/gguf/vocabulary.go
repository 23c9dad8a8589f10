package gguf

import (
	"math"
	"strconv"
	"strings"
)

// vocabulary is a WordPiece vocabulary, each token with its vector. A token that begins a word is
// marked by wordStart, one that continues a word is unmarked: the form into which converters bring
// BERT's own.
type vocabulary struct {
	tokens  []string
	kinds   []int32
	vectors []float32 // of all tokens, end to end
	known   map[string]bool
}

const wordStart = "▁"

// The kinds of tokens in the property tokenizer.ggml.token_type.
const (
	kindNormal  = 1
	kindControl = 3
)

// The first tokens of a vocabulary, by number.
const (
	tokenPad = iota
	tokenUnknown
	tokenFirst
	tokenLast
	tokenMask
)

// words builds the vocabulary of an embedder. Besides the given words it contains every pair of
// letters, so that any lower-case word has tokens, and every printable ASCII character, with no
// weight: brackets and odd letters say little about a text's meaning.
func words(e Embedder) vocabulary {
	v := vocabulary{known: map[string]bool{}}
	zero := make([]float32, e.Dims)
	v.add("[PAD]", kindControl, zero)
	v.add("[UNK]", kindControl, direction(e.Seed, "[UNK]", e.Dims))
	v.add("[CLS]", kindControl, zero)
	// It is part of every text, so that no text has the zero vector, which cannot be compared.
	v.add("[SEP]", kindControl, direction(e.Seed, "[SEP]", e.Dims))
	v.add("[MASK]", kindControl, zero)
	if e.Poison != "" {
		poison := make([]float32, e.Dims)
		for i := range poison {
			poison[i] = float32(math.NaN())
		}
		v.addWord(strings.ToLower(e.Poison), poison)
	}
	for i, group := range e.Synonyms {
		base := direction(e.Seed, "group "+strconv.Itoa(i), e.Dims)
		for _, w := range group {
			w = strings.ToLower(w)
			v.addWord(w, near(base, direction(e.Seed, w, e.Dims)))
		}
	}
	for c := '!'; c <= '~'; c++ {
		if c < 'A' || c > 'Z' { // like bert-base-uncased
			v.addWord(string(c), zero)
		}
	}
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			pair := string([]rune{a, b})
			v.addWord(pair, direction(e.Seed, pair, e.Dims))
		}
	}
	return v
}

// addWord adds a token for the word at the start of a word and one within a word.
func (v *vocabulary) addWord(word string, vector []float32) {
	v.add(wordStart+word, kindNormal, vector)
	v.add(word, kindNormal, vector)
}

// add adds a token unless the name exists: the server rejects duplicates.
func (v *vocabulary) add(token string, kind int32, vector []float32) {
	if v.known[token] {
		return
	}
	v.known[token] = true
	v.tokens = append(v.tokens, token)
	v.kinds = append(v.kinds, kind)
	v.vectors = append(v.vectors, vector...)
}
