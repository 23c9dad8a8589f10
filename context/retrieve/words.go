package retrieve

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// Limits for words of a prompt that may name definitions though they are not written as in code.
const (
	wordMeanings = 8  // definitions up to which all are candidates
	wordsLooked  = 24 // words of a prompt
	surely       = 2  // definitions up to which a word certainly means each
)

// plainWords finds the definitions that words of the prompt name which are not spelt as in code.
type plainWords struct{ *search }

// candidates looks the prompt's words up among the definitions, in any spelling: a prompt about
// echo may mean the function of that name.
func (r *plainWords) candidates(ctx context.Context) {
	seen := map[string]bool{}
	for _, f := range r.req.Intent.Identifiers {
		seen[f] = true
	}
	looked := 0
	for word := range strings.FieldsFuncSeq(r.english, func(c rune) bool { return !isNameRune(c) }) {
		if seen[word] || askedVerbs[strings.ToLower(word)] || !lexical.IsWord(word) {
			continue
		}
		seen[word] = true
		if looked++; looked > wordsLooked || ctx.Err() != nil {
			return
		}
		var found []indexer.Symbol
		names := spellings(word)
		if r.recased[word] != "" {
			names = append(names, r.s.Symbols().Spellings(word)...)
			slices.Sort(names)
			names = slices.Compact(names)
		}
		for _, name := range names {
			found = append(found, r.s.Symbols().Definitions(name, 64)...)
		}
		if len(found) == 0 {
			continue
		}
		sure := min(1, surely/float64(len(found)))
		for _, d := range found {
			c, ok := r.s.ChunkAt(d.File, d.Line)
			if !ok || !r.keeps(d.File) {
				continue
			}
			e := r.evident(c)
			e.word = max(e.word, sure*outerShare(d))
			if len(found) <= wordMeanings {
				r.join(c)
			}
		}
		if len(found) <= wordMeanings {
			r.mentioned(found[0].Name, sure)
		}
	}
}

// outerShare returns the weight of a definition that belongs to another, relative to a top-level
// one.
func outerShare(d indexer.Symbol) float64 {
	if d.Container != "" {
		return memberShare
	}
	return 1
}

// spellings returns a word as it is, capitalised and uncapitalised.
func spellings(word string) []string {
	first, size := utf8.DecodeRuneInString(word)
	out := []string{word}
	for _, r := range []rune{unicode.ToUpper(first), unicode.ToLower(first)} {
		if r != first {
			out = append(out, string(r)+word[size:])
		}
	}
	return out
}
