package secrets

import (
	"math"
	"strings"
	"sync"
)

// vocabulary is what all scanners look for: the words, and what each of them calls.
type vocabulary struct {
	words  *words
	rules  [][]int     // by word, the library's rules
	native [][]matcher // by word, the rules of our own
	known  map[string]bool
}

// matcher looks for a secret around a word that stands at start:end, and tells what it finds to the scan.
type matcher func(c *scan, start, end int)

// shared is made once: it depends on nothing but the rules.
var shared = sync.OnceValue(func() *vocabulary {
	v := &vocabulary{known: map[string]bool{}}
	number := map[string]int{}
	var list []string
	add := func(word string) int {
		n, ok := number[word]
		if !ok {
			n = len(list)
			number[word] = n
			list, v.rules, v.native = append(list, word), append(v.rules, nil), append(v.native, nil)
		}
		return n
	}
	for i, r := range library().rules {
		v.known[r.id] = true
		for _, k := range r.keywords {
			n := add(k)
			v.rules[n] = append(v.rules[n], i)
		}
	}
	for _, own := range native() {
		for _, id := range own.ids {
			v.known[id] = true
		}
		for _, k := range own.words {
			n := add(k)
			v.native[n] = append(v.native[n], own.match)
		}
	}
	v.words = newWords(list)
	return v
})

// scan is one look at one text.
type scan struct {
	s       *Scanner
	text    string
	found   []candidate
	windows map[int][]span // by rule of the library
	pem     int            // up to here private keys are dealt with
}

// candidate is a secret before those that overlap are merged.
type candidate struct {
	span
	rule string
	rank int
}

// The ranks of rules: of two that overlap, the one that says more gives its name.
const (
	rankGeneric = iota
	rankNamed   // knows by a name what kind of secret it is
	rankExact   // knows the form of the secret itself
)

// scan returns the secrets in text, in order, without overlaps.
func (s *Scanner) scan(text string) []Finding {
	c := &scan{s: s, text: text}
	rules := library().rules
	s.vocab.words.each(text, func(word, start, end int) {
		for _, n := range s.vocab.rules[word] {
			if w, ok := rules[n].window(text, start, end); ok {
				if c.windows == nil {
					c.windows = map[int][]span{}
				}
				c.windows[n] = merge(c.windows[n], whole(text, w))
			}
		}
		for _, match := range s.vocab.native[word] {
			match(c, start, end)
		}
	})
	for n, list := range c.windows {
		for _, w := range list {
			c.apply(rules[n], w)
		}
	}
	return c.settle()
}

// apply shows a window to a rule's expression, once as it is and once without its escapes.
func (c *scan) apply(r *rule, w span) {
	view := c.text[w.start:w.end]
	c.match(r, w, view)
	if plain, ok := unescaped(view); ok {
		c.match(r, w, plain)
	}
}

func (c *scan) match(r *rule, w span, view string) {
	for _, at := range r.expression().FindAllStringSubmatchIndex(view, -1) {
		secret := span{at[0], at[1]}
		if r.group > 0 {
			secret = span{at[2*r.group], at[2*r.group+1]}
		} else {
			for g := 2; g < len(at); g += 2 {
				if at[g] >= 0 && at[g] < at[g+1] {
					secret = span{at[g], at[g+1]}
					break
				}
			}
		}
		if secret.start < 0 || secret.start == secret.end {
			continue
		}
		text := view[secret.start:secret.end]
		if r.entropy != 0 && entropy(text) <= r.entropy {
			continue
		}
		if r.id == generic && !unknown(view[:secret.start], text) {
			continue
		}
		match := strings.Trim(view[at[0]:at[1]], "\n")
		line := func() string { return lineAround(view, at[0], at[1]) }
		if allowed(library().allow, text, match, line) || allowed(r.allow, text, match, line) {
			continue
		}
		rank := rankExact
		switch {
		case r.id == generic:
			rank = rankGeneric
		case r.shape == assigned:
			rank = rankNamed
		}
		c.add(r.id, rank, w.start+secret.start, w.start+secret.end)
	}
}

func allowed(list []*allowance, secret, match string, line func() string) bool {
	for _, a := range list {
		text := ""
		if a.target == theLine {
			text = line()
		}
		if a.holds(secret, match, text) {
			return true
		}
	}
	return false
}

// unknown says whether a value of the generic rule is neither made of words nor a checksum. The library takes such values,
// and leaves out the files that are full of them, by their names.
func unknown(before, value string) bool {
	quoted := before != "" && strings.IndexByte("\"'`", before[len(before)-1]) >= 0
	return gibberish(value) && (quoted || !identifier(value)) && !numeric(value) && !digest(before)
}

// digest says whether what stands before a value calls it a checksum, as lock files do. The library leaves such files out
// by their names.
func digest(before string) bool {
	for _, kind := range []string{"h1:", "sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "sha512:", "md5:"} {
		if strings.HasSuffix(before, kind) {
			return true
		}
	}
	return false
}

// lineAround are the lines that hold start:end, as far as the window shows them.
func lineAround(view string, start, end int) string {
	start = strings.LastIndexByte(view[:start], '\n') + 1
	if n := strings.IndexByte(view[end:], '\n'); n >= 0 {
		return view[start : end+n]
	}
	return view[start:]
}

// entropy is Shannon's, in bits a byte, as the library counts it; its secrets are ASCII.
func entropy(text string) float64 {
	if text == "" {
		return 0
	}
	var counts [256]int
	for i := range len(text) {
		counts[text[i]]++
	}
	sum, each := 0.0, 1/float64(len(text))
	for _, n := range counts {
		if n > 0 {
			p := float64(n) * each
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
