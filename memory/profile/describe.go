package profile

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// Bounds of a profile, in statements of each part.
var mostOf = map[Part]int{What: 3, Decision: 4, Rule: 4, Question: 3, Event: 4}

// Probabilities of what a sentence does, from which it is a statement of a part.
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

// describe adds the statements of every topic and entity.
func (f *finder) describe(out *Set) error {
	for i, g := range f.groups {
		e := &out.Entities[i]
		e.Statements = f.statements(g.mentions, func(s string) bool { return f.speaksOf(s, g) })
		if err := f.pause(); err != nil {
			return err
		}
	}
	slices.SortStableFunc(out.Entities, func(a, b Entity) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Label, b.Label))
	})
	out.Entities = out.Entities[:min(len(out.Entities), MostEntities)]
	normalise(len(out.Entities), func(i int) *Subject { return &out.Entities[i].Subject })
	return f.describeTopics(out.Topics)
}

// describeTopics adds the statements of topics: sentences that name the label or another name of it.
func (f *finder) describeTopics(topics []Topic) error {
	bySource := map[string]int{}
	for i, t := range f.turns {
		bySource[t.Source] = i
	}
	for k := range topics {
		t := &topics[k]
		g := f.byName[fold(t.Label)]
		says := func(s string) bool { return g != nil && f.speaksOf(s, g) || f.saysWords(s, t.Label) }
		var places []place
		near := map[string]int{}
		for _, source := range t.Turns {
			turn := bySource[source]
			for n := range f.turns[turn].Sentences {
				s := &f.turns[turn].Sentences[n]
				if s.Passing || !says(s.Text) {
					continue
				}
				list := f.split(s.Text, tokens(s.Text))
				p := place{turn: turn, sentence: s, length: len(list), token: len(list) / 2, topical: true}
				for i := range list {
					if o, _ := f.named(list, i); o != nil && o == g || f.root(list[i].key) == f.root(fold(t.Label)) {
						p.token = min(p.token, i)
					}
				}
				places = append(places, p)
			}
		}
		for _, o := range f.groups {
			if o != g {
				if n := common(o.turns, t.Turns, f.turns); n > 0 {
					near[o.label] = n
				}
			}
		}
		t.Related = topOf(near, mostRelated)
		t.Statements = f.statements(places, says)
		if err := f.pause(); err != nil {
			return err
		}
	}
	return nil
}

// common counts the turns that are among some sources.
func common(turns []int, sources []string, all []Turn) (n int) {
	set := make(map[string]bool, len(sources))
	for _, s := range sources {
		set[s] = true
	}
	for _, t := range turns {
		if set[all[t].Source] {
			n++
		}
	}
	return n
}

// topOf are the keys with the highest counts.
func topOf(n map[string]int, most int) []string {
	var out []string
	for k := range n {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b)) })
	return out[:min(len(out), most)]
}

// speaksOf reports whether a text names an entity.
func (f *finder) speaksOf(text string, g *group) bool {
	list := f.split(text, tokens(text))
	for i := range list {
		if o, _ := f.named(list, i); o == g {
			return true
		}
	}
	return false
}

// saysWords reports whether a text has the words of a label, side by side.
func (f *finder) saysWords(text, label string) bool {
	want := f.split(label, tokens(label))
	list := f.split(text, tokens(text))
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

// statements chooses what a profile says.
func (f *finder) statements(places []place, about func(string) bool) []Statement {
	var out []Statement
	taken := map[string]bool{}
	count := map[Part]int{}
	take := func(part Part, list []Statement) {
		for _, s := range list {
			key := strings.Join(strings.Fields(fold(s.Text)), " ")
			if count[part] == mostOf[part] || taken[key] {
				continue
			}
			taken[key] = true
			s.Part = part
			out = append(out, s)
			count[part]++
		}
	}
	what := f.definitions(places)
	sure := 0
	for sure < len(what) && what[sure].score >= surelyDefined {
		sure++
	}
	take(What, f.quoted(what[:sure]))
	take(Rule, newest(f.Rules, about))
	take(Question, newest(f.Open, about))
	take(Decision, newest(f.Decided, about))
	take(What, f.quoted(what[sure:]))
	take(Event, f.events(places))
	order := map[Part]int{What: 0, Decision: 1, Rule: 2, Question: 3, Event: 4}
	slices.SortStableFunc(out, func(a, b Statement) int {
		return cmp.Or(cmp.Compare(order[a.Part], order[b.Part]), a.At.Compare(b.At), cmp.Compare(a.Source(), b.Source()))
	})
	return out
}

// newest are the statements about a subject, the latest first.
func newest(list []Statement, about func(string) bool) []Statement {
	var out []Statement
	for _, s := range list {
		if isProse(s.Text) && about(s.Text) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b Statement) int { return b.At.Compare(a.At) })
	return out
}

// rated is a sentence and how well it says what something is.
type rated struct {
	place
	score float64
}

// mostMarks is the share of a sentence's runes that are neither letters, digits nor spaces.
const mostMarks = .2

// isProse reports whether a sentence reads as one that somebody wrote, not as a line of a log, a table or a list of
// things to do: it begins with a word, ends otherwise than with a colon, and consists of words mostly.
func isProse(text string) bool {
	text = strings.TrimSpace(text)
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, "`*_\"'“„«(@#-"))
	if !unicode.IsLetter(first) && !unicode.IsDigit(first) || strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：") ||
		strings.Contains(text, "   ") || strings.Contains(text, "  ·") || strings.HasPrefix(text, "[") {
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

// definitions are the sentences that say what or who something is, the best first.
func (f *finder) definitions(places []place) []rated {
	var list []rated
	for n, p := range places {
		score := f.defines(p, n)
		if score >= leastDefined {
			list = append(list, rated{p, score})
		}
	}
	slices.SortStableFunc(list, func(a, b rated) int { return cmp.Compare(b.score, a.score) })
	return list
}

func (f *finder) quoted(list []rated) (out []Statement) {
	for _, r := range list {
		out = append(out, f.statement(r.place))
	}
	return out
}

// Scores of a sentence that says what something is, and of one that does so before all else.
const leastDefined, surelyDefined = .55, .85

// defines is how well the n-th sentence about something says what it is. What people introduce they name early in the
// sentence and early in the talk, beside a noun that says its kind.
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

// introduces reports whether a sentence says what somebody does, or ties its subject to another entity.
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

// kindReach is how many words from a name a noun for its kind may stand.
const kindReach = 6

// hasKindNoun reports whether a text names a kind of things or people near its at-th word.
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

// events are the sentences in which something was settled, broke or worked again, the latest first.
func (f *finder) events(places []place) []Statement {
	var out []Statement
	for _, p := range slices.Backward(places) {
		s := p.sentence.Scores
		if max(s[utterance.Problem], s[utterance.Fixed], s[utterance.Decision], s[utterance.Change]) >= eventAt &&
			s[utterance.Question] < askedAt && s[utterance.Order] < orderedAt && p.length >= fewestWords && isProse(p.sentence.Text) {
			out = append(out, f.statement(p))
		}
	}
	return out
}

func (f *finder) statement(p place) Statement {
	t := &f.turns[p.turn]
	s := p.sentence
	return Statement{
		Text: s.Text, Conversation: t.Conversation, Turn: strings.TrimPrefix(t.Source, t.Conversation+"/"), Message: s.Message, At: s.At.UTC(),
		Author: s.Author, Person: s.Person,
	}
}
