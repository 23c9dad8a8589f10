package arc

import (
	"slices"
	"strings"
)

// ordinals are the words that pick by place.
var ordinals = map[string]int{"first": 1, "1": 1, "a": 1, "1st": 1, "second": 2, "2": 2, "b": 2, "2nd": 2, "third": 3, "3": 3, "c": 3, "3rd": 3, "fourth": 4, "4": 4, "d": 4, "5": 5, "6": 6,
	"e": 5, "f": 6, "one": 1, "two": 2, "three": 3, "four": 4, "former": 1}

// besides are the words of a reply that pick nothing themselves.
var besides = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`ok okay yes yeah yep sure alright right great good fine cool perfect hmm well so then and i i'd i'll we we'll let's lets go going with for do use take pick
		choose prefer like want think please the a an option number approach one variant plan that sounds better best my vote is it definitely thanks would rather to say keep stick
		in on by as of just now actually no nah make be should alternative`) {
		besides[w] = true
	}
}

// picked is which of the options a reply picks, -1 for none: by its place or letter, or by words that one of them
// alone has, when little else is said.
func picked(reply string, options []string) int {
	low := strings.ReplaceAll(lowered(clean(reply)), "’", "'")
	for _, end := range [...]string{", ", "; ", " because ", " since ", " - ", " – ", " — "} {
		if i := strings.Index(low, end); i > 0 && !besides[strings.TrimSpace(low[:i])] {
			low = low[:i] // what follows is the reason or the rest
		}
	}
	if negated(low) || strings.Contains(low, "not ") || strings.Contains(low, "neither") || strings.Contains(low, "both") {
		return -1
	}
	if i := byPlace(low, len(options)); i >= 0 {
		return i
	}
	words := make([][]uint32, len(options))
	common := map[uint32]int{}
	for i, o := range options {
		words[i] = termsOf(o, 16)
		for _, t := range words[i] {
			common[t]++
		}
	}
	best, other := -1, 0
	for _, w := range strings.FieldsFunc(low, func(r rune) bool { return strings.ContainsRune(" ,.;:!`\"()", r) }) {
		if besides[w] {
			continue
		}
		for _, t := range termsOf(w, 4) {
			if common[t] == 0 {
				other++
				continue
			}
			if common[t] > 1 {
				continue
			}
			i := slices.IndexFunc(words, func(list []uint32) bool { return slices.Contains(list, t) })
			if best >= 0 && best != i {
				return -1
			}
			best = i
		}
	}
	if other > 2 {
		return -1
	}
	return best
}

// byPlace reads "option 2", "the second one", "b", "the latter" as an index below n, -1 when it is none.
func byPlace(low string, n int) int {
	words := strings.FieldsFunc(low, func(r rune) bool { return strings.ContainsRune(" ,.;:!#`\"()", r) })
	for i, w := range words {
		at, ok := ordinals[w]
		if w == "latter" || w == "last" {
			at, ok = n, true
		}
		if !ok || at > n {
			continue
		}
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		switch {
		case before == "option" || before == "number" || before == "approach" || before == "variant" || before == "plan" || before == "alternative",
			before == "the" && w != "one" && w != "a" && len(words)-i <= 5,
			len(words) == 1 && w != "one",
			len(words) == 2 && i == 0 && (words[1] == "please" || words[1] == "then") && w != "one":
			return at - 1
		}
	}
	return -1
}

// pick makes the decision that a reply states by picking one of the options of the turn before: the one of the reply's
// sentence, when that is a decision itself, or a new one.
func (f *folder) pick(n *Notes) {
	if n.Pick == "" {
		return
	}
	i := -1
	if len(f.options) > 1 {
		i = picked(n.Pick, f.options)
	}
	if i < 0 {
		f.name(n)
		return
	}
	s := Stated{Text: strings.TrimRight(n.Pick, ". ") + ": " + f.options[i], Chosen: f.options[i]}
	if len(termsOf(s.Chosen, 2)) > 0 && within(termsOf(s.Chosen, 16), termsOf(n.Pick, 32)) {
		s.Text = n.Pick
	}
	if own := slices.IndexFunc(n.Decisions, func(d Stated) bool { return letters(d.Text) == letters(n.Pick) }); own >= 0 {
		s.Subject, s.Rejected = n.Decisions[own].Subject, slices.Clone(n.Decisions[own].Rejected)
		if len(s.Rejected) > 0 {
			return // it says itself what is not taken
		}
		f.taken = n.Decisions[own].Text
	} else if q := f.lastAsked(); q != "" && s.Text == n.Pick {
		s.Text = strings.TrimRight(n.Pick, ". ") + " (" + q + ")"
	}
	for j, o := range f.options {
		if j != i {
			s.Rejected = add(s.Rejected, o)
		}
	}
	s.Text = cut(s.Text)
	f.decide(s, n.Turn)
	for i := len(f.asked) - 1; i >= 0 && f.asked[i].turn >= n.Turn-1; i-- {
		if f.asked[i].turn == n.Turn-1 { // what was to be chosen is
			f.close(i)
		}
	}
}

// name makes the decision that a reply states by naming what was just spoken of.
func (f *folder) name(n *Notes) {
	if n.Named == "" {
		return
	}
	terms := termsOf(n.Named, 8)
	known := len(terms) > 0
	for _, t := range terms {
		if _, ok := slices.BinarySearch(f.said, t); !ok {
			known = false
		}
	}
	if known && !slices.ContainsFunc(n.Decisions, func(d Stated) bool { return letters(d.Text) == letters(n.Pick) }) {
		f.decide(Stated{Text: n.Pick, Chosen: n.Named}, n.Turn)
	}
}

// lastAsked is what the assistant asked last in the turn before.
func (f *folder) lastAsked() string {
	if len(f.toUser) == 0 {
		return ""
	}
	return f.asked[f.toUser[len(f.toUser)-1]].Text
}

// named reads a reply that names one of the things that were just spoken of and little else: "ok token bucket then, but
// …", "Suspense please". It is "" for any other.
func named(reply string) string {
	low := strings.ReplaceAll(lowered(reply), "’", "'")
	clause, _, _ := strings.Cut(low, ",")
	clause = strings.TrimRight(clause, " .!")
	end, most := strings.TrimSuffix(strings.TrimSuffix(clause, " then"), " please"), 3
	if end == clause {
		if !strings.HasPrefix(clause, "ok ") && !strings.HasPrefix(clause, "okay ") {
			return ""
		}
		if most = 1; strings.HasSuffix(end, "ed") || strings.HasSuffix(end, "done") || strings.HasSuffix(end, "works") || strings.HasSuffix(end, "now") {
			return "" // a report
		}
	}
	thing := bare(end)
	if n := strings.Count(thing, " "); thing == "" || n > most || ordered(thing) || negated(thing) || oneOf(thing, social) {
		return ""
	}
	if yes, _ := agreement(thing); yes {
		return ""
	}
	i := strings.Index(low, thing)
	return reply[i : i+len(thing)]
}
