package knowledge

import "strings"

// form of a verb.
type form byte

const (
	notVerb form = iota
	base         // use
	gerund       // using
	third        // uses
	past         // used
)

// verbForm tells whether a word is a form of a verb in which rules are stated, and gives the base form.
func verbForm(low string) (string, form) {
	if verbs[low] {
		return low, base
	}
	if b, ok := strings.CutSuffix(low, "ing"); ok {
		if v := restore(b); v != "" {
			return v, gerund
		}
	}
	if b, ok := strings.CutSuffix(low, "ed"); ok {
		if v := restore(b); v != "" {
			return v, past
		}
	}
	if b, ok := strings.CutSuffix(low, "s"); ok {
		for _, v := range []string{b, strings.TrimSuffix(b, "e"), strings.TrimSuffix(b, "ie") + "y"} {
			if verbs[v] {
				return v, third
			}
		}
	}
	return "", notVerb
}

// restore gives the verb of which an ending left b: "us" of "using", "commit" of "committ".
func restore(b string) string {
	for _, v := range []string{b, b + "e"} {
		if verbs[v] {
			return v
		}
	}
	if n := len(b); n > 2 && b[n-1] == b[n-2] && verbs[b[:n-1]] {
		return b[:n-1]
	}
	return ""
}

// force is what kind of statement a clause is made by; they add up.
type force uint16

const (
	always    force = 1 << iota // "always", "never"
	standing                    // "from now on", "going forward", …
	request                     // "I want you to", "make sure", "you should"
	custom                      // "our convention is", "the importance of", "the habit of"
	usage                       // "we use", "we'll use"
	must                        // "names must", "names should"
	plain                       // the bare imperative
	promise                     // "I'll make sure to"
	negative                    // "don't", "never", "avoid"
	ending                      // "stop", "no longer", "don't … anymore"
	replacing                   // "instead", "no longer", "actually"
	wished                      // "I prefer"
	habit                       // "start using"
	swap                        // "instead"
)

// phrase is a sequence of words that a rule's verb or subject follows.
type phrase struct {
	words  []string
	force  force
	gerund bool   // a gerund follows, or a noun
	noun   bool   // a subject may follow: "make sure that names …"
	verb   string // the verb that the phrase itself stands for: "the use of"
	// needs: it counts only after words that announce a rule: "our convention here is to".
	needs bool
}

var phrases = index(map[string]phrase{
	`i want you to|i'd like you to|i would like you to|i need you to|i expect you to|i want us to|i'd like us to|i need us to|
i'd love you to|i'd love for you to|i'd like for you to|i want everyone to|i ask you to|i want to remind you to|i'd like to remind you to|remind you to|i'd ask you to|i'm asking you to|we want you to|we need you to|
we'd like you to|we expect you to|we want to|we'd like to|we want everyone to|i want to ask you to|i'd like to ask you to|i want all of you to|i would love you to|i encourage you to|i'd encourage you to|i urge you to|
we ask you to|we encourage you to|i'd prefer you to|i'd prefer you|i would prefer you to|i'd like everyone to|i need everyone to`: {force: request, noun: true},
	`i want|i'd like|i would like|i need|i want to have|i'd prefer if you|i'd prefer that you|i would prefer that you|i prefer that you|i prefer you to|i'd prefer it if you|
i'd appreciate it if you|i'd appreciate if you|i'd prefer|i prefer|i would prefer|i prefer to|i'd prefer to|we prefer|we prefer to|we'd prefer|we prefer that|we want|i prefer that|we prefer that you|we'd like`: {force: request | wished, noun: true, gerund: true},
	`make sure to|make sure that you|make sure that we|make sure you|make sure we|make sure that|make sure|be sure to|ensure that you|ensure that we|ensure you|ensure we|
ensure that|ensure to|ensure|see to it that you|see to it that|remember to|remember that you should|remember that we|don't forget to|do not forget to|don't ever forget to|
please|kindly|keep in mind to|keep in mind that you should|keep in mind that we|keep in mind that|note that you should|
you're expected to|you are expected to|you're required to|you are required to|you need to|you have to|you must|you should|you ought to|
you will need to|you'll need to|you'll have to|you shall|you are to|everyone should|everyone must|everyone has to|everyone needs to|developers should|developers must|
it's important to|it is important to|it's important that you|it's important that we|it is important that we|it is important that you|it's essential to|it's crucial to|it's vital to|it's best to|it's mandatory to|
it's important that|it's essential that|it is essential that|it's crucial that|it is crucial that|it's vital that|it's essential that you|it's crucial that you|it's imperative that|it's imperative that you`: {force: request, noun: true},
	`is to|is to always|is that you|is that we|is that|is by|is|was to|will be to`:                     {force: custom, gerund: true, noun: true, needs: true},
	`we've decided to|we decided to|we agreed to|we've agreed to|we have decided to|we have agreed to`: {force: custom},
	`the use of|use of`: {force: custom, verb: "use"},
	`we're standardizing|we are standardizing|we're standardising|we are standardising|we've standardized`:                                     {force: request | wished, noun: true},
	`we'll be|we will be|we're|we are|we're now|we've started|we have started`:                                                                 {force: usage, gerund: true},
	`take the time to|take time to|take care to|make time to|go ahead and|be careful to|always and i mean always|always , and i mean always ,`: {},
	`we should|we must|we need to|we have to|we ought to|we're going to|we are going to|we're now going to|we will|we'll|
let's|let us|we like to|we try to|we all|we|our team|the team`: {force: usage, noun: true},
	`attention to|pay attention to|pay close attention to|the convention is to|convention is to|rule is to|practice is to|policy is to|standard is to|guideline is to|the rule is|the convention is|convention of|practice of|policy of|rule of|habit of|
importance of|focus on|principle of|standard of|conventions is to|practices is to|rules is to|rule is that we|rule is that you|rules is that we|convention is that we|convention is that|rule is that|policy is that|
practice is that we|do is|emphasize that|stress that|mention that|remind you that|reminder that|reiterate that|highlight that|point out that|emphasize|stress|skimp on|adhere to the convention of|
here is to|follow is to|have is to|do is to|focus on is|requirement is to|requirement is that|preference is to|preference is that|preference is|is to always|is to never|consistency in|
thing is to|things is to|the use of|insist on|adopt is to|adopt is|remember is to|mind is to|practice is|point is to|important is to|request is to|request is that you`: {force: custom, gerund: true, noun: true},
	`you shouldn't|you should not|you must not|you mustn't|you can't|you cannot|you may not|we shouldn't|we should not|we must not|we mustn't|we can't|we cannot`: {force: request | negative},
	`we don't|we do not`:     {force: usage | negative},
	`don't ever|do not ever`: {force: always | negative},
	`don't|do not|dont|must not|mustn't|should not|shouldn't|can't|cannot|may not|need not`:      {force: negative},
	`stop|no longer|quit|cease|you can stop|we stopped|we've stopped|we no longer|you no longer`: {force: ending, gerund: true},
	`you no longer need to|you no longer have to|you don't need to|you don't have to|you do not need to|you do not have to|we no longer need to|we no longer have to|we don't need to|we don't have to|no longer need to|no longer have to|don't need to|don't have to|do not need to|do not have to|no need to|needn't|not necessary to|not required to`: {force: ending | negative},
	`i'll|i will|i'll make sure to|i will make sure to|i'll be sure to|i'll ensure that|i'll ensure|i'll remember to|i'm going to|i'll make sure that|i'll make sure|i'll make it a habit to|
i'll make it a point to|let me|i can|i'd be happy to|i'll be|i'll keep in mind to|i'll make a point of|i'll get into the habit of|i'll make a note to|i'll make it a practice to`: {force: promise, gerund: true, noun: true},
	`start|begin`: {force: habit, gerund: true},
	`get into the habit of|make it a habit to|make a habit of|get used to|make it a rule to`:                {force: always, gerund: true},
	`keep|make it a point to|try to|consider|continue|be consistent in|be consistent about|stick to|aim to`: {gerund: true},
	`always|consistently|invariably|without exception`:                                                      {force: always, gerund: true, noun: true},
	`never|never ever|under no circumstances`:                                                               {force: always | negative},
	`also|just|only|simply|explicitly|strictly|all|both|generally|usually|typically|primarily|mostly|ideally|now|instead|actually|either|then|directly|first|still|so|that|and|but|really|already`: {gerund: true, noun: true},
})

// adverbs are phrases that only stand between others.
var adverbs = set(`also just only simply explicitly strictly all both generally usually typically primarily mostly ideally now instead
	actually either then directly first still so that and but really already`)

func index(table map[string]phrase) map[string][]phrase {
	m := map[string][]phrase{}
	for list, p := range table {
		for _, words := range strings.Split(list, "|") {
			p.words = strings.Fields(words)
			m[p.words[0]] = append(m[p.words[0]], p)
		}
	}
	return m
}

// longest gives the phrase at i that takes the most words, and how many tokens it takes; nil where there is none.
func longest(ts []token, i int) (best *phrase, taken int) {
	if i >= len(ts) || ts[i].class == literal {
		return nil, 0
	}
	list := phrases[ts[i].low]
	for k := range list {
		p := &list[k]
		if best != nil && len(p.words) <= len(best.words) {
			continue
		}
		if n := matches(ts, i, p.words); n > 0 && (!p.needs || announcedBefore(ts[:i])) {
			best, taken = p, n
		}
	}
	return best, taken
}

// between are adverbs that may stand within a phrase: "I also want you to".
var between = set("also now just really still then simply particularly again kindly all already currently")

// matches gives how many tokens at i a phrase takes, 0 where it does not stand there.
func matches(ts []token, i int, words []string) int {
	j := i
	for k, w := range words {
		for k > 0 && j < len(ts) && !ts[j].is(w) && ts[j].class == word && between[ts[j].low] {
			j++
		}
		if j >= len(ts) || !ts[j].is(w) {
			return 0
		}
		j++
	}
	return j - i
}

// announcedBefore reports whether the words before "is to …" name a rule.
func announcedBefore(ts []token) bool {
	for _, t := range ts {
		if t.class == word && (announcing[t.low] || announcing[t.low+"s"] || keyWords[t.low]) {
			return true
		}
	}
	return false
}

var keyWords = set("thing things key way approach requirement request ask step habit habits preference rule must best important convention standard policy instruction guideline tip")

// follows reports whether the words stand at i.
func follows(ts []token, i int, words []string) bool {
	if len(ts)-i < len(words) {
		return false
	}
	for k, w := range words {
		if !ts[i+k].is(w) {
			return false
		}
	}
	return true
}
