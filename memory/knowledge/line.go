package knowledge

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// prefixes are words that begin what a statement applies to: "for variable names, …", "when naming methods, …".
var prefixes = set("for when in whenever regarding if before after on with while during within")

// scope finds what stands before the clause and says what it applies to: it sets where.
func (c *clause) scope(ts []token, first int) {
	for i := min(first, len(ts)) - 1; i >= 0; i-- {
		if ts[i].class == mark && !ts[i].is(",") {
			return
		}
		if !ts[i].is(",") {
			continue
		}
		// The segment that ends at this comma.
		start := i
		for start > 0 && !(ts[start-1].class == mark) {
			start--
		}
		for start < i && (hasWord(ts[start:start+1], "and", "so", "but", "that", "similarly", "likewise", "especially") || ts[start].is("as") && start+1 < i && ts[start+1].is("for")) {
			start++
		}
		if seg := ts[start:i]; len(seg) > 0 && prefixes[seg[0].low] {
			if recurs(seg) {
				c.force |= standing
			}
			if hasThing(seg) {
				c.where = seg
				return
			}
		}
		i = start
	}
}

// recurs reports whether a condition comes up again and again: "whenever …", "when writing code".
func recurs(seg []token) bool {
	if seg[0].is("whenever") {
		return true
	}
	if !seg[0].is("when") {
		return false
	}
	for _, t := range seg[1:min(len(seg), 4)] {
		if _, f := verbForm(t.low); f == gerund || hasWord([]token{t}, "coding", "naming", "writing", "working", "declaring", "defining") {
			return true
		}
	}
	return false
}

// whereNoun gives the things of the scope without the words that lead in: "naming methods" is "method names".
func (c *clause) whereNoun() []token {
	w := c.where
	if len(w) == 0 {
		return nil
	}
	w = w[1:]
	return nounPhrase(w)
}

// nounPhrase reduces words to what they name: "you're naming your variables" is "variable names", "all your
// methods" is "methods".
func nounPhrase(w []token) []token {
	if i := slices.IndexFunc(w, func(t token) bool { return t.is("of") }); i > 0 && (w[i-1].is("names") || w[i-1].is("name")) {
		w = append(slices.Clone(strict(w[i+1:])), token{text: "names", low: "names", space: true})
	}
	named := -1
	for i, t := range w {
		switch {
		case t.is("naming") || t.is("name") && i+1 < len(w):
			named = i
		}
	}
	if named >= 0 {
		rest := strict(w[named+1:])
		if len(rest) > 0 {
			last := rest[len(rest)-1]
			if last.is("names") || last.is("name") {
				return rest
			}
			rest = append(slices.Clone(rest[:len(rest)-1]), token{text: singular(last.text), low: singular(last.low), space: true}, token{text: "names", low: "names", space: true})
			return rest
		}
	}
	for i, t := range w { // "declaring function arguments"
		if _, f := verbForm(t.low); f == gerund && t.class == word {
			return strict(w[i+1:])
		}
	}
	return strict(w)
}

// strict takes articles, possessives and quantifiers off a noun phrase and ends it at the first preposition.
func strict(w []token) []token {
	var out []token
	for _, t := range w {
		if t.class == mark || len(out) > 0 && hasWord([]token{t}, "in", "for", "of", "with", "to", "from", "on", "at", "that", "which", "within", "as", "we", "you") {
			break
		}
		if t.class == literal || !filler[t.low] {
			out = append(out, t)
		}
	}
	return out
}

// found makes the rules of a clause: one, or one for each of several names it sets.
func (c *clause) found() []Found {
	if list := c.namings(); len(list) > 0 {
		return list
	}
	line := c.line()
	if line == "" {
		return nil
	}
	f := Found{Line: line, Subject: c.subject(), Replaces: c.force&(replacing|ending) != 0}
	f.Subject.Instead = c.force&swap != 0 && f.Subject.Against == ""
	if c.force&ending != 0 && c.force&negative != 0 {
		f.Withdraws = true
	}
	return []Found{f}
}

// line writes the clause in the imperative.
func (c *clause) line() string {
	object := clean(c.object)
	if len(object) == 0 {
		return ""
	}
	var b strings.Builder
	if w := c.condition(); w != "" {
		b.WriteString(w + ", ")
	}
	switch {
	case c.thing != nil:
		b.WriteString(write(clean(c.thing)))
		b.WriteString(map[bool]string{true: " must not ", false: " must "}[c.force&negative != 0])
		b.WriteString(c.verb + " " + write(object))
	case c.force&ending != 0:
		b.WriteString("stop " + gerundOf(c.verb) + " " + write(object))
	case c.force&negative != 0:
		b.WriteString("never " + c.verb + " " + write(object))
	default:
		b.WriteString(c.verb + " " + write(object))
	}
	b.WriteString(c.tail)
	return sentenceCase(b.String())
}

// condition is the scope where the line would not tell it.
func (c *clause) condition() string {
	if len(c.where) == 0 || c.thing != nil || hasWord(c.where[:1], "regarding", "with", "on", "while", "during") {
		return ""
	}
	noun := c.whereNoun()
	if len(noun) > 0 {
		last := stem(noun[len(noun)-1].low)
		for _, t := range c.object {
			if stem(t.low) == last {
				return ""
			}
		}
	}
	where := drop(c.where, "your", "our", "you're")
	if len(where) > 2 && where[1].is("you") && where[2].is("are") {
		where = append(where[:1], where[3:]...)
	}
	return write(where)
}

// clean takes out of an object what a rule's line does without.
func clean(ts []token) []token {
	ts = drop(ts, "your", "our", "always", "please", "consistently", "also", "too")
	for len(ts) > 0 && hasWord(ts[len(ts)-1:], "instead", "as", "well", "now", "everywhere", "okay", "ok", "right", "though", "anymore", "more", "longer", "any", "again", "and") {
		if ts[len(ts)-1].is("well") || ts[len(ts)-1].is("more") || !ts[len(ts)-1].is("any") || true {
			ts = ts[:len(ts)-1]
		}
	}
	return ts
}

func drop(ts []token, words ...string) []token {
	return slices.DeleteFunc(slices.Clone(ts), func(t token) bool { return t.class != literal && slices.Contains(words, t.low) })
}

// trim takes marks off both ends.
func trim(ts []token) []token {
	for len(ts) > 0 && ts[0].class == mark {
		ts = ts[1:]
	}
	for len(ts) > 0 && ts[len(ts)-1].class == mark {
		ts = ts[:len(ts)-1]
	}
	return ts
}

// write puts tokens together as they were written.
func write(ts []token) string {
	var b strings.Builder
	for i, t := range ts {
		if i > 0 && (t.space || ts[i-1].class != mark && t.class != mark) {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}

func sentenceCase(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(r)) + s[n:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

func gerundOf(v string) string {
	switch {
	case strings.HasSuffix(v, "e") && v != "be":
		return v[:len(v)-1] + "ing"
	case v == "put" || v == "set" || v == "get" || v == "run" || v == "begin" || v == "commit" || v == "skip" || v == "wrap" || v == "omit" || v == "split":
		return v + v[len(v)-1:] + "ing"
	}
	return v + "ing"
}
