package translate

import (
	_ "embed"
	"sort"
	"strconv"
	"strings"
)

// synonyms has a line for each English term that has any, in order: "TERM\tSYNONYM=HUNDREDTHS …",
// the most probable first. go run ./cmd/train synonyms makes it from words.tsv: terms with the same
// translations mean about the same.
//
//go:embed synonyms.tsv
var synonyms string

// Synonyms returns the search terms that mean about the same as a search term, the most probable
// first, with the probability that one is used for the other.
func Synonyms(term string) (out []Meaning) {
	line := lineOf(synonyms, term)
	for field := range strings.FieldsSeq(line) {
		other, hundredths, _ := strings.Cut(field, "=")
		if n, err := strconv.Atoi(hundredths); err == nil {
			out = append(out, Meaning{other, float64(n) / 100})
		}
	}
	return out
}

// lineOf returns what follows a key in a table with a line for each key, in order, and a tab behind
// it; "" without one.
func lineOf(table, key string) string {
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
