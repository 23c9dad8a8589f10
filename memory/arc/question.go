package arc

import (
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/extract"
)

// social are questions that want no answer, or none that anybody will look for later.
var social = []string{"how are you", "how is it going", "how's it going", "how are things", "how have you been", "how was your", "how is your day", "how's your",
	"what's up", "what is up", "are you there", "you there", "ready", "make sense", "makes sense", "does that make sense", "does this make sense", "sound good",
	"sounds good", "does that sound", "does this sound", "any questions", "anything else", "is there anything else", "who knows", "who cares", "why not", "you know what",
	"guess what", "isn't that", "isn't it", "is that ok", "is that okay", "is this ok", "is this okay", "remember", "really", "seriously", "what else", "so what",
	"what can i do for you", "how can i help", "what can i help", "what would you like to", "how may i", "is that clear", "got it", "get it", "does that help", "did that help",
	"does this help", "do you have any questions", "do you have any other", "was that helpful", "see what i mean", "you see", "how about that", "what do you mean", "say what",
	"right", "ok", "okay", "deal", "agreed", "shall we", "still there", "what's new", "can you believe", "do you know what", "wouldn't you say", "don't you think"}

// requests begin what is a request in the form of a question.
var requests = []string{"could you", "can you", "would you", "will you", "can we", "could we", "can i get you", "would you mind", "do you mind", "mind if", "may i",
	"can i ask", "could i ask", "please", "why don't you", "why don't we", "how about", "want me to", "do you want me to", "would you like me to", "would you like",
	"shall i", "should i go ahead", "should i proceed", "should i continue", "can you please", "are you able to", "would it be possible for you", "is it possible for you to",
	"what if we", "what if you", "won't you", "why not"}

// openers are dropped before a question is judged.
var openers = []string{"so", "and", "but", "ok", "okay", "hey", "hi", "hello", "well", "also", "then", "oh", "hmm", "um", "great", "thanks", "thank you", "by the way", "btw", "now",
	"yes", "no", "yeah", "sorry", "actually", "wait", "right", "alright", "cool", "one more thing", "quick question", "another question"}

// asked reads a sentence as a real question. before is the sentence before it in the message: what a question without
// a subject of its own ("what could cause that?") is about.
func asked(sentence, before string) (Asked, bool) {
	s := clean(sentence)
	if !strings.HasSuffix(strings.TrimRight(s, ` ")'*_!`), "?") || strings.HasPrefix(strings.TrimSpace(sentence), ">") || strings.HasPrefix(strings.TrimSpace(sentence), "#") {
		return Asked{}, false
	}
	if strings.HasSuffix(s, `"`) && !strings.HasPrefix(s, `"`) || strings.HasSuffix(s, "'") || strings.HasSuffix(s, "`") || strings.Contains(s, "```") {
		return Asked{}, false // somebody else's, quoted
	}
	low := bare(s)
	if oneOf(low, social) || oneOf(low, requests) || tagged(low) || strings.Count(low, " ") < 2 {
		return Asked{}, false
	}
	terms := termsOf(s, 16)
	loose := len(terms) < 2
	if loose {
		for _, t := range termsOf(before, 8) {
			addTerm(&terms, t)
		}
	}
	if len(terms) == 0 {
		return Asked{}, false
	}
	return Asked{Text: cut(s), Loose: loose, Terms: terms}, true
}

// bare is a question in lower case without the words it opens with and its mark.
func bare(s string) string {
	low := strings.ToLower(strings.ReplaceAll(s, "’", "'"))
	low = strings.TrimRight(low, `?!. ")'*_`)
	for again := true; again; {
		again = false
		for _, o := range openers {
			rest, ok := strings.CutPrefix(low, o)
			if !ok || rest == "" || !strings.ContainsRune(" ,.!-:—", []rune(rest)[0]) {
				continue
			}
			rest = strings.TrimLeft(rest, " ,.!-:—")
			if rest != "" {
				low, again = rest, true
			}
		}
	}
	return low
}

// oneOf reports whether s is one of the phrases or goes on from one.
func oneOf(s string, phrases []string) bool {
	for _, p := range phrases {
		if rest, ok := strings.CutPrefix(s, p); ok && (rest == "" || rest[0] == ' ' || rest[0] == ',') {
			if len(p) < 8 && strings.Count(rest, " ") > 2 && (p == "right" || p == "ready" || p == "really" || p == "remember" || p == "deal" || p == "you see" || p == "get it") {
				continue // "ready for the release on Friday or is something missing?"
			}
			if p == "can we" || p == "could we" || p == "why not" {
				if strings.Count(s, " ") > 3 && p != "why not" && !strings.Contains(s, " please") {
					continue // "can we use generics here?" is a question
				}
			}
			return true
		}
	}
	return false
}

// tagged tells a statement with a tag: "that's fine, right?"
func tagged(low string) bool {
	for _, tag := range [...]string{", right", ", no", ", ok", ", okay", ", correct", ", yes", ", eh", ", huh", ", isn't it", ", doesn't it", ", don't you", ", aren't you",
		", won't you", ", will you", ", shall we", ", alright", ", yeah", ", deal", ", is it", ", does it", ", wouldn't it", ", aren't they", ", don't they", ", didn't it", ", or what"} {
		if strings.HasSuffix(low, tag) {
			return true
		}
	}
	return false
}

// addressed tells a question of the assistant that the person has to answer from one it puts to itself.
func addressed(s string) bool {
	low := " " + strings.ToLower(s)
	for _, w := range [...]string{" you ", " you?", " your ", " should we ", " should i ", " which ", " do we ", " shall we ", " is it ok", " prefer", " want ", " what's the ",
		" what is the ", " are we ", " is the ", " does the ", " are there ", " is there ", " when ", " who "} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// defers tells a sentence that puts an answer off.
func defers(s string) bool {
	low := strings.ToLower(strings.ReplaceAll(s, "’", "'"))
	for _, p := range [...]string{"i don't know", "i do not know", "don't know yet", "not sure", "i'm unsure", "no idea", "let me check", "let me look", "let me find out", "i'll check", "i'll look into",
		"i'll find out", "will get back", "get back to you", "let me think", "have to check", "need to check", "we'll see", "to be decided", "tbd", "i'll have to ask",
		"need to ask", "let me get back", "let's discuss", "later", "haven't decided", "can't tell yet", "cannot tell yet", "still open", "remains open", "unclear"} {
		if i := strings.Index(low, p); i >= 0 && (p != "later" || strings.HasPrefix(low, "later") || strings.Contains(low, "answer that later")) {
			return true
		}
	}
	return false
}

var answerOpeners = []string{"yes", "no", "yep", "yeah", "nope", "because", "it's", "it is", "correct", "sure", "of course", "it depends", "that's", "they are", "not yet", "definitely", "both",
	"neither", "either", "the first", "the second", "the former", "the latter", "option", "right", "exactly", "indeed", "in short", "none", "always", "never", "only", "i'd ", "i would", "use ", "go with"}

// direct reports whether a statement, the first of a reply, has the form of an answer.
func direct(s string) bool {
	low := strings.ToLower(strings.ReplaceAll(s, "’", "'"))
	for _, o := range answerOpeners {
		if rest, ok := strings.CutPrefix(low, o); ok && (rest == "" || strings.HasSuffix(o, " ") || strings.ContainsRune(" ,.!:;—-", []rune(rest)[0])) {
			return true
		}
	}
	return strings.Count(strings.TrimSpace(s), " ") < 5 && !ordered(low)
}

// ordered tells an order from an answer by its first word: "run the benchmarks again".
func ordered(low string) bool {
	low = bare(low)
	if first, _, _ := strings.Cut(low, " "); first == "add" || first == "make" || first == "write" || first == "update" || first == "rename" || first == "refactor" {
		return true
	}
	return oneOf(low, actions) && !strings.HasPrefix(low, "be ")
}

// near is how many of a question's terms a reply in place has to share to answer it.
func (q Asked) near() int {
	if q.Loose {
		return 1
	}
	return max(1, (len(q.Terms)+1)/3)
}

// far is how many of them a statement in a later turn has to share.
func (q Asked) far() int {
	if q.Own {
		return min(2, len(q.Terms))
	}
	return min(max(2, (len(q.Terms)+1)/2), len(q.Terms))
}

// compound tells two questions in one.
func compound(question string) bool {
	low := lowered(question)
	return strings.Contains(low, ", and wh") || strings.Contains(low, ", and how") || strings.Contains(low, " and who ")
}

// reports tells a reply that begins with what was done, not with what was asked.
func reports(reply []string) bool {
	for _, s := range reply {
		low := bare(s)
		if strings.HasSuffix(strings.TrimSpace(s), "?") {
			continue
		}
		for _, p := range [...]string{"i added", "i changed", "i left", "i created", "i wrote", "i moved", "i fixed", "i removed", "i updated", "i ran", "i've ", "i'll ", "done", "noted", "understood", "added", "changed",
			"fixed", "removed", "updated", "created", "got it", "let me"} {
			if strings.HasPrefix(low, p) {
				return true
			}
		}
		return false
	}
	return true // it asks back
}

// advised tells a question that any substantial reply answers, whatever its words: for advice or for a figure.
func advised(question string, reply []string) bool {
	low := " " + bare(question) + " "
	if compound(question) {
		return false
	}
	for _, p := range [...]string{" suggest", " recommend", " advise", "which one", " better ", " best ", " you think", "would you ", " left to do", " next steps", " is missing", " your opinion", "what else "} {
		if strings.Contains(low, p) {
			return true
		}
	}
	for _, p := range [...]string{" how many ", " how much ", " how long ", " how big ", " how large ", " how often ", " what size", " what's the ", " what is the ", " which version", " which port", " what time", " what version"} {
		if strings.HasPrefix(low, p) && len(reply) > 0 && strings.ContainsAny(reply[0], "0123456789") {
			return true
		}
	}
	return false
}

// termsOf gives the terms of a text, each once, in the order found, at most limit.
func termsOf(s string, limit int) []uint32 {
	var list []uint32
	extract.Terms(s, func(t uint32) {
		if len(list) < limit && !slices.Contains(list, t) {
			list = append(list, t)
		}
	})
	return list
}
