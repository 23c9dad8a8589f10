package recall

// termCounter counts the terms of a query in texts.
type termCounter struct {
	terms func(text string, yield func(term string))
	ids   map[string]int // of the query's terms, from 0
	last  []int          // by term: the last text that contained it
	text  int            // number of the current text
	found int
}

func newTermCounter(query string, terms func(text string, yield func(term string))) *termCounter {
	a := &termCounter{terms: terms, ids: map[string]int{}}
	terms(query, func(t string) {
		if _, known := a.ids[t]; !known {
			a.ids[t] = len(a.ids)
		}
	})
	a.last = make([]int, len(a.ids))
	return a
}

// in returns how many different terms of the query a text contains.
func (a *termCounter) in(text string) int {
	a.text++
	a.found = 0
	a.terms(text, a.note)
	return a.found
}

func (a *termCounter) note(term string) {
	if id, ok := a.ids[term]; ok && a.last[id] != a.text {
		a.last[id] = a.text
		a.found++
	}
}
