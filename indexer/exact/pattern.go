// Package exact finds what lines of a text match a pattern as it is written: a literal or a regular
// expression in RE2's syntax.
//
// [Compile] makes a [Pattern]. [Sign] makes the small signature of a text by which [Pattern.Admits]
// rules out most texts without a match; [Pattern.Lines] finds the matching lines of the others.
package exact

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Options select how a pattern is read.
type Options struct {
	Regex bool // the pattern is a regular expression, else a literal
	Case  bool // the case of letters matters
	Word  bool // a match neither begins nor ends within a word
}

// Pattern is a compiled pattern. Immutable and safe for concurrent use.
type Pattern struct {
	re      *regexp.Regexp // matches within one line
	word    bool           // the match is the first group of re, which also holds the runes around it
	fold    bool           // literals are in lower case and occur so in the text in lower case
	needs   need           // what every line with a match contains
	anchors [][]byte       // literals of which every line with a match contains one; nil if there are none
	// isLiteral means that every line with the only anchor has a match.
	isLiteral bool
}

// errLineBreak is the error of a pattern that only a text of several lines can match.
var errLineBreak = errors.New("a line break: a match lies within one line")

// Compile compiles a pattern. The error is the reason why it has no meaning, for the person who
// wrote it.
func Compile(pattern string, o Options) (*Pattern, error) {
	source := pattern
	if !o.Regex {
		source = regexp.QuoteMeta(pattern)
	}
	written, err := syntax.Parse(source, syntax.Perl)
	switch {
	case err != nil:
		return nil, reasonOf(err)
	case hasLineBreak(written):
		return nil, errLineBreak
	case !o.Case:
		source = "(?i:" + source + ")"
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, reasonOf(err)
	}
	tree = tree.Simplify()
	p := &Pattern{word: o.Word, fold: hasFold(tree)}
	if o.Word {
		source = `(?:^|[^\pL\pN\pM_])(` + source + `)(?:$|[^\pL\pN\pM_])`
	}
	if p.re, err = regexp.Compile(source); err != nil {
		return nil, reasonOf(err)
	}
	p.needs = analysis{fold: p.fold}.needOf(tree)
	p.anchors = p.needs.anchors()
	p.isLiteral = tree.Op == syntax.OpLiteral && len(p.anchors) == 1 && !o.Word && (!p.fold || isASCII(string(tree.Rune)))
	return p, nil
}

// reasonOf returns the reason in an error of the parser, with the part of the pattern that it is
// about.
func reasonOf(err error) error {
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		return fmt.Errorf("%s: %s", e.Code, e.Expr)
	}
	return err
}

func hasLineBreak(re *syntax.Regexp) bool {
	return anyNode(re, func(n *syntax.Regexp) bool {
		return n.Op == syntax.OpLiteral && strings.ContainsRune(string(n.Rune), '\n')
	})
}

func hasFold(re *syntax.Regexp) bool {
	return anyNode(re, func(n *syntax.Regexp) bool { return n.Op == syntax.OpLiteral && n.Flags&syntax.FoldCase != 0 })
}

func anyNode(re *syntax.Regexp, is func(*syntax.Regexp) bool) bool {
	if is(re) {
		return true
	}
	for _, sub := range re.Sub {
		if anyNode(sub, is) {
			return true
		}
	}
	return false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
