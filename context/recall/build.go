package recall

import (
	"context"
	"slices"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/translate"
	"github.com/contexture-dev/contexture/memory/recall"
)

// tokensPerMessage is roughly the least that a message takes in the text; it bounds how many
// messages are examined.
const tokensPerMessage = 10

// mostHits and leastHits bound the messages that a search is asked for.
const mostHits, leastHits = 4000, 300

// Build answers a request. The answer is empty when memory has nothing on it. Its errors are those
// of the sources.
func Build(ctx context.Context, req Request, src Sources) (*Result, error) {
	candidates, err := src.Knowledge(ctx, req.Query, req.MemoryType)
	if err != nil {
		return nil, err
	}
	req.Query = clip(req.Query, maxRead)
	var evidence Evidence
	if wantsMessages(req.MemoryType) {
		said, e, err := spokenAbout(ctx, req, candidates, src)
		if err != nil {
			return nil, err
		}
		evidence = e
		switch {
		case req.MemoryType != "" && req.MemoryType != "any": // it asks for them
		case len(said) > 0:
			lessenDerived(candidates)
		case e.silent:
			candidates = slices.DeleteFunc(candidates, func(c item.Item) bool { return c.Derived })
		}
		lessenOutdated(said, candidates)
		candidates = append(candidates, said...)
	}
	items, text, tokens := Pack(candidates, req.Budget, src.Count)
	signs := judge(items, rarityOf(req.Query))
	return &Result{Items: items, Signs: signs, Text: text, Tokens: tokens, Evidence: evidence}, nil
}

// spokenAbout returns what was said about a query, nothing if the evidence for it is too weak. That
// the query names somebody who speaks is evidence enough, and few messages do not show how rare a
// word is.
func spokenAbout(ctx context.Context, req Request, known []item.Item, src Sources) ([]item.Item, Evidence, error) {
	var e Evidence
	asked, err := translated(ctx, req.Query, src)
	if err != nil {
		return nil, e, err
	}
	found := req // as searched
	found.Query = asked
	language := translate.Read(req.Query).Language
	q, err := newQuery(ctx, asked, language != "" && language != translate.English, src)
	if err != nil {
		return nil, e, err
	}
	hits, err := Find(ctx, found, src)
	if err != nil {
		return nil, e, err
	}
	t, err := newTalk(ctx, q, req.MemoryType, hits, src)
	if err != nil {
		return nil, e, err
	}
	order, err := t.rank(ctx)
	if err != nil {
		return nil, e, err
	}
	e = t.evidence(order)
	named := namesVoice(hits)
	e.named = named
	if named {
		hits, err = spread(ctx, found, hits, src)
	} else {
		hits = t.newer(order, Newness(found))
	}
	if err != nil {
		return nil, e, err
	}
	hits, open, err := freshen(ctx, req, hits, known, src)
	if err != nil {
		return nil, e, err
	}
	if !req.Always && (t.strays() || !q.few && !named && open < leastOpen && e.Chance() < silence().Floor) {
		e.silent = !q.few
		return nil, e, nil
	}
	said, err := gather(ctx, found, hits, open, t)
	return said, e, err
}

// namesVoice reports whether the query names somebody who speaks in the found messages.
func namesVoice(hits []recall.Hit) bool {
	return slices.ContainsFunc(hits, func(h recall.Hit) bool { return h.Voice != recall.Nobody })
}

// Find returns the messages that contain some of the query's words, the best first.
func Find(ctx context.Context, req Request, src Sources) ([]recall.Hit, error) {
	return src.Search(ctx, req.Query, recency(req), min(mostHits, leastHits+req.Budget/tokensPerMessage))
}

// lessenDerived lowers what was derived, so that it does not push out what was said.
func lessenDerived(list []item.Item) {
	for i := range list {
		c := &list[i]
		if !c.Derived {
			continue
		}
		c.Score *= derivedBy
		for j := range c.Lines {
			c.Lines[j].Score *= derivedBy
		}
	}
}

// lessenOutdated lowers the messages whose statement is replaced by something known.
func lessenOutdated(said, known []item.Item) {
	outdated := map[string]bool{}
	for _, c := range known {
		for _, id := range c.Outdates {
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
