package extract

import "strings"

// span is the text of the words from i to before j.
func (r *reader) span(i, j int) string {
	j = min(j, len(r.ws))
	if i >= j {
		return ""
	}
	return strings.Trim(r.text[r.ws[i].start:r.ws[j-1].end], " `\"'*")
}

// ends are the words behind which a chosen or a rejected thing does not go on.
var ends = wordSet(`because since so as for when while until if given due but which , ; : ( ) - instead rather then unless where after before
	though although too again always everywhere here now that it's we i they and please`)

// fill reads what was chosen from object on, the alternatives and the subject. verb is the index of the verb of
// choosing, -1 without one.
func (r *reader) fill(verb, object int) {
	v := r.at(verb)
	over := overs[v] || v == "went" || v == "go" || v == "going"
	end := object
	for end < len(r.ws) && end-object < 10 && !ends[r.at(end)] && !(over && r.at(end) == "over") && !((r.at(end) == "not" || r.at(end) == "with" && v != "") && end > object) &&
		!(end > object && (v == "switch" || v == "replace" || v == "move" || v == "migrate" || v == "switching" || v == "moving" || v == "migrating") &&
			(r.at(end) == "to" || r.at(end) == "with" || r.at(end) == "from")) && !(ruling[v] && (r.at(end) == "in" && isFavour(r.at(end+1)))) {
		end++
	}
	r.choice.Chosen = article(r.span(object, end))
	switch {
	case v == "replace" && r.at(end) == "with":
		r.swap(end + 1)
	case (v == "switch" || v == "move" || v == "migrate" || v == "switching" || v == "moving" || v == "migrating"):
		if r.at(object-1) == "from" && r.at(end) == "to" || r.at(object-1) != "from" && r.at(object-1) != "to" && r.at(end) == "to" {
			r.swap(end + 1)
		} else if r.at(end) == "from" {
			r.reject(end + 1)
		}
	case ruling[v]:
		r.negate(true)
		if r.at(end) == "in" && isFavour(r.at(end+1)) && r.at(end+2) == "of" {
			r.choice.Chosen = article(r.span(end+3, r.until(end+3)))
		} else if r.at(end) == "for" || r.at(end) == "and" && choosing[r.at(end+1)] {
			r.choice.Chosen = article(r.span(end+1, r.until(end+1)))
		}
	}
	r.alternatives(end, over)
	r.subjectFrom(object)
}

var overs = wordSet("chose choose chosen pick picked selected opted prefer settled adopt adopted")

func isFavour(s string) bool { return s == "favor" || s == "favour" }

// swap makes what was read the rejected thing and what stands from i on the chosen one.
func (r *reader) swap(i int) {
	if r.choice.Chosen != "" {
		r.choice.Rejected = appendNew(r.choice.Rejected, r.choice.Chosen)
	}
	r.choice.Chosen = article(r.span(i, r.until(i)))
	r.choice.Change = true
}

// until is where the thing that begins at i ends.
func (r *reader) until(i int) int {
	end := i
	for end < len(r.ws) && end-i < 8 && !ends[r.at(end)] && r.at(end) != "over" && !(r.at(end) == "not" && end > i) &&
		!(end > i && (r.at(end) == "to" || r.at(end) == "in" && isTime(r.at(end+1)) || r.at(end) == "or")) {
		end++
	}
	return end
}

func isTime(w string) bool { return w == "order" || w == "case" || w == "this" }

// alternatives reads "instead of X or Y", "rather than X", "over X", ", not X" from i on.
func (r *reader) alternatives(i int, over bool) {
	for ; i < len(r.ws); i++ {
		switch w := r.at(i); {
		case w == "instead" && r.at(i+1) == "of", w == "rather" && r.at(i+1) == "than":
			r.reject(i + 2)
		case w == "in" && r.at(i+1) == "place" && r.at(i+2) == "of":
			r.reject(i + 3)
		case w == "over" && over && i+1 < len(r.ws):
			r.reject(i + 1)
			over = false
		case w == "not" && (r.at(i-1) == "," || r.at(i-1) == "and" || r.at(i-1) == "-" || r.at(i-1) == "(") && !noObject[r.at(i+1)] && !ends[r.at(i+1)] &&
			len(r.ws)-i <= 8:
			r.reject(i + 1)
		case w == "no" && r.at(i-1) == "," && len(r.ws)-i <= 3 && !noObject[r.at(i+1)] && r.at(i+1) != "problem" && r.at(i+1) != "worries":
			r.reject(i + 1)
		}
	}
}

// reject takes the thing at i, and those that "or" joins to it, as alternatives that were not taken.
func (r *reader) reject(i int) {
	for {
		end := r.until(i)
		if thing := article(r.span(i, end)); thing != "" && !noObject[strings.ToLower(thing)] {
			r.choice.Rejected = appendNew(r.choice.Rejected, thing)
		}
		if r.at(end) != "or" && !(r.at(end) == "," && r.at(end+2) == "or") && !(r.at(end) == "and" && end+2 == len(r.ws)) {
			return
		}
		i = end + 1
	}
}

func article(s string) string {
	for _, a := range [...]string{"the ", "a ", "an ", "using ", "our own "} {
		if len(s) > len(a) && strings.EqualFold(s[:len(a)], a) {
			return s[len(a):]
		}
	}
	return s
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if strings.EqualFold(have, s) {
			return list
		}
	}
	return append(list, s)
}

// subjectFrom reads "for X" and "as X" behind object as what the choice is for.
func (r *reader) subjectFrom(object int) {
	for i := object; i < len(r.ws); i++ {
		if w := r.at(i); w != "for" && !(w == "as" && (r.at(i+1) == "the" || r.at(i+1) == "our" || r.at(i+1) == "a")) {
			continue
		}
		end := i + 1
		for end < len(r.ws) && end-i < 7 && !ends[r.at(end)] && r.at(end) != "over" && r.at(end) != "in" {
			end++
		}
		switch r.at(i + 1) {
		case "now", "example", "that", "this", "us", "me", "it", "sure", "good", "real":
			continue
		}
		r.choice.Subject = article(article(r.span(i+1, end)))
		return
	}
}
