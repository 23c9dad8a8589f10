package knowledge

import (
	"strings"
)

// supersede closes the rules that a new rule replaces: those on its subject of the same authority.
func (s *shelf) supersede(it *Item) error {
	older, err := s.under(keySubject, it.Subject.Key)
	if err != nil {
		return err
	}
	for _, o := range older {
		if o.ID != it.ID && o.Serial <= it.Serial && rules(it, o) && it.replaces(o) {
			o.SupersededBy = it.ID
		}
	}
	return nil
}

// rules reports whether one rule's word counts over another's: within one conversation, of one authority, or by hand.
func rules(newer, older *Item) bool {
	return !newer.Learned || !older.Learned || newer.Conversation == older.Conversation || newer.authority() == older.authority()
}

// replaces reports whether both rules cannot hold.
func (it *Item) replaces(o *Item) bool {
	return it.Subject.Key == o.Subject.Key
}

func sentenceCaseTitle(s string) string { return strings.TrimSuffix(sentenceCase(s), ".") }
