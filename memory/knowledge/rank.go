package knowledge

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Ranked is an item and how well it fits a query: 1 and more must be shown before anything else, below 1 competes with
// other memories, 0 does not fit.
type Ranked struct {
	Item  Item
	Score float64
}

// taskVerbs begin an order to write or change code.
var taskVerbs = set(`write implement add create build refactor make fix extend port generate rewrite convert develop design code define update change
	move rename introduce optimize optimise replace remove migrate draft finish complete split extract simplify clean scaffold set wire
	parse compute calculate solve produce prepare program construct adapt modify improve test document`)

// IsTask reports whether a query orders code to be written or changed: every standing rule may apply to it.
func IsTask(query string) bool {
	for _, s := range sentences(query) {
		ts, _ := strip(s.tokens)
		asksTo(&ts)
		for len(ts) > 1 && (ts[0].class == mark || hasWord(ts[:1], "please", "now", "just", "also", "let's", "help", "me", "to", "kindly", "then", "and", "go", "ahead")) {
			ts = ts[1:]
		}
		for _, lead := range [][]string{{"i", "need"}, {"i", "want"}, {"we", "need"}, {"i", "would", "like"}, {"i'd", "like"}} {
			if follows(ts, 0, lead) {
				ts = ts[len(lead):]
				for len(ts) > 1 && hasWord(ts[:1], "you", "to") {
					ts = ts[1:]
				}
				if len(ts) > 1 && hasWord(ts[:1], "a", "an") && codeThing(ts) {
					return true
				}
			}
		}
		if len(ts) > 1 && ts[0].class == word && taskVerbs[ts[0].low] && codeThing(ts[1:]) {
			return true
		}
	}
	return false
}

// codeThing reports whether words speak of code that can be made.
func codeThing(ts []token) bool {
	return hasThing(ts) || hasWord(ts, "feature", "bug", "algorithm", "app", "application", "program", "server", "client", "solution", "support")
}

// WantsRules reports whether a query asks for rules: "what is our convention for …?"
func WantsRules(query string) bool {
	if namesRules(query) {
		return true
	}
	for _, s := range sentences(query) {
		for i := range s.tokens {
			for _, p := range [][]string{{"how", "do", "we"}, {"what", "do", "we"}, {"how", "should", "i"}, {"how", "should", "we"}, {"do", "we"}, {"should", "i"}, {"should", "we"}, {"are", "we"}, {"which"}, {"what", "should", "i"}, {"how", "are", "our"}, {"what", "prefix"}, {"what", "suffix"}} {
				if s.asked && follows(s.tokens, i, p) {
					return true
				}
			}
		}
	}
	return false
}

// Rank orders rules, or other items, for a query; items that do not fit are left out. A question for rules gets those it
// names first. For a task all rules apply, those first whose scope fits. Another question gets only what clearly fits.
// terms cuts text into the terms that are compared.
func Rank(query string, items []Item, terms func(text string, yield func(term string))) []Ranked {
	if len(items) == 0 {
		return nil
	}
	asked, named := termsOf(query, terms), map[string]bool{}
	for _, t := range asked {
		named[t] = true
	}
	texts, df := make([][]string, len(items)), map[string]int{}
	for i := range items {
		texts[i] = termsOf(items[i].matchText(), terms)
		for _, t := range texts[i] {
			df[t]++
		}
	}
	idf := func(t string) float64 { return math.Log(1 + float64(len(items)+1)/(1+float64(df[t]))) }
	task, wants := IsTask(query), WantsRules(query)
	var out []Ranked
	ruled := false
	for i := range items {
		s := overlap(asked, named, texts[i], idf)
		rule := items[i].Kind == Rule
		switch {
		case rule && wants && s > 0:
			s++
		case rule && task:
			s = 1 + s/2
			if items[i].ofSource() {
				s += .5
			}
		case rule && s < clearly:
			s = 0
		}
		if s > 0 {
			out = append(out, Ranked{items[i], s})
			ruled = ruled || rule
		}
	}
	if !ruled && wants && namesRules(query) {
		out = append(out, heaviest(items)...)
	}
	slices.SortStableFunc(out, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Item.Weight, a.Item.Weight), cmp.Compare(b.Item.Serial, a.Item.Serial))
	})
	return out
}

// fallbackRules is how many rules answer a question for rules of which none speaks in the question's words: "which
// convention for indentation do we have?" where the rule says "tabs".
const fallbackRules, fallbackScore = 8, .9

// heaviest gives the rules that weigh most.
func heaviest(items []Item) []Ranked {
	var out []Ranked
	for _, it := range items {
		if it.Kind == Rule {
			out = append(out, Ranked{it, fallbackScore})
		}
	}
	slices.SortStableFunc(out, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Item.Weight, a.Item.Weight), cmp.Compare(b.Item.Serial, a.Item.Serial))
	})
	return out[:min(fallbackRules, len(out))]
}

// namesRules reports whether a query says that it asks for rules: "which rules …", "our conventions".
func namesRules(query string) bool {
	for _, s := range sentences(query) {
		for _, t := range s.tokens {
			if t.class == word && (announcing[t.low] || announcing[t.low+"s"]) && !t.is("style") && !t.is("change") {
				return true
			}
		}
	}
	return false
}

// ofSource reports whether a rule is about what stands in source code, not about how people work.
func (it *Item) ofSource() bool {
	if strings.HasPrefix(it.Subject.Key, "name ") {
		return true
	}
	return slices.ContainsFunc(tokenize(it.Content), func(t token) bool {
		return t.class == word && (source[t.low] || source[singular(t.low)])
	})
}

var source = set(`function method class variable argument parameter attribute comment docstring annotation decorator import module
	assert assertion try except exception constant type hint interface struct loop return indent indentation logging logger semicolon brace quote
	string name naming`)

// clearly is the least overlap of a rule with a question that does not ask for rules.
const clearly = .45

// matchText is what of an item is compared with a query.
func (it *Item) matchText() string {
	content := it.Content
	if len(content) > 4<<10 {
		content = strings.ToValidUTF8(content[:4<<10], "")
	}
	parts := []string{content, it.Subject.Scope, strings.Join(it.Keywords, " ")}
	if it.Kind != Rule || !it.Learned {
		parts = append(parts, it.Title, strings.Join(it.Topics, " "))
	}
	return strings.Join(parts, "\n")
}

// termsOf gives the terms of a text, each once: lists and not sets, for sums over them are to be the same every time.
func termsOf(text string, terms func(text string, yield func(term string))) []string {
	var list []string
	seen := map[string]bool{}
	terms(text, func(t string) {
		if !seen[t] {
			seen[t] = true
			list = append(list, t)
		}
	})
	return list
}

// overlap is the share of the query's terms, by rarity, that a text has, lessened for what else the text speaks of. named are
// those that are asked for.
func overlap(asked []string, named map[string]bool, text []string, idf func(string) float64) float64 {
	var hit, all, rest float64
	for _, t := range asked {
		all += idf(t)
	}
	for _, t := range text {
		if named[t] {
			hit += idf(t)
		} else {
			rest += idf(t)
		}
	}
	if all == 0 {
		return 0
	}
	return hit / (all + .15*rest)
}
