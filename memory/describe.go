package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/subject"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// Part is the aspect of its subject that a statement covers.
type Part string

// The parts, in the order in which they are shown.
const (
	WhatPart     Part = "what"     // how a person introduced it
	DecisionPart Part = "decision" // what was settled about it
	RulePart     Part = "rule"     // what holds for it
	QuestionPart Part = "question" // what is undecided about it
	EventPart    Part = "event"    // what else was said about it
)

var partOrder = []Part{WhatPart, DecisionPart, RulePart, QuestionPart, EventPart}

// mostOfPart bounds the statements of each part.
var mostOfPart = map[Part]int{WhatPart: 2, DecisionPart: 5, RulePart: 5, QuestionPart: 3, EventPart: 4}

// Statement is a sentence of a message that names a subject, byte for byte.
type Statement struct {
	Part Part
	knowledge.Quotation
}

// Description is what is known of a subject: what its turns mention besides it, and statements in
// the order of their parts, each part in chronological order.
type Description struct {
	subject.Surroundings
	Statements []Statement
}

// Bounds of what is read to describe a subject.
const (
	describingMessages = 60  // hits of the search for its names
	describingTalks    = 30  // latest conversations that name it, of which the decisions are read
	longestStatement   = 400 // bytes
	fewestWords        = 4
)

// Describe returns what is known of a subject: the decisions and open questions of the
// conversations that name it, the active rules, and sentences of the messages that a search for its
// names finds. The caller must not change it.
func (v *View) Describe(ctx context.Context, s *subject.Subject) (*Description, error) {
	key := subjectKey{v.w.number, v.Subjects.generation, s.ID}
	if d, ok := v.Subjects.kept.described.Get(key); ok {
		return d, nil
	}
	d := describing{view: v, keys: s.Keys, parts: map[Part][]Statement{}, had: map[string]bool{}}
	beside, err := s.Beside(v.state)
	if err != nil {
		return nil, fmt.Errorf("describe a subject: %w", err)
	}
	for _, read := range []func() error{
		d.rules, func() error { return d.settled(s.Turns) }, func() error { return d.search(ctx, s) },
	} {
		if err := read(); err != nil {
			return nil, fmt.Errorf("describe a subject: %w", err)
		}
	}
	out := &Description{Surroundings: beside}
	for _, part := range partOrder {
		list := d.parts[part]
		list = list[:min(len(list), mostOfPart[part])]
		slices.SortStableFunc(list, func(a, b Statement) int { return a.At.Compare(b.At) })
		out.Statements = append(out.Statements, list...)
	}
	v.Subjects.kept.described.Add(key, out)
	return out, nil
}

// describing collects statements, each text once.
type describing struct {
	view  *View
	keys  []string
	parts map[Part][]Statement
	had   map[string]bool
}

func (d *describing) says(text string) bool {
	return slices.ContainsFunc(d.keys, func(k string) bool { return subject.Says(text, k) })
}

func (d *describing) add(part Part, q knowledge.Quotation) {
	if text := strings.TrimSpace(q.Text); !d.had[text] && len(text) <= longestStatement && d.says(text) {
		d.had[text] = true
		d.parts[part] = append(d.parts[part], Statement{part, q})
	}
}

// rules adds the active rules, the latest first.
func (d *describing) rules() error {
	all, replaced, err := d.view.Knowledge.Rules(nil)
	for _, it := range replaced {
		d.had[it.Content] = true // no longer active: not said as an event either
	}
	for _, it := range all {
		if it.Standing() == knowledge.Candidate {
			continue
		}
		q := knowledge.Quotation{Text: it.Content, At: it.CreatedAt}
		if n := len(it.Quotations); n > 0 {
			q = it.Quotations[n-1]
		}
		d.add(RulePart, q)
	}
	return err
}

// settled adds what conversations decided and left open, the latest first.
func (d *describing) settled(sources []string) error {
	seen := map[string]bool{}
	for _, source := range slices.Backward(sources) {
		id, _, _ := knowledge.ParseSource(source)
		if seen[id] || len(seen) == describingTalks {
			continue
		}
		seen[id] = true
		info, err := d.view.Conversations.Find(id)
		if errors.Is(err, conversation.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		e, _, err := episodeOf(d.view.state, info)
		if err != nil {
			return err
		}
		for _, n := range slices.Backward(e.Notes) {
			switch n.Part {
			case knowledge.Decided:
				d.add(DecisionPart, n.Quotation)
			case knowledge.Open:
				d.add(QuestionPart, n.Quotation)
			case knowledge.Replaced:
				d.had[n.Text] = true
			default:
				d.add(EventPart, n.Quotation)
			}
		}
	}
	return nil
}

// namingSentence is a sentence that names the subject.
type namingSentence struct {
	knowledge.Quotation
	person bool
}

// search adds how people introduced the subject, and what else was said, the best hits first.
func (d *describing) search(ctx context.Context, s *subject.Subject) error {
	hits, err := d.view.Messages.Search(ctx, nil, strings.Join(append([]string{s.Label}, s.Names...), " "), 0, describingMessages)
	if err != nil {
		return err
	}
	var all []namingSentence
	for _, h := range hits {
		info, list, err := d.view.Messages.Places(h.Conversation, h.Message, h.Message+1)
		if errors.Is(err, conversation.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		for i := range list {
			all = append(all, d.sentences(info.ID, &list[i])...)
		}
	}
	byTime := slices.Clone(all)
	slices.SortStableFunc(byTime, func(a, b namingSentence) int {
		return cmp.Or(cmp.Compare(btoi(b.person), btoi(a.person)), a.At.Compare(b.At))
	})
	for _, one := range byTime {
		if len(d.parts[WhatPart]) < mostOfPart[WhatPart] {
			d.add(WhatPart, one.Quotation)
		}
	}
	for _, one := range all {
		d.add(EventPart, one.Quotation)
	}
	return nil
}

// sentences returns the statements of a message that name the subject: of a person, or of an
// assistant that calls no tool, since what it announces states nothing.
func (d *describing) sentences(id string, p *Place) (out []namingSentence) {
	m := &p.Message
	person := m.ByPerson()
	if !person && (m.Role != dialogue.Assistant || len(m.ToolCalls) > 0) {
		return nil
	}
	for _, b := range utterance.Blocks(m.Content) {
		if b.Source != utterance.Own {
			continue
		}
		own := m.Content[b.Start:b.End]
		for _, s := range utterance.Sentences(own) {
			text := own[s.Start:s.End]
			if strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") || utterance.CountWords(text) < fewestWords || !d.says(text) {
				continue
			}
			out = append(out, namingSentence{knowledge.Quotation{
				Conversation: id, Turn: dialogue.TurnID(p.Turn), Message: m.ID, Text: text, At: m.At.UTC(), Author: m.Author,
			}, person})
		}
	}
	return out
}
