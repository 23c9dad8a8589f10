package profile

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds of what a Reader holds: the latest turns, and the first sentences of each.
const (
	maxText      = 24 << 20 // bytes of sentences
	maxSentences = 80       // of a turn
	maxWords     = 120      // of a sentence
)

// Reader collects turns. It is for one goroutine.
type Reader struct {
	turns []Turn
	bytes int
}

// Add adds a turn. Beyond a bound the text of the turns that were added first is discarded.
func (r *Reader) Add(t Turn) {
	t.Sentences = t.Sentences[:min(len(t.Sentences), maxSentences)]
	for _, s := range t.Sentences {
		r.bytes += len(s.Text)
	}
	r.turns = append(r.turns, t)
	for first := 0; r.bytes > maxText && first < len(r.turns); first++ {
		for _, s := range r.turns[first].Sentences {
			r.bytes -= len(s.Text)
		}
		r.turns[first].Sentences = nil
	}
}

// Options are what Find needs besides the turns.
type Options struct {
	// Rules are the active rules, Decided and Open what conversations decided and left open, as
	// quotations. Find sets their Part.
	Rules, Decided, Open []Statement
	// Before is the result of the previous run: its ids are kept.
	Before Set
	// Partial means that some turns in Before were not added: its findings from conversations that
	// were not added are carried over.
	Partial bool
	// Steering lists a person's wishes about topics and entities.
	Steering []Steering
	// Now identifies turns dated by a clock that was ahead: see present. The zero value disables
	// that.
	Now time.Time
	// Familiar returns how common a lower-case word is in its language, from 0 for an unknown one
	// to 1. nil = all words are unknown.
	Familiar func(word string) float64
	// Pause is called often, between small steps, with Find's progress; nil = never. Its error ends
	// Find.
	Pause func(done, total int) error
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
	byName   map[string]*group // by the keys of their names, words separated by spaces
	leads    map[string]bool   // first words of names with several words
	whole    *people           // see people
	work     work
	// rules, decisions and unsettled are the parsed Rules, Decided and Open of Options.
	rules, decisions, unsettled settledList
}

// entry holds the statistics of a word.
type entry struct {
	key              string
	shape            shape
	turns, talks     int // in how many it occurs
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
	}
	f.talks = len(talks)
	f.work.total = passes * r.sentences()
	var err error
	f.order, err = ordered(f, f.order, func(a, b int) int { return compareTurns(&f.turns[a], &f.turns[b]) })
	if err != nil {
		return Set{}, err
	}
	f.markRepeated()
	f.now = f.present()
	f.Before = f.Before.asOf(f.now)
	for _, step := range []func() error{f.segment, f.count, f.name, f.mention} {
		if err := step(); err != nil {
			return Set{}, err
		}
	}
	topics, err := f.topics()
	if err != nil {
		return Set{}, err
	}
	out := Set{Topics: topics, Latest: f.now}
	if err := f.describe(&out); err != nil {
		return Set{}, err
	}
	before := untitled(f.Before)
	if f.Partial {
		identify(&out, newCarrier(before, f.turns, f.now).within(before))
		carry(&out, before, f.turns, f.now)
	} else {
		identify(&out, before)
	}
	entitle(&out, f.Before)
	keepPinned(&out, f.Before, f.Steering)
	steer(&out, f.Steering)
	return out, nil
}

// minRepeatedBytes is the length in bytes from which a sentence repeated word by word counts as
// copied.
const minRepeatedBytes = 24

// markRepeated marks the sentences that an earlier turn has: they come from a form, a command or
// the clipboard, and do not count for a topic.
func (f *finder) markRepeated() {
	seen := map[string]bool{}
	for _, i := range f.order {
		for k := range f.turns[i].Sentences {
			s := &f.turns[i].Sentences[k]
			if len(s.Text) >= minRepeatedBytes {
				s.again = seen[s.Text]
				seen[s.Text] = true
			}
		}
	}
}

// aheadBy is the distance from all other turns from which turns in the future were dated by a clock
// that was ahead.
const aheadBy = 180 * 24 * time.Hour

// present returns the time from which ages are counted: that of the latest turn. Turns later than
// Now, and much later than all before them, were dated by a clock that was ahead and are ignored
// here; otherwise everything else would have lost its weight. If the clock was set back, all turns
// are later than Now, but none is that much later than the others.
func (f *finder) present() (now time.Time) {
	for _, i := range f.order {
		at := f.turns[i].At
		if !f.Now.IsZero() && at.After(f.Now) && !now.IsZero() && at.Sub(now) > aheadBy {
			return now
		}
		now = at
	}
	return now
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

// passes is how many passes over all sentences Find makes, including work of the same duration.
const passes = 6

func (r *Reader) sentences() (n int) {
	for i := range r.turns {
		n += len(r.turns[i].Sentences)
	}
	return n
}

// work counts units of work, each of about the time to split a sentence into words.
type work struct {
	done, paused, total int
}

// pauseWork is the number of units between two calls of Pause: less than a millisecond.
const pauseWork = 20

// pause counts a unit of work, and calls Pause periodically.
func (f *finder) pause() error { return f.did(1) }

// did counts some units of work, and calls Pause periodically.
func (f *finder) did(pieces int) error {
	f.work.done += pieces
	if f.Pause == nil || f.work.done-f.work.paused < pauseWork {
		return nil
	}
	f.work.paused = f.work.done
	return f.Pause(min(f.work.done, f.work.total), f.work.total)
}

// each calls do for every sentence, in chronological order.
func (f *finder) each(do func(turn int, s *Sentence, list []token)) error {
	for _, i := range f.order {
		for k := range f.turns[i].Sentences {
			s := &f.turns[i].Sentences[k]
			list := f.split(s.Text, tokens(s.Text))
			do(i, s, list[:min(len(list), maxWords)])
			if err := f.pause(); err != nil {
				return err
			}
		}
	}
	return nil
}

// count records how each word is used.
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

// spelling returns the most frequent spelling of the word.
func (e *entry) spelling() string {
	best := ""
	for _, s := range slices.Sorted(maps.Keys(e.spellings)) {
		if best == "" || e.spellings[s] > e.spellings[best] {
			best = s
		}
	}
	return best
}

// pair records two adjacent capitalised words: they may be a person's full name.
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

// evidence records what the words around list[i] indicate about its kind.
func (f *finder) evidence(e *entry, list []token, i int) {
	e.personEvidence(list, i)
	if list[i].shape == unbroken {
		f.unbrokenEvidence(e, list, i)
		return
	}
	for kind, nouns := range kindNouns {
		if weight := f.nounWeight(nouns, list, i); weight > 0 {
			e.kinds[kind] += weight
		}
	}
}

// personEvidence records whether the words around list[i] indicate a person.
func (e *entry) personEvidence(list []token, i int) {
	k := &list[i]
	if weight := actWeight(list, i); weight > 0 {
		e.kinds[Person] += weight
	}
	if i > 0 && k.capital && passives[list[i-1].key] {
		e.kinds[Person] += .4
	}
	if isAddressed(list, i) {
		e.kinds[Person] += 2
	}
	if i > 0 && k.capital && acts[list[i-1].key] { // "zuständig ist Frau L.", "asked Olga"
		e.kinds[Person] += .5
	}
}

// actWeight returns the evidence from a verb for an act of people after list[i], 0 without one.
func actWeight(list []token, i int) float64 {
	if list[i].shape != word || i+1 >= len(list) || list[i+1].breaks {
		return 0
	}
	next := list[i+1].key
	switch {
	case acts[next]:
		return 1
	case functionWords[next] && i+2 < len(list) && !list[i+2].breaks && acts[list[i+2].key]: // "Olga also wants"
		return .7
	}
	return 0
}

// isAddressed reports whether an honorific precedes list[i] or, in a script without spaces, words
// for people follow it.
func isAddressed(list []token, i int) bool {
	k := &list[i]
	return i > 0 && !k.breaks && honorifics[list[i-1].key] ||
		i+1 < len(list) && k.shape == unbroken && startsWithAny(list[i+1].key, spokenOf)
}

// nounWeight returns the evidence that list[i] names a thing of the kind of the nouns, 0 without
// any.
func (f *finder) nounWeight(nouns map[string]bool, list []token, i int) float64 {
	switch {
	case i > 0 && !list[i].breaks && nouns[list[i-1].key]: // "table orders"
		return 1
	case i+1 < len(list) && !list[i+1].breaks && nouns[list[i+1].key]: // "orders table"
		return .7
	case f.isExplained(nouns, list, i):
		return .6
	}
	return 0
}

// isExplained reports whether a clause says that list[i] is one of the nouns: "x is our scheduling
// service", "x, the billing service".
func (f *finder) isExplained(nouns map[string]bool, list []token, i int) bool {
	for d := 2; d <= 5 && i+d < len(list); d++ {
		if !nouns[list[i+d].key] || f.names(list, i+d+1) {
			continue
		}
		if (i <= 1 || list[i+1].breaks && d <= 3) && onlyOrdinary(f, list[i+1:i+d]) {
			return true
		}
	}
	return false
}

// unbrokenEvidence returns the evidence in a script without spaces: the noun follows shortly after
// a name that opens the sentence, or directly precedes a name.
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

// names reports whether a word that is spelled like a name is at list[i], next to the previous one.
func (f *finder) names(list []token, i int) bool {
	return i < len(list) && !list[i].breaks && list[i].shape != number && f.rare.of(&list[i]) >= plainNameAt && !functionWords[list[i].key]
}

func startsWithAny(s string, list []string) bool {
	return slices.ContainsFunc(list, func(head string) bool { return strings.HasPrefix(s, head) })
}

// fold returns a name in its normal form for comparison: lower case, without diacritics.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError {
			return -1
		}
		return r
	}, strings.ToLower(strings.Join(strings.Fields(s), " ")))
}
