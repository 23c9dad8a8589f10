package recall

import (
	"context"

	"github.com/contexture-dev/contexture/memory/recall"
)

// tokensPerMessage is roughly the least that a message takes in the text; it bounds how many
// messages are examined.
const tokensPerMessage = 10

// Build answers a request. The answer is empty when memory has nothing on it. Its errors are those
// of the sources.
func Build(ctx context.Context, req Request, src Sources) (*Result, error) {
	candidates, err := src.Knowledge(ctx, req.Query, req.MemoryType)
	if err != nil {
		return nil, err
	}
	if wantsMessages(req.MemoryType) {
		found := req // as searched
		if req.LeastShare == 0 {
			if found.Query, err = translated(ctx, req.Query, src); err != nil {
				return nil, err
			}
		}
		hits, err := Find(ctx, found, src)
		if err != nil {
			return nil, err
		}
		hits, notes, err := spread(ctx, found, hits, src)
		if err != nil {
			return nil, err
		}
		if hits, err = freshen(ctx, req, hits, candidates, src); err != nil {
			return nil, err
		}
		said, err := load(ctx, found, hits, notes, src)
		if err != nil {
			return nil, err
		}
		lessenOutdated(said, candidates)
		candidates = append(candidates, said...)
	}
	items, text, tokens := Pack(candidates, req.Budget, src.Count)
	judge(items, rarityOf(req.Query))
	return &Result{Items: items, Text: text, Tokens: tokens}, nil
}

// Find returns the messages that match a request's words or the expanded words, the best first.
func Find(ctx context.Context, req Request, src Sources) ([]recall.Hit, error) {
	limit := min(4000, 20+req.Budget/tokensPerMessage)
	hits, err := src.Search(ctx, req.Query, recency(req), limit)
	if err != nil {
		return nil, err
	}
	return expand(ctx, req, hits, limit, src)
}

// outdatedShare is the factor of the score of a message whose statement was replaced: it may be
// shown, after what is current.
const outdatedShare = .4

// lessenOutdated lowers the messages whose statement is replaced by something known.
func lessenOutdated(said, known []Candidate) {
	outdated := map[string]bool{}
	for _, c := range known {
		for _, id := range c.Outdated {
			outdated[id] = true
		}
	}
	for i := range said {
		c := &said[i]
		c.Score = 0
		for j := range c.Lines {
			if outdated[c.Lines[j].ID] {
				c.Lines[j].Score *= outdatedShare
			}
			c.Score = max(c.Score, c.Lines[j].Score)
		}
	}
}
