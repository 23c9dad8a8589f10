package exact

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// need is a condition that holds for every line with a match: it contains text, or fulfils all of
// all, or one of any. The zero need always holds.
type need struct {
	text     string
	all, any []need
}

func (n need) isAlways() bool { return n.text == "" && len(n.all) == 0 && len(n.any) == 0 }

// maxSet bounds the strings that a part of a pattern is expanded into.
const maxSet = 16

// analysis derives the need of a pattern from its syntax tree, as in Russ Cox, "Regular Expression
// Matching with a Trigram Index" (2012), without what prefixes and suffixes of parts add.
type analysis struct{ fold bool }

// needOf returns the need of an expression.
func (a analysis) needOf(re *syntax.Regexp) need {
	set, n := a.of(re)
	if set != nil {
		return anyOf(set)
	}
	return n
}

// of returns the strings that an expression matches if they are few, else nil and its need.
func (a analysis) of(re *syntax.Regexp) (set []string, n need) {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}, need{}
	case syntax.OpLiteral:
		return a.literal(re)
	case syntax.OpCharClass:
		return a.class(re), need{}
	case syntax.OpCapture:
		return a.of(re.Sub[0])
	case syntax.OpPlus:
		return nil, a.needOf(re.Sub[0])
	case syntax.OpQuest:
		if set, _ = a.of(re.Sub[0]); set != nil && len(set) < maxSet {
			return append([]string{""}, set...), need{}
		}
	case syntax.OpConcat:
		return a.concat(re.Sub)
	case syntax.OpAlternate:
		return a.alternate(re.Sub)
	}
	return nil, need{}
}

// literal returns the string of a literal. In another case, letters outside ASCII may have other
// lengths, so that only the runs between them are needed.
func (a analysis) literal(re *syntax.Regexp) (set []string, n need) {
	text := string(re.Rune)
	if !a.fold {
		return []string{text}, need{}
	}
	if isASCII(text) {
		return []string{strings.ToLower(text)}, need{}
	}
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		n.all = append(n.all, need{text: strings.ToLower(run)})
	}
	return nil, n
}

// class returns the characters of a small class; nil for others.
func (a analysis) class(re *syntax.Regexp) (set []string) {
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			if len(set) == maxSet || a.fold && r >= utf8.RuneSelf {
				return nil
			}
			s := string(r)
			if a.fold {
				s = strings.ToLower(s)
			}
			if !slices.Contains(set, s) {
				set = append(set, s)
			}
		}
	}
	return set
}

func (a analysis) concat(parts []*syntax.Regexp) (set []string, n need) {
	run := []string{""} // what the parts since the last one without a set match
	isSet := true
	flush := func(next []string) {
		isSet = false
		n = both(n, anyOf(run))
		run = next
	}
	for _, sub := range parts {
		switch set, more := a.of(sub); {
		case set == nil:
			flush([]string{""})
			n = both(n, more)
		case len(run)*len(set) <= maxSet:
			run = product(run, set)
		default:
			flush(set)
		}
	}
	if isSet {
		return run, need{}
	}
	return nil, both(n, anyOf(run))
}

func (a analysis) alternate(parts []*syntax.Regexp) (set []string, n need) {
	isSet := true
	for _, sub := range parts {
		one, more := a.of(sub)
		if one == nil {
			isSet = false
		} else {
			set = append(set, one...)
			more = anyOf(one)
		}
		n.any = append(n.any, more)
	}
	if isSet && len(set) <= maxSet {
		return set, need{}
	}
	if slices.ContainsFunc(n.any, need.isAlways) {
		return nil, need{}
	}
	return nil, n
}

func product(a, b []string) (out []string) {
	for _, x := range a {
		for _, y := range b {
			out = append(out, x+y)
		}
	}
	return out
}

// anyOf returns the need of one of some strings.
func anyOf(set []string) need {
	if slices.Contains(set, "") || len(set) == 0 {
		return need{}
	}
	if len(set) == 1 {
		return need{text: set[0]}
	}
	var n need
	for _, s := range set {
		n.any = append(n.any, need{text: s})
	}
	return n
}

func both(a, b need) need {
	switch {
	case a.isAlways():
		return b
	case b.isAlways():
		return a
	case len(a.all) > 0 && a.text == "" && len(a.any) == 0:
		a.all = append(slices.Clip(a.all), b)
		return a
	}
	return need{all: []need{a, b}}
}

// anchors returns the literals to search for: those of the conjunct whose shortest is the longest,
// since that is likely the rarest. One that contains another is left out.
func (n need) anchors() (best [][]byte) {
	longest := 0
	for _, one := range append([]need{n}, n.all...) {
		list := one.any
		if one.text != "" {
			list = []need{one}
		}
		var texts [][]byte
		shortest := 0
		for _, m := range list {
			if m.text == "" {
				texts = nil
				break
			}
			if shortest == 0 || len(m.text) < shortest {
				shortest = len(m.text)
			}
			texts = append(texts, []byte(m.text))
		}
		if texts != nil && shortest > longest {
			best, longest = texts, shortest
		}
	}
	return slices.DeleteFunc(slices.Clone(best), func(text []byte) bool {
		return slices.ContainsFunc(best, func(part []byte) bool { return len(part) < len(text) && bytes.Contains(text, part) })
	})
}
