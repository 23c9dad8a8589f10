package retrieve

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

const (
	relatedFiles = 48 // files that are read for a prompt that asks for the uses of a name
	maxRelated   = 30 // places that are returned for it
	relatedNames = 3  // names that are tried, until one has such places
)

// relatedPlaces finds what is related to a symbol in the way that the prompt asks for.
type relatedPlaces struct{ *search }

// candidates finds the answers to a prompt that asks who uses, implements or tests a symbol: call
// sites and headers of types outside of comments, strings and imports. They precede what the
// rankers find, including the symbol's definition.
func (r *relatedPlaces) candidates(ctx context.Context) {
	if r.req.Intent.Relation == "" {
		return
	}
	work, cancel := context.WithTimeout(ctx, share(r.req.Deadline, relatedShare))
	defer cancel()
	names := r.relatedTo()
	for i, name := range names[:min(relatedNames, len(names))] {
		others := slices.Delete(slices.Clone(names), i, i+1)
		if list := r.answersFor(work, name, others); len(list) > 0 {
			r.noteAnswers(list)
			break
		}
	}
	if work.Err() != nil {
		r.degrade("keyword", "timeout", "not every file that has the name was read")
	}
}

// answersFor returns what is related to a name in the way that the prompt asks for. others are the
// further names in the prompt.
func (r *relatedPlaces) answersFor(ctx context.Context, name string, others []string) (list []answer) {
	name, others = r.qualified(name, others)
	l := newLookup(r.s, r.reader, SymbolQuery{Name: name, Limit: maxRelated})
	defer l.bindings.Close()
	l.filesMost, l.indexed, l.testsFirst = relatedFiles, true, r.req.Intent.Relation == intent.Tests
	if len(l.targets) == 0 {
		l.targets = l.all // regardless of the qualifier in the prompt
	}
	if r.req.Intent.Relation == intent.Implementations {
		l.implementations(ctx)
		for _, d := range l.answer.Implementations {
			sure := relatedSurely * r.factorAmongRelated(d.Path, d.File)
			list = append(list, answer{chunk: d.Chunk, file: d.File, line: d.Line, sure: sure, why: "implements or extends " + l.name})
		}
		return list
	}
	if list = r.users(ctx, l, others); len(list) == 0 && ctx.Err() == nil {
		l.indexed = false // the index does not have every use in every language
		list = r.users(ctx, l, others)
	}
	return list
}

// answer is a place that is related to a symbol in the way that the prompt asks for.
type answer struct {
	chunk, file int
	line        int // from 0
	sure        float64
	why         string
}

// noteAnswers turns the answers into candidates, each chunk once, the surest first.
func (r *relatedPlaces) noteAnswers(list []answer) {
	slices.SortStableFunc(list, func(a, b answer) int { return cmp.Compare(b.sure, a.sure) })
	seen := map[int]bool{}
	for _, x := range list {
		if x.chunk < 0 || !r.keeps(x.file) {
			continue
		}
		if r.evident(x.chunk).lines = append(r.evident(x.chunk).lines, x.line); seen[x.chunk] {
			continue
		}
		r.join(x.chunk)
		e := r.evident(x.chunk)
		e.answers, e.why = x.sure*math.Pow(relatedDecay, float64(len(seen))), x.why
		r.named = 1
		if seen[x.chunk] = true; len(seen) == maxRelated {
			return
		}
	}
}

// users returns the places that use a name. Those within something else that the prompt names come
// first. It reads no more files when those that come first are enough.
func (r *relatedPlaces) users(ctx context.Context, l *lookup, others []string) (list []answer) {
	surest, first, read := relatedSurely, map[int]bool{}, 0
	if len(others) > 0 {
		surest = 1
	}
	l.enough = func(found []Occurrence) bool {
		for ; read < len(found); read++ {
			if x, ok := r.user(l, found[read], others); ok && x.sure >= surest && r.keeps(x.file) {
				first[x.chunk] = true
			}
		}
		return len(first) >= maxRelated
	}
	for _, o := range l.used(ctx) {
		if x, ok := r.user(l, o, others); ok {
			list = append(list, x)
		}
	}
	return list
}

// user returns the place of a line that uses a name; false when the prompt does not ask for it.
func (r *relatedPlaces) user(l *lookup, o Occurrence, others []string) (x answer, ok bool) {
	tests := r.req.Intent.Relation == intent.Tests
	c, ok := r.s.ChunkAt(o.File, o.Line)
	if !ok {
		return x, false
	}
	k := r.chunk(c)
	inTest := IsTest(o.Path) || innerTest(k.Enclosing, k.Symbols)
	if tests && !inTest {
		return x, false
	}
	x = answer{chunk: c, file: o.File, line: o.Line, sure: userSurety(o, inTest && !tests && !r.req.Intent.AboutTests), why: "uses " + l.name}
	if o.Calls {
		x.why = "calls " + l.name
	}
	own := o.In[strings.LastIndexByte(o.In, '.')+1:]
	switch {
	case tests && strings.Contains(plainName(own), plainName(l.name)):
		x.sure, x.why = max(x.sure, relatedSurely), "tests "+l.name
	case own == l.name:
		x.sure = min(x.sure, calledByName)
	}
	x.sure *= r.factorAmongRelated(o.Path, o.File)
	if slices.ContainsFunc(others, func(name string) bool { return isWithin(o, name) }) {
		x.sure = min(1, x.sure/relatedSurely)
	}
	return x, true
}

// userSurety returns how surely a line answers who uses a name.
func userSurety(o Occurrence, inTest bool) float64 {
	switch {
	case inTest && o.Calls && o.Chance == 1:
		return calledInTest
	case inTest:
		return usedInTest
	case o.Calls && o.Chance == 1:
		return relatedSurely
	case o.Calls:
		return calledMaybe
	case o.Chance == 1:
		return usedSurely
	}
	return usedMaybe
}

func (r *relatedPlaces) factorAmongRelated(p string, file int) float64 {
	switch c := classOf(p, r.s.Language(file)); {
	case c == test && r.req.Intent.Relation == intent.Implementations && !r.req.Intent.AboutTests:
		return testRelated
	case c == example, c == test && slices.ContainsFunc(strings.Split(strings.ToLower(p), "/"), func(dir string) bool { return exampleDirs[dir] }):
		return exampleRelated
	}
	return 1
}

// isWithin reports whether a line is in a definition, a type or a file with a given name.
func isWithin(o Occurrence, name string) bool {
	name, qualifier := splitName(name)
	for part := range strings.SplitSeq(o.In, ".") {
		if strings.EqualFold(part, name) && (qualifier == "" || strings.Contains(o.In, qualifier)) {
			return true
		}
	}
	return inPackage(o.Path, name)
}

// markAnswer marks a candidate as what the prompt asks for.
func markAnswer(c *item.Item, why string) {
	c.Named = true
	c.Reasons = append([]string{why}, c.Reasons...)
}

// Answered returns the probability that a place helps a prompt that asks what is related to a
// symbol: p is the model's probability, answers is how surely the place answers the prompt, and
// best how surely the best one does.
func Answered(p, answers, best float64) float64 {
	switch {
	case best == 0:
		return p
	case answers == 0:
		return p * (1 - restShare*best)
	}
	return (1-modelShare)*answers + modelShare*p
}

// relatedTo returns the names in the prompt that it may ask about, those closest to the asking
// words first.
func (r *relatedPlaces) relatedTo() []string {
	names := r.definedNames()
	switch {
	case len(names) == 0:
		names = r.onlyName()
	case !r.asksDirectly():
		return nil
	case len(names) == 1:
		names = r.withMember(names[0])
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(r.farFromRelation(a), r.farFromRelation(b)) })
	return names
}

// withMember qualifies a type's name, alone in a prompt, with a word of the prompt that is the name
// of one of its members: "the close method of BaseConnector".
func (r *relatedPlaces) withMember(name string) []string {
	for _, word := range r.ownWords() {
		if word != name && r.holds(name, word) {
			return []string{name + "." + word}
		}
	}
	return []string{name}
}

// definedNames returns the prompt's identifiers that the workspace defines. If it defines none of
// them, one that it uses counts, such as a library's function.
func (r *relatedPlaces) definedNames() []string {
	var all, defined []string
	for _, id := range r.req.Intent.Identifiers {
		name, _ := splitName(id)
		if slices.Contains(r.req.Intent.RelationWords, strings.ToLower(name)) && len(r.req.Intent.Identifiers) > 1 {
			continue
		}
		if sigil := "$" + name; strings.Contains(r.asked, sigil) && len(r.s.Symbols().Definitions(sigil, 1)) > 0 {
			id, name = sigil, sigil // a letter of names in some languages, a sigil of variables in others
		}
		switch defs, _, _ := r.meantBy(id); {
		case len(defs) > 0:
			defined = append(defined, id)
		case strings.Count(id, ".") > 1 || len(r.s.Symbols().Definitions(name, 1)) > 0: // import.meta.glob is no function glob
			continue
		}
		all = append(all, id)
	}
	if len(defined) > 0 {
		return defined
	}
	return all
}

// maxOwnWords bounds the words, except those that ask, of a prompt that is about the names in it
// and nothing else.
const maxOwnWords = 2

// asksDirectly reports whether the prompt asks, or says little besides names. The title of a change
// does neither.
func (r *relatedPlaces) asksDirectly() bool {
	return r.req.Intent.Question || r.req.Intent.Order != "" || len(r.ownWords()) <= maxOwnWords
}

// onlyName returns the names in a prompt that says little else, spelt as they are defined.
func (r *relatedPlaces) onlyName() (names []string) {
	words := r.ownWords()
	if len(words) > maxOwnWords {
		return nil
	}
	for _, word := range words {
		for _, name := range spellings(word) {
			if slices.ContainsFunc(r.s.Symbols().Definitions(name, wordMeanings), func(d indexer.Symbol) bool { return !slices.Contains(dataKinds, d.Kind) }) {
				names = append(names, name)
				break
			}
		}
	}
	if len(names) < len(words) {
		return nil
	}
	return names
}

// ownWords returns the words of the prompt that determine its subject, of those that the workspace
// has: not the words that ask, and no kinds of things if there are other words.
func (r *relatedPlaces) ownWords() (words []string) {
	var kinds []string
	for word := range strings.FieldsFuncSeq(r.asked, func(c rune) bool { return !isNameRune(c) }) {
		lower := strings.ToLower(word)
		asks := slices.Contains(r.req.Intent.RelationWords, lower) || functionWords[lower] || askedVerbs[lower] && lower == word
		if asks || !lexical.IsWord(word) || !r.has(word, 1) {
			continue
		}
		if isKindWord(word) {
			kinds = append(kinds, word)
		} else {
			words = append(words, word)
		}
	}
	if len(words) == 0 && len(kinds) > 0 {
		return kinds[len(kinds)-1:] // "which function calls type"
	}
	return words
}

// isKindWord reports whether a word is only a kind of thing.
func isKindWord(word string) bool {
	kind := true
	lexical.Terms([]byte(word), func(term string) { kind = kind && kindWords[term] })
	return kind
}

// farFromRelation returns the number of bytes between a name and the nearest word that asks for the
// relation.
func (r *relatedPlaces) farFromRelation(name string) int {
	asked := strings.ToLower(r.asked)
	at, far := strings.Index(asked, strings.ToLower(name)), math.MaxInt
	for _, word := range r.req.Intent.RelationWords {
		if i := strings.Index(asked, word); i >= 0 && at >= 0 {
			far = min(far, max(at-i-len(word), i-at-len(name)))
		}
	}
	return far
}

// qualified joins a method with the type that the prompt also names, in either order.
func (r *relatedPlaces) qualified(name string, others []string) (string, []string) {
	if _, qualifier := splitName(name); qualifier != "" {
		return name, others
	}
	for i, other := range others {
		rest := slices.Delete(slices.Clone(others), i, i+1)
		if r.holds(other, name) {
			return other + "." + name, rest
		}
		if r.holds(name, other) {
			return name + "." + other, rest
		}
	}
	return name, others
}

// holds reports whether a definition called name belongs to one called outer.
func (r *relatedPlaces) holds(outer, name string) bool {
	return slices.ContainsFunc(r.s.Symbols().Definitions(name, wordsLooked), func(d indexer.Symbol) bool { return strings.EqualFold(containerName(d), outer) })
}

// innerTest reports whether a chunk lies in a module of tests or defines nothing but tests.
func innerTest(enclosing, symbols []string) bool {
	for _, e := range enclosing {
		if e == "tests" || e == "test" {
			return true
		}
	}
	tests := 0
	for _, s := range symbols {
		if s == "tests" || strings.HasPrefix(s, "test_") {
			tests++
		}
	}
	return tests > 0 && tests == len(symbols)
}
