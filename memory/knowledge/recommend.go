package knowledge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/subject"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// Advice is the kind of a recommendation.
type Advice string

// The kinds of the contract.
const (
	NoReference   Advice = "reference"     // a topic is asked about, and the answers are scattered
	NoDocument    Advice = "document"      // a topic is asked about, and no document covers it
	NotConfirmed  Advice = "accept"        // a rule was said repeatedly and never confirmed
	Contradiction Advice = "contradiction" // two active rules contradict each other
	Outdated      Advice = "outdated"      // a later decision is missing from what was stored by hand
	SameTopics    Advice = "merge"         // two topics are one
)

// Recommendation is what a person should do to improve the knowledge.
type Recommendation struct {
	Kind       Advice      `json:"kind"`
	Topic      string      `json:"topic"`
	Reason     string      `json:"reason"`
	Action     string      `json:"action"`
	Command    []string    `json:"command"`  // does it, or shows what is to be decided; one element an argument
	Evidence   []string    `json:"evidence"` // turns that show it, the latest first
	Quotations []Quotation `json:"quotations,omitempty"`
	Items      []string    `json:"items,omitempty"` // of knowledge that it concerns
}

const (
	maxRecommendations = 20
	mostOfKind         = 6
	maxEvidence        = 10
	maxShown           = 5 // quotations
	minQuestions       = 3 // turns that ask about a topic before a reference is missed
	minSayings         = 3 // of a rule in one conversation from which acceptance is recommended; in two conversations, twice
	leastTurnsOfBoth   = 5
	minCommon          = 2 // turns that are about both of two forms of one word
)

// Recommendations returns the recommendations of the last offline run, the most useful first,
// except those done since: a rule that was accepted or removed needs nothing more.
func Recommendations(view store.View) ([]Recommendation, error) {
	all := []Recommendation{}
	if err := readJSON(view.Reader, key(view.Workspace, keyGaps), &all, "read recommendations"); err != nil {
		return all, err
	}
	out := []Recommendation{}
	for _, one := range all {
		done := false
		for _, id := range one.Items {
			it, err := load(view, id)
			if err != nil {
				return out, fmt.Errorf("read recommendations: %w", err)
			}
			done = done || it == nil || !it.Holds() || one.Kind == NotConfirmed && it.Standing() != Candidate
		}
		if !done {
			out = append(out, one)
		}
	}
	return out, nil
}

// dropRecommendations stages the recommendations without those for which about returns true; it
// reports whether there were any.
func dropRecommendations(tx store.Tx, about func(Recommendation) bool) (bool, error) {
	list := []Recommendation{}
	if err := readJSON(tx.Reader, key(tx.Workspace, keyGaps), &list, "read recommendations"); err != nil {
		return false, err
	}
	n := len(list)
	if list = slices.DeleteFunc(list, about); len(list) == n {
		return false, nil
	}
	return true, tx.SetJSON(key(tx.Workspace, keyGaps), list)
}

// shownBy reports whether a recommendation is based on a removed turn.
func (g Recommendation) shownBy(gone func(source string) bool) bool {
	return slices.ContainsFunc(g.Evidence, gone)
}

// recommend looks for what a person should do.
func (p *pass) recommend() error {
	out := []Recommendation{}
	for _, find := range []func() ([]Recommendation, error){
		func() ([]Recommendation, error) { return contradictions(p.items, p.pacer.pause) },
		func() ([]Recommendation, error) { return unconfirmed(p.items), nil },
		func() ([]Recommendation, error) { return outdated(p.items, p.decided), nil },
		func() ([]Recommendation, error) { return sameTopics(p.set.Topics, p.in.termList, p.pacer.pause) },
		p.gaps,
	} {
		if err := p.pacer.pause(); err != nil {
			return err
		}
		list, err := find()
		if err != nil {
			return err
		}
		out = append(out, list[:min(len(list), mostOfKind)]...)
	}
	out = out[:min(len(out), maxRecommendations)]
	for i := range out {
		out[i].Evidence = out[i].Evidence[:min(len(out[i].Evidence), maxEvidence)]
		out[i].Quotations = out[i].Quotations[:min(len(out[i].Quotations), maxShown)]
	}
	return p.tx.SetJSON(key(p.tx.Workspace, keyGaps), out)
}

// gaps returns a recommendation for each topic that is often asked about and that no reference
// covers.
func (p *pass) gaps() ([]Recommendation, error) {
	var out []Recommendation
	seen := map[string]bool{}
	for i := range p.set.Topics {
		if err := p.pacer.pause(); err != nil {
			return nil, err
		}
		topic := &p.set.Topics[i]
		form := strings.Join(p.in.termList(topic.Label), " ")
		if seen[form] || covered(p.items, topic.Label) {
			continue
		}
		gap := questionsOn(p.questions, topic)
		if len(gap.Evidence) < minQuestions {
			continue
		}
		if err := p.adviseOn(&gap); err != nil {
			return nil, err
		}
		seen[form] = true
		out = append(out, gap)
	}
	slices.SortStableFunc(out, func(a, b Recommendation) int { return cmp.Compare(len(b.Evidence), len(a.Evidence)) })
	return out, nil
}

// questionsOn returns a recommendation based on those of some questions that name a topic, without
// the action yet.
func questionsOn(questions []personQuestion, topic *subject.Subject) Recommendation {
	out := Recommendation{Kind: NoDocument, Topic: topic.Label}
	for _, q := range questions {
		if saysAny(q.Text, topic.Keys) && !slices.Contains(out.Evidence, q.source()) {
			out.Evidence = append(out.Evidence, q.source())
			out.Quotations = append(out.Quotations, q.Quotation)
		}
	}
	return out
}

// saysAny reports whether a text has one of some names.
func saysAny(text string, keys []string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return subject.Says(text, k) })
}

// adviseOn sets the action for a topic that is asked about: to have a reference made of what
// documents say or, if they say nothing, to write a document.
func (p *pass) adviseOn(gap *Recommendation) error {
	written, err := p.in.sectionsNaming([]string{gap.Topic})
	if err != nil {
		return err
	}
	asked := fmt.Sprintf("%d turns ask about %s", len(gap.Evidence), gap.Topic)
	if len(written) == 0 {
		gap.Reason = asked + ", and no reference and no document covers it"
		gap.Action = "write a document that answers these questions, or store the answer"
		gap.Command = words("remember", "note", gap.Topic+": …")
		return nil
	}
	gap.Kind = NoReference
	gap.Reason = asked + fmt.Sprintf("; %d sections of documents and what was said speak of it, and no reference brings them together", len(written))
	gap.Action, gap.Command = "pin the topic: the next run makes a reference on it", words("knowledge", "pin", gap.Topic)
	return nil
}

func words(list ...string) []string { return append([]string{"contexture"}, list...) }

// unconfirmed returns recommendations for rules that were said repeatedly and never confirmed.
func unconfirmed(items []*Item) []Recommendation {
	var out []Recommendation
	for _, it := range items {
		if it.Kind != Rule || !it.Holds() || it.Standing() != Candidate {
			continue
		}
		times, in := it.saidTimes()
		if times < minSayings && in < 2 {
			continue
		}
		where := fmt.Sprintf("in %d conversations", in)
		if in == 1 {
			where = "in one conversation"
		}
		out = append(out, Recommendation{
			Kind: NotConfirmed, Topic: titleOf(it.Content), Reason: fmt.Sprintf("it was said %d times %s and never confirmed", times, where),
			Action: "accept it, so that it is in every bundle, or remove it", Command: words("rules", "accept", it.ID),
			Evidence: latestFirst(it.SourceTurns), Quotations: it.Quotations, Items: []string{it.ID},
		})
	}
	slices.SortStableFunc(out, func(a, b Recommendation) int { return cmp.Compare(len(b.Evidence), len(a.Evidence)) })
	return out
}

func latestFirst(sources []string) []string {
	out := slices.Clone(sources)
	slices.Reverse(out)
	return out
}

// contradictions returns recommendations for pairs of active rules on one subject that say
// different things.
func contradictions(items []*Item, pause func() error) ([]Recommendation, error) {
	var rules []*Item
	for _, it := range items {
		if it.Kind == Rule && it.Holds() && (it.Standing() == Confirmed || it.Probability >= ruleSure) {
			rules = append(rules, it)
		}
	}
	slices.SortFunc(rules, func(a, b *Item) int { return cmp.Or(cmp.Compare(b.Serial, a.Serial), cmp.Compare(a.ID, b.ID)) })
	rules = rules[:min(len(rules), maxDuplicates)]
	var out []Recommendation
	for i, newer := range rules {
		if err := pause(); err != nil {
			return nil, err
		}
		for _, older := range rules[i+1:] {
			if utterance.SameSubject(older.shape(), newer.shape(), 0) < contraryAt || !differs(older.Content, newer.Content) ||
				!revalued(older.Content, DirectiveText{Text: newer.Content, Change: revaluedAt}) {
				continue
			}
			out = append(out, Recommendation{
				Kind: Contradiction, Topic: titleOf(newer.Content), Reason: "two rules in force are about the same thing and differ: " + newer.ID + " and " + older.ID,
				Action: "keep one: remove the other, the older one where the newer replaced it", Command: words("rules", "remove", older.ID),
				Evidence: latestFirst(slices.Concat(older.SourceTurns, newer.SourceTurns)), Items: []string{newer.ID, older.ID},
				Quotations: slices.Concat(newer.Quotations[:min(2, len(newer.Quotations))], older.Quotations[:min(2, len(older.Quotations))]),
			})
		}
	}
	return out, nil
}

// outdated returns recommendations for decisions and references that were stored by hand and that a
// later decision is about, too.
func outdated(items []*Item, decided []statement) []Recommendation {
	var out []Recommendation
	for _, it := range items {
		if it.Kind != Reference || it.Learned || !it.Holds() {
			continue
		}
		shape := utterance.NewProfile(clipped(it.Content))
		for i := range decided {
			d := &decided[i]
			if !d.Person || !d.At.After(it.UpdatedAt) || utterance.SameSubject(shape, utterance.NewProfile(d.Text), 0) < contraryAt || !differs(it.Content, d.Text) {
				continue
			}
			out = append(out, Recommendation{
				Kind: Outdated, Topic: titleOf(cmp.Or(it.Title, it.Content)), Reason: "a later decision is about the same thing: " + it.ID + " may no longer hold",
				Action:  "store the later decision, and forget this one with contexture memory forget --knowledge " + it.ID,
				Command: words("remember", "decision", d.Text), Evidence: []string{d.source()}, Items: []string{it.ID},
				Quotations: []Quotation{d.Quotation},
			})
			break
		}
	}
	return out
}

// sameTopics returns recommendations for topics whose labels are forms of one word, or that occur
// in nearly the same turns.
func sameTopics(topics []subject.Subject, terms func(string) []string, pause func() error) ([]Recommendation, error) {
	var out []Recommendation
	for i := range topics {
		if err := pause(); err != nil {
			return nil, err
		}
		a := &topics[i]
		in := map[string]bool{}
		for _, t := range a.Turns {
			in[t] = true
		}
		for j := range topics[i+1:] {
			b := &topics[i+1+j]
			common := slices.DeleteFunc(slices.Clone(b.Turns), func(t string) bool { return !in[t] })
			both := len(a.Turns) + len(b.Turns) - len(common)
			var reason string
			switch {
			case len(common) >= leastTurnsOfBoth && float64(len(common)) >= sameTurns*float64(both):
				reason = fmt.Sprintf("%d of the %d turns about %s or %s are about both", len(common), both, a.Label, b.Label)
			case len(common) >= minCommon && slices.Equal(terms(a.Label), terms(b.Label)) && len(terms(a.Label)) > 0:
				reason = fmt.Sprintf("%s and %s are forms of one word", a.Label, b.Label)
			default:
				continue
			}
			out = append(out, Recommendation{
				Kind: SameTopics, Topic: b.Label, Reason: reason, Action: "merge the topics, where they are one", Evidence: latestFirst(common),
				Command: words("knowledge", "merge", b.Label, a.Label),
			})
		}
	}
	return out, nil
}

// covered reports whether a reference among some items is about a topic.
func covered(items []*Item, topic string) bool {
	return slices.ContainsFunc(items, func(it *Item) bool {
		if it.Kind != Reference {
			return false
		}
		names := it.Topics
		if !it.Assembled() { // its keywords are words that occur with its topic
			names = slices.Concat(names, it.Keywords)
		}
		return it.Holds() &&
			(slices.ContainsFunc(names, func(t string) bool { return strings.EqualFold(t, topic) }) ||
				slices.Contains(keywords(it.Title, maxEvidence), topic))
	})
}
