package knowledge

import (
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Found is a standing rule found in a message.
type Found struct {
	// Line is the rule in one line, in the imperative, without address, politeness or reasons.
	Line    string
	Subject Subject
	// Withdraws: the message only ends a rule on the subject.
	Withdraws bool
	// Replaces: the message says that something else held before ("instead", "no longer").
	Replaces bool
	// Tentative: it is a rule only if the one it was said to takes it for one.
	Tentative bool
}

// Distill gives the standing rules that a message of this role states. What an assistant says are promises and
// proposals; they are tentative. Tools state none.
func Distill(text string, role dialogue.Role) []Found {
	switch role {
	case dialogue.User, dialogue.System:
		return parse(text, stated)
	case dialogue.Assistant:
		return parse(text, promised)
	}
	return nil
}

// manner says whose words are read.
type manner byte

const (
	stated      manner = iota // by one who may state rules
	promised                  // by the one they are stated to
	handwritten               // as a rule: every statement counts
)

// reading is what the sentences of a message so far tell about the next.
type reading struct {
	manner    manner
	announced bool // "I want to go over our coding conventions"
	ruleBlock int  // the block in which items are rules; -1 = none
	last      []token
}

func parse(text string, m manner) []Found {
	r := reading{manner: m, ruleBlock: -1}
	var out []Found
	for _, s := range sentences(text) {
		for _, f := range r.sentence(s) {
			if !slices.ContainsFunc(out, func(o Found) bool { return o.Line == f.Line }) {
				out = append(out, f)
			}
		}
	}
	return out
}

// sentence gives the rules of one sentence.
func (r *reading) sentence(s sentence) []Found {
	ts, marks := strip(s.tokens)
	defer r.announce(s, ts, marks)
	if len(ts) < 2 || supposes(ts) || s.asked && !asksTo(&ts) {
		return nil
	}
	var out []Found
	for _, c := range clauses(ts) {
		c.force |= marks
		at := c.end // its beginning is not kept: prefixes are searched before the object
		c.scope(ts, at)
		if s.listed && s.block == r.ruleBlock {
			c.force |= standing
		}
		ok, sure := r.accepts(&c, ts)
		if !ok {
			continue
		}
		for _, f := range c.found() {
			f.Tentative = !sure
			out = append(out, f)
		}
	}
	return out
}

// announce notes what the sentence tells about those after it.
func (r *reading) announce(s sentence, ts []token, marks force) {
	about := false
	for _, t := range s.tokens {
		if t.class == word && announcing[t.low] {
			about = true
		}
	}
	if about {
		r.announced = true
	}
	if !s.listed && endsInColon(s.tokens) && (about || marks&standing != 0 || hasWord(ts, "always", "never", "following")) {
		r.ruleBlock = s.block
	}
	if hasThing(ts) {
		r.last = ts
	}
}

var announcing = set(`convention conventions standard standards guideline guidelines practices rules rule instructions pointers policy policies preferences style habits reminders`)

// standingPhrases say that what the sentence states shall hold from then on.
var standingPhrases = func() (out [][]string) {
	for _, p := range strings.Split(`from now on|from now onwards|from now onward|from here on out|from here on|going forward|moving forward|in the future|in future|at all times|
from this point on|from this point forward|from this point onward|starting today|starting now|from today on|from today|as of now|as of today|by default|as a rule|as a general rule|by convention|henceforth|every time|each time|
for all future work|in all cases|without exception|all the time|in general|for the rest of this project|for the rest of the project|for future reference|as a standing rule|as a convention|permanently`, "|") {
		out = append(out, strings.Fields(p))
	}
	return out
}()

var replacingPhrases = func() (out [][]string) {
	for _, p := range strings.Split(`no longer|anymore|any more|any longer|instead|actually|update|updating|updated|changed my mind|change of plans|has changed|have changed|change|changed|changing|new convention|new standard|scratch that|correction|rather`, "|") {
		out = append(out, strings.Fields(p))
	}
	return out
}()

// strip takes openers, names that are addressed and standing phrases off a sentence; marks are the forces they give.
func strip(ts []token) (rest []token, marks force) {
	rest = make([]token, 0, len(ts))
	for i := 0; i < len(ts); {
		n := 0
		for _, p := range standingPhrases {
			if follows(ts, i, p) {
				n = max(n, len(p))
			}
		}
		if n > 0 {
			marks |= standing
			i += n
			continue
		}
		for _, p := range replacingPhrases {
			if follows(ts, i, p) {
				marks |= replacing
			}
		}
		rest = append(rest, ts[i])
		i++
	}
	for len(rest) > 0 {
		t := rest[0]
		next := len(rest) > 1 && rest[1].class == mark
		switch {
		case t.class == mark:
		case t.class == word && next && rest[1].is(","): // an opener or a name
		case t.is("no") && !next:
			return rest, marks
		case t.class == word && openers[t.low]:
			if p := longest(rest, 0); p != nil && p.force != 0 {
				return rest, marks
			}
		default:
			return rest, marks
		}
		rest = rest[1:]
	}
	return rest, marks
}

// supposes reports whether a sentence tells what might be or was, not what shall be.
func supposes(ts []token) bool {
	switch ts[0].low {
	case "imagine", "suppose", "supposing", "maybe", "perhaps", "what", "why", "how", "who", "where", "which", "should", "could", "would",
		"did", "does", "is", "are", "was", "were", "thanks", "sorry", "wish":
		return !asksTo(&ts)
	case "i":
		return len(ts) > 1 && (hasWord(ts[1:2], "wonder", "wish", "guess", "wondered", "heard", "read", "remember", "used", "tried", "saw"))
	case "if":
		return len(ts) > 1 && hasWord(ts[1:2], "i", "we", "he", "she", "they") && !hasWord(ts, "always", "never", "must")
	}
	return false
}

// asksTo takes the form of a question off a request: "could you please always …?"
func asksTo(ts *[]token) bool {
	t := *ts
	if len(t) > 3 && hasWord(t[:1], "can", "could", "would", "will") && t[1].is("you") {
		*ts = t[2:]
		return !hasWord(t[2:3], "be", "have", "like", "prefer", "say", "tell", "explain", "show")
	}
	if len(t) > 4 && t[0].is("would") && follows(t, 1, []string{"you", "mind"}) {
		*ts = t[3:]
		return true
	}
	return false
}

// oneOff are words that tie a statement to the work at hand.
var oneOff = [][]string{{"this", "time"}, {"for", "now"}, {"yet"}, {"right", "now"}, {"this", "once"}, {"this", "file"}, {"this", "function"}, {"this", "class"},
	{"this", "method"}, {"this", "test"}, {"this", "bug"}, {"this", "pr"}, {"this", "branch"}, {"this", "commit"}, {"this", "one"}, {"this", "module"}, {"this", "case"}, {"today"}, {"tomorrow"}, {"this", "change"},
	{"that", "file"}, {"that", "function"}, {"that", "test"}, {"that", "class"}, {"that", "method"}, {"the", "following"}, {"these", "tests"}, {"these", "files"}}

func isOneOff(ts []token) bool {
	for i := range ts {
		for _, p := range oneOff {
			if follows(ts, i, p) {
				return true
			}
		}
	}
	return false
}

// accepts reports whether a clause states a standing rule, and whether for sure.
func (r *reading) accepts(c *clause, sentence []token) (ok, sure bool) {
	said := slices.Concat(c.thing, c.object)
	if len(said) == 0 || !hasThing(said) && !(c.where != nil && hasThing(c.where)) || onlyPronouns(said) && c.where == nil {
		return false, false
	}
	if r.manner == handwritten {
		return true, true
	}
	f := c.force
	general := quantified(said) || c.where != nil && generic(c.where)
	if r.manner == promised {
		return f&promise != 0 && (general || f&(always|standing) != 0) || f&usage != 0 && f&(always|standing) != 0 || f&custom != 0, false
	}
	if f&promise != 0 {
		return false, false
	}
	if isOneOff(sentence) && f&standing == 0 {
		return false, false
	}
	switch {
	case f&(always|standing) != 0:
		return true, true
	case f&custom != 0:
		return general || hasLiteral(said), true
	case f&ending != 0:
		return general || hasLiteral(said), true
	case f&wished != 0:
		return general && (c.verb != "have" || len(c.object) > 1), true
	case f&request != 0:
		return general && !located(said), true
	case f&must != 0:
		return general, true
	case f&usage != 0:
		return c.against() || general && (quantifierIn(said) || hasWord(sentence, "here", "team", "project", "codebase", "repo", "convention") && r.announced), true
	case f&plain != 0:
		return general && !located(said) && (r.announced || f&negative != 0 || quantifierIn(said) && hasWord(said, "your", "our", "every", "each")) || c.against() && !hasWord(sentence, "here"), true
	case f&negative != 0:
		return general && !located(said), true
	}
	return false, false
}

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
		if mass[t.low] || singular(t.low) != t.low && things[singular(t.low)] {
			if i == 0 || !hasWord(ts[max(0, i-2):i], "the", "this", "these", "those", "that", "my", "both", "two", "three", "some") {
				return true
			}
		}
	}
	return false
}

func quantifierIn(ts []token) bool { return hasWord(ts, "all", "every", "each", "any") }

// located reports whether the words name a place in the work at hand: "all the tests", "in utils.go".
func located(ts []token) bool {
	for i, t := range ts {
		if t.class == literal && i > 0 && hasWord(ts[i-1:i], "in", "from", "of", "to", "into", "under") && strings.ContainsAny(t.low, "./") {
			return true
		}
		if t.is("the") && i > 0 && hasWord(ts[i-1:i], "all", "in", "of", "each", "both") && !hasWord(ts[i:min(len(ts), i+3)], "code", "codebase", "project", "repo", "name", "names", "team") {
			return true
		}
	}
	return false
}

// against reports whether the clause names what it replaces.
func (c *clause) against() bool {
	return hasWord(c.object, "instead") || hasWord(c.object, "rather") && hasWord(c.object, "than") || c.verb == "prefer" && hasWord(c.object, "over", "to")
}
