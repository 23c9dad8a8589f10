package remember

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/subject"
)

const (
	// maxTopics and maxEntities bound the topics and entities of a prompt that a bundle shows.
	maxTopics, maxEntities = 2, 4
	// profileFrame is roughly the size of an element without its lines, in tokens.
	profileFrame = 40
	// maxAttrs bounds the names in an attribute.
	maxAttrs = 5
)

// Profiles implements bundle.Past.
func (p *Past) Profiles(ctx context.Context, room func(topics, entities int) (topicTokens, entityTokens int)) (topics, entities []item.Item, err error) {
	about, named, share, err := p.view.Subjects.Named(p.opts.Prompt)
	if err != nil || len(about)+len(named) == 0 || len(p.opts.Prompt) > shortPrompt && share < minNamedShare {
		return nil, nil, err
	}
	named = named[:min(len(named), maxEntities)]
	about = slices.DeleteFunc(about, func(t subject.Subject) bool {
		return slices.ContainsFunc(named, func(e subject.Subject) bool { return e.Keys[0] == t.Keys[0] })
	})
	about = about[:min(len(about), maxTopics)]
	topicRoom, entityRoom := room(len(about), len(named))
	score := namedScore + namedGain*share
	show := func(kind item.Kind, list []subject.Subject, room int) (out []item.Item, err error) {
		for i := range list {
			m, ok, err := p.profile(ctx, kind, &list[i], room/(len(list)-i), score)
			if err != nil {
				return nil, err
			}
			if ok {
				room -= p.opts.Count(m.Body) + profileFrame
				out = append(out, m)
			}
		}
		return out, nil
	}
	if entities, err = show(item.Entity, named, entityRoom); err != nil {
		return nil, nil, err
	}
	topics, err = show(item.Topic, about, topicRoom)
	return topics, entities, err
}

// partNames precede the lines of a profile; what something is needs no name.
var partNames = map[memory.Part]string{memory.DecisionPart: "decided ", memory.RulePart: "rule, ", memory.QuestionPart: "open, "}

// profile renders a subject in at most room tokens; ok is false when nothing of it fits, or there
// is nothing to quote.
func (p *Past) profile(ctx context.Context, kind item.Kind, s *subject.Subject, room int, score float64) (m item.Item, ok bool, err error) {
	known, err := p.view.Describe(ctx, s)
	if err != nil {
		return m, false, err
	}
	m = item.Item{
		ID: string(kind) + ":" + s.ID, Kind: kind, Title: s.Label, Format: "full", Score: score, Reason: "the prompt names it; quotations about it",
	}
	attr := func(name string, list []string) {
		if len(list) > 0 {
			m.Attrs = append(m.Attrs, item.Attr{Name: name, Value: strings.Join(list[:min(len(list), maxAttrs)], ", ")})
		}
	}
	if kind == item.Entity {
		attr("is", []string{string(s.Class)})
	}
	attr("also", s.Names)
	attr("with", known.Related)
	attr("files", known.Files)
	used := profileFrame + p.opts.Count(strings.Join(slices.Concat(s.Names, known.Related, known.Files), ", "))
	for _, st := range p.order(known.Statements) {
		line := "- " + partNames[st.Part] + st.At.Format("2006-01-02") + ": \"" + strings.Join(strings.Fields(st.Text), " ") + "\"\n"
		n := p.opts.Count(line)
		if used+n > room {
			m.Format = "summary"
			continue
		}
		used += n
		m.Body += line
		m.Says = append(m.Says, st.Text)
		if st.Message != "" && !slices.Contains(m.MessageIDs, st.Message) {
			m.MessageIDs = append(m.MessageIDs, st.Message)
		}
	}
	m.Body = strings.TrimRight(m.Body, "\n")
	return m, m.Body != "", nil
}

// order sorts what fits into the room: definitions first, then what shares most words with the
// prompt.
func (p *Past) order(list []memory.Statement) []memory.Statement {
	asked := map[string]bool{}
	p.opts.Terms(p.opts.Prompt, func(t string) { asked[t] = true })
	score := func(s *memory.Statement) float64 {
		shared, all := 0, 1
		p.opts.Terms(s.Text, func(t string) {
			if all++; asked[t] {
				shared++
			}
		})
		v := float64(shared) / float64(all)
		if s.Part == memory.WhatPart {
			v++
		}
		return v
	}
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b memory.Statement) int { return cmp.Compare(score(&b), score(&a)) })
	return out
}
