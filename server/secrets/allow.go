package secrets

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// allowance exempts some matches of a rule: a list from gitleaks' configuration.
type allowance struct {
	target  target
	sources []string
	stop    []string

	once  sync.Once
	re    *regexp.Regexp
	words *words
}

// target is the text against which the expressions of an allowance are matched.
type target int

const (
	theSecret target = iota
	theMatch
	theLine
)

// allowances converts lists. Lists that also require a path can never apply here and are left out.
func allowances(lists []tomlAllow) []*allowance {
	var out []*allowance
	for _, l := range lists {
		if and := strings.EqualFold(l.Condition, "and") || l.Condition == "&&"; and && len(l.Paths) > 0 {
			continue
		}
		if len(l.Regexes) == 0 && len(l.StopWords) == 0 {
			continue
		}
		a := &allowance{sources: l.Regexes}
		switch l.RegexTarget {
		case "match":
			a.target = theMatch
		case "line":
			a.target = theLine
		}
		for _, w := range l.StopWords {
			a.stop = append(a.stop, strings.ToLower(w))
		}
		out = append(out, a)
	}
	return out
}

// holds reports whether the list exempts a secret that occurs in match on line.
func (a *allowance) holds(secret, match, line string) bool {
	a.once.Do(func() {
		if len(a.sources) > 0 {
			a.re = regexp.MustCompile("(?:" + strings.Join(a.sources, "|") + ")")
		}
		if len(a.stop) > 0 {
			a.words = newWords(a.stop)
		}
	})
	if a.words != nil && a.words.in(secret) {
		return true
	}
	text := secret
	switch a.target {
	case theMatch:
		text = match
	case theLine:
		text = line
	}
	return a.re != nil && text != "" && a.re.MatchString(text)
}

// permits is the user's allow list.
type permits struct {
	rules map[string]bool
	texts []*regexp.Regexp
}

// newPermits parses an allow list: `rule:<id>`, or an expression over the text found. An unknown
// rule is no error: the next release of the rules may have renamed it.
func newPermits(list []string) (permits, error) {
	p := permits{rules: map[string]bool{}}
	for _, entry := range list {
		if id, ok := strings.CutPrefix(entry, "rule:"); ok {
			p.rules[strings.TrimSpace(id)] = true
			continue
		}
		re, err := regexp.Compile(entry)
		if err != nil {
			return permits{}, fmt.Errorf("allow %q: %w", entry, err)
		}
		p.texts = append(p.texts, re)
	}
	return p, nil
}

func (p permits) allow(rule, secret string) bool {
	if p.rules[rule] {
		return true
	}
	for _, re := range p.texts {
		if re.MatchString(secret) {
			return true
		}
	}
	return false
}
