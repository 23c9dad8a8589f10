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

// A question and its answer often have no word in common, but words that occur together with what
// the question names also occur with the answer: in one memory "hosting" goes with the provider's
// name. The words of the best messages are therefore searched for as well, with less weight than
// the question's own words.
const (
	expandBy    = .1 // the score of a message found by such words, relative to the question's own words
	expandFrom  = 25 // messages whose words are used
	expandWords = 10 // words that are searched for
	expandLook  = 48 // words whose rarity is looked up
	// minMentions is how many messages must contain a word for it to be used.
	minMentions = 2
	// maxMemoryMessages is the size of a memory from which a second search takes too long; in one
	// that large, other words usually lead to the answer as well.
	maxMemoryMessages = 40_000
)

// expand adds to the hits of a query what the words of the best hits find.
func expand(ctx context.Context, req Request, hits []recall.Hit, limit int, src Sources) ([]recall.Hit, error) {
	if len(hits) == 0 {
		return hits, nil
	}
	if messages, _, err := src.Frequency(ctx, nil); err != nil || messages > maxMemoryMessages {
		return hits, err
	}
	words, err := beside(ctx, req.Query, hits, src)
	if err != nil || len(words) == 0 {
		return hits, err
	}
	more, err := src.Search(ctx, strings.Join(words, " "), recency(req), limit)
	if err != nil {
		return nil, err
	}
	type message struct {
		conv  uint32
		index int
	}
	at := make(map[message]int, len(hits))
	for i, h := range hits {
		at[message{h.Conversation, h.Message}] = i
	}
	for _, h := range more {
		if i, known := at[message{h.Conversation, h.Message}]; known {
			hits[i].Score += expandBy * h.Score
			hits[i].Lent += expandBy * h.Score
			continue
		}
		h.Score, h.Own, h.Lent, h.Share = expandBy*h.Score, expandBy*h.Own, expandBy*h.Score, 0
		hits = append(hits, h)
	}
	slices.SortStableFunc(hits, func(a, b recall.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(limit, len(hits))], nil
}

// beside returns the most informative words of the best messages that are not in the query, the
// best first.
func beside(ctx context.Context, query string, hits []recall.Hit, src Sources) ([]string, error) {
	asked := map[string]bool{}
	src.Terms(query, func(t string) { asked[t] = true })
	weights := map[string]float64{}
	var words []string
	for _, h := range hits[:min(expandFrom, len(hits))] {
		said, err := src.Messages(ctx, h.Conversation, h.Message, h.Message+1)
		if err != nil {
			return nil, fmt.Errorf("expand the query: %w", err)
		}
		for _, s := range said {
			seen := map[string]bool{}
			src.Terms(clip(s.Message.Content, maxRead), func(t string) {
				if asked[t] || seen[t] {
					return
				}
				seen[t] = true
				if _, known := weights[t]; !known {
					words = append(words, t)
				}
				weights[t] += h.Own
			})
		}
	}
	best := func(a, b string) int { return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(a, b)) }
	slices.SortFunc(words, best)
	words = words[:min(expandLook, len(words))]
	messages, counts, err := src.Frequency(ctx, words)
	if err != nil {
		return nil, fmt.Errorf("expand the query: %w", err)
	}
	for i, t := range words {
		if counts[i] < minMentions {
			weights[t] = 0
			continue
		}
		weights[t] *= math.Log1p(max(0, messages-counts[i]) / counts[i])
	}
	slices.SortFunc(words, best)
	words = words[:min(expandWords, len(words))]
	return slices.DeleteFunc(words, func(t string) bool { return weights[t] <= 0 }), nil
}

// maxRead bounds the bytes of a message that are read for its words.
const maxRead = 4 << 10
