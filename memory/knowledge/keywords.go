package knowledge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/utterance"
)

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

// topical returns the keyword that a word may be, "" for a common word.
func topical(text string, t utterance.Term) string {
	if t.Rarity < topicalAt || t.End-t.Start > 40 {
		return ""
	}
	return strings.ToLower(text[t.Start:t.End])
}

// keywords returns the keywords of a text, the most frequent first, at most so many; of equal ones
// the first in the text.
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
