package knowledge

import (
	"slices"
	"strings"
)

// Developers also tell rules without any word that says so: "tests go next to the code", "this repo uses pnpm", "no
// wildcard imports". Those forms are read here, each in full: what a sentence says besides makes it a story.

// declared gives the rule that a sentence without openers tells in such a form. It is asked where no clause is one.
func declared(ts []token, listed bool) (Found, bool) {
	ts = trim(ts)
	if len(ts) > 0 && ts[len(ts)-1].is("please") {
		ts = trim(ts[:len(ts)-1])
	}
	ts = withoutPlace(ts)
	if len(ts) < 2 || len(ts) > 30 || isOneOff(ts) || hasWord(ts, situational...) {
		return Found{}, false
	}
	for _, form := range []func(*clause, []token) bool{theirs, ours, liking, placed, attributed, measured, needed, expected, forbidden, bounded, chosen, spoken, kept} {
		c := clause{}
		if form(&c, ts) && len(c.object) > 0 {
			return finished(&c)
		}
	}
	if listed && ts[0].class == number && len(ts) < 9 && hasThing(ts[1:min(3, len(ts))]) {
		return finished(&clause{verb: "use", object: ts})
	}
	return Found{}, false
}

func finished(c *clause) (Found, bool) {
	list := c.found()
	if len(list) == 0 {
		return Found{}, false
	}
	return list[0], true
}

// situational are words of stories, of doubts and of the work at hand; no form of declared has one.
var situational = strings.Fields(`but think guess maybe perhaps probably sure yesterday ago yet currently now again still it its they he she this that
	these those was were had did broken failing fails failed slow flaky why how me my if though although same however last`)

// projects are nouns for all of the work.
var projects = set("project repo repository codebase monorepo team company organization organisation workspace")

// withoutPlace takes "in this codebase," and "as usual in our repo," off a sentence: they say that it is general.
func withoutPlace(ts []token) []token {
	for i := 0; i < min(len(ts), 7); i++ {
		if ts[i].text == "," && i > 0 && projects[ts[i-1].low] && hasWord(ts[:i], "in", "for", "across", "throughout") {
			return ts[i+1:]
		}
		if ts[i].text == ":" && i == 1 && hasWord(ts[:1], "nit", "style", "fyi", "note", "reminder", "convention", "rule") {
			return withoutPlace(ts[2:])
		}
	}
	for i := len(ts) - 3; i > 1; i-- {
		if ts[i].is("in") && hasWord(ts[i+1:i+2], "this", "our", "the") && projects[ts[i+2].low] && i+3 == len(ts) {
			return ts[:i]
		}
	}
	return ts
}

// solid reports whether the words name a thing of code that other talk does not know, or a piece of code.
func solid(ts []token) bool {
	return slices.ContainsFunc(ts, func(t token) bool {
		return t.class == literal || t.class == word && (things[t.low] || things[singular(t.low)])
	})
}

// bareHead reports whether the words begin with no article and no pronoun: things at large.
func bareHead(ts []token) bool {
	return len(ts) > 0 && !hasWord(ts[:1], "a", "an", "the", "some", "one", "each", "you", "us", "them", "both", "two", "three", "to", "another", "more")
}

// plural reports whether a noun phrase means things at large and names a thing of code: "public functions", "all SQL".
func plural(np []token) bool {
	if len(np) == 0 || len(np) > 6 || !bareHead(drop(np, "all", "every", "each", "our", "your", "any", "new")) || !solid(np) || slices.ContainsFunc(np, func(t token) bool { return t.class == mark }) {
		return false
	}
	if np[len(np)-1].class == literal {
		return false
	}
	return generic(np)
}

// general reports whether what follows a preposition in ts is something at large: "in TypeScript files".
func general(ts []token, prepositions ...string) bool {
	for i := len(ts) - 2; i >= 0; i-- {
		if hasWord(ts[i:i+1], prepositions...) {
			np := strings.ToLower(ts[len(ts)-1].low)
			return plural(ts[i+1:]) || i == len(ts)-2 && mass[np]
		}
	}
	return false
}

// theirs reads "this repo uses Bazel", "our API uses snake_case for JSON fields".
func theirs(c *clause, ts []token) bool {
	if len(ts) < 4 || !hasWord(ts[:1], "our", "the", "this") && !ts[0].is("everyone") {
		return ofProject(c, ts)
	}
	return ofProject(c, ts)
}

func ofProject(c *clause, ts []token) bool {
	for i := 2; i < min(len(ts)-1, 5); i++ {
		verb, f := verbForm(ts[i].low)
		if f != third || !hasWord([]token{{low: verb}}, "use", "target", "follow", "require", "support") || !bareHead(ts[i+1:]) && verb != "follow" {
			continue
		}
		whole := hasWord(ts[:1], "the", "this", "our") && projects[ts[i-1].low]
		if !whole && !(ts[0].is("our") && thing(ts[i-1].low)) {
			return false
		}
		c.verb = verb
		c.finish(ts, i+1)
		return (hasThing(c.object) || hasName(c.object)) && endsHere(ts, c.end)
	}
	return false
}

// hasName reports whether the words have a name or a version.
func hasName(ts []token) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return t.class == number || t.class == literal || t.text != t.low })
}

// endsHere reports whether nothing but a reason or a contrast follows.
func endsHere(ts []token, i int) bool {
	rest := trim(ts[min(i, len(ts)):])
	return len(rest) == 0 || hasWord(rest[:1], "so", "because", "since", "not", "never", "as", "no")
}

// ourVerbs tell a habit of a team by themselves.
var ourVerbs = set("use target support follow name write put format squash rebase deploy prefer store document wrap pin indent tag mock test lint require avoid")

// ours reads "we format Go code with gofumpt", "we don't mock the database in integration tests".
func ours(c *clause, ts []token) bool {
	if len(ts) < 3 || !ts[0].is("we") {
		return false
	}
	i := 1
	if ts[i].is("don't") || ts[i].is("never") {
		c.force |= negative
		i++
	} else if i+1 < len(ts) && ts[i].is("do") && ts[i+1].is("not") {
		c.force |= negative
		i += 2
	}
	for i < len(ts) && hasWord(ts[i:i+1], "usually", "only", "always", "generally", "normally", "typically") {
		i++
	}
	if i >= len(ts)-1 || !ourVerbs[ts[i].low] {
		return false
	}
	c.verb = ts[i].low
	c.finish(ts, i+1)
	if !endsHere(ts, c.end) || !solid(c.object) && !(c.verb == "target" || c.verb == "support" || c.verb == "follow") || !hasThing(c.object) && !hasName(c.object) {
		return false
	}
	if c.force&negative != 0 && !bareHead(c.object) {
		return general(c.object, "in", "for")
	}
	return bareHead(c.object) && !hasWord(c.object, "here")
}

// likings are the words by which people tell taste, with the force they give.
var likings = []struct {
	words string
	force force
	verb  string
}{
	{"i prefer", 0, "prefer"}, {"we prefer", 0, "prefer"}, {"i'd prefer", 0, "prefer"}, {"i like", 0, "prefer"}, {"we like", 0, "prefer"}, {"i'd rather have", 0, "prefer"},
	{"i'd rather see", 0, "prefer"}, {"i'd rather use", 0, "prefer"}, {"i'd rather not see", negative, "use"}, {"i'd rather not have", negative, "use"},
	{"i don't like", negative, "use"}, {"i dislike", negative, "use"}, {"i'm not a fan of", negative, "use"}, {"i am not a fan of", negative, "use"},
	{"we don't like", negative, "use"}, {"i don't want", negative, "use"}, {"i don't want to see", negative, "use"}, {"we don't want", negative, "use"}, {"i do not want", negative, "use"},
}

// liking reads "I prefer table-driven tests", "I don't like emojis in commit messages".
func liking(c *clause, ts []token) bool {
	n := 0
	for _, l := range likings {
		if w := strings.Fields(l.words); len(w) > n && follows(ts, 0, w) {
			n, c.force, c.verb = len(w), l.force, l.verb
		}
	}
	if n == 0 {
		return false
	}
	c.finish(ts, n)
	head := c.object
	if i := slices.IndexFunc(head, func(t token) bool { return hasWord([]token{t}, "over", "than", "instead", "rather", "to") }); i > 0 {
		head = head[:i]
	}
	place := len(beforePreposition(head)) < len(head)
	head = beforePreposition(head)
	return endsHere(ts, c.end) && !hasWord(head, "your", "our", "second", "first") && plural(head) && (place || len(head) > 1)
}
