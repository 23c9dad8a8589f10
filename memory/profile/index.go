package profile

import (
	"cmp"
	"slices"
	"strings"
)

// Index finds the topics and entities that a text names. It is immutable and safe for concurrent
// use.
type Index struct {
	set      *Set
	entities map[string]int // by the folded words of each name
	topics   map[string]int
	unbroken []string // names in scripts without spaces, the longest first
}

// NewIndex returns the index of a set, which must not change afterwards.
func NewIndex(set *Set) *Index {
	x := &Index{set: set, entities: map[string]int{}, topics: map[string]int{}}
	note := func(into map[string]int, name string, i int) {
		key := nameKey(name)
		if _, taken := into[key]; key == "" || taken {
			return
		}
		into[key] = i
		if strings.ContainsFunc(key, isUnbroken) && !slices.Contains(x.unbroken, key) {
			x.unbroken = append(x.unbroken, key)
		}
	}
	for i := range set.Entities { // labels before other names, which may be shorter
		note(x.entities, set.Entities[i].Label, i)
	}
	for i := range set.Entities {
		for _, n := range set.Entities[i].Names {
			note(x.entities, n, i)
		}
	}
	for i := range set.Topics {
		note(x.topics, set.Topics[i].Label, i)
	}
	for i := range set.Topics { // people still use the names from before a model's title
		if t := set.Topics[i].Title; t != nil {
			note(x.topics, t.Found, i)
			note(x.topics, t.Label, i)
			for _, was := range t.Was {
				note(x.topics, was, i)
			}
		}
	}
	slices.SortFunc(x.unbroken, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return x
}

// nameKey returns a name as the keys of its words.
func nameKey(name string) string {
	var words []string
	for _, t := range tokens(name) {
		words = append(words, t.key)
	}
	return strings.Join(words, " ")
}

// Named lists what a text names, without duplicates and in the order of the text. Share is the
// share of the text's words in names, from 0 to 1.
type Named struct {
	Topics   []*Topic
	Entities []*Entity
	Share    float64
}

// maxRead bounds the words of a text that are examined.
const maxRead = 2000

// Named returns what a text names.
func (x *Index) Named(text string) (out Named) {
	list := tokens(text)
	list = list[:min(len(list), maxRead)]
	named := 0
	for i := 0; i < len(list); {
		n := x.at(list[i:], &out)
		named += n
		i += max(1, n)
	}
	for _, name := range x.unbroken {
		if strings.Contains(text, name) {
			named++
			x.note(name, &out)
		}
	}
	if len(list) > 0 {
		out.Share = min(1, float64(named)/float64(len(list)))
	}
	return out
}

// at records the longest name that words begin with, and returns how many words it has.
func (x *Index) at(list []token, out *Named) int {
	for n := min(mostWordsOf, len(list)); n > 0; n-- {
		words := make([]string, n)
		for k := range n {
			words[k] = list[k].key
		}
		if x.note(strings.Join(words, " "), out) {
			return n
		}
	}
	return 0
}

func (x *Index) note(key string, out *Named) bool {
	i, entity := x.entities[key]
	if entity && !slices.Contains(out.Entities, &x.set.Entities[i]) {
		out.Entities = append(out.Entities, &x.set.Entities[i])
	}
	k, topic := x.topics[key]
	if topic && !slices.Contains(out.Topics, &x.set.Topics[k]) {
		out.Topics = append(out.Topics, &x.set.Topics[k])
	}
	return entity || topic
}
