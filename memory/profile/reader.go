package profile

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds of what a Reader holds: the latest turns count, and of each its first sentences.
const (
	mostText      = 96 << 20 // bytes of sentences
	mostSentences = 80       // of a turn
	mostWords     = 120      // of a sentence
)

// Reader takes turns in. It is for one goroutine.
type Reader struct {
	turns []Turn
	bytes int
}

// Add takes a turn. Beyond a bound the text of the first turns that were added is let go of.
func (r *Reader) Add(t Turn) {
	t.Sentences = t.Sentences[:min(len(t.Sentences), mostSentences)]
	for _, s := range t.Sentences {
		r.bytes += len(s.Text)
	}
	r.turns = append(r.turns, t)
	for first := 0; r.bytes > mostText && first < len(r.turns); first++ {
		for _, s := range r.turns[first].Sentences {
			r.bytes -= len(s.Text)
		}
		r.turns[first].Sentences = nil
	}
}

// Options are what Find needs besides the turns.
type Options struct {
	// Rules are the rules in force, Decided and Open what conversations settled and left open, as quotations. Their Part
	// is set by Find.
	Rules, Decided, Open []Statement
	// Before is what the run before found: its ids are kept.
	Before Set
	// Steering is what a person wants of topics and entities.
	Steering []Steering
	// Familiar says how common a word is in the language that it is of, from 0 for one that it does not know to 1. It is
	// given small letters. nil = it knows none.
	Familiar func(word string) float64
	// Pause is called often, between small steps; nil = never. Its error ends Find.
	Pause func() error
}

// finder is one search.
type finder struct {
	Options
	turns    []Turn
	order    []int // of the turns by time
	now      time.Time
	rare     rarities
	entries  map[string]*entry
	pairs    map[string]*entry // two capitalised words, by their keys with a space between
	authors  map[string]bool
	unbroken map[string]bool // names in scripts without spaces
	longest  int             // of them, in bytes
	talks    int             // conversations
	groups   []*group
	byName   map[string]*group // by the keys of their names, words parted by spaces
	leads    map[string]bool   // first words of names of several words
	steps    int
}

// entry is what is known of a word.
type entry struct {
	key              string
	shape            shape
	turns, talks     int // in how many it stands
	lastTurn         int // the last that was counted, from 1
	lastTalk         string
	count, middle    int // occurrences; those that do not open a sentence
	capitals         int // of middle
	opening          int
	articled, quoted int
	kinds            map[Kind]float64
	spellings        map[string]int
	inPerson         int
}

// Find returns the topics and the entities of the turns. The error is Pause's.
func (r *Reader) Find(o Options) (Set, error) {
	f := &finder{
		Options: o, turns: r.turns, rare: rarities{map[string]float64{}, o.Familiar}, entries: map[string]*entry{}, pairs: map[string]*entry{}, authors: map[string]bool{},
		unbroken: map[string]bool{}, byName: map[string]*group{}, leads: map[string]bool{},
	}
	talks := map[string]bool{}
	for i, t := range f.turns {
		f.order = append(f.order, i)
		talks[t.Conversation] = true
		if t.At.After(f.now) {
			f.now = t.At
		}
	}
	f.talks = len(talks)
	slices.SortFunc(f.order, func(a, b int) int {
		return compareTurns(&f.turns[a], &f.turns[b])
	})
	for _, step := range []func() error{f.segment, f.count, f.name, f.mention} {
		if err := step(); err != nil {
			return Set{}, err
		}
	}
	topics, err := f.topics()
	if err != nil {
		return Set{}, err
	}
	out := Set{Topics: topics, Entities: f.entities()}
	if err := f.describe(&out); err != nil {
		return Set{}, err
	}
	identify(&out, f.Before)
	keepPinned(&out, f.Before, f.Steering)
	steer(&out, f.Steering)
	return out, nil
}

func compareTurns(a, b *Turn) int {
	if c := a.At.Compare(b.At); c != 0 {
		return c
	}
	if c := strings.Compare(a.Conversation, b.Conversation); c != 0 {
		return c
	}
	return a.Number - b.Number
}

// pauseSteps is how many sentences are read between two calls of Pause.
const pauseSteps = 200

func (f *finder) pause() error {
	if f.steps++; f.Pause != nil && f.steps%pauseSteps == 0 {
		return f.Pause()
	}
	return nil
}

// each calls do for every sentence, in the order of time.
func (f *finder) each(do func(turn int, s *Sentence, list []token)) error {
	for _, i := range f.order {
		for k := range f.turns[i].Sentences {
			s := &f.turns[i].Sentences[k]
			list := f.split(s.Text, tokens(s.Text))
			do(i, s, list[:min(len(list), mostWords)])
			if err := f.pause(); err != nil {
				return err
			}
		}
	}
	return nil
}

// count notes how each word is used.
func (f *finder) count() error {
	for _, t := range f.turns {
		for _, s := range t.Sentences {
			if s.Author != "" {
				f.authors[fold(s.Author)] = true
			}
		}
	}
	return f.each(func(turn int, s *Sentence, list []token) {
		t := &f.turns[turn]
		for i := range list {
			k := &list[i]
			if k.shape == number || k.shape == code || articles[k.key] || functionWords[k.key] {
				continue
			}
			e := f.entries[k.key]
			if e == nil {
				e = &entry{key: strings.Clone(k.key), shape: k.shape, kinds: map[Kind]float64{}, spellings: map[string]int{}}
				f.entries[e.key] = e
			}
			e.saw(turn, t.Conversation, s.Text[k.start:k.end], s.Person)
			if !k.opens {
				e.middle++
				if k.capital {
					e.capitals++
				}
			} else {
				e.opening++
			}
			if i > 0 && articles[list[i-1].key] {
				e.articled++
			}
			if k.quoted {
				e.quoted++
			}
			f.evidence(e, list, i)
			if i+1 < len(list) {
				f.pair(turn, s, list, i)
			}
		}
	})
}

func (e *entry) saw(turn int, talk, spelling string, person bool) {
	e.count++
	if e.lastTurn != turn+1 {
		e.lastTurn = turn + 1
		e.turns++
	}
	if e.lastTalk != talk {
		e.lastTalk = talk
		e.talks++
	}
	if person {
		e.inPerson++
	}
	if n, ok := e.spellings[spelling]; ok || len(e.spellings) < mostNames {
		e.spellings[strings.Clone(spelling)] = n + 1
	}
}

// spelling is how the word is written most often.
func (e *entry) spelling() string {
	best := ""
	for _, s := range slices.Sorted(maps.Keys(e.spellings)) {
		if best == "" || e.spellings[s] > e.spellings[best] {
			best = s
		}
	}
	return best
}

// pair notes two capitalised words that stand side by side: they may be a person's whole name.
func (f *finder) pair(turn int, s *Sentence, list []token, i int) {
	a, b := &list[i], &list[i+1]
	if a.shape != word || b.shape != word || !a.capital || !b.capital || b.breaks || honorifics[a.key] || articles[a.key] ||
		s.Text[a.end:b.start] != " " || f.rare.of(a) < nameAt || f.rare.of(b) < nameAt {
		return
	}
	key := a.key + " " + b.key
	e := f.pairs[key]
	if e == nil {
		e = &entry{key: key, kinds: map[Kind]float64{}, spellings: map[string]int{}}
		f.pairs[key] = e
	}
	e.saw(turn, f.turns[turn].Conversation, s.Text[a.start:b.end], s.Person)
	f.evidence(e, list, i+1)
	if i > 0 && honorifics[list[i-1].key] {
		e.kinds[Person] += 2
	}
}

// evidence notes what stands beside the word list[i]: what it says of its kind.
func (f *finder) evidence(e *entry, list []token, i int) {
	k := &list[i]
	if k.shape == word && i+1 < len(list) && !list[i+1].breaks {
		switch next := list[i+1].key; {
		case acts[next]:
			e.kinds[Person]++
		case i+2 < len(list) && !list[i+2].breaks && acts[list[i+2].key] && functionWords[next]: // "Olga also wants"
			e.kinds[Person] += .7
		}
	}
	if i > 0 && k.capital && passives[list[i-1].key] {
		e.kinds[Person] += .4
	}
	if i > 0 && !k.breaks && honorifics[list[i-1].key] || i+1 < len(list) && k.shape == unbroken && startsWithAny(list[i+1].key, spokenOf) {
		e.kinds[Person] += 2
	}
	if i > 0 && acts[list[i-1].key] && k.capital { // "zuständig ist Frau L.", "asked Olga"
		e.kinds[Person] += .5
	}
	if k.shape == unbroken {
		f.unbrokenEvidence(e, list, i)
		return
	}
	for kind, nouns := range kindNouns {
		switch {
		case i > 0 && !k.breaks && nouns[list[i-1].key]: // "table orders"
			e.kinds[kind]++
		case i+1 < len(list) && !list[i+1].breaks && nouns[list[i+1].key]: // "orders table"
			e.kinds[kind] += .7
		default:
			for d := 2; d <= 5 && i+d < len(list); d++ {
				// "x is our scheduling service", "x, the billing service"
				if nouns[list[i+d].key] && !f.names(list, i+d+1) && (i <= 1 && d <= 5 || list[i+1].breaks && d <= 3) && onlyOrdinary(f, list[i+1:i+d]) {
					e.kinds[kind] += .6
					break
				}
			}
		}
	}
}

// unbrokenEvidence is evidence in a script without spaces: the noun comes a few words behind a name that opens the
// sentence, or right before a name.
func (f *finder) unbrokenEvidence(e *entry, list []token, i int) {
	for kind, nouns := range unbrokenNouns {
		for d := 1; d <= 8 && i <= 1 && i+d < len(list); d++ {
			if slices.ContainsFunc(nouns, func(n string) bool { return strings.Contains(list[i+d].key, n) }) {
				e.kinds[kind] += .6
				break
			}
		}
		if i > 0 && slices.Contains(nouns, list[i-1].key) {
			e.kinds[kind]++
		}
	}
}

// onlyOrdinary reports whether none of some words is spelled like a name.
func onlyOrdinary(f *finder, list []token) bool {
	for i := range list {
		k := &list[i]
		if k.shape != word && k.shape != number || k.capital && f.rare.of(k) >= nameAt {
			return false
		}
	}
	return true
}

// names reports whether a word that is spelled like a name stands at list[i], beside the one before it.
func (f *finder) names(list []token, i int) bool {
	return i < len(list) && !list[i].breaks && list[i].shape != number && f.rare.of(&list[i]) >= plainNameAt && !functionWords[list[i].key]
}

func startsWithAny(s string, list []string) bool {
	return slices.ContainsFunc(list, func(head string) bool { return strings.HasPrefix(s, head) })
}

// fold is a name as it is compared: small letters, without marks over them.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError {
			return -1
		}
		return r
	}, strings.ToLower(strings.Join(strings.Fields(s), " ")))
}
