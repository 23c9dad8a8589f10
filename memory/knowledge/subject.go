package knowledge

import (
	"slices"
	"strings"
)

// Subject is what a rule is about. Rules with the same key cannot hold side by side: the newer one supersedes.
type Subject struct {
	// Key compares subjects: the relation, the thing and, where several may hold at once, the value.
	Key string `json:"key,omitempty"`
	// Scope is what the rule applies to: "function name", "python", "commit message"; "" where it says none.
	Scope string `json:"scope,omitempty"`
	// Value is what the rule sets: a prefix, a tool, a number.
	Value string `json:"value,omitempty"`
	// Against is the value that the rule names as replaced: "use X instead of Y".
	Against string `json:"against,omitempty"`
	// Instead marks a rule that says it stands in another's place without naming it.
	Instead bool `json:"instead,omitempty"`
	// Negative marks a rule that forbids.
	Negative bool `json:"negative,omitempty"`
}

// same reports whether two rules on one subject say the same.
func (s Subject) same(o Subject) bool {
	return s.Key == o.Key && strings.EqualFold(s.Value, o.Value) && s.Negative == o.Negative
}

// within reports whether the subject is told by another one's words and more: "add it to all functions" after "use the
// decorator".
func (s Subject) within(o Subject) bool {
	if s.Key == o.Key || s.Negative != o.Negative || strings.HasPrefix(o.Key, "name ") || strings.HasPrefix(s.Key, "name ") {
		return false
	}
	mine := strings.Fields(s.Key)
	for _, w := range strings.Fields(o.Key) {
		if !slices.Contains(mine, w) {
			return false
		}
	}
	return len(strings.Fields(o.Key)) > 2
}

// plainSubject is the subject of a text that states no rule in a form that is understood: its words.
func plainSubject(text string) Subject {
	var words []string
	for _, t := range tokenize(text) {
		if t.class != mark && !filler[t.low] {
			words = append(words, stem(t.low))
		}
	}
	slices.Sort(words)
	return Subject{Key: "text " + strings.Join(slices.Compact(words), " ")}
}

// stem takes the endings of English inflection off a word, roughly: the same for "comment", "comments", "commenting".
func stem(w string) string {
	for _, e := range []struct{ end, put string }{
		{"ies", "y"}, {"sses", "ss"}, {"xes", "x"}, {"ches", "ch"}, {"shes", "sh"}, {"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"s", ""},
	} {
		if len(w) > len(e.end)+2 && strings.HasSuffix(w, e.end) {
			w = w[:len(w)-len(e.end)] + e.put
			break
		}
	}
	for _, end := range []string{"ing", "ed"} {
		if base, ok := strings.CutSuffix(w, end); ok && len(base) > 3 && strings.ContainsAny(base, "aeiouy") {
			if n := len(base); base[n-1] == base[n-2] && base[n-1] != 's' && base[n-1] != 'l' {
				base = base[:n-1]
			}
			return strings.TrimSuffix(base, "e")
		}
	}
	if len(w) > 4 {
		w = strings.TrimSuffix(w, "e")
	}
	return w
}

// alike are words that say the same in rules.
var alike = map[string]string{
	"indentation": "indent", "indenting": "indent", "tests": "test", "testing": "test", "logs": "log", "logging": "log",
	"characters": "char", "chars": "char", "columns": "char", "character": "char", "keep": "limit", "wrap": "limit", "restrict": "limit",
	"documentation": "document", "try-except": "try", "try/except": "try", "try-catch": "try", "typehint": "hint", "assertion": "assert", "assertions": "assert",
	"answers": "answer", "reply": "answer", "replies": "answer", "respond": "answer", "responses": "answer", "response": "answer",
}

var languages = set("english german french spanish italian portuguese dutch polish russian chinese japanese korean swedish danish norwegian finnish czech turkish hindi arabic ukrainian greek")

// subject says what a clause is about.
func (c *clause) subject() Subject {
	s := Subject{Negative: c.force&(negative|ending) != 0 || c.verb == "avoid" || c.verb == "skip" || c.verb == "omit", Scope: c.applies()}
	verb := alikeOr(c.verb)
	if having[c.verb] {
		verb = "have"
	}
	object := c.object
	for i, t := range object {
		two := i+1 < len(object)
		if t.is("instead") && two && object[i+1].is("of") || t.is("rather") && two && object[i+1].is("than") || t.is("over") && c.verb == "prefer" {
			rest := object[min(len(object), i+2):]
			if t.is("over") {
				rest = object[i+1:]
			}
			s.Value, s.Against = bare(object[:i]), bare(strict(rest))
			words := append(contents(object[:i]), contents(strict(rest))...)
			slices.Sort(words)
			s.Key = "choose " + strings.Join(slices.Compact(words), " ")
			return s
		}
	}
	if choosing[c.verb] && c.force&negative == 0 {
		if i := slices.IndexFunc(object, func(t token) bool { return t.is("for") || t.is("as") }); i > 0 && i+1 < len(object) && single(object[:i], object[i+1:]) {
			s.Value = bare(object[:i])
			s.Key = "use for " + strings.Join(contents(object[i+1:]), " ")
			return s
		}
	}
	if c.verb == "indent" {
		s.Key, s.Value = "use for indent", bare(drop(object, "with", "code", "using", "by"))
		return s
	}
	var words, values []string
	for _, t := range slices.Concat(c.thing, object, c.whereNoun()) {
		switch {
		case t.class == mark || t.class == word && filler[t.low]:
		case t.class == number:
			values = append(values, t.low)
			words = append(words, "#")
		case languages[t.low]:
			values = append(values, t.low)
			words = append(words, "language")
		default:
			words = append(words, contents([]token{t})...)
		}
	}
	slices.Sort(words)
	s.Value = strings.Join(values, " ")
	s.Key = strings.TrimSpace(verb + " " + strings.Join(slices.Compact(words), " "))
	return s
}

var choosing = set("use prefer choose utilize utilise employ pick adopt favor favour")

// containers are what several rules apply to side by side.
var containers = set("function method class module file variable code script package interface struct argument parameter attribute project name endpoint component")

// single reports whether only one x can be used for z: a tool for a job, not comments for functions.
func single(x, z []token) bool {
	z = strict(z)
	if len(z) == 0 || len(x) > 4 {
		return false
	}
	return !containers[singular(z[len(z)-1].low)]
}

func alikeOr(w string) string {
	if a, ok := alike[w]; ok {
		return a
	}
	return w
}

// contents gives the stems of the words that tell what is spoken of, in their order.
func contents(ts []token) []string {
	var out []string
	for _, t := range ts {
		switch {
		case t.class == mark || t.class != literal && filler[t.low]:
		case t.class == literal:
			out = append(out, t.low)
		default:
			out = append(out, stem(alikeOr(t.low)))
		}
	}
	return out
}

func bare(ts []token) string { return strings.ToLower(write(clean(drop(ts, "the", "a", "an")))) }

// applies gives what a clause applies to: the last "in …", "to …", "for …" of the object, or what stands before it.
func (c *clause) applies() string {
	for i := len(c.object) - 2; i >= 0; i-- {
		if hasWord(c.object[i:i+1], "in", "to", "for", "on") {
			if np := strict(c.object[i+1:]); len(np) > 0 && len(np) < 5 {
				return strings.ToLower(write(np))
			}
		}
	}
	if c.thing != nil {
		return strings.ToLower(write(strict(c.thing)))
	}
	return strings.ToLower(write(c.whereNoun()))
}
