package knowledge

import (
	"strings"
	"testing"
)

// A question for rules in other words than theirs is answered with all of them; another question is not.
func TestRankForRules(t *testing.T) {
	items := []Item{
		{Kind: Rule, Content: "Use tabs instead of spaces in Go files.", Learned: true, Weight: 1},
		{Kind: Rule, Content: "Wrap errors with names of operations.", Learned: true, Weight: 2},
		{Kind: Lesson, Content: "Caches must be emptied first.", Weight: 3},
	}
	for query, want := range map[string]string{
		"Which convention for indentation do we have?": "Wrap Use",
		"What are the rules here?":                     "Wrap Use",
		"Which convention is there for tabs?":          "Use",
		"Where is the parser?":                         "",
		"What did I say yesterday?":                    "",
	} {
		var got []string
		for _, r := range Rank(query, items, words) {
			if r.Item.Kind == Rule {
				got = append(got, strings.Fields(r.Item.Content)[0])
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %q, want %q", query, s, want)
		}
	}
}
