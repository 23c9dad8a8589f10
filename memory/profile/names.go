package profile

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Thresholds for names.
const (
	nameAt       = .8  // the rarity of a word that may be a name
	plainNameAt  = .95 // of one that nothing but its use shows to be one
	capitalShare = .8  // of one that only its use shows to be a name
	articleShare = .25 // the largest share for a plain name
	minPerson    = 1.  // evidence
	leastKind    = .6
	personGain   = 1.2 // factor by which the evidence for a person must exceed that for another kind
	longestHost  = 50  // bytes; longer ones are made by machines
	leastShare   = .05 // of a word's occurrences, evidence
	manyTimes    = 12  // occurrences of a word from which more of them must show its kind
	manyShare    = .1
	minSeen      = 2 // turns that mention an entity
	minPlain     = 3 // of one without a kind
)

// group is one entity: its names and its mentions.
type group struct {
	kind   Kind
	label  string
	names  []string // keys: words separated by spaces; the first is the one by which it was found
	weight int      // occurrences, for sorting
	plain  string   // the first without the separators between its words
	whole  bool     // it is a person's full name, or a host's
	spell  map[string]int

	turns     []int // that mention it, in chronological order, without duplicates
	mentions  []place
	byPerson  int
	kept      bool           // enough turns mention it
	closeness map[*group]int // number of common turns
}

// place is a sentence that names an entity.
type place struct {
	turn, token int // token: the index of the name's first word
	sentence    *Sentence
	length      int // words of the sentence
	topical     bool
}

// name decides which words are names, and which names belong to one entity.
func (f *finder) name() error {
	var found []*group
	add := func(e *entry, kind Kind) *group {
		g := &group{kind: kind, label: e.spelling(), names: []string{e.key}, plain: letters(e.key), weight: e.count, spell: maps.Clone(e.spellings)}
		found = append(found, g)
		return g
	}
	pairs, err := keysOf(f, f.pairs)
	if err != nil {
		return err
	}
	for _, key := range pairs {
		if e := f.pairs[key]; f.isWholeName(e) {
			add(e, Person).whole = true
		}
	}
	words, err := keysOf(f, f.entries)
	if err != nil {
		return err
	}
	for _, key := range words {
		if err := f.pause(); err != nil {
			return err
		}
		e := f.entries[key]
		if kind := f.kindOf(e); kind != "" {
			g := add(e, kind)
			g.whole = e.shape == host
		}
	}
	known := map[string]bool{}
	for _, g := range found {
		known[g.names[0]] = true
	}
	for _, author := range slices.Sorted(maps.Keys(f.authors)) { // an author's name is a person's
		if e := f.entries[author]; e != nil && !known[author] {
			add(e, Person)
		}
	}
	if f.groups, err = f.mergeNames(found); err != nil {
		return err
	}
	for _, g := range f.groups {
		for _, n := range g.names {
			f.byName[n] = g
			if head, _, several := strings.Cut(n, " "); several {
				f.leads[head] = true
			}
		}
	}
	return nil
}

// isWholeName reports whether two words are a person's full name.
func (f *finder) isWholeName(e *entry) bool {
	if f.authors[e.key] || e.kinds[Person] >= minPerson {
		return true
	}
	a, b, _ := strings.Cut(e.key, " ")
	person := 0.0
	for _, part := range [...]string{a, b} {
		p := f.entries[part]
		if p == nil || isAcronym(p.spelling()) || p.turns < e.turns || p.middle > 0 && float64(p.capitals) < capitalShare*float64(p.middle) {
			return false
		}
		person += p.kinds[Person]
	}
	return person >= minPerson
}

// kindOf returns the kind of the entity that a word names, "" for a word that is not a name.
func (f *finder) kindOf(e *entry) Kind {
	if kind, decided := f.kindBySpelling(e); decided {
		return kind
	}
	if e.turns < minSeen || isKindNoun(e.key) || acts[e.key] || honorifics[e.key] {
		return ""
	}
	rare := f.rare.of(&token{key: e.key, shape: e.shape})
	best := e.likeliestKind()
	switch {
	case best == Person && rare >= nameAt*.75:
		return Person
	case best != "" && best != Person && rare >= plainNameAt && (e.shape == joined || f.isNamelike(e)):
		return best
	case e.shape == joined && rare >= nameAt:
		return endsInNoun(e.key)
	case e.shape == word && rare >= plainNameAt && f.isPlainName(e):
		return Name
	}
	return ""
}

// kindBySpelling returns the kind of a word whose spelling alone decides it, "" for one that is not
// a name. decided is false when the word's use must decide.
func (f *finder) kindBySpelling(e *entry) (kind Kind, decided bool) {
	switch e.shape {
	case ticket:
		return Ticket, true
	case host:
		if len(e.key) > longestHost {
			return "", true
		}
		return Host, true
	case email:
		return Person, true
	case handle:
		if f.knows(e.key) {
			return Person, true
		}
		return "", true
	case snake:
		return f.snakeKind(e), true
	case number, code, option:
		return "", true
	case unbroken:
		return "", !f.unbroken[e.key]
	}
	return "", false
}

// likeliestKind returns the kind with the most evidence, "" where the evidence for each is too
// weak.
func (e *entry) likeliestKind() Kind {
	best, score := Kind(""), 0.0
	for _, kind := range slices.Sorted(maps.Keys(e.kinds)) {
		s := e.kinds[kind]
		if !e.mayBe(kind, s) {
			continue
		}
		if kind == Person {
			s *= personGain
		}
		if s > score {
			best, score = kind, s
		}
	}
	return best
}

// mayBe reports whether the evidence for a kind is sufficient for the number of a word's
// occurrences. For a person the spelling must be that of a name as well.
func (e *entry) mayBe(kind Kind, evidence float64) bool {
	if evidence < leastShare*float64(e.count) {
		return false
	}
	if kind == Person {
		return evidence >= minPerson && (e.shape == unbroken || e.shape == word && e.isCapital() && !isAcronym(e.spelling()))
	}
	return evidence >= leastKind && (e.count <= manyTimes || evidence >= manyShare*float64(e.count))
}

// isPlainName reports whether a rare word without a kind is used like a name, in several turns and
// conversations.
func (f *finder) isPlainName(e *entry) bool {
	if e.turns < minPlain || e.talks < 2 || !f.isNamelike(e) {
		return false
	}
	return e.isCapital() && e.middle > 2 && !isAcronym(e.spelling()) || e.isSubject()
}

// knows reports whether a handle matches a known name: f.last or flast of a pair, or one of its
// words.
func (f *finder) knows(handle string) bool {
	if f.people().short[shortened(handle)] {
		return true
	}
	e := f.entries[handle]
	return e != nil && e.shape == word && f.kindOf(e) == Person
}

// isCapital reports whether a word is capitalised wherever it does not open a sentence.
func (e *entry) isCapital() bool {
	if e.middle == 0 {
		return e.opening > 1 && e.spelling() != e.key
	}
	return float64(e.capitals) >= capitalShare*float64(e.middle)
}

// isNamelike reports whether a word is used like a name: hardly ever after an article, and always
// spelled the same.
func (f *finder) isNamelike(e *entry) bool {
	if e.shape == unbroken {
		return true
	}
	if best := e.spellings[e.spelling()]; e.shape == word && float64(best) < .6*float64(e.count) {
		return false
	}
	return float64(e.articled) <= articleShare*float64(e.count) || e.isOneForm(f)
}

// isOneForm reports whether a word used with articles has no other form: common nouns have plurals,
// names do not.
func (e *entry) isOneForm(f *finder) bool {
	if e.count < 4 {
		return false
	}
	for _, end := range [...]string{"s", "es", "n", "en", "e", "er", "os", "as", "i", "a"} {
		if f.entries[e.key+end] != nil {
			return false
		}
		if short, ok := strings.CutSuffix(e.key, end); ok && f.entries[short] != nil {
			return false
		}
	}
	return true
}

// isSubject reports whether a word that is never capitalised often opens sentences, as names of
// programs do and other words without an article hardly ever.
func (e *entry) isSubject() bool {
	return e.capitals == 0 && e.spelling() == e.key && 4*e.opening >= e.count && 3*e.middle >= e.count && e.articled == 0
}

// isAcronym reports whether a word consists of capitals, except for an ending of one letter.
func isAcronym(s string) bool {
	runes := []rune(s)
	for _, r := range runes[:max(1, len(runes)-1)] {
		if unicode.IsLower(r) {
			return false
		}
	}
	return unicode.IsUpper(runes[0]) && len(runes) > 1
}

func isKindNoun(key string) bool {
	for _, nouns := range kindNouns {
		if nouns[key] {
			return true
		}
	}
	return false
}

// endsInNoun returns the kind shown by the last part of a hyphenated name: checkout-gateway.
func endsInNoun(key string) Kind {
	last := key[strings.LastIndexByte(key, '-')+1:]
	if last == "hub" || last == "svc" || last == "proxy" || last == "bot" {
		return Service
	}
	if kindNouns[Service][last] {
		return Service
	}
	return ""
}

// snakeKind returns the kind of a name with underscores, "" for a name in code that shows none.
func (f *finder) snakeKind(e *entry) Kind {
	flag, table := e.kinds[Flag], e.kinds[Table]
	for part := range strings.SplitSeq(e.key, "_") {
		if switching[part] {
			flag++
		}
	}
	if least := leastShare * float64(e.count); max(flag, table, e.kinds[Service]) < least {
		return ""
	}
	switch {
	case flag > 0 && flag >= table && e.turns >= minSeen:
		return Flag
	case table > 0 && e.turns >= minSeen:
		return Table
	case e.kinds[Service] >= leastKind && e.turns >= minSeen:
		return Service
	}
	return ""
}

// mergeNames merges groups whose names are spellings of one entity.
func (f *finder) mergeNames(found []*group) ([]*group, error) {
	found, err := ordered(f, found, func(a, b *group) int {
		return cmp.Or(-compareBools(a.whole, b.whole), cmp.Compare(b.weight, a.weight), cmp.Compare(a.names[0], b.names[0]))
	})
	if err != nil {
		return nil, err
	}
	owners, spelled := map[string]*group{}, newSpellings()
	var out []*group
	for _, g := range found {
		if err := f.pause(); err != nil {
			return nil, err
		}
		if into := spelled.owner(g); into != nil {
			into.take(g)
			owners[g.names[0]] = into
			continue
		}
		out = append(out, g)
		spelled.add(g)
		owners[g.names[0]] = g
	}
	for _, g := range out {
		f.addForms(g, owners)
		if err := f.pause(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// take adds the names of another group.
func (g *group) take(o *group) {
	g.names = append(g.names, o.names...)
	g.weight += o.weight
	for s, n := range o.spell {
		g.spell[s] += n
	}
}

// letters returns a name without the separators between its words.
func letters(name string) string {
	if !strings.ContainsAny(name, "-_. ") {
		return name
	}
	return marks.Replace(name)
}

var marks = strings.NewReplacer("-", "", "_", "", ".", "", " ", "")

// addForms adds other forms of a group's names: the first label of a host, a joined name written as
// separate words, and a word with another ending.
func (f *finder) addForms(g *group, owners map[string]*group) {
	claim := func(key string) {
		if owners[key] == nil {
			owners[key] = g
			e := f.entries[key]
			if e != nil {
				for s, n := range e.spellings {
					g.spell[s] += n
				}
			}
			g.names = append(g.names, key)
		}
	}
	for _, n := range slices.Clone(g.names) {
		switch {
		case g.kind == Host && strings.Contains(n, "."):
			if label, _, _ := strings.Cut(n, "."); strings.ContainsAny(label, "-0123456789") {
				claim(label)
			}
		case strings.ContainsAny(n, "-") && g.kind != Ticket:
			claim(strings.ReplaceAll(n, "-", " "))
		case g.kind == Person && strings.Contains(n, " "):
			first, last, _ := strings.Cut(n, " ")
			for _, part := range [...]string{first, last} {
				if e := f.entries[part]; e != nil && e.isCapital() && f.soleName(part, n) {
					claim(part)
				}
			}
		}
		if len(n) > 4 && !strings.ContainsAny(n, " .-_@") {
			f.eachForm(n, claim)
		}
	}
}

// soleName reports whether a word is part of no other person's full name.
func (f *finder) soleName(part, whole string) bool {
	others := f.people().parts[part]
	if e := f.pairs[whole]; e != nil && f.isWholeName(e) {
		others--
	}
	return others <= 0
}

// eachForm calls do for the words that consist of a name and a short ending and are less frequent
// than it.
func (f *finder) eachForm(name string, do func(string)) {
	base := f.entries[name]
	if base == nil {
		return
	}
	for _, end := range [...]string{"s", "es", "n", "en", "а", "у", "ом", "е", "ы", "и", "я", "ю", "ем"} {
		if e := f.entries[name+end]; e != nil && e.count < base.count {
			do(e.key)
		}
	}
}
