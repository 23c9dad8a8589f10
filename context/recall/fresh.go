package recall

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/memory/recall"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// openOf returns how far a query leaves open what it is about, 0 to 1. share is the share of it in
// the best message, fit how well something known matches it.
func openOf(query string, share, fit float64) float64 {
	return (1 - min(1, fit/answers)) / (1 + math.Exp(perRarity*rarityOf(query)+perShare*share-openAt))
}

// Points reports whether a query refers to something without naming it: all its words are common.
func Points(query string) bool { return rarityOf(query) < pointing }

// rarityOf returns the mean rarity of a text's words in everyday talk, 0 to 1; 0 for a text without
// words.
func rarityOf(text string) float64 {
	sum, n := 0.0, 0.0
	for _, t := range utterance.Terms(clip(text, maxRead)) {
		sum += t.Rarity
		n++
	}
	return sum / max(1, n)
}

// freshen ranks the newest messages among the hits, as far as the query leaves open what it is
// about, 0 to 1, and removes the query itself if it was appended already.
func freshen(ctx context.Context, req Request, hits []recall.Hit, known []item.Item, src Sources) ([]recall.Hit, float64, error) {
	if !wantsLatest(req) {
		return hits, 0, nil
	}
	last, own, err := src.Latest(ctx, latest)
	if err != nil {
		return nil, 0, fmt.Errorf("read the latest messages: %w", err)
	}
	if len(last) == 0 {
		return hits, 0, nil
	}
	last, hits = leaveOut(req.Query, last, hits)
	if len(last) == 0 || namesSpeaker(req.Query, last, src) {
		return hits, 0, nil
	}
	share, fit := 0.0, 0.0
	for _, h := range hits {
		share = max(share, h.Share)
	}
	for _, c := range known {
		fit = max(fit, c.Share)
	}
	open := openOf(req.Query, share, fit)
	switch {
	case own:
	case !Points(req.Query) || share >= speaksOf: // a message of another conversation is about it
		return hits, 0, nil
	default:
		open *= elsewhere
	}
	fresh := freshness(last)
	for i := range hits {
		at := location{hits[i].Conversation, hits[i].Message}
		hits[i].Score += open * freshWeight * fresh[at]
		delete(fresh, at)
	}
	for at, worth := range fresh {
		hits = append(hits, recall.Hit{Conversation: at.conv, Message: at.index, Score: open * freshWeight * worth})
	}
	slices.SortStableFunc(hits, func(a, b recall.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Conversation, a.Conversation), cmp.Compare(b.Message, a.Message))
	})
	return hits, open, nil
}

// wantsLatest reports whether a request may refer to what was said last: not if it wants a certain
// kind of message, and not if the caller shows the newest messages itself.
func wantsLatest(req Request) bool {
	switch req.MemoryType {
	case "", "any", "turn", "episode":
		return req.LeastShare == 0
	}
	return false
}

// leaveOut removes the query from the messages and hits if it is a person's newest message.
func leaveOut(query string, last []LocatedMessage, hits []recall.Hit) ([]LocatedMessage, []recall.Hit) {
	asks := slices.IndexFunc(last, func(s LocatedMessage) bool { return s.Message.ByPerson() })
	if asks < 0 || strings.TrimSpace(last[asks].Message.Content) != strings.TrimSpace(query) {
		return last, hits
	}
	at := last[asks]
	return slices.Delete(last, asks, asks+1), slices.DeleteFunc(hits, func(h recall.Hit) bool {
		return h.Conversation == at.Conversation && h.Message == at.Index
	})
}

// freshness returns the weight of each of the newest messages for a fully open query, from 0 to 1.
func freshness(last []LocatedMessage) map[location]float64 {
	out := map[location]float64{}
	age, turn := 0.0, -1 // turn is that of the next message
	for _, s := range last {
		text := strings.TrimSpace(s.Message.Content)
		if text == "" {
			continue
		}
		size := min(1, float64(len(text))/substance)
		worth := leastWorth + (1-leastWorth)*size
		if s.Turn != turn || s.Message.ByPerson() {
			worth = max(worth, ownWorth)
		}
		turn = s.Turn
		out[location{s.Conversation, s.Index}] = worth * math.Exp2(-age/freshHalf)
		age += leastAge + (1-leastAge)*size
	}
	return out
}

// namesSpeaker reports whether a query names one of the speakers, and so asks about them from
// outside the conversation.
func namesSpeaker(query string, last []LocatedMessage, src Sources) bool {
	asked := map[string]bool{}
	src.Terms(query, func(t string) { asked[t] = true })
	found := false
	seen := map[string]bool{}
	for _, s := range last {
		author := s.Message.Author
		if seen[author] || !s.Message.Named() {
			continue
		}
		seen[author] = true
		src.Terms(author, func(t string) { found = found || asked[t] })
	}
	return found
}
