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
	// newWords is how many words unique among the found messages give a message the full newness.
	newWords = 6
	// fewStrong and usualRarity scale signs to about the range of the others.
	fewStrong, usualRarity = 5, 5
)

// LinkedHit is a found message with the signs by which links decide whether it answers.
type LinkedHit struct {
	recall.Hit
	Signs LinkSigns
	said  LocatedMessage
	terms []*term // distinct
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
}

// Features returns the signs as the model's input.
func (s LinkSigns) Features() []float64 {
	return []float64{
		s.Score, s.Own, math.Sqrt(s.Own), min(1, s.Share), s.Session, s.SessionCount, s.Asked, s.Another, s.First, s.Asks,
		s.Rarity, s.New, s.Length, s.Asked * s.Own,
	}
}

// Links reads the best hits of a query and computes their links. The result is in the order of the
// hits; messages that no longer exist are left out.
func Links(ctx context.Context, hits []recall.Hit, src Sources) ([]LinkedHit, error) {
	list, err := readHits(ctx, hits[:min(maxLinked, len(hits))], src)
	if err != nil {
		return nil, fmt.Errorf("read what was found: %w", err)
	}
	split(list, src.Terms)
	sign(list)
	return list, nil
}

// readHits reads messages, adjacent ones in one read.
func readHits(ctx context.Context, hits []recall.Hit, src Sources) ([]LinkedHit, error) {
	order := make([]int, len(hits))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(hits[a].Conversation, hits[b].Conversation), cmp.Compare(hits[a].Message, hits[b].Message))
	})
	found := make([]*LocatedMessage, len(hits))
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
	var out []LinkedHit
	room := linkedBytes
	for i, s := range found {
		if s == nil {
			continue
		}
		if room -= len(s.Message.Content); room < 0 {
			break
		}
		out = append(out, LinkedHit{Hit: hits[i], said: *s})
	}
	return out, nil
}

// term is a term of the found messages.
type term struct {
	messages int // that contain it
	last     int // of them, from 1
}

// split sets the terms of the found messages.
func split(list []LinkedHit, terms func(string, func(string))) {
	all := map[string]*term{}
	for i := range list {
		terms(clip(list[i].said.Message.Content, maxRead), func(text string) {
			t := all[text]
			if t == nil {
				t = &term{}
				all[text] = t
			}
			if t.last != i+1 {
				t.last = i + 1
				t.messages++
				list[i].terms = append(list[i].terms, t)
			}
		})
	}
}

// sign computes the signs of all messages.
func sign(list []LinkedHit) {
	type session struct {
		conv   uint32
		number int
	}
	top, count := map[session]float64{}, map[session]float64{}
	voices := map[string]recall.Voice{}
	for i := range list {
		m := &list[i]
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
	for i := range list {
		m := &list[i]
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
			n := float64(t.messages)
			g.Rarity += math.Log(1 + (float64(len(list))-n+.5)/(n+.5))
			if t.messages == 1 {
				g.New++
			}
		}
		g.Rarity /= usualRarity * float64(len(m.terms)+1)
		g.New = min(1, g.New/newWords)
		g.Length = math.Log1p(float64(len(m.terms)))
	}
}
