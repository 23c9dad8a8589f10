package subject

import (
	"slices"

	"github.com/contexture-dev/contexture/memory/store"
)

// InTurn returns the paths and symbols that a turn mentions, without duplicates and in the order of
// its messages, at most 16 of each; renamed paths appear under their current names. The turn must
// be stored under the conversation's own number: for a turn that a fork shares, pass the
// ancestor's.
func InTurn(view store.View, conversation uint32, turn int) (paths, symbols []string, err error) {
	moved := newAliases(view)
	var failed error
	err = eachMessage(view, turnKey{conversation, turn}, func(list []Mention) {
		for _, m := range list {
			if !m.isCode() {
				continue
			}
			n, into := m.Name, &symbols
			if m.Kind == Path {
				into = &paths
				now, err := moved.current(n)
				if err != nil {
					failed = err
					return
				}
				n = now
			}
			if len(*into) < maxNamed && !slices.Contains(*into, n) {
				*into = append(*into, n)
			}
		}
	})
	if err == nil {
		err = failed
	}
	return paths, symbols, err
}
