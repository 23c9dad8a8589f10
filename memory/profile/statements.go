package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// mostOf bounds the statements of each part of a profile.
var mostOf = map[Part]int{What: 3, Decision: 4, Rule: 4, Question: 3, Event: 4}

// statementSelection holds the statements of a profile chosen so far. No two say the same.
type statementSelection struct {
	list  []Statement
	words []map[string]bool // of each
	count map[Part]int
}

// add adds a statement to a part unless another one says the same. It reports whether the part had
// room.
func (c *statementSelection) add(part Part, s Statement) bool {
	if c.count[part] == mostOf[part] {
		return false
	}
	words := wordsOf(s.Text)
	if !slices.ContainsFunc(c.words, func(o map[string]bool) bool { return alike(words, o) }) {
		c.words = append(c.words, words)
		s.Part = part
		c.list = append(c.list, s)
		c.count[part]++
	}
	return true
}

// statements returns the statements of a profile. about returns the elements of a list about its
// subject. Certain definitions of the subject come first.
func (f *finder) statements(places []place, about func(*settledList) []int) ([]Statement, error) {
	c := &statementSelection{count: map[Part]int{}}
	definitions, err := f.definitions(places)
	if err != nil {
		return nil, err
	}
	sure := 0
	for sure < len(definitions) && definitions[sure].score >= surelyDefined && c.add(What, f.statement(definitions[sure].place)) {
		sure++
	}
	if err := f.chooseSettled(c, places, about); err != nil {
		return nil, err
	}
	for _, r := range definitions[sure:] {
		if !c.add(What, f.statement(r.place)) {
			break
		}
	}
	if err := f.chooseEvents(c, places); err != nil {
		return nil, err
	}
	sortStatements(c.list)
	return c.list, nil
}

// chooseSettled adds the rules, open questions and decisions about the subject.
func (f *finder) chooseSettled(c *statementSelection, places []place, about func(*settledList) []int) error {
	scores := make(map[string]utterance.Scores, len(places))
	for _, p := range places {
		scores[p.sentence.Text] = p.sentence.Scores
	}
	for _, part := range [...]struct {
		part Part
		from *settledList
	}{{Rule, &f.rules}, {Question, &f.unsettled}, {Decision, &f.decisions}} {
		for _, i := range about(part.from) {
			if err := f.pause(); err != nil {
				return err
			}
			s := part.from.all[i].Statement
			if part.part == Decision && !readsDecided(s.Text, scores) {
				continue
			}
			if !c.add(part.part, *s) {
				break
			}
		}
	}
	return nil
}

// chooseEvents adds what happened, the latest first. People's statements precede assistants'.
func (f *finder) chooseEvents(c *statementSelection, places []place) error {
	for _, byPerson := range [...]bool{true, false} {
		for _, p := range slices.Backward(places) {
			if p.sentence.Person != byPerson || !p.tellsEvent() {
				continue
			}
			if err := f.pause(); err != nil {
				return err
			}
			if !c.add(Event, f.statement(p)) {
				break
			}
		}
	}
	return nil
}

// statement returns the statement of a sentence.
func (f *finder) statement(p place) Statement {
	t := &f.turns[p.turn]
	s := p.sentence
	return Statement{
		Text: s.Text, Conversation: t.Conversation, Turn: strings.TrimPrefix(t.Source, t.Conversation+"/"), Message: s.Message, At: s.At.UTC(),
		Author: s.Author, Person: s.Person,
	}
}

// sortStatements sorts by part and time.
func sortStatements(list []Statement) {
	order := map[Part]int{What: 0, Decision: 1, Rule: 2, Question: 3, Event: 4}
	slices.SortStableFunc(list, func(a, b Statement) int {
		return cmp.Or(cmp.Compare(order[a.Part], order[b.Part]), a.At.Compare(b.At), cmp.Compare(a.Source(), b.Source()))
	})
}

// sameAt is the share of common words from which the second of two statements adds nothing new.
const sameAt = .5

func wordsOf(text string) map[string]bool {
	out := map[string]bool{}
	for _, t := range tokens(text) {
		if t.shape != number {
			out[t.key] = true
		}
	}
	if len(out) == 0 { // figures, or a script without word separation
		out[strings.Join(strings.Fields(fold(text)), " ")] = true
	}
	return out
}

func alike(a, b map[string]bool) bool {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	return float64(both) >= sameAt*float64(len(a)+len(b)-both)
}

// decidedAt is the probability of a decision below which a sentence that an arc has as a decision
// is left out of a profile: what was agreed to may be anything.
const decidedAt = .25

// readsDecided reports whether a sentence that an arc has as a decision reads as one by itself.
// scores are those of the sentences that name its subject.
func readsDecided(text string, scores map[string]utterance.Scores) bool {
	said, ok := scores[text]
	return !strings.ContainsAny(text, "?？") && (!ok || max(said[utterance.Decision], said[utterance.Directive], said[utterance.Change]) >= decidedAt)
}
