package extract

import "strings"

// reader is one sentence while the rules try it.
type reader struct {
	text   string
	ws     []word
	choice Choice
}

func (r *reader) at(i int) string {
	if i < 0 || i >= len(r.ws) {
		return ""
	}
	return r.ws[i].low
}

// The verbs of choosing. A verb with particles stands with each of them.
var (
	choosing = wordSet(`live use adopt choose pick keep drop avoid ditch skip standardize standardise default settle switch move migrate stick stay go
		revert replace prefer abandon`)
	building = wordSet(`store cache host deploy name call ship support target require expose implement build write put make`)
	particle = map[string]map[string]bool{
		"go": wordSet("with for back"), "live": wordSet("with"), "stick": wordSet("with to"), "stay": wordSet("with on"), "switch": wordSet("to over from back"),
		"move": wordSet("to from away over"), "migrate": wordSet("to from away"), "settle": wordSet("on for"), "default": wordSet("to"),
		"standardize": wordSet("on"), "standardise": wordSet("on"), "revert": wordSet("to back"),
	}
	ruling = wordSet("drop avoid ditch skip abandon") // their object is what is not taken

	// What stands between a subject and its verb and changes nothing.
	adverbs = wordSet(`just then also now all both definitely finally already therefore simply only ultimately eventually instead rather go
		ahead and always still jointly`)
	// What turns a statement into a supposition when it stands before it.
	supposing = wordSet(`if whether unless until once haven't hasn't hadn't didn't don't doesn't never maybe perhaps might could would may can't
		cannot should when whenever before suppose supposing assuming imagine unsure wonder wondering yet nobody probably possibly`)
	// Objects that are no choice of a thing: "let's keep going", "let's use this", "going with my wife".
	noObject = wordSet(`that this it these those going moving looking trying working talking in mind touch it's there here him her them me you us
		my his everyone everybody someone anyone up around by off ahead one whatever what which whichever pushing digging reading watching
		iterating both exploring testing debugging them's posted track calm quiet`)
	// What is done in a conversation rather than to the thing it is about: "let's look at the parser instead".
	talking = wordSet(`talk discuss look see check focus start begin continue proceed wait hope say think try go move take come get be have
		investigate read debug test run`)
	// Orders that decide where they name what is not to be done.
	ordering = wordSet(`return log throw raise fail render show send read write run load parse call pass handle emit sort use test wrap copy
		embed inline validate check generate compute retry wait start create add define declare represent treat model mock fetch query
		serve open sign hash encode format map set base import export compile bundle skip track count limit cap batch stream render`)
	outings = wordSet("lunch dinner breakfast coffee drinks drink walks ice pizza sushi swim")
	people  = wordSet(`wife husband mom mum dad friend friends family kids son daughter sister brother partner girlfriend boyfriend colleagues
		parents team-mates teammates`)
)

// supposed reports whether one of the words before i in its clause makes it a supposition.
func (r *reader) supposed(i int) bool {
	for j := i - 1; j >= 0; j-- {
		if w := r.at(j); w == ";" || supposing[w] {
			return w != ";"
		}
		if r.at(j) == "not" {
			return true
		}
	}
	return false
}

func (r *reader) skipAdverbs(i int) int {
	for adverbs[r.at(i)] && !(r.at(i) == "go" && particle["go"][r.at(i+1)]) {
		i++
	}
	return i
}

// verb reads a verb of choosing at i with its particles and gives where its object begins.
func (r *reader) verb(i int, alsoBuilding bool) (object int, ok bool) {
	v := r.at(i)
	switch v {
	case "going", "sticking", "switching", "moving", "migrating", "settling", "staying", "defaulting":
		v = strings.TrimSuffix(v, "ing")
		v = map[string]string{"switch": "switch", "mov": "move", "migrat": "migrate", "settl": "settle"}[v] + map[string]string{
			"go": "go", "stick": "stick", "stay": "stay", "default": "default"}[v]
	case "keeping", "using", "dropping", "adopting":
		v = map[string]string{"keeping": "keep", "using": "use", "dropping": "drop", "adopting": "adopt"}[v]
	}
	if v == "do" || v == "take" || v == "doing" || v == "taking" {
		return i + 1, r.option(i + 1)
	}
	if !choosing[v] && !(alsoBuilding && building[v]) {
		return 0, false
	}
	if ps := particle[v]; ps != nil {
		if !ps[r.at(i+1)] {
			return 0, false
		}
		r.choice.Change = r.choice.Change || v == "switch" || v == "move" || v == "migrate" || v == "revert" || r.at(i+1) == "back"
		i++
		if (r.at(i) == "back" || r.at(i) == "over" || r.at(i) == "away") && (r.at(i+1) == "to" || r.at(i+1) == "from") {
			i++
		}
	}
	return i + 1, r.object(i+1, v)
}

// object reports whether a thing is named at i.
func (r *reader) object(i int, verb string) bool {
	w := r.at(i)
	if w == "" || strings.Contains(",;:()-", w) || noObject[w] {
		return false
	}
	if (w == "the" || w == "our" || w == "a") && (people[r.at(i+1)] || r.at(i+1) == "flow") || people[w] {
		return false
	}
	switch {
	case verb == "keep":
		return w != "an" && (w != "the" || r.at(i+1) != "conversation")
	case verb == "go" && r.at(i-1) == "for":
		return w != "a" && w != "an" && !outings[w]
	case verb == "go" && r.at(i-2) == "back": // to a subject, not to an earlier choice
		return w != "the" && w != "a" && w != "your" && w != "where"
	}
	return true
}

// label reads "Decision: …", "Final: …", "Agreed: …", "The decision is to …".
func (r *reader) label() bool {
	i := 0
	if r.at(0) == "the" || r.at(0) == "our" || r.at(0) == "my" {
		i = 1
	}
	if r.at(i) == "final" {
		i++
	}
	switch r.at(i) {
	case "decision", "decisions", "decided", "agreed", "verdict", "answer", "call", "choice", ":", "-":
	default:
		return false
	}
	final := i > 0 && r.at(i-1) == "final"
	switch w := r.at(i); {
	case (w == "answer" || w == "call" || w == "choice") && !final, (w == ":" || w == "-") && !final:
		return false
	case w != ":" && w != "-":
		i++
	}
	if m := r.at(i); m != ":" && m != "-" && !(m == "is" && (r.at(i-1) == "decision" || final)) {
		return false
	}
	i++
	if len(r.ws)-i < 1 || r.at(i) == "pending" || r.at(i) == "tbd" || r.at(i) == "still" || r.at(i) == "not" && r.at(i+1) != "to" || r.at(i) == "up" || r.at(i) == "yours" {
		return false
	}
	for r.at(i) == "to" || r.at(i) == "that" || r.at(i) == "we" || r.at(i) == "we'll" || r.at(i) == "will" {
		i++
	}
	if object, ok := r.verb(i, false); ok {
		r.fill(i, object)
		return true
	}
	r.fill(-1, i)
	return true
}

// itIs reads "Postgres it is."
func (r *reader) itIs() bool {
	n := len(r.ws)
	if r.at(n-1) == "then" {
		n--
		if r.at(n-1) == "," {
			n--
		}
	}
	if n < 3 || n > 10 || r.at(n-1) != "is" || r.at(n-2) != "it" {
		return false
	}
	i := 0
	for i < n-2 && (opening[r.at(i)] || r.at(i) == ",") {
		i++
	}
	for j := i; j < n-2; j++ {
		switch w := r.at(j); w {
		case "what", "how", "where", "why", "who", "whatever", "however", "that", "here", "there", "as", "because", "than", "like", "think", "if", "when", ",", "believe",
			"guess", "know", "so", "sure", "and", "but", "whether", "which", "yes", "way", "since", "say", "said":
			return false
		}
	}
	if i == n-2 {
		return false
	}
	r.choice.Chosen = r.span(i, n-2)
	return true
}

// opening are the words that a sentence of decision may begin with.
var opening = wordSet(`ok okay alright right great fine cool perfect so then and but yes yeah yep no nope nah well hmm wait actually please
	instead sorry nvm good thanks now sure also oh`)

// subject reports whether the word at i speaks for the people of the conversation, and where the verb begins.
func (r *reader) subject(i int) (int, bool) {
	switch r.at(i) {
	case "we", "i", "we've", "i've", "we'd":
		i++
	case "team":
		i++
	case "it's", "it":
		return i, false
	default:
		return i, false
	}
	for w := r.at(i); w == "have" || w == "had" || w == "as" || adverbs[w]; w = r.at(i) {
		if w == "as" && r.at(i+1) == "a" {
			i += 2
		}
		i++
	}
	return i, true
}

// decided reads "we decided to …", "I chose A over B", "we've agreed on …".
func (r *reader) decided() bool {
	for i := range r.ws {
		v, ok := r.subject(i)
		if !ok || r.supposed(i) {
			continue
		}
		next := r.at(v + 1)
		switch r.at(v) {
		case "decided":
			ok = next == "to" || next == "on" || next == "upon" || next == "that" || next == "for" || next == "against" || next == "not" || next == "we'll"
		case "agreed":
			ok = next == "to" || next == "on" || next == "upon" || next == "that" || next == "we'll"
		case "opted":
			ok = next == "for" || next == "to" || next == "against"
		case "settled":
			ok = next == "on" || next == "for"
		case "chose", "picked", "selected", "chosen":
			ok = next != "up" && next != "out" && next != "" && !noObject[next]
			ok = ok && (next == "to" || next == "not" || r.contrast(v+1))
		default:
			ok = false
		}
		if !ok {
			continue
		}
		r.afterDecided(v)
		return true
	}
	return false
}

// contrast reports whether a choice is told from another one, or is given a reason, after i.
func (r *reader) contrast(i int) bool {
	for ; i < len(r.ws); i++ {
		switch w := r.at(i); w {
		case "over", "instead", "rather", "because", "since", "not", "for":
			return true
		}
	}
	return false
}

// afterDecided fills the choice from the words behind "decided" at v.
func (r *reader) afterDecided(v int) {
	i := v + 1
	against := r.at(v) == "decided" && r.at(i) == "against" || r.at(v) == "opted" && r.at(i) == "against"
	negative := false
	for ; i < len(r.ws); i++ {
		switch w := r.at(i); w {
		case "to", "on", "upon", "that", "for", "against", "we", "we'll", "should", "will":
			if w == "for" && r.at(v) != "opted" && r.at(v) != "decided" && r.at(v) != "settled" {
				break
			}
			continue
		case "not":
			negative = true
			continue
		}
		break
	}
	start := i
	verb := -1
	if object, ok := r.verb(i, true); ok {
		verb, start = i, object
	} else if chooses := r.at(v); chooses == "chose" || chooses == "picked" || chooses == "selected" || chooses == "chosen" || chooses == "opted" ||
		chooses == "settled" {
		verb = v
	}
	r.fill(verb, start)
	if (against || negative) && r.choice.Chosen != "" {
		r.choice.Rejected = appendNew(r.choice.Rejected, r.choice.Chosen)
		r.choice.Chosen = ""
	}
}

// went reads "going with X", "we're switching to X", "I went with X".
func (r *reader) went() bool {
	for i := range r.ws {
		v := i
		switch w := r.at(i); {
		case w == "i'm" || w == "we're" || w == "i" && r.at(i+1) == "am" || w == "we" && r.at(i+1) == "are":
			v = i + 1
			if w == "i" || w == "we" {
				v++
			}
			v = r.skipAdverbs(v)
			if r.at(v) == "gonna" || r.at(v) == "going" && r.at(v+1) == "to" {
				continue // will's
			}
			switch r.at(v) {
			case "going", "sticking", "settling", "standardizing", "defaulting":
			case "switching", "moving", "migrating", "dropping":
				if w != "we're" && w != "we" {
					continue
				}
			default:
				continue
			}
		case (w == "we" || w == "i") && (r.at(r.skipAdverbs(i+1)) == "went"):
			v = r.skipAdverbs(i + 1)
			if r.at(v+1) != "with" || !r.object(v+2, "go") || r.supposed(i) {
				continue
			}
			r.fill(v, v+2)
			return r.choice.Chosen != "" && (len(r.choice.Rejected) > 0 || w == "we" || r.contrast(v+2))
		case (w == "going" || w == "sticking" || w == "switching") && r.leads(i):
		default:
			continue
		}
		object, ok := r.verb(v, false)
		if !ok || r.supposed(i) || r.at(v) == "going" && r.at(v+1) != "with" && r.at(v+1) != "back" {
			continue
		}
		r.fill(v, object)
		return true
	}
	return false
}

// leads reports whether only opening words stand before i.
func (r *reader) leads(i int) bool {
	for j := range i {
		if w := r.at(j); !opening[w] && w != "," && w != "-" && w != ":" {
			return false
		}
	}
	return true
}

// lets reads "let's use X".
func (r *reader) lets() bool {
	for i := range r.ws {
		v := i + 1
		switch w := r.at(i); {
		case w == "let's" || w == "lets":
		case w == "let" && r.at(i+1) == "us":
			v++
		default:
			continue
		}
		v = r.skipAdverbs(v)
		negative := r.at(v) == "not" || r.at(v) == "never"
		if negative {
			v++
		}
		if r.supposed(i) {
			continue
		}
		object, ok := r.verb(v, true)
		if !ok {
			if r.anyVerb(v) {
				return true
			}
			continue
		}
		made := building[r.at(v)] && !(setting[r.at(v)] && r.figure(v+2))
		r.fill(v, object)
		if made && len(r.choice.Rejected) == 0 && !negative {
			return false
		}
		r.negate(negative)
		return true
	}
	return false
}

// setting are the verbs that decide with a figure: "let's make the default 60 per minute".
var setting = wordSet("make set cap limit raise lower bump increase decrease reduce")

// figure reports whether a number stands at i or behind it.
func (r *reader) figure(i int) bool {
	for ; i < len(r.ws); i++ {
		if w := r.at(i); w != "" && w[0] >= '0' && w[0] <= '9' {
			return true
		}
	}
	return false
}

// anyVerb reads what a subject is going to do instead of something else, or sets to a figure: then any verb decides.
func (r *reader) anyVerb(v int) bool {
	if w := r.at(v); setting[w] && r.figure(v+2) {
		r.fill(-1, v)
		return r.choice.Chosen != ""
	}
	if w := r.at(v); !r.instead() || w == "" || talking[w] || noObject[w] || w[0] < 'a' || w[0] > 'z' || len(w) < 2 {
		return false
	}
	r.fill(-1, v)
	return r.choice.Chosen != "" && len(r.choice.Rejected) > 0
}

// will reads "we'll use X", "we won't use X", "we're going to use X instead of Y".
func (r *reader) will() bool {
	for i := range r.ws {
		v, negative := i+1, false
		switch w := r.at(i); {
		case w == "we'll" || w == "i'll":
		case (w == "we" || w == "i") && r.at(i+1) == "will":
			v++
		case w == "we" && r.at(i+1) == "won't":
			v, negative = v+1, true
		case (w == "we're" || w == "i'm") && r.at(r.skipNot(i+1)) == "going" && r.at(r.skipNot(i+1)+1) == "to":
			v, negative = r.skipNot(i+1)+2, r.at(i+1) == "not"
		default:
			continue
		}
		v = r.skipAdverbs(v)
		if r.at(v) == "not" || r.at(v) == "never" {
			v, negative = v+1, true
		}
		if r.supposed(i) {
			continue
		}
		object, ok := r.verb(v, true)
		if !ok {
			if r.anyVerb(v) {
				r.choice.Order = r.at(i)[0] == 'i' // what the assistant is about to do decides nothing
				return true
			}
			continue
		}
		made, mine := building[r.at(v)], r.at(i)[0] == 'i'
		r.fill(v, object)
		if (made || mine) && len(r.choice.Rejected) == 0 && !negative {
			continue
		}
		r.choice.Mild = len(r.choice.Rejected) == 0
		r.negate(negative)
		return true
	}
	return false
}

func (r *reader) skipNot(i int) int {
	if r.at(i) == "not" {
		return i + 1
	}
	return i
}

func (r *reader) negate(negative bool) {
	if negative && r.choice.Chosen != "" {
		r.choice.Rejected = appendNew(r.choice.Rejected, r.choice.Chosen)
		r.choice.Chosen = ""
	}
}
