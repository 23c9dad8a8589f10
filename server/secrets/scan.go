package secrets

import (
	"math"
	"strings"
	"sync"
)

// vocabulary holds the words that all scanners search for, with the rules that apply at each word.
type vocabulary struct {
	words  *words
	rules  [][]int     // by word, the library's rules
	native [][]matcher // by word, the rules of our own
	known  map[string]bool
}

// matcher looks for a secret around the word at start:end, and adds what it finds to the scan.
type matcher func(c *scan, start, end int)

// shared is created once, since it depends only on the rules.
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

// scan is the state of one pass over one text.
type scan struct {
	s        *Scanner
	text     string
	found    []candidate
	windows  map[int][]span // by rule of the library
	pem      int            // private keys are done up to here
	manifest int            // Kubernetes' secrets are done up to here
	last     span           // the last run of token bytes
}

// candidate is a secret before those that overlap are merged.
type candidate struct {
	span
	rule string
	rank int
}

// Ranks of rules: of two rules that overlap, the more specific one determines the name.
const (
	rankGeneric = iota
	rankNamed   // the name determines the kind of secret
	rankExact   // the form of the secret itself is known
)

// scan returns the secrets in text, in order, without overlaps.
func (s *Scanner) scan(text string) []Finding {
	c := &scan{s: s, text: text}
	rules := library().rules
	s.vocab.words.each(text, func(word, start, end int) {
		for _, n := range s.vocab.rules[word] {
			if rules[n].id == generic {
				c.generic(rules[n], start, end)
			} else if w, ok := c.window(rules[n], start, end); ok {
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
	c.prefixedTokens()
	return c.settle()
}

// apply runs a rule's expression on a window, once unchanged and once with its escapes replaced.
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
		line := func() string { return lineAround(view, at[0], at[1]) }
		if !c.passes(r, text, strings.Trim(view[at[0]:at[1]], "\n"), line) {
			continue
		}
		rank := rankExact
		if r.shape == assigned {
			rank = rankNamed
		}
		c.add(r.id, rank, w.start+secret.start, w.start+secret.end)
	}
}

// passes reports whether a secret has the entropy that a rule requires and is on no allow list.
func (c *scan) passes(r *rule, secret, match string, line func() string) bool {
	if r.entropy != 0 && entropy(secret) <= r.entropy {
		return false
	}
	return !allowed(library().allow, secret, match, line) && !allowed(r.allow, secret, match, line)
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

// maxAround limits how much of the line on either side of a match an allowance sees, in bytes.
const maxAround = 160

// lineAround returns the line that contains start:end, within that limit.
func lineAround(view string, start, end int) string {
	from, to := max(0, start-maxAround), min(len(view), end+maxAround)
	from += strings.LastIndexByte(view[from:start], '\n') + 1
	if n := strings.IndexByte(view[end:to], '\n'); n >= 0 {
		to = end + n
	}
	return view[from:to]
}

// entropy returns the Shannon entropy, in bits per byte, computed as in the library; the library's
// secrets are ASCII.
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
