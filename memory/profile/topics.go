package profile

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// Topics are found by a variant of suffix tree clustering (Zamir and Etzioni, "Web Document
// Clustering: A Feasibility Demonstration", 1998): a recurring word or phrase of up to four words
// is the head of a cluster, the turns that have it are its members, and a head whose turns are
// mostly another's joins that one. Clusters may overlap, since a turn may be about two things.

const (
	topicalAt      = .62    // the rarity of a word that may begin or end a phrase
	aloneAt        = .88    // of a word that names a topic alone
	phraseAt       = .4     // the share of the turns with its rarer end that must have the whole phrase
	phraseGain     = 1.4    // a phrase is better evidence than a word
	phraseRarer    = .2     // than the rarest of its words
	nameGain       = 1.6    // and so is a name
	absorbedAt     = .6     // the share of a head's turns in another from which it joins that one
	ownAt          = .75    // the same for a word that is otherwise hardly used
	commonShare    = 3      // a head in more than one of so many turns does not distinguish topics
	commonLeast    = 20     // number of turns from which that applies
	fewTalks       = 20     // conversations below which the scatter of words is unknown
	mostScattered  = .75    // of a head that is not a name; 1 is chance
	maxHeads       = 200000 // phrases that are counted
	mostWordsOf    = 4      // words in a phrase
	minPersonTurns = 2      // turns in which a person mentions it
)

// cluster is a topic under construction.
type cluster struct {
	head   *head
	joined []*head
	turns  map[int]bool
}

// topics clusters the turns.
func (f *finder) topics() ([]Topic, error) {
	heads, err := f.countHeads()
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
		if err := f.did(1 + len(h.turns)); err != nil {
			return nil, err
		}
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
	}
	if err := f.inherit(of); err != nil {
		return nil, err
	}
	var out []Topic
	for _, c := range clusters {
		out = append(out, Topic{f.topicOf(c)})
		if err := f.did(1 + len(c.turns)/5); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(out, func(a, b Topic) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Label, b.Label))
	})
	out = out[:min(len(out), MostTopics)]
	normalise(len(out), func(i int) *Subject { return &out[i].Subject })
	return out, nil
}

// normalise scales the weights so that the largest is 1.
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

// absorber returns the cluster that a head joins: one that has most of its turns and, if the head
// is a name of its own, most of whose turns the head has. nil when there is none.
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

// inherit assigns a turn without a subject to the clusters of the previous one: a continued subject
// need not be named.
func (f *finder) inherit(of map[int][]*cluster) error {
	type talked struct {
		conversation string
		number       int
	}
	at := map[talked]int{}
	for i, t := range f.turns {
		at[talked{t.Conversation, t.Number}] = i
	}
	for _, i := range f.order {
		if err := f.pause(); err != nil {
			return err
		}
		t := &f.turns[i]
		before, ok := at[talked{t.Conversation, t.Number - 1}]
		if !ok || len(of[i]) > 0 {
			continue
		}
		for _, c := range of[before] {
			c.turns[i] = true
		}
	}
	return nil
}

// topicOf returns the topic of a cluster.
func (f *finder) topicOf(c *cluster) Subject {
	s := Subject{Label: c.label(), Names: c.names()}
	turns := slices.SortedFunc(maps.Keys(c.turns), func(a, b int) int { return compareTurns(&f.turns[a], &f.turns[b]) })
	f.date(&s, turns)
	return s
}

// label returns the most frequent spelling of the head, or of a phrase with it that most of its
// turns have.
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

// date sets when and how often a subject was mentioned. turns are in chronological order.
func (f *finder) date(s *Subject, turns []int) {
	recent, before := 0, 0
	for _, i := range turns {
		at := f.turns[i].At
		age := max(0, f.now.Sub(at))
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
	s.Count, s.Weeks = len(turns), f.weeksOf(turns)
	if len(turns) > 0 {
		s.First, s.Last = f.turns[turns[0]].At, f.turns[turns[len(turns)-1]].At
	}
	for _, i := range turns[max(0, len(turns)-MostTurns):] {
		s.Turns = append(s.Turns, f.turns[i].Source)
	}
	s.Files = f.filesOf(turns)
}

// maxFiles bounds the files of a subject.
const maxFiles = 8

// filesOf returns the files that turns mention, first those mentioned most here and least
// elsewhere.
func (f *finder) filesOf(turns []int) []string {
	n := map[string]int{}
	for _, i := range turns {
		for _, p := range f.turns[i].Files {
			n[p]++
		}
	}
	out := slices.Collect(maps.Keys(n))
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b)) })
	return out[:min(len(out), maxFiles)]
}
