// Package usage records how the items in bundles were used: how often each was shown and how often
// the response used it, and turns that into a boost of its score.
//
// A bundle is remembered when it is delivered (Remember), as hashes of its items' words, never as
// text; feedback on it (Record) measures which items the response used and counts each item of the
// bundle once. Boosts returns what was learned.
//
// Counts decay with a half-life of seven days, so that the rate of use is a recent one, and so does
// the boost's distance from 1 since the last feedback.
//
// Changes read the committed state and stage into a batch that cannot be read back, so a batch
// holds one change of a workspace's usage. Nothing here commits.
package usage

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
)

// ErrNotFound means that a bundle is not remembered, or no longer.
var ErrNotFound = errors.New("no such bundle")

const (
	halfLife = 7 * 24 * time.Hour
	// minRetrievals is how often an item must have been shown before its rate of use counts.
	minRetrievals = 2
	// forgotten is the age at which a count is less than one in eight thousand and is removed.
	forgotten = 13 * halfLife
	// prunedAtOnce bounds what one feedback removes from the store.
	prunedAtOnce = 200
)

// Terms calls yield for each term of a text, stemmed and without stop words.
type Terms = func(text string, yield func(term string))

// ShownItem is an item of a bundle: its text as shown, including title and path, its layer and its
// tokens. An item without a layer does not affect the layers.
type ShownItem struct {
	ID, Text, Layer string
	Tokens          int
}

// ItemUse is how an item was used.
type ItemUse struct {
	ID         string
	Overlap    float64 // of its words with the response's, 0 to 1
	Referenced bool
	Boost      float64 // factor of its score from now on, 0.5 to 1.5
}

// Record takes feedback on a remembered bundle: the response, and the person's messages after it.
// An item counts as used when Measure says so of the response or of a message that builds on it.
// When the first message after rejects the response ("no, that's wrong"), its uses count half. The
// last feedback on a bundle holds in place of earlier ones: a bundle counts once. It is ErrNotFound
// for a bundle that is not remembered.
func Record(tx store.Tx, bundle, response string, followups []string, terms Terms) ([]ItemUse, error) {
	fail := func(err error) ([]ItemUse, error) { return nil, fmt.Errorf("feedback on bundle %q: %w", bundle, err) }
	items, err := recalled(tx.View, bundle)
	if err != nil {
		return fail(err)
	}
	before, again, err := get[feedback](tx.Reader, feedbackKey(tx.Workspace, bundle))
	if err != nil {
		return fail(err)
	}
	if !again {
		before.At = tx.Now.UTC()
	}
	if err := prune(tx); err != nil {
		return fail(err)
	}
	out, weights := judge(items, response, followups, terms)
	if !again {
		if err := learnLayers(tx, bundle, weights); err != nil {
			return fail(err)
		}
	}
	for i, item := range items {
		s, found, err := get[stat](tx.Reader, statKey(tx.Workspace, item.id))
		if err != nil {
			return fail(err)
		}
		if found {
			tx.Delete(ageKey(tx.Workspace, s.At, item.id))
		}
		if again {
			s = s.replace(before.Weights[item.id], weights[item.id], before.At, tx.Now)
		} else {
			s = s.add(weights[item.id], tx.Now)
		}
		if err := setStat(tx, item.id, s); err != nil {
			return fail(err)
		}
		out[i].Boost = s.boost(tx.Now)
	}
	if err := tx.SetJSON(feedbackKey(tx.Workspace, bundle), feedback{before.At, weights}); err != nil {
		return fail(err)
	}
	return out, nil
}

// Boosts returns what each item's score is to be multiplied by: 1 for items that little is known
// of.
func Boosts(view store.View, ids []string, now time.Time) (map[string]float64, error) {
	out := make(map[string]float64, len(ids))
	for _, id := range ids {
		out[id] = 1
	}
	all, err := boostAll(view, now, out)
	if err != nil || all {
		return out, err
	}
	for _, id := range ids {
		s, _, err := get[stat](view.Reader, statKey(view.Workspace, id))
		if err != nil {
			return nil, fmt.Errorf("read usage: %w", err)
		}
		out[id] = s.boost(now)
	}
	return out, nil
}

// boostAll sets the boosts of the items in out by scanning all statistics, which is faster than a
// lookup for each while there are few. all is false when there were too many.
func boostAll(view store.View, now time.Time, out map[string]float64) (all bool, err error) {
	prefix, left := kind(view.Workspace, statKind), len(out)
	err = view.Scan(prefix, store.PrefixEnd(prefix), func(k, data []byte) (bool, error) {
		if left--; left < 0 {
			return false, nil
		}
		id, _, ok := store.TakeString(k[len(prefix):])
		if !ok {
			return false, errors.New("read usage: bad key")
		}
		if _, wanted := out[id]; !wanted {
			return true, nil
		}
		var s stat
		if err := json.Unmarshal(data, &s); err != nil {
			return false, fmt.Errorf("read usage: %w", err)
		}
		out[id] = s.boost(now)
		return true, nil
	})
	return left >= 0, err
}

// stat is the stored statistics of an item. Retrieved and Referenced have their value at At and
// half of it a half-life later; Count does not decay.
type stat struct {
	Count      int       `json:"count"`
	Retrieved  float64   `json:"retrieved"`
	Referenced float64   `json:"referenced"`
	At         time.Time `json:"at"` // of the last feedback
}

// decay returns the factor of a count after a time: ½^(age/half-life), and 1 if the clock was set
// back.
func decay(from, to time.Time) float64 {
	age := to.Sub(from)
	if age <= 0 {
		return 1
	}
	return math.Exp2(-float64(age) / float64(halfLife))
}

// at returns the counts decayed to now.
func (s stat) at(now time.Time) stat {
	if s.Count == 0 {
		return stat{At: now.UTC()}
	}
	d := decay(s.At, now)
	s.Retrieved *= d
	s.Referenced *= d
	s.At = now.UTC() // also if the clock was set back: from now on it decays by the present clock
	return s
}

// add counts a retrieval, used to the given weight.
func (s stat) add(weight float64, now time.Time) stat {
	s = s.at(now)
	s.Count++
	s.Retrieved++
	s.Referenced += weight
	return s
}

// replace replaces the weight with which an earlier retrieval was counted. For an item without
// statistics it counts a retrieval.
func (s stat) replace(old, weight float64, then, now time.Time) stat {
	if s.Count == 0 {
		return s.add(weight, now)
	}
	s = s.at(now)
	s.Referenced = min(max(s.Referenced+(weight-old)*decay(then, now), 0), s.Retrieved)
	return s
}

// boost returns 0.5 + the rate of use after minRetrievals, 1 before; it approaches 1 as the last
// feedback ages.
func (s stat) boost(now time.Time) float64 {
	if s.Count < minRetrievals || s.Retrieved <= 0 {
		return 1
	}
	rate := min(s.Referenced/s.Retrieved, 1)
	return 1 + (rate-0.5)*decay(s.At, now)
}
