package extract

import "strings"

// option reports whether one of several choices is named at i: "option 2", "the second one", "your first approach".
func (r *reader) option(i int) bool {
	if w := r.at(i); w == "the" || w == "your" {
		i++
		switch r.at(i) {
		case "first", "second", "third", "fourth", "last":
			n := r.at(i + 1)
			return n == "" || n == "one" || strings.Contains(",;-", n) || optionWords[n]
		case "former", "latter":
			return true
		}
	}
	next := r.at(i + 1)
	return optionWords[r.at(i)] && next != "" && len(next) <= 2 && !strings.Contains(",;:()-", next)
}

var optionWords = wordSet("option options approach variant alternative plan solution choice proposal suggestion number")

// prefers reads "I'd rather store it in a file than in the keychain", "I prefer X to Y", "I want X instead of Y": a
// wish, which decides only from a person.
func (r *reader) prefers() bool {
	for i := range r.ws {
		v := i + 1
		switch w := r.at(i); {
		case w == "i'd" || w == "we'd":
		case (w == "i" || w == "we") && r.at(i+1) == "would":
			v++
		case w == "i" || w == "we":
			if p := r.at(r.skipAdverbs(v)); p != "prefer" && p != "want" {
				continue
			}
		default:
			continue
		}
		if r.at(v) != "rather" {
			v = r.skipAdverbs(v)
		}
		if r.supposed(i) {
			continue
		}
		r.choice.Order = true
		switch r.at(v) {
		case "rather":
			return r.rather(v + 1)
		case "prefer", "want":
			return r.wants(v)
		}
	}
	return false
}

// rather reads what stands behind "I'd rather".
func (r *reader) rather(v int) bool {
	negative := r.at(v) == "not"
	if negative {
		v++
	}
	than := v
	for than < len(r.ws) && r.at(than) != "than" {
		than++
	}
	object, ok := r.verb(v, true)
	if !ok && (than == len(r.ws) || talking[r.at(v)]) {
		return false
	}
	if than == len(r.ws) {
		r.fill(v, object)
		r.negate(negative)
		return r.choice.Chosen != "" || len(r.choice.Rejected) > 0
	}
	begin := v
	if ok && !building[r.at(v)] {
		begin = object
	}
	r.choice.Chosen = article(r.span(begin, min(than, begin+12)))
	if r.at(than-1) == "," {
		r.choice.Chosen = article(r.span(begin, than-1))
	}
	r.reject(than + 1)
	r.subjectFrom(begin)
	return r.choice.Chosen != ""
}

// wants reads what stands behind "I" at v: "prefer X over Y", "want to use X instead of Y".
func (r *reader) wants(v int) bool {
	i := v + 1
	if r.at(i) == "to" {
		i++
	}
	object, ok := r.verb(i, true)
	if !ok {
		if object = i; noObject[r.at(i)] || r.at(i) == "" {
			return false
		}
	}
	if r.at(v) == "prefer" {
		for j := object + 1; j < len(r.ws); j++ {
			if w := r.at(j); (w == "to" || w == "over") && j+1 < len(r.ws) && j-object < 7 && !r.instead() {
				r.choice.Chosen = article(r.span(object, j))
				r.reject(j + 1)
				r.subjectFrom(object)
				return !choosing[r.at(j+1)] && len(r.choice.Rejected) > 0
			}
		}
	}
	r.fill(-1, object)
	short := r.at(v) == "prefer" && len(r.ws)-v < 7 && r.at(v+1) != "if" && r.at(v+1) != "not" && (r.at(v+1) != "to" || ok)
	return r.choice.Chosen != "" && (len(r.choice.Rejected) > 0 || short)
}

// shouldBe reads "actually, the burst should be 30" from i on.
func (r *reader) shouldBe(i int) bool {
	for j := i + 1; j < len(r.ws) && j-i < 7; j++ {
		if r.at(j) != "should" || r.at(j+1) != "be" {
			continue
		}
		switch r.at(j + 2) {
		case "", "fine", "ok", "okay", "enough", "good", "easy", "possible", "able", "done", "fixed", "there", "clear", "no", "working":
			return false
		}
		r.fill(-1, j+2)
		if subject := article(r.span(i, j)); !noObject[strings.ToLower(subject)] {
			r.choice.Subject = subject
		}
		r.choice.Change, r.choice.Order = true, true
		return r.choice.Chosen != ""
	}
	return false
}

// no reads "No Redis." as a thing ruled out; it has to be a name.
func (r *reader) no() bool {
	if r.at(0) != "no" || len(r.ws) < 2 || len(r.ws) > 4 {
		return false
	}
	first := r.text[r.ws[1].start]
	if !(first >= 'A' && first <= 'Z') || noObject[r.at(1)] || stopWords[r.at(1)] {
		return false
	}
	for j := 1; j < len(r.ws); j++ {
		if strings.Contains(",;:()-", r.at(j)) || stopWords[r.at(j)] && r.at(j) != "or" && r.at(j) != "and" {
			return false
		}
	}
	r.choice.Rejected = []string{r.span(1, len(r.ws))}
	r.choice.Order = true
	return true
}
