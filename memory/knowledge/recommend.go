package knowledge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/store"
)

// Recommendation is a gap in the knowledge that is worth filling.
type Recommendation struct {
	Kind     Kind     `json:"kind"` // what is missing
	Topic    string   `json:"topic"`
	Reason   string   `json:"reason"`
	Evidence []string `json:"evidence"` // turns that show it, the latest first
}

const (
	maxRecommendations = 20
	maxEvidence        = 10
	leastQuestions     = 3 // turns that ask about a topic before a reference is missed
)

// Recommendations gives the gaps that the last offline run found, the most useful first.
func Recommendations(r store.Reader, ws store.Workspace) ([]Recommendation, error) {
	out := []Recommendation{}
	return out, readJSON(r, key(ws, keyGaps), &out, "read recommendations")
}

// recommend looks for topics that are often asked about and that no reference covers.
func (p *run) recommend() error {
	out := []Recommendation{}
	for _, topic := range summary(p.topics) {
		if err := p.pause(); err != nil {
			return err
		}
		if p.covered(topic.Topic) {
			continue
		}
		var evidence []string
		for _, u := range slices.Backward(p.topics[topic.Topic].Uses) {
			if u.Asked {
				evidence = append(evidence, u.Source)
			}
		}
		if len(evidence) >= leastQuestions {
			out = append(out, Recommendation{
				Kind: Reference, Topic: topic.Topic, Evidence: evidence,
				Reason: fmt.Sprintf("%d turns ask about %s, and no reference covers it", len(evidence), topic.Topic),
			})
		}
	}
	slices.SortStableFunc(out, func(a, b Recommendation) int { return cmp.Compare(len(b.Evidence), len(a.Evidence)) })
	out = out[:min(len(out), maxRecommendations)]
	for i := range out {
		out[i].Evidence = out[i].Evidence[:min(len(out[i].Evidence), maxEvidence)]
	}
	return saveJSON(p.b, key(p.shelf.ws, keyGaps), out)
}

// covered reports whether a reference is about a topic.
func (p *run) covered(topic string) bool {
	return slices.ContainsFunc(p.items, func(it *Item) bool {
		names := it.Topics
		if !it.Assembled() { // its keywords are words that go with its topic
			names = slices.Concat(names, it.Keywords)
		}
		return it.Kind == Reference && it.Holds() &&
			(slices.ContainsFunc(names, func(t string) bool { return strings.EqualFold(t, topic) }) ||
				slices.Contains(keywords(it.Title, maxEvidence), topic))
	})
}
