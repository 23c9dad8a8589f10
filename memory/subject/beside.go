package subject

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/store"
)

// Surroundings are what the turns of a subject mention besides it, the most frequent first.
type Surroundings struct {
	Files   []string // under their current names
	Related []string // names with a class
}

// mostBeside bounds each list of surroundings.
const mostBeside = 8

// Beside reads what the subject's turns mention besides it.
func (s *Subject) Beside(view store.View) (Surroundings, error) {
	files, names := map[string]int{}, map[string]int{}
	moved := newAliases(view)
	var failed error
	for _, at := range s.at {
		seen := map[string]bool{}
		note := func(into map[string]int, name string) {
			if !seen[name] {
				seen[name] = true
				into[name]++
			}
		}
		err := eachMessage(view, at, func(list []Mention) {
			for _, m := range list {
				switch {
				case m.Kind == Path:
					now, err := moved.current(m.Name)
					failed = cmp.Or(failed, err)
					note(files, now)
				case m.Kind == Name && classOf(m.Name) != "" && !slices.Contains(s.Keys, Fold(m.Name)):
					note(names, strings.TrimPrefix(m.Name, hostMark))
				}
			}
		})
		if err := cmp.Or(err, failed); err != nil {
			return Surroundings{}, err
		}
	}
	return Surroundings{mostFrequent(files), mostFrequent(names)}, nil
}

func mostFrequent(n map[string]int) []string {
	out := slices.SortedFunc(maps.Keys(n), func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b)) })
	return out[:min(len(out), mostBeside)]
}
