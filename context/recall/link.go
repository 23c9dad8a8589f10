package recall

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/recall"
)

const (
	// maxLinked bounds the messages that are ranked by their links, and linkedBytes the bytes that
	// are read of them.
	maxLinked, linkedBytes = 400, 512 << 10
	// seeds is how many of the best messages others are compared with.
	seeds = 12
	// strong is the share of the best message's score from which a message counts as a strong match
	// of its session.
	strong = .3
	// newWords is how many words unique among the found messages give a message the full newness.
	newWords = 6
	// fewStrong and usualRarity scale signs to about the range of the others.
	fewStrong, usualRarity = 5, 5
)

// Linked is a found message with the signs by which links decide whether it answers.
type Linked struct {
	recall.Hit
	Signs LinkSigns
	said  Said
	terms []int // distinct
}

// LinkSigns are the features that decide whether a message answers. All depend on its position
// among the found messages, none on words of any language.
type LinkSigns struct {
	Score, Own, Share float64 // as in the search; Own reduced by newness
	Session           float64 // the best score of its session by words
	SessionCount      float64 // number of messages in its session with a high score by words
	Asked, Another    float64 // 1: said by someone whom the query names, or by someone else although it names somebody
	First, Asks       float64 // 1: begins a session; asks something
	Rarity, New       float64 // how rare its words are among the found messages, and how many only it has
	Length            float64 // logarithm of the number of words
	Near              float64 // similarity to the best messages, in words not in the query
}

// Features returns the signs as the model's input.
func (s LinkSigns) Features() []float64 {
	return []float64{
		s.Score, s.Own, math.Sqrt(s.Own), min(1, s.Share), s.Session, s.SessionCount, s.Asked, s.Another, s.First, s.Asks,
		s.Rarity, s.New, s.Length, s.Near, s.Asked * s.Near, s.Asked * s.Own,
	}
}

// Links reads the best hits of a query and computes their links. The result is in the order of the
// hits; messages that no longer exist are left out.
func Links(ctx context.Context, query string, hits []recall.Hit, src Sources) ([]Linked, error) {
	list, err := readHits(ctx, hits[:min(maxLinked, len(hits))], src)
	if err != nil {
		return nil, fmt.Errorf("read what was found: %w", err)
	}
	s := &linkSpread{list: list}
	s.note(query, src.Terms)
	s.sign()
	return s.list, nil
}

// readHits reads messages, adjacent ones in one read.
func readHits(ctx context.Context, hits []recall.Hit, src Sources) ([]Linked, error) {
	order := make([]int, len(hits))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(hits[a].Conversation, hits[b].Conversation), cmp.Compare(hits[a].Message, hits[b].Message))
	})
	found := make([]*Said, len(hits))
	for len(order) > 0 {
		n := 1
		for n < len(order) && hits[order[n]].Conversation == hits[order[0]].Conversation &&
			hits[order[n]].Message-hits[order[n-1]].Message <= maxGap {
			n++
		}
		run := order[:n]
		said, err := src.Messages(ctx, hits[run[0]].Conversation, hits[run[0]].Message, hits[run[n-1]].Message+1)
		if err != nil {
			return nil, err
		}
		for k := range said {
			i, ok := slices.BinarySearchFunc(run, said[k].Index, func(i, index int) int { return cmp.Compare(hits[i].Message, index) })
			if ok {
				found[run[i]] = &said[k]
			}
		}
		order = order[n:]
	}
	var out []Linked
	room := linkedBytes
	for i, s := range found {
		if s == nil {
			continue
		}
		if room -= len(s.Message.Content); room < 0 {
			break
		}
		out = append(out, Linked{Hit: hits[i], said: *s})
	}
	return out, nil
}

// linkSpread holds one query's messages with their words.
type linkSpread struct {
	list   []Linked
	ids    map[string]int
	count  []int // messages that contain each term
	asked  map[int]bool
	length []float64 // of the message's vector
	// weights are the terms' weights by how many messages contain them.
	weights []float64
}

// note splits the messages into terms and counts them.
func (s *linkSpread) note(query string, terms func(string, func(string))) {
	s.ids, s.asked = map[string]int{}, map[int]bool{}
	terms(query, func(t string) { s.asked[s.id(t)] = true })
	var last []int // by term: the message that had it last, from 1
	for i := range s.list {
		m := &s.list[i]
		terms(clip(m.said.Message.Content, maxRead), func(t string) {
			n := s.id(t)
			for len(last) <= n {
				last = append(last, 0)
			}
			if last[n] != i+1 {
				last[n] = i + 1
				m.terms = append(m.terms, n)
				s.count[n]++
			}
		})
	}
	s.length = make([]float64, len(s.list))
	for i, m := range s.list {
		sum := 0.0
		for _, t := range m.terms {
			sum += s.rarity(t) * s.rarity(t)
		}
		s.length[i] = math.Sqrt(sum)
	}
}

func (s *linkSpread) id(name string) int {
	n, known := s.ids[name]
	if !known {
		n = len(s.ids)
		s.ids[name] = n
		s.count = append(s.count, 0)
	}
	return n
}

// rarity returns the weight of a term among the found messages.
func (s *linkSpread) rarity(term int) float64 {
	n := s.count[term]
	for len(s.weights) <= n {
		k := float64(len(s.weights))
		s.weights = append(s.weights, math.Log(1+(float64(len(s.list))-k+.5)/(k+.5)))
	}
	return s.weights[n]
}

// sign computes the signs of all messages.
func (s *linkSpread) sign() {
	type session struct {
		conv   uint32
		number int
	}
	top, count := map[session]float64{}, map[session]float64{}
	voices := map[string]recall.Voice{}
	for i := range s.list {
		m := &s.list[i]
		m.Signs.Own = max(0, m.Score-m.Lent)
		at := session{m.Conversation, m.said.Session}
		top[at] = max(top[at], m.Signs.Own)
		if m.Signs.Own > strong {
			count[at]++
		}
		if m.Voice != recall.Nobody {
			voices[m.said.Message.Author] = m.Voice
		}
	}
	near := s.near()
	for i := range s.list {
		m := &s.list[i]
		at := session{m.Conversation, m.said.Session}
		g := &m.Signs
		g.Score, g.Share, g.Session, g.SessionCount = m.Score, m.Share, top[at], count[at]/fewStrong
		switch voices[m.said.Message.Author] {
		case recall.Asked:
			g.Asked = 1
		case recall.Another:
			g.Another = 1
		}
		if m.First {
			g.First = 1
		}
		if strings.ContainsAny(m.said.Message.Content, "?？؟") {
			g.Asks = 1
		}
		for _, t := range m.terms {
			g.Rarity += s.rarity(t)
			if s.count[t] == 1 {
				g.New++
			}
		}
		g.Rarity /= usualRarity * float64(len(m.terms)+1)
		g.New = min(1, g.New/newWords)
		g.Length = math.Log1p(float64(len(m.terms)))
		g.Near = near[i]
	}
}

// seeds returns the indices of the best messages that contain words of the query.
func (s *linkSpread) seeds() []int {
	var out []int
	for i, m := range s.list {
		if m.Signs.Own > 0 {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(s.list[b].Score, s.list[a].Score) })
	return out[:min(seeds, len(out))]
}

// near returns each message's similarity to the best ones in words that the query does not have.
func (s *linkSpread) near() []float64 {
	weights := map[int]float64{}
	from := s.seeds()
	for _, h := range from {
		for _, t := range s.list[h].terms {
			if !s.asked[t] && s.count[t] > 1 {
				weights[t] += s.list[h].Signs.Own * s.rarity(t) * s.rarity(t) / s.length[h]
			}
		}
	}
	out := make([]float64, len(s.list))
	for i, m := range s.list {
		for _, t := range m.terms {
			w := weights[t]
			if w == 0 {
				continue
			}
			if slices.Contains(from, i) {
				w -= m.Signs.Own * s.rarity(t) * s.rarity(t) / s.length[i]
			}
			out[i] += w / s.length[i]
		}
	}
	return out
}
