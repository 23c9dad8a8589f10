package arc

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of the alternatives that are kept of a turn.
const (
	mostOptions   = 6
	longestOption = 120 // bytes
	longestPick   = 14  // words of a reply that may pick one
)

// options are the alternatives that a message offers: the last list with marks that count, "1. …", "B) …", "Option 2:
// …", or those that its last question or offer joins with "or". It is nil when it offers none.
func options(list []string) []string {
	var items, inline []string
	offers := false
	for _, s := range list {
		if n, text := counted(s); n > 0 {
			if n == 1 {
				items = items[:0]
			}
			if n == len(items)+1 && n <= mostOptions {
				items = append(items, trimmed(text))
			}
			continue
		}
		low := lowered(s)
		offers = offers || strings.Contains(low, "?") || strings.Contains(low, "option") || strings.Contains(low, "either") ||
			strings.Contains(low, "alternativ") || strings.Contains(low, "approach") || strings.Contains(low, "possib")
		if o := alternatives(s); o != nil {
			inline = o
		}
	}
	if len(items) > 1 && offers {
		return items
	}
	return inline
}

// counted reads the mark of an item of a list of options and gives its number, from 1, and its text.
func counted(s string) (int, string) {
	s = clean(s)
	low := lowered(s)
	labelled := false
	for _, p := range [...]string{"option ", "approach ", "variant ", "alternative ", "plan "} {
		if rest, ok := strings.CutPrefix(low, p); ok {
			s, low, labelled = s[len(s)-len(rest):], rest, true
			break
		}
	}
	low = strings.TrimPrefix(low, "(")
	if len(low) < 3 {
		return 0, ""
	}
	rest := s[len(s)-len(low)+1:]
	mark := rest[0]
	if mark != '.' && mark != ')' && !(labelled && (mark == ':' || mark == ' ')) {
		return 0, ""
	}
	text := strings.TrimLeft(rest[1:], " -–—:")
	switch c := low[0]; {
	case c >= '1' && c <= '9':
		return int(c - '0'), text
	case c >= 'a' && c <= 'f' && (mark != '.' || labelled):
		return int(c-'a') + 1, text
	}
	return 0, ""
}

// leads are what stands before the first of two alternatives in a sentence, the longest first.
var leads = []string{"would you rather ", "would you like me to ", "would you like to ", "would you like ", "do you want me to ", "do you want us to ", "do you want to ", "do you want ",
	"do you prefer to ", "do you prefer ", "would you prefer to ", "would you prefer ", "want me to ", "shall we ", "shall i ", "should we ", "should i ", "should it be ", "should it ", "should ",
	"we could either ", "we can either ", "i could either ", "i can either ", "you could either ", "you can either ", "we could ", "either ", "which do you prefer, ", "which one, ", "which is it, ", "is it ", "choose between ",
	"decided between ", "decide between ", "choice between ", "choice is between ", "deciding between ", "undecided between ", "torn between ", "we can ", "we could ", "you can ", "you could ", "i can ", "i could "}

// alternatives reads "either A or B", "should we A or B?", "between A and B".
func alternatives(s string) []string {
	asks := strings.HasSuffix(strings.TrimSpace(s), "?")
	s = strings.TrimRight(clean(s), "?!. ")
	low := lowered(s)
	from, joint := -1, " or "
	for _, lead := range leads {
		if i := strings.LastIndex(low, lead); i >= 0 && (i == 0 || low[i-1] == ' ' || low[i-1] == '(') {
			from = i + len(lead)
			if strings.HasSuffix(lead, "between ") {
				joint = " and "
			}
			break
		}
	}
	if from < 0 && asks && strings.Count(low, " ") < 7 && !strings.Contains(low, ", ") {
		from = 0 // "symlinks or copies?"
	}
	if from < 0 || !strings.Contains(low[from:], joint) {
		return nil
	}
	rest := s[from:]
	if i := strings.Index(rest, ". "); i >= 0 {
		rest = rest[:i]
	}
	first, last, _ := strings.Cut(rest, joint)
	last, _, _ = strings.Cut(last, ", ")
	parts := append(strings.Split(strings.TrimRight(first, ","), ", "), last)
	for i, p := range parts {
		p = trimmed(strings.TrimPrefix(strings.TrimPrefix(p, "either "), "or "))
		for _, verb := range [...]string{"use ", "take ", "go with ", "pick "} { // of the first alone, in most sentences
			p = strings.TrimPrefix(p, verb)
		}
		if parts[i] = p; strings.Count(p, " ") > 12 || p == "" || p == "not" || p == "no" || strings.HasPrefix(p, "something") {
			return nil
		}
	}
	if len(parts) > mostOptions {
		return nil
	}
	return parts
}

// trimmed is an option without what follows its first sentence.
func trimmed(s string) string {
	if i := strings.IndexAny(s, "\n"); i >= 0 {
		s = s[:i]
	}
	s = strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "*`\""))
	s = strings.TrimRight(strings.ReplaceAll(s, "**", ""), " .:;,")
	if len(s) <= longestOption {
		return s
	}
	n := longestOption
	for !utf8.RuneStart(s[n]) {
		n--
	}
	if i := strings.LastIndexByte(s[:n], ' '); i > n/2 {
		n = i
	}
	return strings.TrimRight(s[:n], " ,;:") + "…"
}

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
		f.asked[i].closed = f.asked[i].closed || f.asked[i].turn == n.Turn-1 // what was to be chosen is
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

// undecided tells a sentence of the person that says that something is still to be decided.
func undecided(s string) bool {
	low := strings.ReplaceAll(lowered(s), "’", "'")
	for _, p := range [...]string{"haven't decided", "have not decided", "hasn't decided", "not decided", "undecided", "can't decide", "cannot decide", "haven't made up my mind", "still deciding",
		"still to be decided", "to be decided", "still have to decide", "still need to decide", "need to decide whether", "need to decide between", "torn between", "not sure yet between", "not settled on", "thinking about whether"} {
		if strings.Contains(low, p) {
			return true
		}
	}
	return false
}

// doubt makes what the person has not decided a question that only a decision of theirs closes: the question before
// it, or the sentence itself.
func (r *turnReader) doubt(s, prev string) {
	if len(termsOf(s, 12)) < 3 && len(r.open) == 0 && len(prev) > len(s) { // "Not decided."
		s = prev
	}
	terms := termsOf(s, 12)
	if o := alternatives(s); o != nil {
		r.notes.Options = o
	}
	if n := len(r.open); n > 0 && (!r.open[n-1].ToUser || r.open[n-1].Own) {
		q := &r.open[n-1]
		q.ToUser, q.Own, q.Undecided = true, true, true
		for _, t := range terms {
			addTerm(&q.Terms, t)
		}
		return
	}
	if len(terms) > 0 {
		r.open = append(r.open, Asked{Text: cut(clean(s)), ToUser: true, Own: true, Undecided: true, Terms: terms})
	}
}

// asksOthers tells a sentence by which the person takes it on themselves to find the answer.
func asksOthers(s string) bool {
	low := strings.ReplaceAll(lowered(s), "’", "'")
	for _, p := range [...]string{"i have to ask", "i need to ask", "i'll ask", "i will ask", "i have to check with", "i'll check with", "need to check with", "let me ask", "we have to ask", "we need to ask",
		"has to tell", "have to tell", "has to decide", "waiting for an answer", "waiting for the answer", "i'll find out"} {
		if strings.Contains(low, p) {
			return true
		}
	}
	return false
}

// own makes the last question of the person's message one that they will answer themselves.
func (r *turnReader) own(s string) {
	if n := len(r.open); n > 0 && !r.open[n-1].ToUser {
		q := &r.open[n-1]
		q.ToUser, q.Own = true, true
		for _, t := range termsOf(s, 6) {
			addTerm(&q.Terms, t)
		}
	}
}

// undoes tells a sentence that takes back what was just decided or done.
func undoes(s string) bool {
	low := bare(s)
	for _, p := range [...]string{"revert that", "revert it", "revert this", "undo that", "undo it", "undo this", "scratch that", "roll that back", "roll it back", "forget that", "take that back"} {
		if i := strings.Index(low, p); i >= 0 && i < 16 && !negated(low[:i]) {
			return true
		}
	}
	return false
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

// settle closes the questions that a decision answers: those that have a word of what it is about, and have all of
// what it chose or ruled out or most of what it says.
func (f *folder) settle(m *made) {
	var all []uint32
	for _, list := range [...][]uint32{m.chosen, m.rejected, m.subject} {
		for _, t := range list {
			for _, i := range f.about(t) {
				q := &f.asked[i]
				if q.closed {
					continue
				}
				if all == nil {
					all = termsOf(m.Text, 24)
				}
				named := within(m.chosen, q.Terms) || within(m.rejected, q.Terms)
				same := len(m.subject) == 0 || overlap(m.subject, q.Terms, nil)
				q.closed = named && same || shared(all, q.Terms) >= q.far()
			}
		}
	}
}

// about are the questions with a term, closed ones among them.
func (f *folder) about(t uint32) []int {
	if f.seen[t>>6&1023]&(1<<(t&63)) == 0 {
		return nil
	}
	return f.open[t]
}

// shared is how many of a are in b.
func shared(a, b []uint32) int {
	n := 0
	for _, t := range a {
		if slices.Contains(b, t) {
			n++
		}
	}
	return n
}
