package knowledge

import (
	"regexp"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// DirectiveText is a sentence of a message that probably states a directive: a rule, a preference,
// a convention or a lasting fact that constrains work. It is the message's own bytes.
type DirectiveText struct {
	Start, End  int // in the message's content
	Text        string
	Probability float64
	Change      float64 // that it changes or withdraws an earlier statement
	Settles     float64 // that it settles something
	// Revises means that it counts only if it is about the same thing as an active rule: by itself
	// it states none.
	Revises bool
	// Outright means that the person states it for the future in words of their own, so surely that
	// nobody need confirm it.
	Outright bool
	profile  utterance.Profile
}

// Bounds of what is read of one message. People write rules in a few sentences; a message of very
// many is a document.
const (
	readHead, readTail = 24 << 10, 8 << 10
	maxQuotedBytes     = 240 // bytes of a short sentence with the one before it
	fewWords           = 4   // a passage of a reference has at least as many
)

// hostCommand matches the beginning of a slash command with its arguments.
var hostCommand = regexp.MustCompile(`^/[A-Za-z][\w:.-]*\s`)

// Hear returns the directives that a person's message probably states, in order; none for messages
// of assistants and tools, and for commands to the assistant's program, whose arguments are about
// what it does once. before is the previous message, "" without one.
func Hear(m *dialogue.Message, before string) []DirectiveText {
	if !m.ByPerson() || hostCommand.MatchString(m.Content) {
		return nil
	}
	text, offset := m.Content, 0
	var out []DirectiveText
	if len(text) > readHead+readTail {
		tail := runeStart(text, len(text)-readTail)
		out = hearIn(text[:runeStart(text, readHead)], 0, lastSentence(before), out)
		text, offset, before = text[tail:], tail, ""
	}
	return hearIn(text, offset, lastSentence(before), out)
}

func runeStart(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

// lastSentence returns the end of a message, as context for the next.
func lastSentence(text string) string {
	const most = 2 << 10
	if len(text) > most {
		text = text[runeStart(text, len(text)-most):]
	}
	list := utterance.Sentences(text)
	if len(list) == 0 {
		return ""
	}
	last := list[len(list)-1]
	return text[last.Start:last.End]
}

func hearIn(text string, offset int, before string, out []DirectiveText) []DirectiveText {
	read := utterance.Read(text, utterance.Person, before)
	for i, s := range read {
		if s.Quoted {
			continue
		}
		stated := lasts(s.Kinds) || states(s.Scores) && s.Kinds.Kept() >= least(s.Scores)
		if !stated && !revises(s.Scores) {
			continue
		}
		start := s.Start
		if i > 0 && read[i-1].Paragraph == s.Paragraph && s.End-read[i-1].Start < maxQuotedBytes && !standsAlone(text[s.Start:s.End]) {
			start = read[i-1].Start
		}
		quote := text[start:s.End]
		if utterance.CountWords(quote) == 1 && len(utterance.Terms(quote)) == 0 {
			continue // "no" names nothing, whatever it answers
		}
		out = append(out, DirectiveText{
			Start: offset + start, End: offset + s.End, Text: quote, Probability: max(s.Kinds.Kept(), s.Scores[utterance.Directive]),
			Change: s.Scores[utterance.Change], Settles: s.Scores[utterance.Decision],
			Revises: !stated, Outright: stated && outright(s, quote), profile: utterance.NewProfile(quote),
		})
	}
	return out
}

// lasts reports whether a sentence is probably worth keeping as a rule or a fact. A problem is a
// lesson once it is solved, and a decision belongs to the conversation's arc.
func lasts(k utterance.Kinds) bool {
	return k.Kept()-k[utterance.Trouble] >= keptAt && k[utterance.Choice] < choiceShare*(k[utterance.Rule]+k[utterance.Fact])
}

// standsAlone reports whether a sentence names what it is about.
func standsAlone(sentence string) bool {
	n := 0
	for _, t := range utterance.Terms(sentence) {
		n += btoi(t.Code || t.Rarity >= aloneRarity)
	}
	return n >= aloneTerms
}

// outrightWords is the largest number of words of what is said outright. In real sessions longer
// sentences that read as directives were mostly work to be done, or considerations.
const outrightWords = 18

// outright reports whether a sentence that states a directive does so for the future: surely, also
// without its context, and less probably as an order to be carried out once.
func outright(s utterance.ScoredSentence, quote string) bool {
	if s.Near || s.Scores[utterance.Directive] < outrightAt || utterance.CountWords(quote) > outrightWords {
		return false
	}
	alone := utterance.Score(quote, utterance.Person, "")
	return alone[utterance.Directive] >= outrightAt && alone[utterance.Order] < alone[utterance.Directive]
}

// states reports whether a sentence probably states a directive, rather than a question, an
// immediate order, a problem or a consideration.
func states(p utterance.Scores) bool {
	d := p[utterance.Directive]
	if d < candidateAt {
		return false
	}
	for _, other := range [...]utterance.Label{utterance.Question, utterance.Problem, utterance.Fixed, utterance.Proposal} {
		if p[other] > d {
			return false
		}
	}
	return p[utterance.Order] <= orderShare*d || d >= knownAt
}

// least returns the probability that a sentence which states a directive lasts from which it is
// stored.
func least(p utterance.Scores) float64 {
	if p[utterance.Directive] >= knownAt {
		return keptSureAt
	}
	return keptWithAt
}

// revises reports whether a sentence probably changes or settles something, without stating a
// directive by itself.
func revises(p utterance.Scores) bool {
	most := max(p[utterance.Change], p[utterance.Decision])
	return most >= reviseAt && p[utterance.Question] < most && p[utterance.Proposal] < most
}
