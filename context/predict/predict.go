// Package predict predicts what a person will probably ask about next, from what they are looking
// at and from recent conversations, and learns from their requests how reliable each kind of signal
// is.
//
// [Predict] reads a [Situation], which the caller gathers, and [Weights], which [Weights.Learn]
// updates. The package is pure: no I/O, no clock; equal input yields equal output. The stored form
// of the weights contains no text.
package predict

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Most bounds the predictions.
const Most = 8

// Signal is a kind of sign.
type Signal int

// The signals. A research pattern in the navigation is the sixth: it strengthens all of them.
const (
	Active  Signal = iota // the conversation in focus continues
	Visible               // a conversation in view continues
	Hour                  // a topic that is usual at this hour
	Hot                   // a topic of the last 48 hours
	Entity                // a file or symbol of the last 72 hours
	NumSignals
)

// The spans in which topics and entities count as hot.
const (
	HotSpan    = 48 * time.Hour
	EntitySpan = 72 * time.Hour
)

// span is the range of a signal's probability; within it, the evidence for one thing relative to
// others of its kind decides.
type span struct{ least, most float64 }

// spans are the ranges of the signals' probabilities.
var spans = [NumSignals]span{
	Active: {.85, .85}, Visible: {.30, .30}, Hour: {.15, .30}, Hot: {.15, .40}, Entity: {.10, .25},
}

// The largest number of predictions of each kind.
const (
	mostVisible, mostHour, mostHot, mostEntities = 3, 3, 5, 5
	mostReplies                                  = 1
)

// Situation is what is known of a person and a workspace. Lists may be in any order.
type Situation struct {
	Now time.Time
	// Active is the conversation in focus; one without an ID means none.
	Active Talk
	// Visible are the conversations in view, the most important first.
	Visible []Talk
	// Replies are short messages that people write repeatedly, the most frequent first.
	Replies []string
	Topics  []Topic
	// Entities are files and symbols that were mentioned or viewed.
	Entities []Thing
	// Visits are the person's visits to locations, the oldest first.
	Visits []Visit
}

// Talk is a conversation, with its last messages.
type Talk struct {
	ID string
	// Asked is the last message of the person, Answered the end of the last answer.
	Asked, Answered string
}

// Topic is something that conversations are about.
type Topic struct {
	Name   string
	Weight float64 // 0 to 1
	Last   time.Time
	// Usual is its share of uses at this hour of the day, relative to chance; 0 when unknown.
	Usual float64
}

// Thing is a file or a symbol.
type Thing struct {
	Name   string
	Weight float64 // 0 to 1
	Last   time.Time
}

// Visit is a location that a person has visited.
type Visit struct {
	Path string
	At   time.Time
}

// Bundle is a bundle that would be needed.
type Bundle struct {
	Part   string // conversation, topic or entity
	Prompt string
	// Verbatim means that the prompt is what the person may write, to the letter; otherwise it
	// describes the subject.
	Verbatim bool
}

// Prediction is something that the person may ask about next.
type Prediction struct {
	Signal       Signal
	Conversation string // in which it would be asked; "" for a new one
	Topic        string
	Entity       string
	Probability  float64
	Bundles      []Bundle // the most useful first; at least one
	Deep         bool     // the person is researching
}

// Type returns the contract's name of the prediction's type.
func (p *Prediction) Type() string {
	switch p.Signal {
	case Hour, Hot:
		return "topic"
	case Entity:
		return "entity"
	}
	return "conversation"
}

// Parts returns the contract's names of the bundles.
func (p *Prediction) Parts() []string {
	var out []string
	for _, b := range p.Bundles {
		if !slices.Contains(out, b.Part) {
			out = append(out, b.Part)
		}
	}
	if p.Deep {
		out = append(out, "deep_knowledge")
	}
	return out
}

// Predict returns at most [Most] predictions, the most probable first.
func Predict(s Situation, w *Weights) []Prediction {
	var out []Prediction
	if s.Active.ID != "" {
		out = append(out, s.active(w))
	}
	for _, t := range s.Visible[:min(mostVisible, len(s.Visible))] {
		if t.ID != s.Active.ID {
			out = append(out, Prediction{Signal: Visible, Conversation: t.ID, Probability: w.probability(Visible, 1), Bundles: t.goesOn()})
		}
	}
	known := map[string]bool{}
	out = append(out, s.usual(w, known)...)
	out = append(out, s.hot(w, known)...)
	out = append(out, s.things(w, known)...)
	out = slices.DeleteFunc(out, func(p Prediction) bool { return len(p.Bundles) == 0 })
	slices.SortStableFunc(out, func(a, b Prediction) int { return cmp.Compare(b.Probability, a.Probability) })
	out = out[:min(Most, len(out))]
	if researching(s.Visits) {
		for i := range out {
			out[i].Deep = true
		}
	}
	return out
}

// active predicts that the conversation in focus continues: about the last answer, about the last
// question, or with a frequent reply.
func (s *Situation) active(w *Weights) Prediction {
	p := Prediction{Signal: Active, Conversation: s.Active.ID, Probability: w.probability(Active, 1), Bundles: s.Active.goesOn()}
	if s.Active.Asked != "" && s.Active.Asked != s.Active.Answered && s.Active.Answered != "" {
		p.Bundles = append(p.Bundles, Bundle{Part: "topic", Prompt: clip(s.Active.Asked)})
	}
	if s.Active.Answered != "" {
		for _, r := range s.Replies[:min(mostReplies, len(s.Replies))] {
			p.Bundles = append(p.Bundles, Bundle{Part: "conversation", Prompt: r, Verbatim: true})
		}
	}
	return p
}

// goesOn returns the bundles for what was said last.
func (t *Talk) goesOn() []Bundle {
	switch {
	case t.Answered != "":
		return []Bundle{{Part: "conversation", Prompt: tail(t.Answered)}}
	case t.Asked != "":
		return []Bundle{{Part: "conversation", Prompt: clip(t.Asked)}}
	}
	return nil
}

func (s *Situation) usual(w *Weights, known map[string]bool) (out []Prediction) {
	list := slices.DeleteFunc(slices.Clone(s.Topics), func(t Topic) bool { return t.Usual < minUsual })
	slices.SortStableFunc(list, func(a, b Topic) int {
		return cmp.Or(cmp.Compare(b.Weight*b.Usual, a.Weight*a.Usual), cmp.Compare(a.Name, b.Name))
	})
	for _, t := range list[:min(mostHour, len(list))] {
		known[t.Name] = true
		out = append(out, s.about(Hour, t.Name, w.probability(Hour, t.Weight)))
	}
	return out
}

func (s *Situation) hot(w *Weights, known map[string]bool) (out []Prediction) {
	list := slices.DeleteFunc(slices.Clone(s.Topics), func(t Topic) bool { return known[t.Name] || s.Now.Sub(t.Last) > HotSpan })
	slices.SortStableFunc(list, func(a, b Topic) int { return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Name, b.Name)) })
	for _, t := range list[:min(mostHot, len(list))] {
		known[t.Name] = true
		out = append(out, s.about(Hot, t.Name, w.probability(Hot, t.Weight)))
	}
	return out
}

func (s *Situation) things(w *Weights, known map[string]bool) (out []Prediction) {
	list := slices.DeleteFunc(slices.Clone(s.Entities), func(t Thing) bool { return known[t.Name] || s.Now.Sub(t.Last) > EntitySpan })
	slices.SortStableFunc(list, func(a, b Thing) int { return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Name, b.Name)) })
	for _, t := range list[:min(mostEntities, len(list))] {
		out = append(out, s.about(Entity, t.Name, w.probability(Entity, t.Weight)))
	}
	return out
}

// about predicts a question about a topic or a thing, in the conversation in focus.
func (s *Situation) about(signal Signal, name string, probability float64) Prediction {
	p := Prediction{Signal: signal, Conversation: s.Active.ID, Probability: probability}
	if signal == Entity {
		p.Entity, p.Bundles = name, []Bundle{{Part: "entity", Prompt: name}}
	} else {
		p.Topic, p.Bundles = name, []Bundle{{Part: "topic", Prompt: name}}
	}
	return p
}

// A person is researching if they visit several documents within a few minutes, or switch between
// documents and conversations.
const (
	researchSpan      = 10 * time.Minute
	researchVisits    = 5
	minResearchPlaces = 3 // different places
)

// researching reports whether the latest visits look like research: many locations in a short time,
// some of them twice, or a document among files.
func researching(visits []Visit) bool {
	if len(visits) < minResearchPlaces {
		return false
	}
	last := visits[max(0, len(visits)-researchVisits):]
	seen := map[string]int{}
	prose, again := false, false
	for _, v := range last {
		if visits[len(visits)-1].At.Sub(v.At) <= researchSpan {
			seen[v.Path]++
			prose, again = prose || isProse(v.Path), again || seen[v.Path] > 1
		}
	}
	return len(seen) >= minResearchPlaces && (prose || again)
}

// isProse reports whether a path is a document's, by its name.
func isProse(name string) bool {
	return slices.Contains([]string{".md", ".mdx", ".rst", ".adoc", ".txt", ".org"}, strings.ToLower(path.Ext(name)))
}

// The bytes of a message that are used as the prompt of a bundle: the beginning of a question, or
// the end of an answer, which may offer the next step.
const (
	askedBytes    = 2000
	answeredBytes = 600
)

func clip(text string) string {
	if len(text) <= askedBytes {
		return text
	}
	end := askedBytes
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

func tail(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= answeredBytes {
		return text
	}
	start := len(text) - answeredBytes
	for !utf8.RuneStart(text[start]) {
		start++
	}
	if i := strings.IndexAny(text[start:], " \n"); i >= 0 && i < answeredBytes/2 {
		start += i + 1
	}
	return text[start:]
}
