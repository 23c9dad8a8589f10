package profile

import "strings"

// spellings finds the entity that a name is another spelling of, by the forms that names may have.
type spellings struct {
	plain map[string][]*group // by letters
	hosts map[string][]*group // full names of hosts by the prefix before each of their dots
	exact map[string][]*group // people with a one-word name
	short map[string][]*group // people with a full name, by its short forms
}

func newSpellings() *spellings {
	return &spellings{map[string][]*group{}, map[string][]*group{}, map[string][]*group{}, map[string][]*group{}}
}

// add records an entity by the name with which it was found.
func (s *spellings) add(g *group) {
	name := g.names[0]
	s.plain[g.plain] = append(s.plain[g.plain], g)
	switch {
	case g.kind == Host && g.whole:
		for i := range len(name) {
			if name[i] == '.' {
				s.hosts[name[:i]] = append(s.hosts[name[:i]], g)
			}
		}
	case g.kind == Person:
		forms := shortForms(name)
		if forms == nil {
			s.exact[name] = append(s.exact[name], g)
		}
		for _, form := range forms {
			s.short[form] = append(s.short[form], g)
		}
	}
}

// owner returns the entity that a name is another spelling of; nil when there is none, or more than
// one.
func (s *spellings) owner(g *group) (owner *group) {
	name := g.names[0]
	lists := [4][]*group{1: s.hosts[name]}
	if len(g.plain) > 3 {
		lists[0] = s.plain[g.plain]
	}
	if g.kind == Person || g.kind == Name {
		lists[2], lists[3] = s.exact[localPart(name)], s.short[shortened(name)]
	}
	for _, list := range lists {
		for _, o := range list {
			if owner != nil && o != owner {
				return nil
			}
			owner = o
		}
	}
	return owner
}

// localPart returns the part of an address before the @, else the name itself.
func localPart(name string) string {
	local, _, _ := strings.Cut(name, "@")
	return local
}

// shortened returns a name in the form in which short forms are compared: letters without
// diacritics or separators.
func shortened(name string) string { return unmarked(letters(localPart(name))) }

// shortForms returns the names, handles and local parts of addresses that are short for a person's
// full name, without duplicates; nil for a name of one word.
func shortForms(whole string) []string {
	first, last, ok := strings.Cut(whole, " ")
	if !ok {
		return nil
	}
	first, last = unmarked(first), unmarked(last)
	initial := first[:min(1, len(first))]
	var out []string
	seen := map[string]bool{}
	for _, form := range [...]string{first, last, first + last, last + first, initial + last, last + initial, first + last[:min(1, len(last))]} {
		if !seen[form] {
			seen[form] = true
			out = append(out, form)
		}
	}
	return out
}

// people holds the full names that were found.
type people struct {
	short map[string]bool // the short forms
	parts map[string]int  // by word: how many full names have it
}

// people returns the full names that were found; they are collected once.
func (f *finder) people() *people {
	if f.whole != nil {
		return f.whole
	}
	p := &people{map[string]bool{}, map[string]int{}}
	for key, e := range f.pairs {
		if !f.isWholeName(e) {
			continue
		}
		for _, form := range shortForms(key) {
			p.short[form] = true
		}
		first, last, _ := strings.Cut(key, " ")
		if p.parts[first]++; last != first {
			p.parts[last]++
		}
	}
	f.whole = p
	return p
}
