package knowledge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// Topic is a word that conversations use often; their subjects are returned by [LoadProfiles].
type Topic struct {
	Topic  string    `json:"topic"`
	Weight float64   `json:"weight"` // among the topics, from 0 to 1
	Trend  Trend     `json:"trend"`
	Last   time.Time `json:"last"` // when it last came up
}

// Trend is the direction of a topic's weight.
type Trend string

// The trends of the contract.
const (
	Rising  Trend = "rising"
	Steady  Trend = "steady"
	Falling Trend = "falling"
)

// Bounds of the stored topics.
const (
	maxTraces     = 2000                // terms that may become topics
	maxUses       = 200                 // turns of one term, the latest
	maxTopics     = 100                 // topics that are listed
	minUses       = 3                   // turns that make a term a topic
	topicHalfLife = 30 * 24 * time.Hour // of a use's weight
	trendSpan     = 7 * 24 * time.Hour  // compared with the span before
)

// use is a turn in which the user's message contains a term.
type use struct {
	Source string    `json:"s"`
	At     time.Time `json:"at"`
	Asked  bool      `json:"q,omitempty"` // the turn asks something
}

// traces are the uses of a term, oldest first.
type traces struct {
	Uses []use `json:"uses"`
	// loaded is how many of them an earlier run has left: only those may be of a turn that is read
	// again.
	loaded int
}

func (t *traces) add(u use) {
	i := slices.IndexFunc(t.Uses[:t.loaded], func(o use) bool { return o.Source == u.Source })
	if last := len(t.Uses) - 1; i < 0 && last >= 0 && t.Uses[last].Source == u.Source {
		i = last // another message of the same turn
	}
	if i >= 0 {
		t.Uses[i] = u
	} else {
		t.Uses = append(t.Uses, u)
	}
}

func readJSON(r store.Reader, k []byte, into any, what string) error {
	v, found, err := r.Get(k)
	if err != nil || !found {
		return err
	}
	if err := json.Unmarshal(v, into); err != nil {
		return fmt.Errorf("%s: %w: %w", what, ErrBroken, err)
	}
	return nil
}

// loadTopics reads the traces of earlier runs.
func (p *run) loadTopics() error {
	all, err := loadTraces(p.tx.View, p.pause)
	p.topics = all
	return err
}

// loadTraces calls pause between small steps; nil = never.
func loadTraces(view store.View, pause func() error) (map[string]*traces, error) {
	all := map[string]*traces{}
	prefix := key(view.Workspace, keyTopic)
	err := view.Scan(prefix, store.PrefixEnd(prefix), func(k, v []byte) (bool, error) {
		name, _, ok := store.TakeString(k[len(prefix):])
		t := &traces{}
		if !ok || json.Unmarshal(v, t) != nil {
			return false, fmt.Errorf("read topics: %w", ErrBroken)
		}
		t.loaded = len(t.Uses)
		all[name] = t
		if pause != nil {
			return true, pause()
		}
		return true, nil
	})
	return all, err
}

// trace records the terms of a turn's user message.
func (p *run) trace(t Told) {
	for _, m := range t.Turn.Messages {
		if m.Role != dialogue.User {
			continue
		}
		u := use{Source: SourceTurn(t.Conversation, dialogue.TurnID(t.Turn.Number)), At: m.At.UTC()}
		terms := map[string]bool{}
		for _, b := range utterance.Blocks(m.Content) {
			if b.Source != utterance.Own {
				continue
			}
			own := m.Content[b.Start:min(b.End, b.Start+readHead)]
			u.Asked = u.Asked || strings.ContainsAny(own, "?？")
			for _, t := range utterance.Terms(own) {
				if name := topical(own, t); name != "" {
					terms[name] = true
				}
			}
		}
		for name := range terms {
			if p.topics[name] == nil {
				p.topics[name] = &traces{}
			}
			p.topics[name].add(u)
		}
	}
}

// topicalAt is the rarity from which a word may name a topic.
const topicalAt = .62

// topical returns the topic that a word may name, "" for a common word.
func topical(text string, t utterance.Term) string {
	if t.Rarity < topicalAt || t.End-t.Start > 40 {
		return ""
	}
	return strings.ToLower(text[t.Start:t.End])
}

// keywords returns the words of a text that may name topics, the most frequent first, at most so
// many; of equal ones the first in the text.
func keywords(text string, most int) []string {
	n := map[string]int{}
	order := []string{}
	for _, t := range utterance.Terms(text) {
		if name := topical(text, t); name != "" {
			if n[name]++; n[name] == 1 {
				order = append(order, name)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(n[b], n[a]) })
	return order[:min(most, len(order))]
}

// saveTopics writes traces and the list of topics.
func (p *run) saveTopics() error {
	if p.in.Full {
		prefix := key(p.tx.Workspace, keyTopic)
		p.tx.DeleteRange(prefix, store.PrefixEnd(prefix))
	}
	names := slices.Collect(maps.Keys(p.topics))
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(p.topics[b].Uses), len(p.topics[a].Uses)), cmp.Compare(a, b))
	})
	for i, name := range names {
		if err := p.pause(); err != nil {
			return err
		}
		if i >= maxTraces {
			p.tx.Delete(key(p.tx.Workspace, keyTopic, name))
			delete(p.topics, name)
			continue
		}
		if err := saveTrace(p.tx, name, p.topics[name]); err != nil {
			return err
		}
	}
	p.tx.Delete(key(p.tx.Workspace, keySummary))
	return nil
}

func saveTrace(tx store.Tx, name string, t *traces) error {
	slices.SortFunc(t.Uses, func(a, b use) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Source, b.Source)) })
	t.Uses = t.Uses[max(0, len(t.Uses)-maxUses):]
	return tx.SetJSON(key(tx.Workspace, keyTopic, name), t)
}

// summarise weighs the terms that occur in enough turns and not in most of them. Ages count from
// the latest use of any, so that the same turns always yield the same topics. pause is called
// between small steps; the error is pause's.
func summarise(all map[string]*traces, pause func() error) ([]Topic, error) {
	var now time.Time
	turns := map[string]bool{}
	for _, t := range all {
		if err := pause(); err != nil {
			return nil, err
		}
		for _, u := range t.Uses {
			turns[u.Source] = true
			if u.At.After(now) {
				now = u.At
			}
		}
	}
	out := []Topic{}
	for name, t := range all {
		if err := pause(); err != nil {
			return nil, err
		}
		if len(t.Uses) < minUses || len(turns) > 20 && len(t.Uses)*3 > len(turns) {
			continue
		}
		out = append(out, t.topic(name, now))
	}
	slices.SortFunc(out, func(a, b Topic) int { return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Topic, b.Topic)) })
	out = out[:min(len(out), maxTopics)]
	if len(out) > 0 {
		most := out[0].Weight
		for i := range out {
			out[i].Weight = math.Round(out[i].Weight/most*1e4) / 1e4
		}
	}
	return out, nil
}

// topic weighs one term as of now: the weight of each use halves in topicHalfLife.
func (t *traces) topic(name string, now time.Time) Topic {
	out := Topic{Topic: name, Trend: Steady}
	recent, before := 0, 0
	for _, u := range t.Uses {
		age := now.Sub(u.At)
		out.Weight += math.Exp2(-age.Hours() / topicHalfLife.Hours())
		switch {
		case age < trendSpan:
			recent++
		case age < 2*trendSpan:
			before++
		}
		if u.At.After(out.Last) {
			out.Last = u.At
		}
	}
	switch {
	case 2*recent > 3*before:
		out.Trend = Rising
	case 3*recent < 2*before || recent == 0:
		out.Trend = Falling
	}
	return out
}

// forgetTopics removes turns of conversations from the traces, the topics and the recommendations;
// it reports whether there were any.
func forgetTopics(tx store.Tx, conversations []string, gone func(string) bool) (bool, error) {
	for _, conversation := range conversations {
		tx.Delete(key(tx.Workspace, keyProgress, conversation))
	}
	changed, err := forgetProfiles(tx, conversations, gone)
	if err != nil {
		return false, err
	}
	all, err := loadTraces(tx.View, nil)
	if err != nil {
		return false, err
	}
	for name, t := range all {
		n := len(t.Uses)
		t.Uses = slices.DeleteFunc(t.Uses, func(u use) bool { return gone(u.Source) })
		if len(t.Uses) == n {
			continue
		}
		changed = true
		if len(t.Uses) == 0 {
			tx.Delete(key(tx.Workspace, keyTopic, name))
			delete(all, name)
		} else if err := saveTrace(tx, name, t); err != nil {
			return false, err
		}
	}
	dropped, err := dropRecommendations(tx, func(g Recommendation) bool { return g.shownBy(gone) })
	if err != nil || !changed && !dropped {
		return false, err
	}
	tx.Delete(key(tx.Workspace, keySummary))
	return true, nil
}
