package profile

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// The probabilities of a sentence's acts from which it is a statement of a part.
const (
	settledAt = .5
	eventAt   = .6
	askedAt   = .4
	orderedAt = .5
)

// Lengths of a statement, in words of the sentence.
const (
	fewestWords = 4
	mostOfWhat  = 40
)

// describe adds the entities, and the statements of every topic and entity.
func (f *finder) describe(out *Set) error {
	list, err := f.entities()
	if err != nil {
		return err
	}
	if err := f.readSettled(); err != nil {
		return err
	}
	for i := range list {
		g, e := list[i].group, &list[i].entity
		e.Names, e.Related = g.otherNames(), g.relatedTo()
		about := func(s *settledList) []int { return s.byGroup[g] }
		if e.Statements, err = f.statements(g.mentions, about); err != nil {
			return err
		}
		out.Entities = append(out.Entities, *e)
	}
	normalise(len(out.Entities), func(i int) *Subject { return &out.Entities[i].Subject })
	return f.describeTopics(out.Topics)
}

// describeTopics adds the statements of topics: sentences that contain the label or another name of
// the topic.
func (f *finder) describeTopics(topics []Topic) error {
	bySource := make(map[string]int, len(f.turns))
	for i := range f.turns {
		bySource[f.turns[i].Source] = i
	}
	inTurn := map[int][]*group{}
	for _, g := range f.groups {
		for _, turn := range g.turns {
			inTurn[turn] = append(inTurn[turn], g)
		}
		if err := f.did(1 + len(g.turns)/50); err != nil {
			return err
		}
	}
	for k := range topics {
		t := &topics[k]
		g := f.byName[fold(t.Label)]
		label := f.split(t.Label, tokens(t.Label))
		near := map[string]int{}
		for _, source := range t.Turns {
			for _, o := range inTurn[bySource[source]] {
				if o != g {
					near[o.label]++
				}
			}
		}
		t.Related = topOf(near, mostRelated)
		places, err := f.speaking(t, g, label, bySource)
		if err != nil {
			return err
		}
		t.Statements, err = f.statements(places, func(s *settledList) []int { return s.saying(f, g, label) })
		if err != nil {
			return err
		}
	}
	return nil
}

// speaking returns the sentences of a topic's turns that name it. g is the entity of that name, nil
// for none.
func (f *finder) speaking(t *Topic, g *group, label []token, bySource map[string]int) ([]place, error) {
	var places []place
	root := f.root(fold(t.Label))
	for _, source := range t.Turns {
		turn := bySource[source]
		for n := range f.turns[turn].Sentences {
			if err := f.pause(); err != nil {
				return nil, err
			}
			s := &f.turns[turn].Sentences[n]
			if s.Passing {
				continue
			}
			list := f.split(s.Text, tokens(s.Text))
			if (g == nil || !f.speaksOf(list, g)) && !f.saysWords(list, label) {
				continue
			}
			p := place{turn: turn, sentence: s, length: len(list), token: len(list) / 2, topical: true}
			for i := range list {
				if o, _ := f.named(list, i); o != nil && o == g || f.root(list[i].key) == root {
					p.token = min(p.token, i)
				}
			}
			places = append(places, p)
		}
	}
	return places, nil
}

// topOf returns the keys with the highest counts.
func topOf(n map[string]int, most int) []string {
	var out []string
	for k := range n {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b)) })
	return out[:min(len(out), most)]
}

// speaksOf reports whether words name an entity.
func (f *finder) speaksOf(list []token, g *group) bool {
	for i := range list {
		if o, _ := f.named(list, i); o == g {
			return true
		}
	}
	return false
}

// saysWords reports whether the words of a label are adjacent in a list.
func (f *finder) saysWords(list, want []token) bool {
	for i := 0; i+len(want) <= len(list) && len(want) > 0; i++ {
		same := true
		for k := range want {
			same = same && f.root(list[i+k].key) == f.root(want[k].key)
		}
		if same {
			return true
		}
	}
	return false
}

// settledList holds the rules, decisions or open questions that are sentences, the latest first,
// with the entities and words in them.
type settledList struct {
	all     []settled
	byGroup map[*group][]int
	byRoot  map[string][]int // by the roots of their words
}

type settled struct {
	*Statement
	list []token
}

// readSettled reads the rules, decisions and open questions once for all subjects.
func (f *finder) readSettled() error {
	for _, part := range [...]struct {
		from []Statement
		into *settledList
	}{{f.Rules, &f.rules}, {f.Open, &f.unsettled}, {f.Decided, &f.decisions}} {
		var all []settled
		for i := range part.from {
			if s := &part.from[i]; isProse(s.Text) {
				all = append(all, settled{s, f.split(s.Text, tokens(s.Text))})
			}
			if err := f.pause(); err != nil {
				return err
			}
		}
		all, err := ordered(f, all, func(a, b settled) int { return b.At.Compare(a.At) })
		if err != nil {
			return err
		}
		*part.into = settledList{all: all, byGroup: map[*group][]int{}, byRoot: map[string][]int{}}
		for i := range all {
			part.into.note(f, i)
			if err := f.pause(); err != nil {
				return err
			}
		}
	}
	return nil
}

// note records the entities and words of the i-th of them.
func (l *settledList) note(f *finder, i int) {
	list := l.all[i].list
	for k := range list {
		if g, _ := f.named(list, k); g != nil {
			if at := l.byGroup[g]; len(at) == 0 || at[len(at)-1] != i {
				l.byGroup[g] = append(at, i)
			}
		}
		root := f.root(list[k].key)
		if at := l.byRoot[root]; len(at) == 0 || at[len(at)-1] != i {
			l.byRoot[root] = append(at, i)
		}
	}
}

// saying returns those that name an entity, nil for none, or contain the words of a label.
func (l *settledList) saying(f *finder, g *group, label []token) []int {
	var out []int
	if g != nil {
		out = slices.Clone(l.byGroup[g])
	}
	if len(label) > 0 {
		for _, i := range l.byRoot[f.root(label[0].key)] {
			if f.saysWords(l.all[i].list, label) {
				out = append(out, i)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ratedSentence is a sentence with a score for how well it defines its subject.
type ratedSentence struct {
	place
	score float64
}

// mostMarks bounds the share of a sentence's runes that are neither letters, digits nor spaces.
const mostMarks = .2

// isProgress matches progress messages of programs, which end in a count or in dots.
var isProgress = regexp.MustCompile(`(\[\d+/\d+\]|\d ?%|\.\.\.|…)$`)

// isProse reports whether a sentence reads as if somebody wrote it, rather than as a line of a log,
// a table or a to-do list: it begins with a word, does not end with a colon, and consists mostly of
// words.
func isProse(text string) bool {
	text = strings.TrimSpace(text)
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, "`*_\"'“„«(@#-"))
	if !unicode.IsLetter(first) && !unicode.IsDigit(first) || strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：") ||
		strings.Contains(text, "   ") || strings.Contains(text, "  ·") || strings.HasPrefix(text, "[") || isProgress.MatchString(text) {
		return false
	}
	marks, all := 0, 0
	for _, r := range text {
		all++
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsSpace(r) && !unicode.IsMark(r) && !strings.ContainsRune("`.,'’*", r) {
			marks++
		}
	}
	return float64(marks) <= mostMarks*float64(all)
}

// definitions returns the sentences that define what or who something is, the best first.
func (f *finder) definitions(places []place) ([]ratedSentence, error) {
	var list []ratedSentence
	for n, p := range places {
		score := f.defines(p, n)
		if score >= leastDefined {
			list = append(list, ratedSentence{p, score})
		}
		if err := f.did(3); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b ratedSentence) int { return cmp.Compare(b.score, a.score) })
	return list, nil
}

// The scores from which a sentence defines its subject, and from which it does so with certainty.
const leastDefined, surelyDefined = .55, .85

// defines returns how well the n-th sentence about something defines it. People name what they
// introduce early in the sentence and early in the conversation, next to a noun for its kind.
func (f *finder) defines(p place, n int) float64 {
	s := p.sentence.Scores
	text := p.sentence.Text
	if !isProse(text) || !p.sentence.Person && s[utterance.Order] >= orderedAt/2 {
		return 0
	}
	if s[utterance.Question] >= askedAt || strings.ContainsAny(text, "?？") || p.length < fewestWords || p.length > mostOfWhat ||
		s[utterance.Order] >= orderedAt && s[utterance.Directive] < settledAt {
		return 0
	}
	score := .35
	if p.token*3 <= p.length {
		score += .25
	}
	if hasKindNoun(text, p.token) {
		score += .35
	}
	if f.introduces(p) {
		score += .2
	}
	if n < 2 {
		score += .2
	} else if n < 6 {
		score += .1
	}
	if p.sentence.Person {
		score += .1
	}
	score -= .4 * max(s[utterance.Problem], s[utterance.Fixed], s[utterance.Proposal])
	score -= .25 * max(s[utterance.Decision], s[utterance.Change])
	if p.length < 5 {
		score -= .15
	}
	return score
}

// introduces reports whether a sentence says what somebody does, or connects its subject to another
// entity.
func (f *finder) introduces(p place) bool {
	list := f.split(p.sentence.Text, tokens(p.sentence.Text))
	var subject *group
	if p.token < len(list) {
		subject, _ = f.named(list, p.token)
	}
	for i := range list {
		if o, _ := f.named(list, i); o != nil && o != subject && p.token*3 <= p.length {
			return true
		}
		if acts[list[i].key] && i >= p.token-2 && i <= p.token+2 {
			return true
		}
	}
	return false
}

// kindReach is the largest distance in words between a name and a noun for its kind.
const kindReach = 6

// hasKindNoun reports whether a text has a noun for a kind of things or people near its at-th word.
func hasKindNoun(text string, at int) bool {
	for i, t := range tokens(text) {
		if t.shape == unbroken {
			for _, nouns := range unbrokenNouns {
				if slices.ContainsFunc(nouns, func(n string) bool { return strings.Contains(t.key, n) }) {
					return true
				}
			}
		}
		if i >= at-2 && i <= at+kindReach && isKindNoun(t.key) {
			return true
		}
	}
	return false
}

// tellsEvent reports whether a sentence says that something was settled, broke or was repaired.
func (p *place) tellsEvent() bool {
	s := p.sentence.Scores
	happened := max(s[utterance.Problem], s[utterance.Decision], s[utterance.Change])
	if p.sentence.Person { // assistants report success after each step
		happened = max(happened, s[utterance.Fixed])
	}
	return happened >= eventAt &&
		s[utterance.Question] < askedAt && s[utterance.Order] < orderedAt && p.length >= fewestWords && isProse(p.sentence.Text)
}
