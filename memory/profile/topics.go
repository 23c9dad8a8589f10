package profile

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// Topics are found as by suffix tree clustering (Zamir and Etzioni, "Web Document Clustering: A Feasibility
// Demonstration", 1998): a word or a phrase of up to four words that recurs is the head of a cluster, the turns that
// have it are its members, and a head whose turns are mostly another's joins that one. Clusters may overlap, as a turn
// may be about two things.

const (
	topicalAt     = .62    // the rarity of a word that may begin or end a phrase
	aloneAt       = .88    // of a word that names a topic alone
	phraseAt      = .4     // the share of its rarer end's turns that have a phrase as well
	phraseGain    = 1.4    // a phrase says more than a word
	phraseRarer   = .2     // than the rarest of its words
	nameGain      = 1.6    // so does a name
	absorbedAt    = .6     // the share of a head's turns that another has, from which it joins that one
	ownAt         = .75    // the same of a word that hardly anybody uses otherwise
	commonShare   = 3      // a head of more than one in so many turns is what all is about
	commonLeast   = 20     // turns there must be for that
	fewTalks      = 20     // conversations below which nothing is known of how words are scattered
	mostScattered = .75    // of a head that is no name; 1 is by chance
	mostHeads     = 200000 // phrases that are counted
	mostWordsOf   = 4      // words of a phrase
	leastOfTopic  = 2      // turns in which a person speaks of it
)

// head is what may name a topic.
type head struct {
	key    string
	turns  []int // in the order of time
	person int   // turns in which a person says it
	last   int   // the last turn that was counted for person, from 1
	talks  int
	talk   string
	words  int
	rare   float64
	group  *group
	spell  map[string]int
	score  float64
}

// cluster is a topic in the making.
type cluster struct {
	head   *head
	joined []*head
	turns  map[int]bool
}

// topics clusters the turns.
func (f *finder) topics() ([]Topic, error) {
	heads := map[string]*head{}
	err := f.each(func(turn int, s *Sentence, list []token) {
		if !s.Passing {
			f.countHeads(heads, turn, s, list)
		}
	})
	if err != nil {
		return nil, err
	}
	list, err := f.rankHeads(heads)
	if err != nil {
		return nil, err
	}
	var clusters []*cluster
	of := map[int][]*cluster{} // by turn
	for _, h := range list {
		if into := absorber(h, of); into != nil {
			into.joined = append(into.joined, h)
			continue
		}
		if len(clusters) >= 4*MostTopics {
			continue
		}
		c := &cluster{head: h, turns: map[int]bool{}}
		for _, t := range h.turns {
			c.turns[t] = true
			of[t] = append(of[t], c)
		}
		clusters = append(clusters, c)
		if err := f.pause(); err != nil {
			return nil, err
		}
	}
	f.inherit(of)
	var out []Topic
	for _, c := range clusters {
		out = append(out, Topic{f.topicOf(c)})
	}
	slices.SortStableFunc(out, func(a, b Topic) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Label, b.Label))
	})
	out = out[:min(len(out), MostTopics)]
	normalise(len(out), func(i int) *Subject { return &out[i].Subject })
	return out, nil
}

// normalise makes the largest weight 1.
func normalise(n int, of func(int) *Subject) {
	most := 0.0
	for i := range n {
		most = max(most, of(i).Weight)
	}
	for i := range n {
		if most > 0 {
			of(i).Weight = math.Round(of(i).Weight/most*1e4) / 1e4
		}
	}
}

// countHeads counts the words and phrases of a sentence.
func (f *finder) countHeads(heads map[string]*head, turn int, s *Sentence, list []token) {
	saw := func(key, spelling string, words int, rare float64, g *group) {
		h := heads[key]
		if h == nil {
			if len(heads) >= mostHeads {
				return
			}
			h = &head{key: strings.Clone(key), words: words, rare: rare, group: g, spell: map[string]int{}}
			heads[h.key] = h
		}
		if n := len(h.turns); n == 0 || h.turns[n-1] != turn {
			h.turns = append(h.turns, turn)
		}
		if s.Person && h.last != turn+1 {
			h.last = turn + 1
			h.person++
		}
		if talk := f.turns[turn].Conversation; talk != h.talk {
			h.talk = talk
			h.talks++
		}
		if n, ok := h.spell[spelling]; ok || len(h.spell) < mostNames {
			h.spell[strings.Clone(spelling)] = n + 1
		}
	}
	for i := 0; i < len(list); i++ {
		if g, n := f.named(list, i); g != nil {
			saw("\x00"+g.names[0], s.Text[list[i].start:list[i+n-1].end], n, 1, g)
			if g.kind == Person || g.kind == Ticket {
				continue
			}
		} else if f.isTopical(&list[i]) {
			saw(f.root(list[i].key), s.Text[list[i].start:list[i].end], 1, f.rare.of(&list[i]), nil)
		} else {
			continue
		}
		rare := f.rare.of(&list[i])
		for n := 2; n <= mostWordsOf && i+n <= len(list); n++ {
			last := &list[i+n-1]
			if last.breaks || s.Text[list[i+n-2].end:last.start] != " " && last.shape != unbroken {
				break
			}
			if g := f.byName[last.key]; g != nil && g.kind == Person {
				break
			}
			if !f.isTopical(last) || f.entries[last.key] == nil || f.entries[last.key].turns < leastTurns || f.entries[list[i].key] == nil ||
				f.entries[list[i].key].turns < leastTurns {
				continue
			}
			var key strings.Builder
			for k := i; k < i+n; k++ {
				if k > i {
					key.WriteByte(' ')
				}
				key.WriteString(f.root(list[k].key))
			}
			saw(key.String(), s.Text[list[i].start:last.end], n, min(1, max(rare, f.rare.of(last))+phraseRarer), nil)
		}
	}
}

// isTopical reports whether a word may name a topic, or begin or end a phrase that does.
func (f *finder) isTopical(t *token) bool {
	switch t.shape {
	case number, email, handle, ticket, option:
		return false
	case code:
		return t.end-t.start <= 40 && t.quoted
	case unbroken:
		return f.unbroken[t.key]
	}
	return len(t.key) > 2 && !articles[t.key] && !functionWords[t.key] && !acts[t.key] && !honorifics[t.key] && f.rare.of(t) >= topicalAt
}

// root is a word without an ending that it also stands without.
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
	var out []*head
	for _, key := range slices.Sorted(maps.Keys(heads)) {
		if err := f.pause(); err != nil {
			return nil, err
		}
		h := heads[key]
		slices.SortFunc(h.turns, func(a, b int) int { return compareTurns(&f.turns[a], &f.turns[b]) })
		if len(h.turns) < leastTurns || h.person < leastOfTopic || h.group == nil && h.talks < 2 && h.rare < aloneAt && !h.isTakenUp() ||
			h.words == 1 && h.group == nil && h.rare < aloneAt && !h.isTakenUp() ||
			len(f.turns) > commonLeast && len(h.turns)*commonShare > len(f.turns) {
			continue
		}
		if h.words > 1 && h.group == nil && !f.coheres(h) || h.group != nil && (h.group.kind == Person || h.group.kind == Ticket) {
			continue
		}
		if e := f.entries[h.key]; h.words == 1 && e != nil && e.count > manyTimes && 10*e.opening > 8*e.count && e.spelling() == e.key {
			continue // what talk begins with, and nothing is called: "hmm"
		}
		scattered := f.scattered(h)
		if h.group == nil && scattered > h.mayScatter() {
			continue
		}
		spread := float64(len(h.turns)) / float64(h.talks)
		h.score = (float64(h.person) + .3*float64(len(h.turns)-h.person)) * h.rare * h.rare * h.rare * math.Sqrt(min(3, spread))
		if h.group != nil {
			h.score *= nameGain
		} else if h.words > 1 {
			h.score *= phraseGain
		}
		h.score *= 1.5 - scattered
		out = append(out, h)
	}
	slices.SortStableFunc(out, func(a, b *head) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.key, b.key)) })
	return out, nil
}

// mayScatter is how scattered a head may be: a word that hardly anybody else uses may come up more often in passing, and
// one that is written as a name most of all.
func (h *head) mayScatter() float64 {
	switch {
	case h.words == 1 && h.rare < plainNameAt:
		return mostScattered
	case h.words > 1 || mostSpelled(h.spell) == h.key:
		return .9
	}
	return 1
}

// isTakenUp reports whether talks that have a word come back to it: a common word may name a topic then.
func (h *head) isTakenUp() bool {
	return len(h.turns) >= 3*h.talks || len(h.turns) >= 2*h.talks && h.talks > 2
}

// scattered is in how many conversations a head comes up, of those in which as many turns would by chance (the inverse of
// what Church and Gale, "Poisson Mixtures", 1995, call burstiness): words of all talk come up everywhere, topics stay in
// the conversations that are about them. Few conversations do not tell, and nothing is held against a head.
func (f *finder) scattered(h *head) float64 {
	if f.talks < fewTalks {
		return mostScattered
	}
	n := float64(f.talks)
	return float64(h.talks) / (n * (1 - math.Exp(-float64(len(h.turns))/n)))
}

// coheres reports whether the words of a phrase stand together more often than by chance.
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

// absorber is the cluster that a head joins: one that has most of its turns, and of which it has most where it is a name
// of its own. nil where there is none.
func absorber(h *head, of map[int][]*cluster) *cluster {
	common := map[*cluster]int{}
	for _, t := range h.turns {
		for _, c := range of[t] {
			common[c]++
		}
	}
	var best *cluster
	for _, c := range slices.SortedFunc(maps.Keys(common), func(a, b *cluster) int {
		return cmp.Or(cmp.Compare(common[b], common[a]), cmp.Compare(b.head.score, a.head.score), cmp.Compare(a.head.key, b.head.key))
	}) {
		n := float64(common[c])
		least := absorbedAt
		if h.words == 1 && h.rare >= plainNameAt {
			least = ownAt
		}
		if n < least*float64(len(h.turns)) {
			continue
		}
		if h.group != nil && c.head.group != nil && n < .9*float64(len(c.head.turns)) {
			continue
		}
		if best == nil {
			best = c
		}
	}
	return best
}

// inherit lends to a turn about nothing the clusters of the one before it: what goes on about a subject need not name it.
func (f *finder) inherit(of map[int][]*cluster) {
	type talked struct {
		conversation string
		number       int
	}
	at := map[talked]int{}
	for i, t := range f.turns {
		at[talked{t.Conversation, t.Number}] = i
	}
	for _, i := range f.order {
		t := &f.turns[i]
		before, ok := at[talked{t.Conversation, t.Number - 1}]
		if !ok || len(of[i]) > 0 {
			continue
		}
		for _, c := range of[before] {
			if slices.Contains(c.head.turns, before) {
				c.turns[i] = true
			}
		}
	}
}

// topicOf makes a topic of a cluster.
func (f *finder) topicOf(c *cluster) Subject {
	s := Subject{Label: c.label(), Names: c.names()}
	turns := slices.SortedFunc(maps.Keys(c.turns), func(a, b int) int { return compareTurns(&f.turns[a], &f.turns[b]) })
	f.date(&s, turns)
	return s
}

// label is how the head is written most often: a phrase with it where most of its turns have that.
func (c *cluster) label() string {
	best := c.head
	if best.group != nil {
		return best.group.label
	}
	for _, h := range c.joined {
		if h.words > best.words && h.group == nil && 2*len(h.turns) >= len(c.head.turns) && strings.Contains(" "+h.key+" ", " "+c.head.key+" ") {
			best = h
		}
	}
	return mostSpelled(best.spell)
}

func (c *cluster) names() []string {
	var out []string
	for _, h := range c.joined {
		n := mostSpelled(h.spell)
		if h.group != nil {
			n = h.group.label
		}
		if len(out) < mostNames && n != c.label() && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func mostSpelled(spell map[string]int) string {
	best := ""
	for _, s := range slices.Sorted(maps.Keys(spell)) {
		if best == "" || spell[s] > spell[best] {
			best = s
		}
	}
	return best
}

// date sets when and how much a subject was spoken of. turns are in the order of time.
func (f *finder) date(s *Subject, turns []int) {
	recent, before := 0, 0
	for _, i := range turns {
		at := f.turns[i].At
		age := f.now.Sub(at)
		s.Weight += math.Exp2(-age.Hours() / halfLife.Hours())
		switch {
		case age < trendSpan:
			recent++
		case age < 2*trendSpan:
			before++
		}
	}
	s.Trend = Steady
	switch {
	case 2*recent > 3*before:
		s.Trend = Rising
	case 3*recent < 2*before || recent == 0:
		s.Trend = Falling
	}
	s.Count = len(turns)
	if len(turns) > 0 {
		s.First, s.Last = f.turns[turns[0]].At, f.turns[turns[len(turns)-1]].At
	}
	for _, i := range turns[max(0, len(turns)-MostTurns):] {
		s.Turns = append(s.Turns, f.turns[i].Source)
	}
	s.Files = f.filesOf(turns)
}

// mostFiles bounds the files of a subject.
const mostFiles = 8

// filesOf are the files that turns mention, those first that the turns mention most and others least.
func (f *finder) filesOf(turns []int) []string {
	n := map[string]int{}
	for _, i := range turns {
		for _, p := range f.turns[i].Files {
			n[p]++
		}
	}
	out := slices.Collect(maps.Keys(n))
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b)) })
	return out[:min(len(out), mostFiles)]
}
