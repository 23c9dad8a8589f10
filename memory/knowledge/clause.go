package knowledge

import (
	"slices"
	"strings"
)

// clause is a statement of what is to be done.
type clause struct {
	force  force
	verb   string  // base form
	modal  string  // of a subject's statement: "must", "should", …
	thing  []token // subject of "names must start with …"; nil of an imperative
	object []token // what follows the verb, up to the clause's end
	start  int     // index of its first token
	end    int     // index of the first token after it
	tail   string  // a condition that follows: "even if unused"
	where  []token // what stands before it and says what it applies to
}

// clauses finds the statements in a sentence without its openers and standing phrases.
func clauses(ts []token) []clause {
	var out []clause
	for i := 0; i < len(ts); {
		c, ok := clauseAt(ts, i)
		if !ok {
			i++
			continue
		}
		out = append(out, c)
		// "always use docstrings and add comments": what follows "and" is said with the same force.
		for c.end+1 < len(ts) {
			next := c.end
			for next < len(ts) && (ts[next].is("and") || ts[next].is(",") || ts[next].is("or") || ts[next].is("then")) {
				next++
			}
			if next == c.end || next >= len(ts) {
				break
			}
			d, ok := clauseAt(ts, next)
			if !ok || d.force&^(plain|negative|always|must) != 0 {
				break
			}
			if d.force&negative != 0 || d.thing != nil && c.force&(request|custom|always|standing) == 0 {
				d.force |= c.force &^ (plain | negative)
			} else {
				d.force |= c.force &^ plain
			}
			out = append(out, d)
			c = d
		}
		i = max(c.end, i+1)
	}
	return out
}

// startsClause reports whether an imperative may begin at i.
func startsClause(ts []token, i int) bool {
	if i == 0 {
		return true
	}
	switch t := ts[i-1]; {
	case t.class == mark:
		return strings.Contains(",;:–—-()…!", t.text)
	case t.class == literal:
		return false
	default:
		return t.low == "and" || t.low == "so" || t.low == "but" || t.low == "then" || t.low == "or"
	}
}

// clauseAt reads a clause that begins at i.
func clauseAt(ts []token, i int) (clause, bool) {
	c := clause{start: i}
	free := startsClause(ts, i) || ts[i].is("we") && i < 7 && prefixes[ts[0].low]
	takesGerund, takesNoun := false, free
	j := i
	for {
		p, taken := longest(ts, j)
		if p == nil || j > i && p.force&usage != 0 && c.force&custom == 0 && len(p.words) == 1 && p.words[0] != "we" {
			break
		}
		// A word that is itself the verb of a rule is one where nothing else is: "keep functions short".
		if _, f := verbForm(ts[j].low); len(p.words) == 1 && f == base && !verbFollows(ts, j+1) {
			break
		}
		if j == i && !free && !p.anchors() {
			return c, false
		}
		c.force |= p.force
		takesGerund, takesNoun = p.gerund || takesGerund && p.force&(negative|always) != 0, p.noun || takesNoun && p.force&always != 0
		j += taken
		if p.verb != "" {
			c.verb = p.verb
			c.scope(ts, i)
			c.finish(ts, j)
			return c, len(c.object) > 0
		}
	}
	if j == i && !free || j >= len(ts) {
		return c, false
	}
	if n := c.convention(ts, j); n > 0 {
		c.force, j, takesGerund = c.force|custom, n, true
	}
	if j >= len(ts) {
		return c, false
	}
	if verb, f := verbForm(ts[j].low); ts[j].class == word && (f == base || f == gerund && takesGerund && j > i || f == third && c.force&custom != 0) && !(f == base && nounHere(ts, j, c)) {
		if j == i {
			c.force |= plain
		}
		c.verb = verb
		if verb == "avoid" && j+1 < len(ts) {
			if v, f := verbForm(ts[j+1].low); f == gerund {
				c.verb, j = v, j+1
				c.force |= negative
			}
		}
		c.scope(ts, i)
		c.finish(ts, j+1)
		return c, true
	}
	if takesNoun && c.declare(ts, j) {
		c.scope(ts, i)
		return c, true
	}
	return c, false
}

// convention gives where "follow the convention of" at i ends and the convention itself begins; 0 where it is not there.
func (c *clause) convention(ts []token, i int) int {
	if verb, f := verbForm(ts[i].low); f == notVerb || !having[verb] && verb != "adhere" {
		return 0
	}
	for k := i + 1; k < min(len(ts), i+5); k++ {
		if ts[k].is("of") && hasWord(ts[k-1:k], "convention", "practice", "habit", "policy", "rule", "standard") {
			return k + 1
		}
	}
	return 0
}

// framed reports whether a phrase stands at i.
func framed(ts []token, i int) bool {
	p, _ := longest(ts, i)
	return p != nil
}

// anchors reports whether the phrase tells a rule wherever it stands in a sentence.
func (p *phrase) anchors() bool {
	return p.force&(request|custom) != 0 && (len(p.words) > 1 || p.needs) || p.force&promise != 0
}

// verbFollows reports whether a verb stands at i, adverbs aside.
func verbFollows(ts []token, i int) bool {
	for i < len(ts) && (adverbs[ts[i].low] || ts[i].is("to") || ts[i].is("always")) {
		i++
	}
	if i >= len(ts) || ts[i].class != word {
		return false
	}
	_, f := verbForm(ts[i].low)
	return f == base || f == gerund
}

// nounHere reports whether the word at i, which could be a verb, is the noun of a subject: "test names must …".
func nounHere(ts []token, i int, c clause) bool {
	if i+1 >= len(ts) || !thing(ts[i].low) {
		return false
	}
	next := ts[i+1].low
	if modals[next] {
		return true
	}
	_, f := verbForm(next)
	if i+2 < len(ts) && thing(next) {
		_, g := verbForm(ts[i+2].low)
		return modals[ts[i+2].low] || g == base && !thing(ts[i+2].low)
	}
	return f == base && c.force&(request|always|custom) != 0 && naming(next) != ""
}

var modals = set(`must should shall need needs have has are is to ought can cannot may will never always`)

// declare reads "all function names must start with …" at i.
func (c *clause) declare(ts []token, i int) bool {
	start := i
	for i < len(ts) && i-start < 9 && ts[i].class != mark {
		low := ts[i].low
		if low == "that" || low == "to" && i == start {
			return false
		}
		if i > start && ts[i].class == word && (modals[low] && low != "to" || low == "to" && c.force&wished != 0 || verbal(low) && c.force&(request|always|standing|custom) != 0 && (!thing(low) || thing(ts[i-1].low) && singular(ts[i-1].low) != ts[i-1].low)) {
			return c.predicate(ts, ts[start:i], i)
		}
		if i > start && (naming(low) != "" && verbal(low)) {
			return c.predicate(ts, ts[start:i], i)
		}
		if i > start && (low == "you" || low == "we") && i+1 < len(ts) && verbal(ts[i+1].low) { // "all functions you write"
			i += 2
			continue
		}
		if i == start && (low == "they" || low == "these" || low == "those" || low == "it") && i+1 < len(ts) && (modals[ts[i+1].low] || verbal(ts[i+1].low)) {
			c.scope(ts, i)
			if c.where != nil {
				return c.predicate(ts, c.whereNoun(), i+1)
			}
		}
		if low == "i" || low == "you" || low == "it" || low == "he" || low == "she" || low == "they" || low == "there" || low == "who" || low == "which" {
			return false
		}
		i++
	}
	return false
}

func verbal(low string) bool {
	_, f := verbForm(low)
	return f == base || f == third
}

// predicate reads what is said of a subject from i on.
func (c *clause) predicate(ts, subject []token, i int) bool {
	if len(subject) == 0 {
		return false
	}
	if !generic(subject) || !hasThing(subject) || announcedBefore(subject) && !hasWord(subject, "names", "name") {
		return false
	}
	c.force |= must
	saidMust := false
	for i < len(ts) && (modals[ts[i].low] || adverbs[ts[i].low] || ts[i].is("not")) {
		switch ts[i].low {
		case "never", "not", "cannot":
			c.force |= negative
		case "always":
			c.force |= always
		case "must", "should", "shall", "need", "needs", "ought":
			c.modal, saidMust = "must", true
		case "have", "has", "are", "is", "will", "can", "may":
			if i+1 < len(ts) && ts[i+1].is("to") || ts[i].is("will") {
				saidMust = true
				c.modal = "must"
			} else if !saidMust && c.force&(request|custom|always|standing) == 0 {
				return false
			} else if ts[i].low != "can" && ts[i].low != "may" {
				// "ensure your code is documented", "all classes have docstrings": be and have are the verbs.
				c.verb = map[bool]string{true: "have", false: "be"}[ts[i].low == "have" || ts[i].low == "has"]
				c.thing = subject
				c.finish(ts, i+1)
				return len(c.object) > 0
			}
		}
		i++
	}
	if i >= len(ts) {
		return false
	}
	verb, f := verbForm(ts[i].low)
	if f == notVerb || f == gerund {
		return false
	}
	if !saidMust && naming(verb) == "" && c.force&(request|custom|always|standing|wished) == 0 {
		return false
	}
	c.verb, c.thing = verb, subject
	c.finish(ts, i+1)
	return true
}

// generic reports whether a noun phrase means things in general: "all names", "your methods", "each class", "names".
func generic(np []token) bool {
	for i, t := range np {
		switch t.low {
		case "all", "every", "each", "any", "no", "your", "our", "new", "everything":
			return true
		case "this", "that", "these", "those", "the", "my", "his", "her", "its", "their", "a", "an", "one", "some", "both":
			if i == 0 {
				return (t.low == "the" || t.low == "a" || t.low == "an") && len(np) > 2 && (np[len(np)-1].is("name") || np[len(np)-1].is("names") || hasWord(np, "every", "each", "all", "any"))
			}
		}
	}
	last := np[len(np)-1]
	return last.class == word && (singular(last.low) != last.low || mass[last.low])
}

func hasWord(ts []token, words ...string) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return t.class != literal && slices.Contains(words, t.low) })
}

var mass = set(`code documentation indentation naming logging english german french spanish formatting testing sql json yaml css html python
	javascript typescript go rust java linting`)

// hasThing reports whether tokens speak of code: of a thing, a literal, or of several things that are loose.
func hasThing(ts []token) bool {
	n := 0
	for _, t := range ts {
		switch {
		case t.class == literal || t.class == word && (things[t.low] || things[singular(t.low)]):
			return true
		case t.class == number || t.class == word && (loose[t.low] || loose[singular(t.low)]):
			n++
		}
	}
	return n > 1
}

// thing reports whether a word names what rules are about, in the singular or the plural.
func thing(low string) bool {
	s := singular(low)
	return things[low] || things[s] || loose[low] || loose[s]
}

// singular gives the singular of a noun.
func singular(w string) string {
	switch {
	case len(w) < 4 || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is") || !strings.HasSuffix(w, "s"):
		return w
	case strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "xes"):
		return w[:len(w)-2]
	}
	return w[:len(w)-1]
}

// finish takes the tokens that belong to the clause from i on.
func (c *clause) finish(ts []token, i int) {
	start := i
	for ; i < len(ts); i++ {
		t := ts[i]
		if t.class == literal {
			continue
		}
		if t.class == mark {
			if t.text == "," && listGoesOn(ts, i) || t.text == "/" || t.text == "&" || t.text == "'" {
				continue
			}
			break
		}
		if i > start && c.stops(ts, i) {
			break
		}
	}
	c.object, c.end = trim(ts[start:i]), i
	if rest := ts[i:]; len(rest) > 2 && rest[0].is(",") && rest[1].is("even") {
		rest = rest[1:]
		if n := slices.IndexFunc(rest, func(t token) bool { return t.class == mark }); n > 0 {
			rest = rest[:n]
		}
		c.tail = ", " + tail(rest)
	} else if len(rest) > 2 && rest[0].is("even") {
		c.tail = ", " + tail(rest)
	}
}

// tail shortens "even if you don't end up using it".
func tail(ts []token) string {
	if hasWord(ts, "if", "when") && hasWord(ts, "use", "using", "used", "need", "needing", "anticipate", "require", "needed") && hasWord(ts, "not", "don't", "isn't", "aren't", "won't", "it's", "doesn't", "unused") {
		return "even if unused"
	}
	return write(ts[:min(len(ts), 12)])
}

// stops reports whether the clause ends before the token at i.
func (c *clause) stops(ts []token, i int) bool {
	next := func(n int) string {
		if i+n < len(ts) {
			return ts[i+n].low
		}
		return ""
	}
	switch ts[i].low {
	case "because", "since", "which", "so", "but", "even", "though", "although", "followed", "whenever", "unless", "hence", "therefore":
		return ts[i].low != "unless" && ts[i].low != "whenever" && ts[i].low != "but"
	case "to":
		return purposes[next(1)] || adverbs[next(1)] && purposes[next(2)] || (next(1) == "better" || next(1) == "easily" || next(1) == "quickly" || next(1) == "gracefully")
	case "in":
		return next(1) == "order" || next(1) == "case"
	case "like", "e.g", "eg":
		return i+1 < len(ts) && ts[i+1].class == literal || ts[i].low != "like"
	case "as":
		return next(1) == "in" || next(1) == "this" || next(1) == "it" || next(1) == "we" || next(1) == "they" || next(1) == "you" || next(1) == "these"
	case "for":
		switch next(1) {
		case "example", "instance", "input", "consistency", "clarity", "readability", "better", "easy", "easier", "maintainability", "simplicity", "the":
			return next(1) != "the" || next(2) == "sake" || next(2) == "purpose"
		}
	case "by":
		return next(1) == "the" && next(2) == "way"
	case "and", "then":
		// A verb after "and" begins a clause of its own.
		if p, _ := longest(ts, i+1); p != nil && p.force&(request|always|negative|custom|ending) != 0 {
			return true
		}
		for i+2 < len(ts) && adverbs[ts[i+1].low] {
			i++
		}
		v, f := verbForm(next(1))
		if i+1 < len(ts) && ts[i+1].class == word && f == base && !(thing(v) && !hasArticle(ts, i+2)) {
			return true
		}
		if c.thing != nil || naming(c.verb) != "" {
			d := clause{force: c.force}
			return i+1 < len(ts) && d.declare(ts, i+1)
		}
	}
	return false
}

func hasArticle(ts []token, i int) bool {
	return i < len(ts) && (ts[i].class == literal || hasWord(ts[i:i+1], "the", "a", "an", "all", "every", "each", "your", "our", "any", "no", "them", "it", "with"))
}

// listGoesOn reports whether the comma at i separates members of a list: a few words follow, then another comma, "and"
// or "or".
func listGoesOn(ts []token, i int) bool {
	for n := 1; n <= 4 && i+n < len(ts); n++ {
		switch t := ts[i+n]; {
		case n > 1 && (t.is("and") || t.is("or") || t.is(",")), n == 1 && (t.is("and") || t.is("or")) && i+2 < len(ts) && (ts[i+2].class == literal || !verbal(ts[i+2].low) && !framed(ts, i+2)):
			return n > 1 || i+3 >= len(ts) || ts[i+3].class == mark || ts[i+2].class == literal
		case t.class == mark:
			return false
		case n == 1 && t.class == word && (verbal(t.low) || framed(ts, i+1) || t.is("as") || t.is("so") || t.is("which") || t.is("even") || t.is("especially")):
			return false
		}
	}
	return false
}
