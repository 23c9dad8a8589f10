package knowledge

import (
	"slices"
	"strings"
)

// accepts reports whether a clause states a standing rule.
func (r *reading) accepts(c *clause, sentence []token) bool {
	said := slices.Concat(c.thing, c.object)
	if len(said) == 0 || !hasThing(said) && !hasThing(c.where) && !(telling[c.verb] && slices.ContainsFunc(said, func(t token) bool { return thing(t.low) })) ||
		onlyPronouns(said) && c.where == nil {
		return false
	}
	if r.manner == handwritten {
		return true
	}
	if c.vague() {
		return false
	}
	f := c.force
	if hasWord(beforeRelative(said), "always", "consistently", "everywhere") || recurring(said) {
		f |= always
	}
	if c.verb == "avoid" {
		f |= negative
	}
	lasting := f&(always|standing) != 0
	if isOneOff(sentence) && !lasting {
		return false
	}
	general := quantified(said) || c.where != nil && generic(c.where)
	here := definite(said)
	names := general && !here && len(c.namings()) > 0
	addressed := hasWord(said, "your", "our", "every", "each", "any") || quantifierIn(c.where)
	switch {
	case f&promise != 0:
		return general || lasting
	case lasting:
		return c.verb != "be" || c.modal != "" || f&always != 0 || c.thing == nil
	case f&custom != 0:
		return general || hasLiteral(said)
	case f&ending != 0:
		return (general || hasLiteral(said)) && !here
	case names:
		return true
	case f&usage != 0 && choosing[c.verb] && hasWord(sentence, "here", "project", "codebase", "repo", "team") && hasThing(said):
		return true
	case here:
		return false
	case f&wished != 0:
		return general && (c.verb != "have" || len(c.object) > 1)
	case f&must != 0:
		return general && (c.verb != "be" || c.modal != "" || f&request != 0)
	case f&(request|plain|negative) != 0 && c.against():
		return !hasWord(sentence, "here")
	case f&request != 0:
		return general && (addressed || r.announced || f&negative != 0) || hasLiteral(said) && (r.announced || c.tail != "" || f&habit != 0 || quantifierIn(said))
	case f&usage != 0:
		return c.against() && (choosing[c.verb] || !planned(sentence)) && bareHead(c.object) || general && f&negative != 0 || general && hasWord(sentence, "all", "every", "each", "any", "here", "team", "project", "codebase", "repo", "convention")
	case f&(plain|negative) != 0:
		return general && (addressed || r.announced || f&negative != 0)
	}
	return false
}

// vague reports whether a clause says to follow rules without saying which, or to do well.
func (c *clause) vague() bool {
	if slices.ContainsFunc(c.object, func(t token) bool { return t.class == literal || t.class == number || languages[t.low] }) {
		return false
	}
	object := c.object
	if c.thing == nil || c.verb == "be" {
		if object = beforePreposition(object); len(object) == 0 {
			object = c.object
		}
	}
	if len(object) == 0 {
		return true
	}
	first, last := object[0], object[len(object)-1]
	switch {
	case c.thing == nil && hasWord([]token{first}, "you", "us", "me", "them", "yourself", "someone", "him", "her"):
		return true
	case c.thing == nil && (c.verb == "be" || c.verb == "have" && c.force&(must|negative) == 0):
		return c.verb == "have" || !hasWord(object, "brief", "concise", "terse", "explicit", "short", "strict")
	case meta[last.low] || meta[singular(last.low)]:
		// "the Google style" says which, "a new naming convention" does not.
		return !slices.ContainsFunc(object, func(t token) bool { return t.text != t.low })
	}
	for _, t := range object {
		switch {
		case t.class == mark || t.class == word && (filler[t.low] || vague[t.low] || vague[singular(t.low)]):
		default:
			return false
		}
	}
	return !distinct[c.verb]
}

// meta are nouns that stand for rules.
var meta = set("convention standard guideline practice approach style pattern rule format scheme structure consistency")

// vague are words that do not tell one rule from another.
var vague = set(`prefix suffix naming name convention standard guideline practice rule instruction format style specific particular new consistent
	consistency clear clean certain best updated same previous previously established readable readability clarity maintainability maintainable quality
	good high code codebase codebases base coding project team work uniformity uniform understandable important robust robustness easy easily identify
	concise well structured well-structured organized organised pattern approach structure habit efficient efficiency reliable
	reliability key crucial essential simple descriptive unique meaningful great right following follow aware mind attention conventions
	following adhere apply improve understanding understand potential conflict issue error properly set way ways thing process
	method-naming programming python everyone others stakeholder client goal day time question question update preference one part detail`)

// distinct are verbs that tell a rule by themselves: "test your code".
var distinct = set("document comment annotate test log lint format type-check typecheck profile benchmark validate review squash rebase sign measure type-hint")

func hasLiteral(ts []token) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return t.class == literal })
}

func onlyPronouns(ts []token) bool {
	return !slices.ContainsFunc(ts, func(t token) bool {
		return !filler[t.low] && t.class != mark
	})
}

// quantified reports whether the words speak of things in general somewhere.
func quantified(ts []token) bool {
	for i, t := range ts {
		if t.class != word {
			continue
		}
		switch t.low {
		case "all", "every", "each", "any", "your", "our", "everywhere", "everything":
			return true
		}
		if mass[t.low] || singular(t.low) != t.low && thing(t.low) {
			if i == 0 || !hasWord(ts[max(0, i-2):i], "the", "this", "these", "those", "that", "my", "both", "two", "three", "some") {
				return true
			}
		}
	}
	return false
}

func quantifierIn(ts []token) bool { return hasWord(ts, "all", "every", "each", "any") }

// definite reports whether the words name a place in the work at hand: "the tests", "this parser", "in utils.go".
func definite(ts []token) bool {
	for i, t := range ts {
		if t.class == literal {
			if i > 0 && hasWord(ts[i-1:i], "in", "from", "of", "to", "into", "under") && strings.ContainsAny(t.low, "./") && !strings.HasPrefix(t.low, ".") && !strings.HasPrefix(t.low, "@") {
				return true
			}
			continue
		}
		if !hasWord(ts[i:i+1], "the", "this", "these", "those") {
			continue
		}
		np := ts[i+1 : min(len(ts), i+5)]
		if !hasWord(np[:min(2, len(np))], "code", "codebase", "codebases", "project", "repo", "team", "end", "beginning", "start", "suffix", "prefix", "string", "use", "importance", "convention",
			"standard", "following", "same", "letter", "word", "name", "names", "future", "first", "last", "imperative", "decorator", "format", "style") && !hasLiteral(np) && !hasWord(np, "name", "names") {
			return true
		}
	}
	return false
}

// planned reports whether a sentence tells what is about to be done: "let's return nil instead of an error".
func planned(ts []token) bool {
	return hasWord(ts[:1], "let's", "let") || follows(ts, 0, []string{"we", "will"}) || hasWord(ts[:1], "we'll")
}

// against reports whether the clause names what it replaces.
func (c *clause) against() bool {
	return hasWord(c.object, "instead") || hasWord(c.object, "rather") && hasWord(c.object, "than") || c.verb == "prefer" && hasWord(c.object, "over", "to")
}
