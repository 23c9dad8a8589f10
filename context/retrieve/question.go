package retrieve

import (
	"strings"
	"unicode"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// askedVerbs are the verbs with which people ask where the code of something is, or how it works,
// whatever that something is: where is X handled, defined, decided? In code these words are in
// names and comments about everything else.
// names and comments about everything else.
var askedVerbs = func() map[string]bool {
	all := map[string]bool{}
	for _, forms := range []string{
		"handle handles handled handling", "implement implements implemented", "define defines defined", "declare declares declared",
		"decide decides decided", "determine determines determined", "perform performs performed", "happen happens happened",
		"occur occurs occurred", "live lives", "reside resides", "locate located", "find found", "do does done", "make makes made",
		"work works", "go goes", "take takes taken place",
	} {
		for form := range strings.FieldsSeq(forms) {
			all[form] = true
		}
	}
	return all
}()

// QuestionTerms returns the terms of a question, its verb's weight lowered below 1. A question of
// nothing but such verbs stays as it is, and so does a term that a name in it shares with the verb.
func QuestionTerms(text string) []lexical.QueryTerm {
	terms := lexical.Query([]byte(text))
	light, heavy := map[string]bool{}, map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		to := heavy
		if askedVerbs[strings.ToLower(word)] {
			to = light
		}
		lexical.Terms([]byte(word), func(term string) { to[term] = true })
	}
	if len(light) == 0 || len(heavy) == 0 {
		return terms
	}
	for i, t := range terms {
		if light[t.Text] && !heavy[t.Text] {
			terms[i].Weight *= askedVerbWeight
		}
	}
	return terms
}
