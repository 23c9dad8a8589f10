package knowledge

import (
	"fmt"

	"github.com/contexture-dev/contexture/memory/profile"
	"github.com/contexture-dev/contexture/memory/store"
)

// Titled is a model's answer about a topic.
type Titled struct {
	ID      string
	Content string // the topic's when it was asked
	Asked   string // a hash of the question
	Label   string // "" keeps the topic's
}

// Entitle stages a model's labels of topics, with the questions. It skips topics that were removed,
// or whose content has changed, or that have a person's label. A label that another topic has is
// not used.
func Entitle(tx store.Tx, list []Titled) error {
	all, err := LoadProfiles(tx.View)
	if err != nil {
		return fmt.Errorf("name topics: %w", err)
	}
	changed, seen := false, false
	for _, t := range list {
		for i := range all.Topics {
			s := &all.Topics[i].Subject
			if s.ID != t.ID || s.Renamed || s.Content() != t.Content {
				continue
			}
			if t.Label != "" && taken(&all.Set, s, t.Label) {
				t.Label = ""
			}
			was := s.Label
			s.Entitle(t.Asked, t.Label)
			changed, seen = true, seen || s.Label != was
		}
	}
	if !changed {
		return nil
	}
	if err := saveProfiles(tx, all.Set); err != nil {
		return fmt.Errorf("name topics: %w", err)
	}
	if !seen {
		return nil
	}
	shelf, err := openShelf(tx.View)
	if err != nil {
		return fmt.Errorf("name topics: %w", err)
	}
	shelf.raise(tx)
	return nil
}

// taken reports whether another topic has a label.
func taken(all *profile.Set, s *profile.Subject, label string) bool {
	key := profile.NameKey(label)
	for i := range all.Topics {
		if o := &all.Topics[i].Subject; o.ID != s.ID && (profile.NameKey(o.Label) == key || profile.NameKey(o.FoundLabel()) == key) {
			return true
		}
	}
	return false
}
