package knowledge

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// Found is a sentence of a message that probably states a directive: a rule, a preference, a
// convention or a lasting fact that constrains work. It is the message's own bytes.
type Found struct {
	Start, End  int // in the message's content
	Text        string
	Probability float64
	Change      float64 // that it changes or withdraws an earlier statement
	// Revises means that it counts only if it is about the same thing as an active rule: by itself
	// it states none.
	Revises bool
	// Outright means that the person states it for the future in words of their own, so surely that
	// nobody need confirm it.
	Outright bool
	profile  utterance.Profile
}

// The probabilities from which a sentence is stored, and from which it may be shown to a reader who
// did not ask for it. Both are low: nothing is reworded, and little is shown unasked. From
// outrightAt on it may be active at once.
const (
	candidateAt = .3
	knownAt     = .6
	outrightAt  = .8
	orderShare  = 1.3 // how many times a directive's probability an order's may be: polite rules read as both
)

// Bounds of what is read of one message. People write rules in a few sentences; a message of very
// many is a document.
const (
	readHead, readTail = 24 << 10, 8 << 10
	usualSentences     = 4   // of a message; in a longer one each sentence is less likely to be a directive
	maxQuotedBytes     = 240 // bytes of a short sentence with the one before it
	fewWords           = 4   // a sentence of fewer words is quoted with the one before it
)

// hostCommand matches the beginning of a slash command with its arguments.
var hostCommand = regexp.MustCompile(`^/[A-Za-z][\w:.-]*\s`)

// Hear returns the directives that a person's message probably states, in order; none for messages
// of assistants and tools, and for commands to the assistant's program, whose arguments are about
// what it does once. before is the previous message, "" without one.
func Hear(m *dialogue.Message, before string) []Found {
	if !m.ByPerson() || hostCommand.MatchString(m.Content) {
		return nil
	}
	text, offset := m.Content, 0
	var out []Found
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

func hearIn(text string, offset int, before string, out []Found) []Found {
	read := utterance.Read(text, utterance.Person, before)
	for i, s := range read {
		if s.Quoted {
			continue
		}
		s.Scores = ownWords(text[s.Start:s.End], s.Scores)
		s.Scores[utterance.Directive] = among(s.Scores[utterance.Directive], len(read))
		stated := states(s.Scores)
		if !stated && !revises(s.Scores) {
			continue
		}
		start, p := s.Start, s.Scores
		if at, scores := tail(text[s.Start:s.End], s); at > 0 {
			start, p = start+at, scores
		} else if utterance.CountWords(text[s.Start:s.End]) < fewWords && i > 0 && !s.Listed {
			if prev := read[i-1]; prev.Paragraph == s.Paragraph && s.Start-prev.Start < maxQuotedBytes {
				start = prev.Start
			}
		}
		quote := text[start:s.End]
		out = append(out, Found{
			Start: offset + start, End: offset + s.End, Text: quote, Probability: p[utterance.Directive], Change: max(p[utterance.Change], p[utterance.Decision]),
			Revises: !stated, Outright: stated && outright(s, quote), profile: utterance.NewProfile(quote),
		})
	}
	return out
}

// ownWords returns the scores of a sentence, with no higher probability of a directive than what
// the speaker says about a quotation in it has.
func ownWords(sentence string, scores utterance.Scores) utterance.Scores {
	if rest, found := utterance.Unquoted(sentence); found {
		own := utterance.Score(rest, utterance.Person, "")
		scores[utterance.Directive] = min(scores[utterance.Directive], own[utterance.Directive])
	}
	return scores
}

// outrightWords is the largest number of words of what is said outright. In real sessions longer
// sentences that read as directives were mostly work to be done, or considerations.
const outrightWords = 18

// outright reports whether a sentence that states a directive does so for the future: surely, also
// without its context, and less probably as an order to be carried out once.
func outright(s utterance.Scored, quote string) bool {
	if s.Near || s.Scores[utterance.Directive] < outrightAt || utterance.CountWords(quote) > outrightWords {
		return false
	}
	alone := utterance.Score(quote, utterance.Person, "")
	return alone[utterance.Directive] >= outrightAt && alone[utterance.Order] < alone[utterance.Directive]
}

// among returns the probability of a directive among n sentences of one message: people state one
// or two at a time, however much else they write, so that the odds of each fall with the number.
func among(p float64, n int) float64 {
	odds := p / max(1-p, 1e-9) * min(1, usualSentences/float64(n))
	return odds / (1 + odds)
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

// reviseAt is the probability of a change or a decision from which a sentence may revise an active
// rule.
const reviseAt = .3

// revises reports whether a sentence probably changes or settles something, without stating a
// directive by itself.
func revises(p utterance.Scores) bool {
	most := max(p[utterance.Change], p[utterance.Decision])
	return most >= reviseAt && p[utterance.Question] < most && p[utterance.Proposal] < most
}

// tail returns the beginning of the part of a sentence after a colon or a dash, if that part alone
// states the directive at least as surely as the whole: what precedes it is only a lead-in. It
// returns 0 when there is none.
func tail(sentence string, s utterance.Scored) (at int, p utterance.Scores) {
	for _, mark := range [...]string{": ", " - ", " – ", " — ", "："} {
		i := strings.Index(sentence, mark)
		if i <= 0 || utterance.CountWords(sentence[:i]) < 2 {
			continue
		}
		rest := sentence[i+len(mark):]
		lead := len(rest) - len(strings.TrimLeft(rest, " "))
		if utterance.CountWords(rest) < fewWords {
			continue
		}
		scores := utterance.Score(rest[lead:], utterance.Person, sentence[:i])
		before := utterance.Score(sentence[:i], utterance.Person, "")
		if scores[utterance.Directive] >= s.Scores[utterance.Directive] && before[utterance.Directive] < candidateAt/2 {
			return i + len(mark) + lead, scores
		}
	}
	return 0, s.Scores
}
