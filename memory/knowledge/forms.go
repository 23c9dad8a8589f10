package knowledge

import "slices"

// stating are verbs that tell where things belong.
var stating = map[string]string{"go": "go", "goes": "go", "live": "live", "lives": "live", "belong": "belong", "belongs": "belong", "sit": "sit", "sits": "sit", "stay": "stay", "reside": "reside"}

// placed reads "unit tests live next to the code", "all SQL goes through sqlc".
func placed(c *clause, ts []token) bool {
	for i := 1; i < min(len(ts)-2, 7); i++ {
		verb := stating[ts[i].low]
		if verb == "" {
			continue
		}
		if !plural(ts[:i]) || !hasWord(ts[i+1:i+2], "in", "into", "next", "under", "inside", "beside", "through", "at", "with", "on") {
			return false
		}
		c.thing, c.verb = ts[:i], verb
		c.finish(ts, i+1)
		if hasWord(c.object[:1], "through", "with", "on", "at") && !quantifierIn(ts[:i]) {
			return false
		}
		return endsHere(ts, c.end) && (hasThing(c.object) || hasName(c.object) || c.object[0].is("next"))
	}
	return false
}

// participles tell how things are to be made.
var participles = set("written named stored kept wrapped placed formatted documented spelled returned defined")

// attributed reads "class names are in PascalCase", "all dates are stored in UTC", after "remember that" too.
func attributed(c *clause, ts []token) bool {
	for _, lead := range [][]string{{"remember", "that"}, {"note", "that"}, {"keep", "in", "mind", "that"}, {"bear", "in", "mind", "that"}, {"be", "aware", "that"}} {
		if follows(ts, 0, lead) {
			ts = ts[len(lead):]
		}
	}
	i := slices.IndexFunc(ts, func(t token) bool { return t.is("are") || t.is("is") })
	if i < 1 || i > 5 || i+1 >= len(ts) {
		return false
	}
	np := ts[:i]
	if !plural(np) && !(quantifierIn(np[:1]) && domain[singular(np[len(np)-1].low)]) {
		return false
	}
	c.thing, c.verb = np, "be"
	for hasWord(ts[i+1:min(len(ts), i+2)], "always", "never") {
		i++
	}
	c.finish(ts, i+1)
	o := c.object
	if len(o) == 0 || !endsHere(ts, c.end) {
		return false
	}
	if participles[o[0].low] && len(o) > 2 {
		o = o[1:]
		return hasWord(o[:1], "in", "with", "as", "after", "under") && (hasName(o[1:]) || solid(o[1:]) && bareHead(o[1:]) || hasWord(o, "imperative"))
	}
	if o[0].is("in") && len(o) > 1 {
		return len(o) < 4 && (languages[o[1].low] || hasCase(o[1]) || domain[singular(o[1].low)] || o[1].is("utc"))
	}
	return len(o) == 1 && hasCase(o[0])
}

// domain are the quantities that a program keeps in one unit.
var domain = set("amount price date time timestamp duration cent cents second millisecond money currency temperature id utc")

// hasCase reports whether a token names or shows a way to write names.
func hasCase(t token) bool {
	return hasWord([]token{{low: t.low}}, "snake_case", "camelcase", "pascalcase", "kebab-case", "uppercase", "lowercase", "lower-case", "upper-case", "UPPER_CASE", "camelCase", "PascalCase", "SCREAMING_SNAKE_CASE", "snake-case")
}

// measured reads "max line length is 120 characters", "indentation is 4 spaces".
func measured(c *clause, ts []token) bool {
	i := slices.IndexFunc(ts, func(t token) bool { return t.is("is") })
	if i < 1 || i > 4 || i+2 >= len(ts) || ts[i+1].class != number || len(ts) > i+5 {
		return false
	}
	np := drop(ts[:i], "the", "our", "max", "maximum", "minimum", "min")
	c.thing, c.verb, c.object = drop(ts[:i], "the", "our"), "be", ts[i+1:]
	return hasWord(np, "indentation", "indent") || len(np) == 2 && np[1].is("length") && hasThing([]token{np[0], np[0]}) || len(np) < i && hasThing(slices.Concat(np, np))
}

// dues are what every piece of work of a kind needs by a rule, not by nature.
var dues = set("docstring test review reviewer approval changelog doc documentation comment annotation entry description ticket hint example type header license")

// needed reads "public functions need docstrings", "every PR needs a changelog entry".
func needed(c *clause, ts []token) bool {
	i := slices.IndexFunc(ts, func(t token) bool { return t.is("need") || t.is("needs") || t.is("require") || t.is("requires") })
	if i < 1 || i > 5 || i+1 >= len(ts) || ts[i+1].is("to") || !plural(ts[:i]) {
		return false
	}
	c.thing, c.verb = ts[:i], "have"
	c.finish(ts, i+1)
	return endsHere(ts, c.end) && slices.ContainsFunc(c.object, func(t token) bool { return dues[singular(t.low)] })
}

// expected reads "tests should go next to the code", with verbs that state nothing but after "should" or "must".
func expected(c *clause, ts []token) bool {
	i := slices.IndexFunc(ts, func(t token) bool { return t.is("should") || t.is("must") || t.is("shouldn't") })
	if i < 1 || i > 5 || i+2 >= len(ts) {
		return false
	}
	np := ts[:i]
	due := recurring(ts[i:])
	if !plural(np) && !due && !(len(np) == 2 && np[1].is("length")) || !solid(np) && !hasThing(np) && !np[0].is("line") {
		return false
	}
	if ts[i].is("shouldn't") {
		c.force |= negative
	}
	i++
	if hasWord(ts[i:i+1], "not", "never") {
		c.force |= negative
		i++
	}
	if i >= len(ts) || ts[i].class != word || hasWord(ts[i:i+1], "pass", "fail", "work", "have", "be") && !due && !hasWord(ts[i+1:min(len(ts), i+2)], "small", "short") {
		return false
	}
	c.thing, c.verb = drop(np, "the"), ts[i].low
	if ts[i].is("be") || c.verb != "visible" {
		c.finish(ts, i+1)
	}
	return endsHere(ts, c.end)
}

// forbidden reads "no wildcard imports", "don't mix tabs and spaces", "do not push to master".
func forbidden(c *clause, ts []token) bool {
	c.force |= negative
	if ts[0].is("no") {
		c.verb = "use"
		c.finish(ts, 1)
		o := c.object
		head := beforePreposition(o)
		if c.end != len(ts) || len(o) < 2 || len(o) > 9 || !plural(head) || hasWord(head, "error", "errors", "change", "changes", "more", "tests", "test", "logs", "failed", "found") {
			return false
		}
		for _, t := range o {
			if _, f := verbForm(t.low); f == past && len(head) > 0 && t.is(head[len(head)-1].low) {
				return false
			}
		}
		return len(head) == len(o) || general(o, "in", "from", "inside", "outside")
	}
	i := 1
	switch {
	case hasWord(ts[:1], "don't", "dont"):
	case ts[0].is("do") && ts[1].is("not"):
		i = 2
	default:
		return false
	}
	if i >= len(ts)-1 || ts[i].class != word {
		return false
	}
	c.verb = ts[i].low
	c.finish(ts, i+1)
	if !endsHere(ts, c.end) || len(c.object) == 0 {
		return false
	}
	if hasWord(ts[i:i+1], "push", "commit", "merge", "deploy") {
		return len(c.object) < 4 && hasWord(c.object, "master", "main", "production") && bareHead(drop(c.object, "to"))
	}
	if c.verb == "mix" {
		return solid(c.object) && bareHead(c.object)
	}
	return c.verb == "use" && bareHead(c.object) && hasLiteral(beforePreposition(c.object)) && general(c.object, "in", "for")
}

// bounded reads "keep functions under 40 lines", "limit lines to 80 characters".
func bounded(c *clause, ts []token) bool {
	if !hasWord(ts[:1], "keep", "limit", "restrict", "cap", "make") {
		return false
	}
	c.verb = ts[0].low
	c.finish(ts, 1)
	i := slices.IndexFunc(c.object, func(t token) bool {
		return hasWord([]token{t}, "under", "below", "within", "to", "at", "short", "small", "brief", "focused", "concise", "simple", "pure", "tiny", "thin", "minimal", "shorter", "smaller")
	})
	if i < 1 || !endsHere(ts, c.end) || c.verb == "make" {
		return false
	}
	subject := c.object[:i]
	// "lines" is a loose word, with a number it is one of code.
	lines := len(subject) == 1 && subject[0].is("lines") && slices.ContainsFunc(c.object, func(t token) bool { return t.class == number })
	if hasWord(c.object[i:i+1], "under", "below", "within", "to", "at") && !slices.ContainsFunc(c.object, func(t token) bool { return t.class == number }) {
		return false
	}
	return lines || plural(subject)
}

// chosen reads "use single quotes in TypeScript files", "use black for formatting".
func chosen(c *clause, ts []token) bool {
	if !ts[0].is("use") {
		return false
	}
	c.verb = "use"
	c.finish(ts, 1)
	return c.end == len(ts) && bareHead(c.object) && len(c.object) < 10 && len(beforePreposition(c.object)) > 0 && general(c.object, "in", "for")
}

// spoken reads "answer in Dutch", "write all comments in English".
func spoken(c *clause, ts []token) bool {
	if !hasWord(ts[:1], "answer", "reply", "respond", "write", "keep") {
		return false
	}
	c.verb = ts[0].low
	c.finish(ts, 1)
	o := c.object
	if n := len(o); n < 2 || !o[n-2].is("in") || !languages[o[n-1].low] || c.end != len(ts) {
		return false
	}
	return telling[c.verb] && len(o) == 2 || plural(o[:len(o)-2])
}

// kept reads "branch names start with the ticket number".
func kept(c *clause, ts []token) bool {
	i := slices.IndexFunc(ts, func(t token) bool { return t.is("start") || t.is("begin") || t.is("end") })
	if i < 1 || i > 4 || i+2 >= len(ts) || !ts[i+1].is("with") || !plural(ts[:i]) {
		return false
	}
	c.thing, c.verb = ts[:i], ts[i].low
	c.finish(ts, i+1)
	return c.end == len(ts)
}
