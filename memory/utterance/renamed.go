package utterance

import (
	"strings"
	"unicode/utf8"
)

// Renamed reports whether two texts have different names in the same position, with the same words
// on both sides: they then make the same statement about two things ("gateway Oslo drops clients",
// "gateway Madrid drops clients"). Forms of one word do not count as different names, nor do common
// words.
func Renamed(a, b string) bool {
	x, y := lowerWords(a), lowerWords(b)
	x, y = x[:min(mostOrdered, len(x))], y[:min(mostOrdered, len(y))]
	i, j := 0, 0
	for _, m := range append(common(x, y), [2]int{len(x), len(y)}) {
		if isName(x[i:m[0]]) && isName(y[j:m[1]]) && !sameWord(x[i], y[j]) {
			return true
		}
		i, j = m[0]+1, m[1]+1
	}
	return false
}

// common returns the index pairs of a longest common subsequence of two lists, in order.
func common(x, y []string) (out [][2]int) {
	length := make([][]int, len(x)+1) // of the common subsequence from there on
	for i := range length {
		length[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if length[i][j] = max(length[i+1][j], length[i][j+1]); x[i] == y[j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// isName reports whether words may form one name: a rare word, or a rare run of characters of a
// script without spaces.
func isName(words []string) bool {
	if len(words) == 0 || len(words) > longestName || words[0] == "" {
		return false
	}
	if len(words) > 1 {
		for _, w := range words {
			if r, _ := utf8.DecodeRuneInString(w); !unspaced(r) {
				return false
			}
		}
	}
	if words[0][0] <= byte(numberWord) { // Marks compares identifiers and numbers
		return false
	}
	return Rarity(strings.Join(words, "")) >= nameRarity
}

// sameWord reports whether two words are forms or spellings of the same word.
func sameWord(a, b string) bool {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return float64(n) >= sameStem*float64(min(len(a), len(b)))
}
