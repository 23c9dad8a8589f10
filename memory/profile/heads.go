package profile

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// head is a word or phrase that may name a topic.
type head struct {
	key    string
	turns  []int // in chronological order
	person int   // turns in which a person uses it
	last   int   // the last turn counted for person, from 1
	talks  int
	talk   string
	words  int
	rare   float64
	group  *group
	spell  map[string]int
	score  float64
}

// headCounter counts the heads of the sentences passed to it.
type headCounter struct {
	*finder
	heads    map[string]*head
	turn     int // of the current sentence
	sentence *Sentence
	list     []token // its words
}

// countHeads returns the words and phrases that may name a topic, by key.
func (f *finder) countHeads() (map[string]*head, error) {
	c := headCounter{finder: f, heads: map[string]*head{}}
	err := f.each(func(turn int, s *Sentence, list []token) {
		if s.Passing || s.again {
			return
		}
		c.turn, c.sentence, c.list = turn, s, list
		for i := range list {
			if c.countWord(i) {
				c.countPhrases(i)
			}
		}
	})
	return c.heads, err
}

// countWord counts the name or the topical word at list[i]. It reports whether phrases may begin
// with it.
func (c *headCounter) countWord(i int) bool {
	k := &c.list[i]
	if g, n := c.named(c.list, i); g != nil {
		c.addHead("\x00"+g.names[0], i, n, 1, g)
		return g.mayHeadTopic()
	}
	if !c.isTopical(k) {
		return false
	}
	c.addHead(c.root(k.key), i, 1, c.rare.of(k), nil)
	return true
}

// countPhrases counts the phrases that begin at list[i]: each ends with another recurring topical
// word.
func (c *headCounter) countPhrases(i int) {
	if !c.recurs(c.list[i].key) {
		return
	}
	rare := c.rare.of(&c.list[i])
	for n := 2; n <= mostWordsOf && i+n <= len(c.list); n++ {
		last := &c.list[i+n-1]
		if !c.adjoins(i + n - 1) {
			break
		}
		if g := c.byName[last.key]; g != nil && g.kind == Person {
			break
		}
		if c.isTopical(last) && c.recurs(last.key) {
			c.addHead(c.phraseKey(i, n), i, n, min(1, max(rare, c.rare.of(last))+phraseRarer), nil)
		}
	}
}

// adjoins reports whether only a space, or nothing in a script without spaces, separates list[i]
// from the previous word.
func (c *headCounter) adjoins(i int) bool {
	k := &c.list[i]
	return !k.breaks && (c.sentence.Text[c.list[i-1].end:k.start] == " " || k.shape == unbroken)
}

// recurs reports whether a word occurs in enough turns to make a topic.
func (f *finder) recurs(key string) bool {
	e := f.entries[key]
	return e != nil && e.turns >= minTurns
}

// phraseKey returns the roots of the n words from list[i] on, with a space between.
func (c *headCounter) phraseKey(i, n int) string {
	var key strings.Builder
	for k := i; k < i+n; k++ {
		if k > i {
			key.WriteByte(' ')
		}
		key.WriteString(c.root(c.list[k].key))
	}
	return key.String()
}

// addHead records an occurrence of a head: words words from list[from] on. g is the entity that
// they name, nil for none.
func (c *headCounter) addHead(key string, from, words int, rare float64, g *group) {
	h := c.heads[key]
	if h == nil {
		if len(c.heads) >= maxHeads {
			return
		}
		h = &head{key: strings.Clone(key), words: words, rare: rare, group: g, spell: map[string]int{}}
		c.heads[h.key] = h
	}
	if n := len(h.turns); n == 0 || h.turns[n-1] != c.turn {
		h.turns = append(h.turns, c.turn)
	}
	if c.sentence.Person && h.last != c.turn+1 {
		h.last = c.turn + 1
		h.person++
	}
	if talk := c.turns[c.turn].Conversation; talk != h.talk {
		h.talk = talk
		h.talks++
	}
	spelling := c.sentence.Text[c.list[from].start:c.list[from+words-1].end]
	if n, ok := h.spell[spelling]; ok || len(h.spell) < mostNames {
		h.spell[strings.Clone(spelling)] = n + 1
	}
}

// isTopical reports whether a word may name a topic, or begin or end a phrase that does.
func (f *finder) isTopical(t *token) bool {
	switch t.shape {
	case number, email, handle, ticket, option:
		return false
	case code:
		stem, _, isFile := strings.Cut(t.key, ".")
		return t.end-t.start <= 40 && t.quoted && (!isFile || strings.ContainsAny(stem, "/_-") || f.rare.of(&token{key: stem}) >= topicalAt)
	case unbroken:
		return f.unbroken[t.key]
	}
	return len(t.key) > 2 && countLetters(t.key) > 1 && !isContraction(t.key) && !isGrammatical(t.key) && f.rare.of(t) >= topicalAt
}

// isGrammatical reports whether a word belongs to sentences about anything: an article, a function
// word, an act of people or a form of address.
func isGrammatical(key string) bool {
	return articles[key] || functionWords[key] || acts[key] || honorifics[key]
}

// countLetters returns the number of letters in a word: signs and emoji may form one token with the
// mark after them.
func countLetters(key string) (n int) {
	for _, r := range key {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// isContraction reports whether a word ends in the remainder of another: "shouldn't".
func isContraction(key string) bool {
	at := strings.LastIndexByte(key, '\'')
	return at > 0 && len(key)-at <= len("'ll")
}

// root returns a word without an ending that it also occurs without.
func (f *finder) root(key string) string {
	if e := f.entries[key]; e == nil || e.shape != word || len(key) < 5 {
		return key
	}
	for _, end := range [...]string{"s", "es", "n", "en", "e"} {
		if short, ok := strings.CutSuffix(key, end); ok && len(short) > 3 && f.entries[short] != nil {
			return short
		}
	}
	return key
}

// rankHeads returns the heads that may name a topic, the best first.
func (f *finder) rankHeads(heads map[string]*head) ([]*head, error) {
	keys, err := keysOf(f, heads)
	if err != nil {
		return nil, err
	}
	var out []*head
	for _, key := range keys {
		h := heads[key]
		if err := f.did(1 + len(h.turns)/20); err != nil {
			return nil, err
		}
		slices.SortFunc(h.turns, func(a, b int) int { return compareTurns(&f.turns[a], &f.turns[b]) })
		if f.mayNameTopic(h) {
			h.score = f.scoreOf(h)
			out = append(out, h)
		}
	}
	return ordered(f, out, func(a, b *head) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.key, b.key)) })
}

// mayNameTopic reports whether people use a head often enough, though not all the time, and it is a
// name, or a rare word or phrase in few conversations.
func (f *finder) mayNameTopic(h *head) bool {
	if len(h.turns) < minTurns || h.person < minPersonTurns || f.isCommon(h) {
		return false
	}
	if h.group != nil {
		return h.group.mayHeadTopic()
	}
	if h.rare < aloneAt && (h.words == 1 || h.talks < 2) && !h.isTakenUp() {
		return false
	}
	if h.words > 1 && !f.coheres(h) || f.isInterjection(h) {
		return false
	}
	return f.scattered(h) <= h.mayScatter()
}

// mayHeadTopic reports whether topics may be named after an entity. People and tickets have
// profiles of their own.
func (g *group) mayHeadTopic() bool { return g.kind != Person && g.kind != Ticket }

// isCommon reports whether a head occurs in so many turns that it does not distinguish topics.
func (f *finder) isCommon(h *head) bool {
	return len(f.turns) > commonLeast && len(h.turns)*commonShare > len(f.turns)
}

// isInterjection reports whether a head is a word that sentences begin with and nothing is named:
// "hmm".
func (f *finder) isInterjection(h *head) bool {
	e := f.entries[h.key]
	return h.words == 1 && e != nil && e.count > manyTimes && 10*e.opening > 8*e.count && e.spelling() == e.key
}

// scoreOf returns how well a head names a topic: by how often people use it, how rare it is, how
// long conversations stay with it and how few of them have it.
func (f *finder) scoreOf(h *head) float64 {
	spread := float64(len(h.turns)) / float64(h.talks)
	score := (float64(h.person) + .3*float64(len(h.turns)-h.person)) * h.rare * h.rare * h.rare * math.Sqrt(min(3, spread))
	if h.group != nil {
		score *= nameGain
	} else if h.words > 1 {
		score *= phraseGain
	}
	return score * (1.5 - f.scattered(h))
}

// mayScatter returns how scattered a head may be: a word that is otherwise hardly used may come up
// more often in passing, and one that is written as a name most of all.
func (h *head) mayScatter() float64 {
	switch {
	case h.words == 1 && h.rare < plainNameAt:
		return mostScattered
	case h.words > 1 || mostSpelled(h.spell) == h.key:
		return .9
	}
	return 1
}

// isTakenUp reports whether conversations that have a word come back to it: then even a common word
// may name a topic.
func (h *head) isTakenUp() bool {
	return len(h.turns) >= 3*h.talks || len(h.turns) >= 2*h.talks && h.talks > 2
}

// scattered returns in how many conversations a head occurs, relative to the number expected for as
// many turns by chance (the inverse of what Church and Gale, "Poisson Mixtures", 1995, call
// burstiness): common words occur everywhere, topics stay in the conversations that are about them.
// With few conversations there is no evidence, and the result favours the head.
func (f *finder) scattered(h *head) float64 {
	if f.talks < fewTalks {
		return mostScattered
	}
	n := float64(f.talks)
	return float64(h.talks) / (n * (1 - math.Exp(-float64(len(h.turns))/n)))
}

// coheres reports whether the words of a phrase occur together more often than by chance.
func (f *finder) coheres(h *head) bool {
	words := strings.Split(h.key, " ")
	least := math.MaxInt
	for _, w := range [...]string{words[0], words[len(words)-1]} {
		if e := f.entries[w]; e != nil {
			least = min(least, e.turns)
		}
	}
	return float64(len(h.turns)) >= phraseAt*float64(least)
}
