package knowledge

import (
	"slices"
	"strings"
)

// naming gives the relation in which a verb sets a part of names: "start", "end" or "".
func naming(verb string) string {
	switch verb {
	case "start", "begin", "prefix", "prepend", "starts", "begins":
		return "start"
	case "end", "finish", "suffix", "append", "ends":
		return "end"
	}
	return ""
}

// cases are styles of writing names.
var cases = set(`snake_case camelcase pascalcase kebab-case uppercase lowercase upper_case screaming_snake_case upper_snake_case snakecase kebabcase capwords mixedcase`)

func isCase(t token) bool { return cases[strings.ToLower(t.low)] }

// namings gives the rules of a clause about names: what they start or end with, what they contain, their style. One
// clause may set several: "start variable names with 'v_' and method names with 'm_'".
func (c *clause) namings() []Found {
	relation := naming(c.verb)
	object := c.object
	switch {
	case relation == "" && (having[c.verb] || c.verb == "name") && !hasWord(object, "string"):
		relation, object = positioned(object)
	}
	if relation == "" {
		return c.styled()
	}
	if !hasLiteral(object) && !hasWord(object, "digit", "number", "letter", "underscore", "uppercase", "lowercase") {
		return nil
	}
	var out []Found
	things := c.thing
	from := 0
	for i, t := range object {
		if t.class != literal || !isAffix(object, i) {
			continue
		}
		seg := object[from:i]
		if len(things) == 0 || from > 0 {
			if np := named(seg); len(np) > 0 {
				things = np
			}
		}
		if len(things) == 0 || pronominal(things) {
			// "as a prefix for method names" stands after the value.
			if np := named(following(object, i)); len(np) > 0 {
				things = np
			} else {
				things = c.whereNoun()
			}
		}
		if from > 0 && !hasWord(seg, "with", "by", "prefix", "suffix") {
			break
		}
		for _, thing := range conjoined(nounPhrase(things)) {
			if nameOf(thing) != "" {
				out = append(out, c.affix(relation, thing, t))
			}
		}
		from = i + 1
	}
	return out
}

// isAffix reports whether the literal at i is what names start or end with, not an example.
func isAffix(ts []token, i int) bool {
	return i == 0 || !hasWord(ts[max(0, i-2):i], "like", "from", "than", "of")
}

// following gives the words after the value up to the next literal.
func following(ts []token, i int) []token {
	rest := ts[i+1:]
	for n, t := range rest {
		if t.class == literal {
			return rest[:n]
		}
	}
	return rest
}

// named takes from the words between two values those that name a thing: "variable names with".
func named(seg []token) []token {
	seg = slices.DeleteFunc(slices.Clone(seg), func(t token) bool {
		return t.class == mark || hasWord([]token{t}, "and", "also", "the", "prefix", "suffix", "string", "letter", "character", "characters", "either", "them", "it", "as", "starting", "ending")
	})
	for len(seg) > 0 && hasWord(seg[:1], "for", "to", "of", "in", "on", "end", "beginning", "start", "all", "my", "your") {
		seg = seg[1:]
	}
	np := strict(seg)
	if hasWord(seg, "of") {
		np = nounPhrase(seg)
	}
	if len(np) == 1 && hasWord(np, "name", "names") || !hasThing(np) {
		return nil
	}
	return np
}

func pronominal(ts []token) bool {
	return len(strict(ts)) == 0 || len(ts) == 1 && hasWord(ts, "them", "it", "names", "name")
}

// conjoined splits "variable and method names" into "variable names" and "method names".
func conjoined(np []token) [][]token {
	i := slices.IndexFunc(np, func(t token) bool { return t.is("and") || t.is("or") || t.is("&") })
	if i <= 0 || i == len(np)-1 {
		return [][]token{np}
	}
	return [][]token{np[:i], np[i+1:]}
}

// positioned finds "use 'x_' as a prefix", "include 'x' at the beginning": the relation and the words with the value.
func positioned(ts []token) (relation string, rest []token) {
	for i, t := range ts {
		if t.class != word {
			continue
		}
		switch t.low {
		case "prefix", "beginning", "start":
			relation = "start"
		case "suffix", "end":
			relation = "end"
		case "starting", "first", "leading":
			if i+1 < len(ts) && hasWord(ts[i+1:i+2], "letter", "character", "with", "letters") {
				relation = "start"
			}
		case "ending", "last", "trailing":
			if i+1 < len(ts) && hasWord(ts[i+1:i+2], "letter", "character", "with", "letters") {
				relation = "end"
			}
		}
	}
	if relation != "" && hasLiteral(ts) {
		return relation, ts
	}
	return "", nil
}

// affix makes the rule that names start or end with a value.
func (c *clause) affix(relation string, np []token, value token) Found {
	thing := nameOf(np)
	verb := map[string]string{"start": "start", "end": "end"}[relation]
	line := verb + " " + thing + " names with " + value.text
	if c.force&negative != 0 {
		line = "never " + line
	}
	return Found{
		Line: sentenceCase(line), Replaces: c.force&(replacing|ending) != 0,
		Subject: Subject{Key: "name " + relation + " " + thing, Scope: thing + " names", Value: value.low, Negative: c.force&(negative|ending) != 0},
	}
}

// nameOf gives the singular of what is named: "function argument" of "function argument names", "all your variables".
func nameOf(np []token) string {
	var words []string
	for _, t := range np {
		if t.class == mark || filler[t.low] || hasWord([]token{t}, "name", "names", "naming", "future", "existing", "own", "custom") {
			continue
		}
		w := t.text
		if t.class == word {
			w = singular(t.low)
		}
		words = append(words, w)
	}
	switch name := strings.Join(words, " "); name {
	case "argument", "parameter", "function parameter", "function arg", "function argument variable", "method argument", "method parameter":
		return "function argument"
	default:
		return name
	}
}

// styled gives the rules on the style or the content of names: "use snake_case for class names", "include a digit in
// method names".
func (c *clause) styled() []Found {
	np := c.namedThing()
	if len(np) == 0 {
		return nil
	}
	thing := nameOf(np)
	if thing == "" {
		return nil
	}
	f := Found{Replaces: c.force&(replacing|ending) != 0, Subject: Subject{Scope: thing + " names", Negative: c.force&(negative|ending) != 0}}
	for _, t := range c.object {
		if isCase(t) {
			f.Line = sentenceCase("use " + t.text + " for " + thing + " names")
			f.Subject.Key, f.Subject.Value = "name case "+thing, strings.ToLower(t.low)
			return []Found{f}
		}
	}
	if !having[c.verb] {
		return nil
	}
	what := slices.IndexFunc(c.object, func(t token) bool { return t.class == literal })
	content := ""
	switch {
	case what >= 0:
		content = c.object[what].text
	case hasWord(c.object, "digit", "digits", "number", "numbers", "underscore"):
		content = "a digit"
		if hasWord(c.object, "underscore") {
			content = "an underscore"
		}
	default:
		return nil
	}
	f.Line = sentenceCase("include " + content + " in " + thing + " names")
	if c.force&negative != 0 {
		f.Line = sentenceCase("never include " + content + " in " + thing + " names")
	}
	f.Subject.Key = "name contain " + thing + " " + content
	return []Found{f}
}

// namedThing gives whose names the clause is about, nil where it is not about names.
func (c *clause) namedThing() []token {
	if np := c.thing; np != nil && hasWord(np, "name", "names") {
		return nounPhrase(np)
	}
	for i, t := range c.object {
		if (t.is("names") || t.is("name")) && i > 0 {
			start := i
			for start > 0 && c.object[start-1].class == word && !hasWord(c.object[start-1:start], "in", "for", "to", "of", "within", "into", "the") {
				start--
			}
			if np := strict(c.object[start : i+1]); len(np) > 1 {
				return np
			}
		}
		if t.is("naming") && i+1 < len(c.object) {
			return nounPhrase(c.object[i:])
		}
	}
	if c.where != nil && (hasWord(c.where, "naming", "names", "name") || hasWord(c.object, "names", "name")) {
		return c.whereNoun()
	}
	// "for function arguments, include a single digit as a suffix" is about their names, too.
	if c.where != nil && (hasWord(c.object, "digit", "underscore", "suffix", "prefix") || slices.ContainsFunc(c.object, isCase)) {
		return c.whereNoun()
	}
	return nil
}
