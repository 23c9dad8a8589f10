package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/store"
)

// Episode is a conversation that the offline learning has read, with what was settled in it, in
// chronological order.
type Episode struct {
	ID           string
	Conversation string
	Title        string
	Begin, End   time.Time
	Notes        []knowledge.Conclusion
}

// matches bounds the messages that a search for episodes ranks.
const matches = 400

// Episodes returns the episodes, the one with the latest message first; with a text, those of its
// search's hits, the best first. It reads the stored findings of each conversation.
func (v *View) Episodes(ctx context.Context, text string) ([]Episode, error) {
	infos, err := v.talks(ctx, text)
	if err != nil {
		return nil, err
	}
	var out []Episode
	for _, info := range infos {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, ok, err := episodeOf(v.state, info)
		if err != nil {
			return nil, fmt.Errorf("read an episode: %w", err)
		}
		if ok {
			out = append(out, e)
		}
	}
	return out, nil
}

// talks returns all conversations, or those that a search for a text finds.
func (v *View) talks(ctx context.Context, text string) (out []conversation.Info, err error) {
	if text == "" {
		for info, err := range conversation.All(v.state) {
			if err != nil {
				return nil, err
			}
			out = append(out, info)
		}
		return out, nil
	}
	hits, err := v.Messages.Search(ctx, nil, text, 0, matches)
	if err != nil {
		return nil, err
	}
	for _, h := range hits {
		found, err := v.Messages.stored(conversation.Number(h.Conversation))
		if errors.Is(err, conversation.ErrNotFound) {
			continue // only a fork's remnant is left, or nothing
		}
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(out, func(o conversation.Info) bool { return o.ID == found.info.ID }) {
			out = append(out, found.info)
		}
	}
	return out, nil
}

// episodeOf returns the episode of a conversation; ok is false for one without a title, and for one
// that no run has read.
func episodeOf(view store.View, info conversation.Info) (e Episode, ok bool, err error) {
	own := 0 // the first message that is not an ancestor's
	if spans := info.Spans(); len(spans) > 0 {
		own = spans[len(spans)-1].From
	}
	notes, known, err := knowledge.SettledIn(view, info.ID, func(number int) (dialogue.Turn, error) {
		t, err := conversation.Turn(view, info, number)
		if err == nil && t.First < own {
			err = conversation.ErrNotFound
		}
		return t, err
	})
	slices.SortStableFunc(notes, func(a, b knowledge.Conclusion) int { return a.At.Compare(b.At) })
	return Episode{EpisodeID(info.ID), info.ID, info.Title, info.StartedAt, info.LastAt, notes}, known && info.Title != "", err
}

// EpisodeID returns the id of a conversation's episode.
func EpisodeID(conversation string) string {
	sum := sha256.Sum256([]byte(conversation))
	return "episode-" + hex.EncodeToString(sum[:6])
}
