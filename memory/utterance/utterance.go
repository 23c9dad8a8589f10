// Package utterance classifies the sentences of a message: whether one states a standing rule,
// settles a decision, asks, reports a problem or says that something works now. It is pure: it has
// no storage and no clock, and the same text yields the same result. Nothing is reworded: each
// result is a byte range of the message.
//
// [Blocks] separates a person's own words from code, logs, quotations, pasted documents and what a
// host added around them. [Sentences] splits the own words into sentences. [Read] does both and
// scores each sentence with a linear model whose weights are embedded; cmd/train fits them to
// testdata/utterances. A second model reads the scores in the surroundings of a person's sentence:
// whether it is the person's own and whether it is worth keeping, see [Worth]. All of them are
// probabilities; the caller chooses its thresholds.
package utterance

import "slices"

// Label is a possible function of a sentence. A sentence may have several.
type Label int

// The labels that are scored.
const (
	Directive Label = iota // a rule, preference, convention or lasting fact that constrains work
	Decision               // a choice settled by a person entitled to settle it
	Proposal               // a choice weighed or offered, not settled
	Order                  // asks for something to be done now
	Change                 // withdraws or changes something said earlier
	Question               // asks for something unknown
	Problem                // reports that something does not work
	Fixed                  // reports that something works now
	NumLabels
)

var labelNames = [NumLabels]string{"directive", "decision", "proposal", "order", "change", "question", "problem", "fixed"}

// String returns the label's name.
func (l Label) String() string {
	if l < 0 || l >= NumLabels {
		return "unknown"
	}
	return labelNames[l]
}

// Scores holds one probability from 0 to 1 for each label, calibrated on speakers that were not
// used to fit the model.
type Scores [NumLabels]float64

// Role is the role of the speaker, as far as it affects how words are read.
type Role byte

// The roles. Tool output is read line by line.
const (
	Person Role = iota
	Assistant
	Tool
)

// Sentence is a sentence of a message: text[Start:End].
type Sentence struct {
	Start, End int
	Paragraph  int  // counts the runs of lines without a blank line between them, from 0
	Listed     bool // it begins a list item
	Quoted     bool // most of it is in quotation marks, which may begin or end in other sentences
	// Near means that its line may belong to what was pasted: it has a tag as programs print it, or
	// follows pasted lines without a blank line.
	Near bool
}

// ScoredSentence is a sentence of a person's or an assistant's own words with its scores, and the
// worths of a person's.
type ScoredSentence struct {
	Sentence
	Scores Scores
	Kinds  Kinds
}

// Read returns the sentences of the speaker's own words in text, in order, each scored in the
// context of the one before it. Of a person's message it leaves out sentences that are probably
// somebody else's. before is the last sentence of the previous message, or "".
func Read(text string, role Role, before string) []ScoredSentence {
	out, foreign := scored(text, role, before)
	if role == Person {
		for i, x := range Statements(text, out, foreign) {
			out[i].Kinds = worths().Kinds(&x)
		}
		out = slices.DeleteFunc(out, func(s ScoredSentence) bool { return s.Kinds[Foreign] >= foreignAt })
	}
	return out
}

// ReadAll returns what Read returns without leaving anything out, and without worths.
func ReadAll(text string, role Role, before string) []ScoredSentence {
	out, _ := scored(text, role, before)
	return out
}

// scored returns the sentences of the speaker's own words with their scores, and the length of what
// is not the speaker's own.
func scored(text string, role Role, before string) (out []ScoredSentence, foreign int) {
	sentences, foreign := split(text)
	out = make([]ScoredSentence, len(sentences))
	r := reader{model: embedded(), role: role}
	r.previous = preceding(before, r.previous[:0])
	for i, s := range sentences {
		out[i] = ScoredSentence{Sentence: s, Scores: r.score(text[s.Start:s.End], i, len(sentences), s.Listed)}
	}
	return out, foreign
}

// Score returns the scores of a single sentence. before is the sentence before it, or "".
func Score(sentence string, role Role, before string) Scores {
	r := reader{model: embedded(), role: role}
	r.previous = preceding(before, r.previous)
	return r.score(sentence, 0, 1, false)
}
