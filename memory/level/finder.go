package level

import "strings"

// newFinder reports for each pattern whether text contains it, in one pass for each length class
// (4, 8, 16, … bytes) of the patterns. It looks up the first bytes of a pattern, as many as its
// class, by a rolling hash (Karp and Rabin) and compares the rest. Its time is linear in the text
// for any number of patterns.
func newFinder(patterns []string, text string) []bool {
	found := make([]bool, len(patterns))
	byClass := map[int]map[uint64][]int{}
	for i, p := range patterns {
		p = oneSpaced(p)
		class := 4
		if len(p) < class {
			found[i] = strings.Contains(text, p)
			continue
		}
		for class*2 <= min(len(p), 128) {
			class *= 2
		}
		if byClass[class] == nil {
			byClass[class] = map[uint64][]int{}
		}
		h := hashOf(p[:class])
		byClass[class][h] = append(byClass[class][h], i)
	}
	for class, byHash := range byClass {
		find(patterns, text, class, byHash, found)
	}
	return found
}

const hashBase = 1099511628211

func hashOf(s string) uint64 {
	var h uint64
	for i := range len(s) {
		h = h*hashBase + uint64(s[i]) + 1
	}
	return h
}

// find marks the patterns of one class that text contains. It no longer searches for a pattern once
// found.
func find(patterns []string, text string, class int, byHash map[uint64][]int, found []bool) {
	if len(text) < class {
		return
	}
	var known [1 << 10]uint64 // a filter before the map
	for h := range byHash {
		known[h>>6&1023] |= 1 << (h & 63)
	}
	power := uint64(1)
	for range class - 1 {
		power *= hashBase
	}
	h := hashOf(text[:class])
	for i := 0; ; i++ {
		if known[h>>6&1023]&(1<<(h&63)) != 0 {
			if list := byHash[h]; len(list) > 0 {
				byHash[h] = matched(patterns, text[i:], list, found)
			}
		}
		if i+class == len(text) {
			return
		}
		h = (h-(uint64(text[i])+1)*power)*hashBase + uint64(text[i+class]) + 1
	}
}

// matched marks the patterns of list that text begins with and returns the others.
func matched(patterns []string, text string, list []int, found []bool) []int {
	left := list[:0]
	for _, i := range list {
		if p := oneSpaced(patterns[i]); strings.HasPrefix(text, p) {
			found[i] = true
		} else {
			left = append(left, i)
		}
	}
	return left
}
