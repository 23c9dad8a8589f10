package remember

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/memory/profile"
)

const (
	// maxTopics and maxEntities bound the topics and entities of a prompt that a bundle shows.
	maxTopics, maxEntities = 2, 4
	// minNamedShare is the smallest share of a long prompt's words in names; shortPrompt is the
	// length in bytes up to which a prompt is short.
	minNamedShare, shortPrompt = .02, 400
	// namedScore is the probability that a profile helps whose subject is named in passing, and
	// namedGain what it gains if the prompt is nothing else.
	namedScore, namedGain = .35, .4
	// profileFrame is roughly the size of an element without its lines, in tokens.
	profileFrame = 40
	// maxAttrs bounds the names in an attribute.
	maxAttrs = 5
)

// Profiles implements bundle.Past.
func (p *Past) Profiles(room func(topics, entities int) (topicTokens, entityTokens int)) (topics, entities []item.Item, err error) {
	all, err := p.view.Profiles()
	if err != nil {
		return nil, nil, err
	}
	named := all.Index.Named(p.opts.Prompt)
	if len(named.Topics)+len(named.Entities) == 0 || len(p.opts.Prompt) > shortPrompt && named.Share < minNamedShare {
		return nil, nil, nil
	}
	replaced, err := p.replacedTexts()
	if err != nil {
		return nil, nil, err
	}
	people, about := chosen(named)
	topicRoom, entityRoom := room(len(about), len(people))
	score := namedScore + namedGain*named.Share
	for i, e := range people {
		if m, ok := p.profile("entity", string(e.Kind), &e.Subject, entityRoom/(len(people)-i), score, replaced); ok {
			entityRoom -= p.opts.Count(m.Body) + profileFrame
			entities = append(entities, m)
		}
	}
	for i, t := range about {
		if m, ok := p.profile("topic", "", &t.Subject, topicRoom/(len(about)-i), score, replaced); ok {
			topicRoom -= p.opts.Count(m.Body) + profileFrame
			topics = append(topics, m)
		}
	}
	return topics, entities, nil
}

// chosen returns the entities and topics to show, those with the largest weights; a topic that is
// also one of the entities is left out.
func chosen(n profile.Named) (entities []*profile.Entity, topics []*profile.Topic) {
	byWeight := func(a, b *profile.Subject) int {
		if a.Pinned != b.Pinned {
			if a.Pinned {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.Weight, a.Weight)
	}
	entities = slices.Clone(n.Entities)
	slices.SortStableFunc(entities, func(a, b *profile.Entity) int { return byWeight(&a.Subject, &b.Subject) })
	entities = entities[:min(len(entities), maxEntities)]
	for _, t := range n.Topics {
		if !slices.ContainsFunc(entities, func(e *profile.Entity) bool { return strings.EqualFold(e.Label, t.Label) }) {
			topics = append(topics, t)
		}
	}
	slices.SortStableFunc(topics, func(a, b *profile.Topic) int { return byWeight(&a.Subject, &b.Subject) })
	return entities, topics[:min(len(topics), maxTopics)]
}

// replacedTexts returns the rules that a later one has replaced since the profiles were made.
func (p *Past) replacedTexts() (map[string]bool, error) {
	_, replaced, err := p.view.Rules(nil)
	out := make(map[string]bool, len(replaced))
	for _, it := range replaced {
		out[it.Content] = true
	}
	return out, err
}

// partNames precede the lines of a profile; a definition needs no name.
var partNames = map[profile.Part]string{
	profile.Decision: "decided ", profile.Rule: "rule, ", profile.Question: "open, ",
}

// profile renders a subject in at most room tokens; ok is false when nothing of it fits, or there
// is nothing to quote.
func (p *Past) profile(kind item.Kind, of string, s *profile.Subject, room int, score float64, replaced map[string]bool) (m item.Item, ok bool) {
	m = item.Item{
		ID: string(kind) + ":" + s.ID, Kind: kind, Title: s.Label, Format: "full", Score: score, Reason: "the prompt names it; quotations about it",
	}
	attr := func(name string, list []string) {
		if len(list) > 0 {
			m.Attrs = append(m.Attrs, item.Attr{Name: name, Value: strings.Join(list[:min(len(list), maxAttrs)], ", ")})
		}
	}
	if of != "" {
		attr("is", []string{of})
	}
	attr("also", s.Names)
	attr("with", s.Related)
	attr("files", s.Files)
	used := profileFrame + p.opts.Count(strings.Join(slices.Concat(s.Names, s.Related, s.Files), ", "))
	for _, st := range p.order(s.Statements) {
		if replaced[st.Text] {
			continue
		}
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
	return m, m.Body != ""
}

// order sorts what fits into the room: definitions first, then what shares most words with the
// prompt.
func (p *Past) order(list []profile.Statement) []profile.Statement {
	asked := map[string]bool{}
	p.opts.Terms(p.opts.Prompt, func(t string) { asked[t] = true })
	score := func(s *profile.Statement) float64 {
		shared, all := 0, 1
		p.opts.Terms(s.Text, func(t string) {
			if all++; asked[t] {
				shared++
			}
		})
		v := float64(shared) / float64(all)
		if s.Part == profile.What {
			v++
		}
		return v
	}
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b profile.Statement) int { return cmp.Compare(score(&b), score(&a)) })
	return out
}
