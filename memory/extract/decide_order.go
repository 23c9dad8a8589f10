package extract

import "strings"

// order reads "use X instead of Y", "actually, go with Z", "no, keep X".
func (r *reader) order() bool {
	i, change := 0, false
	for i < len(r.ws) {
		w := r.at(i)
		switch {
		case w == "actually" || w == "instead" || w == "nvm" || w == "wait":
			change = true
		case w == "on" && r.at(i+1) == "second" && strings.HasPrefix(r.at(i+2), "thought"):
			change, i = true, i+2
		case w == "change" && r.at(i+1) == "of" && strings.HasPrefix(r.at(i+2), "plan"):
			change, i = true, i+2
		case w == "scratch" && r.at(i+1) == "that", w == "never" && r.at(i+1) == "mind":
			change, i = true, i+1
		case opening[w] || w == "," || w == "-" || w == ":":
		default:
			goto verb
		}
		i++
	}
verb:
	if r.shouldBe(i) && (change || len(r.choice.Rejected) > 0) {
		r.choice.Change = change
		return true
	}
	r.choice = Choice{Text: r.choice.Text}
	if ordering[r.at(i)] && !choosing[r.at(i)] && r.instead() && i+1 < len(r.ws) && (!noObject[r.at(i+1)] || r.at(i+1) == "by" || r.at(i+1) == "in") {
		r.fill(-1, i)
		r.choice.Change, r.choice.Order = change, true
		return r.choice.Chosen != "" && len(r.choice.Rejected) > 0
	}
	if picks := (r.at(i) == "do" || r.at(i) == "take") && r.option(i+1); !picks && !choosing[r.at(i)] && !(building[r.at(i)] && (r.instead() || r.insteadLast())) {
		return false
	} else if picks {
		r.fill(i, i+1)
		r.choice.Order = true
		return true
	}
	object, ok := r.verb(i, true)
	if !ok {
		return false
	}
	r.choice.Change = change || r.insteadLast()
	r.fill(i, object)
	r.choice.Order = true
	if r.at(i) == "replace" || ruling[r.at(i)] || r.at(i) == "skip" || r.at(i) == "default" {
		return len(r.choice.Rejected) > 0 && r.choice.Chosen != "" && r.at(i) != "replace"
	}
	return change && r.choice.Chosen != "" || len(r.choice.Rejected) > 0 || r.insteadLast()
}

func (r *reader) instead() bool {
	for i := range r.ws {
		if (r.at(i) == "instead" && r.at(i+1) == "of") || r.at(i) == "rather" && r.at(i+1) == "than" {
			return true
		}
	}
	return false
}

func (r *reader) insteadLast() bool { return r.at(len(r.ws)-1) == "instead" }
