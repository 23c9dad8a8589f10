package recall

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/recall"
)

// tokensPerMessage is about the least that a message takes in the text; it bounds how many are loaded.
const tokensPerMessage = 10

// Build answers a request. Its errors are those of the sources.
func Build(ctx context.Context, req Request, src Sources) (*Result, error) {
	candidates, err := src.Knowledge(ctx, req.Query, req.MemoryType)
	if err != nil {
		return nil, err
	}
	if wantsMessages(req.MemoryType) {
		hits, err := src.Search(ctx, req.Query, recency(req), min(4000, 20+req.Budget/tokensPerMessage))
		if err != nil {
			return nil, err
		}
		said, err := load(ctx, req.Query, hits, src)
		if err != nil {
			return nil, err
		}
		candidates = append(candidates, said...)
	}
	items, text, tokens := Pack(candidates, req.Budget, src.Count)
	return &Result{Items: items, Text: text, Tokens: tokens}, nil
}

// wantsMessages reports whether messages answer for a memory type.
func wantsMessages(memoryType string) bool {
	switch memoryType {
	case "rule", "lesson", "reference", "task", "code":
		return false
	}
	return true
}

// load reads the messages of the hits and gives a candidate for each session.
func load(ctx context.Context, query string, hits []recall.Hit, src Sources) ([]Candidate, error) {
	score := map[uint32]map[int]float64{}
	for _, h := range hits {
		if score[h.Conversation] == nil {
			score[h.Conversation] = map[int]float64{}
		}
		score[h.Conversation][h.Message] = h.Score
	}
	slices.SortFunc(hits, func(a, b recall.Hit) int {
		return cmp.Or(cmp.Compare(a.Conversation, b.Conversation), cmp.Compare(a.Message, b.Message))
	})
	var candidates []Candidate
	var id string // of the conversation known
	known := uint32(0)
	for first := true; len(hits) > 0; first = false {
		n := 1
		for n < len(hits) && hits[n].Conversation == hits[0].Conversation && hits[n].Message-hits[n-1].Message <= maxGap {
			n++
		}
		conv := hits[0].Conversation
		said, err := src.Messages(ctx, conv, hits[0].Message, hits[n-1].Message+1)
		if err != nil {
			return nil, fmt.Errorf("load messages: %w", err)
		}
		if first || conv != known {
			if id, err = src.Conversation(ctx, conv); err != nil {
				return nil, fmt.Errorf("load messages: %w", err)
			}
			known = conv
		}
		for _, s := range said {
			if points, hit := score[conv][s.Index]; hit {
				candidates = enter(candidates, id, s, points)
			}
		}
		hits = hits[n:]
	}
	if e, ok := src.(Embedder); ok {
		byMeaning(ctx, candidates, query, e)
	}
	shorten(candidates, query, src)
	return candidates, nil
}

// maxGap is how many messages may lie between two that are loaded at once.
const maxGap = 16

// enter adds a message to the candidate of its session, which is the last one where there is one.
func enter(candidates []Candidate, conversation string, s Said, score float64) []Candidate {
	date := ""
	if !s.Message.At.IsZero() {
		date = s.Message.At.UTC().Format("2006-01-02")
	}
	id := fmt.Sprintf("turn:%s:%d", conversation, s.Session)
	if n := len(candidates); n == 0 || candidates[n-1].ID != id {
		candidates = append(candidates, Candidate{ID: id, Kind: "turn", ConversationID: conversation, Date: date})
	}
	c := &candidates[len(candidates)-1]
	c.Score = max(c.Score, score)
	c.Lines = append(c.Lines, Line{
		Index: s.Index, Turn: s.Turn, ID: s.Message.ID, Author: cmp.Or(s.Message.Author, string(s.Message.Role)),
		Text: textOf(s.Message), Score: score,
	})
	return candidates
}

// shorten leaves out of the messages what tells nothing about the query, and the messages of which nothing is left.
func shorten(candidates []Candidate, query string, src Sources) {
	s := &shortener{names: map[string]bool{}}
	asked := map[string]bool{}
	src.Terms(query, func(t string) { asked[t] = true })
	s.wanted = func(text string) int {
		found := map[string]bool{}
		src.Terms(text, func(t string) {
			if asked[t] {
				found[t] = true
			}
		})
		return len(found)
	}
	for _, c := range candidates {
		for _, l := range c.Lines {
			for _, name := range strings.Fields(strings.ToLower(l.Author)) {
				s.names[name] = true
			}
		}
	}
	for i := range candidates {
		lines := candidates[i].Lines[:0]
		for _, l := range candidates[i].Lines {
			if shown, ok := s.shorten(l.Text); ok {
				l.Text = shown
				lines = append(lines, l)
			}
		}
		candidates[i].Lines = lines
	}
}
