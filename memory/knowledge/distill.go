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
	// Promised: it is said by one who will follow it: "I'll make sure to …".
	Promised bool
}

// Distill gives the standing rules that a message of this role states. What an assistant states is tentative, and what
// anyone promises. Tools state none.
func Distill(text string, role dialogue.Role) []Found {
	if role == dialogue.Tool {
		return nil
	}
	found := parse(text, stated)
	for i := range found {
		found[i].Tentative = found[i].Promised || role == dialogue.Assistant
	}
	return found
}

// manner says whose words are read.
type manner byte

const (
	stated      manner = iota // in a conversation
	handwritten               // as a rule: every statement counts
)

// reading is what the sentences of a message so far tell about the next.
type reading struct {
	manner    manner
	announced bool // "I want to go over our coding conventions"
	ruleBlock int  // the block in which items are rules; -1 = none
	last      []token
	names     []token // whose names were set last
	object    []token // what the last rule of the message was about
}

func parse(text string, m manner) []Found {
	r := reading{manner: m, ruleBlock: -1}
	var out []Found
	for _, s := range sentences(text) {
		for _, f := range r.sentence(s) {
			out = slices.DeleteFunc(out, func(o Found) bool { return f.Subject.within(o.Subject) })
			if !slices.ContainsFunc(out, func(o Found) bool { return o.Line == f.Line }) {
				out = append(out, f)
			}
		}
	}
	return out
}

// maxWords bounds the tokens of a sentence that may state a rule; reading one takes time that grows with their square.
const maxWords = 100

// sentence gives the rules of one sentence.
func (r *reading) sentence(s sentence) []Found {
	if len(s.tokens) > maxWords {
		return nil
	}
	if !hasThing(s.tokens) && !hasWord(s.tokens, "them", "it", "these", "those") && r.manner == stated && !s.listed {
		r.announce(s, s.tokens, 0)
		return nil
	}
	ts, marks := strip(s.tokens)
	defer r.announce(s, ts, marks)
	if len(ts) < 2 || supposes(ts) || s.asked && !asksTo(&ts) {
		return nil
	}
	if f, ok := retraction(ts); ok {
		return []Found{f}
	}
	var out []Found
	ts = contrasted(ts)
	for _, c := range clauses(ts) {
		c.force |= marks
		if s.listed && s.block == r.ruleBlock {
			c.force |= standing
		}
		r.refer(&c, ts)
		if !r.accepts(&c, ts) {
			continue
		}
		if o := clean(beforePreposition(c.object)); hasLiteral(o) {
			r.object = clean(c.object)
		}
		for _, f := range c.found() {
			if strings.HasPrefix(f.Subject.Key, "name ") {
				r.names = tokenize(f.Subject.Scope)
			}
			f.Promised = c.force&promise != 0
			out = append(out, f)
		}
	}
	if len(out) == 0 && r.manner == stated {
		if f, ok := declared(ts, s.listed); ok {
			f.Replaces = f.Replaces || marks&replacing != 0
			out = append(out, f)
		}
	}
	return out
}

// contrasted writes "use tabs, never spaces, in Go files" as "use tabs instead of spaces in Go files".
func contrasted(ts []token) []token {
	chosen := slices.IndexFunc(ts, func(t token) bool {
		verb, f := verbForm(t.low)
		return t.class == word && choosing[verb] && f != past
	})
	for i := chosen + 2; chosen >= 0 && i+2 < len(ts); i++ {
		if ts[i].text != "," || !hasWord(ts[i+1:i+2], "not", "never", "no") || !bareHead(ts[chosen+1:]) || !bareHead(ts[i+2:]) || prefixes[ts[i+2].low] {
			continue
		}
		rest := i + 2
		for rest < len(ts) && ts[rest].class != mark {
			rest++
		}
		out := append(slices.Clone(ts[:i]), token{text: "instead", low: "instead", space: true}, token{text: "of", low: "of", space: true})
		out = append(out, ts[i+2:rest]...)
		if rest+1 < len(ts) && ts[rest].text == "," && prefixes[ts[rest+1].low] {
			rest++
		}
		return append(out, ts[rest:]...)
	}
	return ts
}

// retraction reads "forget what I said about docstrings", "drop the rule on line length".
func retraction(ts []token) (Found, bool) {
	verb := -1
	for i, t := range ts {
		if startsClause(ts, i) && hasWord([]token{t}, "forget", "ignore", "drop", "disregard", "scrap", "cancel", "revoke", "scratch") || i > 0 && t.is("forget") && hasWord(ts[:i], "can", "please") {
			verb = i
			break
		}
	}
	if verb < 0 || !hasWord(ts[verb:], "said", "told", "rule", "rules", "convention", "instruction", "instructions", "earlier", "guideline", "policy", "preference") {
		return Found{}, false
	}
	rest := ts[verb+1:]
	if i := slices.IndexFunc(rest, func(t token) bool { return hasWord([]token{t}, "about", "on", "regarding", "for", "of", "to") }); i >= 0 {
		rest = rest[i+1:]
	}
	rest = drop(rest, "rule", "rules", "convention", "instruction", "instructions", "said", "told", "earlier", "previous", "prefix", "suffix", "using")
	words := contents(rest)
	if len(words) == 0 || len(words) > 6 {
		return Found{}, false
	}
	slices.Sort(words)
	return Found{Line: sentenceCase(write(trim(ts[verb:]))), Withdraws: true, Replaces: true, Subject: Subject{Key: "withdraw " + strings.Join(words, " ")}}, true
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
	} else if len(ts) > 2 {
		r.last = nil
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
				if p[0] == "instead" && !(i+1 < len(ts) && ts[i+1].is("of")) {
					marks |= swap
				}
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
			if p, _ := longest(rest, 0); p != nil && p.force != 0 {
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

// refer gives a clause that speaks of "them" or "it" what was spoken of before, in the sentence or the one before it.
func (r *reading) refer(c *clause, ts []token) {
	about := beforePreposition(c.object)
	pronoun := hasWord(about, "them", "it", "these", "those", "this")
	if c.where != nil || !onlyPronouns(about) {
		return
	}
	if r.names != nil && (naming(c.verb) != "" && pronoun || !pronoun && hasWord(c.object, "names", "name") && len(strict(afterPreposition(c.object))) == 1) {
		c.refer(r.names)
		return
	}
	if !pronoun && naming(c.verb) == "" {
		return
	}
	if pronoun && hasWord([]token{{low: c.verb}}, "apply", "implement", "follow", "adopt", "adhere", "do", "maintain") {
		return // it is the rule itself that is spoken of
	}
	if naming(c.verb) == "" && r.object != nil {
		c.refer(r.object)
		return
	}
	for _, before := range [][]token{ts[:max(0, c.start)], r.last} {
		for i := len(before) - 1; i >= 0; i-- {
			if hasWord(before[i:i+1], "for", "of", "on", "about", "to", "regarding", "the", "is", "need", "using", "naming") && i+1 < len(before) {
				if np := strict(before[i+1:]); hasThing(np) {
					c.refer(np)
					return
				}
			}
		}
		if np := strict(before); len(before) < 7 && hasThing(np) {
			c.refer(np)
			return
		}
	}
}

// beforeRelative gives the words up to "that" or "which": what is said of a thing is no order.
func beforeRelative(ts []token) []token {
	if i := slices.IndexFunc(ts, func(t token) bool { return hasWord([]token{t}, "that", "which", "who", "where") }); i >= 0 {
		return ts[:i]
	}
	return ts
}

// recurring reports whether the words tell an occasion that comes again: "before every commit".
func recurring(ts []token) bool {
	for i := range ts {
		if i > 0 && hasWord(ts[i:i+1], "every", "each", "any") && hasWord(ts[i-1:i], "before", "after", "with", "on", "at") {
			return true
		}
	}
	return false
}

// telling are verbs that speak of code or answers by themselves; one loose thing beside them is enough.
var telling = set("commit push merge rebase squash test lint refactor hardcode hard-code document annotate typecheck answer reply respond deploy indent log compile")

func afterPreposition(ts []token) []token { return ts[len(beforePreposition(ts)):] }

// refer puts a noun in the place of the pronoun.
func (c *clause) refer(np []token) {
	if naming(c.verb) != "" || !hasWord(c.object, "them", "it", "these", "those", "this") {
		c.where = append([]token{{text: "for", low: "for", space: true}}, np...)
		return
	}
	for i, t := range c.object {
		if hasWord([]token{t}, "them", "it", "these", "those", "this") {
			c.object = slices.Concat(c.object[:i], np, c.object[i+1:])
			return
		}
	}
}

func beforePreposition(ts []token) []token {
	for i, t := range ts {
		if hasWord([]token{t}, "in", "to", "for", "with", "on", "from", "into", "across", "throughout", "within", "at", "by", "here", "when", "of") {
			return ts[:i]
		}
	}
	return ts
}
