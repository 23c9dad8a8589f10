package gguf

import "strings"

// byteVocabulary is a byte-pair vocabulary: all bytes, so that every prompt has tokens, and the
// pieces of an answer.
type byteVocabulary struct {
	tokens []string
	kinds  []int32
	answer []int // the answer's tokens in order, no two the same
}

// merges are the pairs that the tokenizer joins; it requires at least one. No piece of an answer
// results from them.
var merges = []string{"h e"}

// pieces cuts an answer into distinct tokens, at spaces if possible: the successor of a token is
// determined by the token alone.
func pieces(answer string) byteVocabulary {
	v := byteVocabulary{tokens: []string{"<|endoftext|>", "<|im_start|>", "<|im_end|>"}, kinds: []int32{3, 3, 3}}
	number := map[string]int{}
	add := func(t string) int {
		if _, ok := number[t]; !ok {
			number[t] = len(v.tokens)
			v.tokens, v.kinds = append(v.tokens, t), append(v.kinds, kindNormal)
		}
		return number[t]
	}
	for b := range 256 {
		add(string(visible(byte(b))))
	}
	for _, m := range merges {
		add(strings.ReplaceAll(m, " ", ""))
	}
	for _, t := range distinct(answer, number) {
		v.answer = append(v.answer, add(t))
	}
	return v
}

// distinct cuts s into pieces that differ from each other and from taken. A remainder that is taken
// is joined to the pieces before it; a whole answer that is one known token stays that token.
func distinct(s string, taken map[string]int) []string {
	used := map[string]bool{}
	free := func(t string) bool { _, is := taken[t]; return !is && !used[t] }
	var out []string
	for s != "" {
		n := 1
		for n < len(s) && (s[n] != ' ' || !free(readable(s[:n]))) {
			n++
		}
		last := readable(s[:n])
		s = s[n:]
		for !free(last) && len(out) > 0 {
			before := out[len(out)-1]
			out = out[:len(out)-1]
			delete(used, before)
			last = before + last
		}
		used[last] = true
		out = append(out, last)
	}
	return out
}

// readable encodes bytes as in the vocabulary.
func readable(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(visible(s[i]))
	}
	return b.String()
}

// visible returns the character for a byte in vocabularies like GPT-2's, as the server reads them.
func visible(b byte) rune {
	switch {
	case b <= 0x20:
		return rune(b) + 0x100
	case b >= 0x7f && b <= 0xa0:
		return rune(b) + 0xa2
	case b == 0xad:
		return 0x143
	}
	return rune(b)
}
