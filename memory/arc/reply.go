package arc

import (
	"strings"

	"github.com/contexture-dev/contexture/memory/extract"
)

// agreement tells a reply that accepts a proposal. firm: it says so in words that fit nothing else.
func agreement(s string) (yes, firm bool) {
	low := strings.TrimRight(strings.ToLower(strings.ReplaceAll(s, "’", "'")), " .!")
	if strings.HasSuffix(low, "?") {
		return false, false
	}
	for _, p := range [...]string{"do that", "do it", "go ahead", "go for it", "let's do that", "let's do it", "let's go with that", "let's use that", "make it so", "go with that", "sounds good",
		"sounds great", "sounds like a plan", "sounds reasonable", "works for me", "that works", "i agree", "agreed", "approved", "lgtm", "let's go with this", "let's go for it",
		"let's go with it", "please do", "do so", "that's the way to go", "good idea", "great idea", "good plan", "great plan", "i like that", "i like it", "let's do this", "use that", "go with it"} {
		if i := strings.Index(low, p); i >= 0 && i < 24 && !negated(low[:i]) && !strings.Contains(low, " but ") && endsWord(low, i+len(p)) {
			return true, true
		}
	}
	for _, p := range [...]string{"yes", "yep", "yeah", "yup", "sure", "ok", "okay", "perfect", "exactly", "great", "fine", "fine by me", "fine with me", "definitely", "absolutely", "of course", "right",
		"yes please", "alright", "correct", "please"} {
		if low == p || low == p+" please" || low == p+", please" || low == p+", thanks" || low == p+" thanks" || low == p+", do" {
			return true, p == "yes" || p == "yep" || p == "yeah" || p == "yup" || p == "exactly" || p == "definitely" || p == "absolutely" || strings.HasPrefix(p, "fine ")
		}
	}
	return false, false
}

func negated(before string) bool {
	for _, w := range strings.Fields(before) {
		switch strings.Trim(w, ",.;:") {
		case "not", "don't", "no", "never", "won't", "can't", "if", "before", "why", "how", "didn't", "doesn't", "shouldn't", "nothing", "when", "to", "i'll", "would", "could", "could've":
			return true
		}
	}
	return false
}

func endsWord(s string, i int) bool {
	return i == len(s) || !(s[i] >= 'a' && s[i] <= 'z' || s[i] == '\'' || s[i] == '-')
}

// refusal tells a reply that turns a proposal down.
func refusal(s string) bool {
	low := strings.ToLower(strings.ReplaceAll(s, "’", "'"))
	for _, p := range [...]string{"no,", "no.", "no!", "no -", "no —", "nope", "nah", "don't do that", "please don't", "i'd rather not", "not that", "i disagree", "no way", "no thanks", "no thank",
		"absolutely not", "definitely not", "let's not", "rather not", "i don't like", "i don't want", "that's a bad idea", "bad idea"} {
		if strings.HasPrefix(low, p) {
			return true
		}
	}
	return strings.TrimRight(low, " .!") == "no"
}

// proposes are the beginnings of a proposal; the bare ones need a verb of choosing behind them.
var proposes = []string{"i suggest ", "i'd suggest ", "i would suggest ", "i propose ", "i'd propose ", "i recommend ", "i'd recommend ", "i would recommend ", "my recommendation is ", "my proposal is ",
	"my suggestion is ", "my suggestion: ", "my proposal: ", "my recommendation: ", "proposal: ", "recommendation: ", "suggestion: ", "how about ", "what about ", "i'd go with ", "i would go with ", "i'd use ",
	"i would use ", "i'd pick ", "i'd choose ", "we should ", "we could ", "we can ", "should we ", "shall we ", "could we ", "shall i ", "should i ", "do you want me to ", "want me to ",
	"would you like me to ", "would you like to ", "let's ", "what if we ", "why don't we ", "the best option is ", "the best approach is ", "the plan: ", "plan: ", "i think we should ", "i'd keep ", "i'd say we ",
	"maybe we should ", "perhaps we should ", "i could ", "i can ", "i would ", "one option is "}

// offers are the beginnings of what the assistant would do: where nothing is chosen in it, a yes is an order.
var offers = map[string]bool{"i can ": true, "i could ": true, "shall i ": true, "should i ": true, "do you want me to ": true, "want me to ": true, "would you like me to ": true}

// actions are what an assistant offers to do rather than what it would decide: a yes to it decides nothing.
var actions = []string{"run", "show", "check", "look", "explain", "continue", "open", "read", "walk", "take", "see", "proceed", "start", "try", "investigate", "debug", "commit", "push", "search", "find", "list", "go over",
	"go through", "help", "elaborate", "summarize", "summarise", "review", "dig", "know", "also show", "give", "provide", "go deeper", "begin", "do that", "do it", "have a look", "fix", "test", "verify", "double-check", "confirm", "print", "write a test",
	"take a look", "discuss", "talk", "schedule", "meet", "think", "be", "wait", "ask"}

// proposal reads a sentence of the assistant as something the person may agree to.
func proposal(sentence string) (Stated, bool) {
	s := strings.ReplaceAll(clean(sentence), "’", "'")
	if len(s) > 2*longestText || strings.Contains(s, "\n") {
		return Stated{}, false
	}
	low := lowered(s)
	for _, o := range openers {
		rest := strings.TrimPrefix(strings.TrimPrefix(low, o+", "), o+" — ")
		s, low = s[len(low)-len(rest):], rest
	}
	for _, p := range proposes {
		i := strings.Index(low, p)
		if i < 0 || i > 0 && (i > 40 || low[i-1] != ' ' || negated(low[:i])) {
			continue
		}
		rest := low[i+len(p):]
		for _, joint := range [...]string{"that ", "we ", "to "} {
			rest = strings.TrimPrefix(rest, joint)
		}
		if rest == "" || oneOf(strings.TrimRight(rest, "?!."), actions) {
			return Stated{}, false
		}
		st := Stated{Text: cut(s), ByOther: true}
		if c, ok := extract.Decide(asDecision(s[len(s)-len(rest):])); ok {
			st.Chosen, st.Rejected, st.Subject, st.Change = c.Chosen, c.Rejected, c.Subject, false
		}
		if st.Chosen == "" && len(st.Rejected) == 0 && offers[p] {
			return Stated{}, false
		}
		return st, true
	}
	return Stated{}, false
}

// asDecision puts what follows a proposal's beginning as if it had been decided, so that its parts can be read.
func asDecision(rest string) string {
	rest = strings.TrimRight(rest, "?!. ")
	first, after, _ := strings.Cut(rest, " ")
	if plain := infinitives[lowered(first)]; plain != "" {
		first = plain
	}
	return "let's " + first + " " + after
}

var infinitives = map[string]string{"using": "use", "going": "go", "keeping": "keep", "switching": "switch", "sticking": "stick",
	"dropping": "drop", "adopting": "adopt", "moving": "move", "choosing": "choose", "storing": "store"}

// lowered is s in lower case, ASCII alone, so that it stays as long.
func lowered(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// clean is a sentence without list marks, emphasis and line breaks.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "?")
	s = strings.TrimLeft(strings.TrimSpace(s), "#>|-*+• \t")
	s = strings.ReplaceAll(s, "**", "")
	return strings.Join(strings.Fields(s), " ")
}

// cut shortens a sentence that is too long for an arc, at a space.
func cut(s string) string {
	if len(s) <= longestText {
		return s
	}
	head := strings.ToValidUTF8(s[:longestText], "")
	if i := strings.LastIndexByte(head, ' '); i > longestText/2 {
		head = head[:i]
	}
	return strings.TrimRight(head, " ,;:-") + "…"
}
