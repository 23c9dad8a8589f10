package secrets

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// allowance tells what a rule finds and is none: a list of gitleaks' own.
type allowance struct {
	target  target
	sources []string
	stop    []string

	once  sync.Once
	re    *regexp.Regexp
	words *words
}

// target is what the expressions of an allowance are held against.
type target int

const (
	theSecret target = iota
	theMatch
	theLine
)

// allowances takes over lists. Those that ask for a path too can never hold here and are left out.
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

// holds reports whether the list lets a secret be that stands in match on line.
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

// permits is what a person allows.
type permits struct {
	rules map[string]bool
	texts []*regexp.Regexp
}

// newPermits reads an allow list: `rule:<id>`, or an expression over the text found. A rule that
// does not exist is no error: the next release of the rules may have given it another name.
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
