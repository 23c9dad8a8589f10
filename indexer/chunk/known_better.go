package chunk

import (
	"bytes"
	"regexp"
	"slices"
)

// knownBetter is known for a text with many errors: without more, at a cost. ok
// is false where there is no more to leave out.
func knownBetter(language string, src []byte) (text []byte, ok bool) {
	switch language {
	case "yaml":
		m := masker{src: known(language, src)}
		m.apply(yamlComment)
		for _, r := range yamlClosing {
			m.apply(r)
		}
		return m.text(), m.out != nil
	case "c", "cpp", "csharp":
		m := masker{src: src}
		m.conditions()
		if language == "c" {
			m.attributes()
		}
		return known(language, m.text()), m.out != nil
	case "sql": // names in single quotes, as SQLite takes them
		text = bytes.ReplaceAll(src, []byte("'"), []byte(`"`))
		return text, !bytes.Equal(text, src)
	}
	return nil, false
}

// A closing bracket that stands no deeper than its key ends nothing to the
// grammar. Behind the line before it does, where that ends in no comment.
var (
	yamlComment = within("#", `[\n \t](#[^\n]*)`, " ")
	yamlClosing = []masking{before("]", `[ \t]*[\]}]`), before("}", `[ \t]*[\]}]`)}
)

var (
	// cAttribute is a macro behind the parameters of a function, cSpecifier one before a type and a
	// name.
	cAttribute = regexp.MustCompile(`\)\s*([A-Z_][A-Z0-9_]{3,}(?:\([^()\n]*\))?)\s*[;{]`)
	cSpecifier = regexp.MustCompile(`(?m)^([A-Z_][A-Z0-9_]{3,}(?:\([^()\n]*\))?)[ \t]+(?:[A-Z_][A-Z0-9_]{3,}(?:\([^()\n]*\))?\s+)?[a-z_]\w*[ \t*]+\w`)
)

// attributes masks macros that a compiler's attributes hide behind, by their capitals.
func (m *masker) attributes() {
	for _, pattern := range []*regexp.Regexp{cAttribute, cSpecifier} {
		for _, found := range pattern.FindAllSubmatchIndex(m.text(), -1) {
			m.blank(found[2], found[3])
		}
	}
}

// conditionLine is a line of the preprocessor that begins, divides or ends text that is compiled on
// a condition.
var conditionLine = regexp.MustCompile(`(?m)^[ \t\x{feff}]*#[ \t]*(if|ifdef|ifndef|elif|else|endif|elifdef|elifndef)\b[ \t]*(0?)(?:[^\n\\]|\\\r?\n|\\.)*`)

// conditions masks the lines of conditions and all of their alternatives but the first, or the one
// behind "#if 0": a statement that begins in each of them and has one end is none to a grammar.
func (m *masker) conditions() {
	const (
		waiting = iota // for an alternative that is read
		reading
		done
	)
	var open []int
	at := 0
	for _, found := range conditionLine.FindAllSubmatchIndex(m.src, -1) {
		if slices.ContainsFunc(open, func(state int) bool { return state != reading }) {
			m.blank(at, found[0])
		}
		m.blank(found[0], found[1])
		at = found[1]
		top := len(open) - 1
		switch word := string(m.src[found[2]:found[3]]); {
		case word == "if" || word == "ifdef" || word == "ifndef":
			state := reading
			if found[4] < found[5] {
				state = waiting
			}
			open = append(open, state)
		case top < 0:
		case word == "endif":
			open = open[:top]
		default:
			open[top] = min(open[top]+1, done)
		}
	}
}

// blank masks text but for the ends of its lines.
func (m *masker) blank(start, end int) {
	for i := start; i < end; i++ {
		if m.src[i] != '\n' && m.src[i] != '\r' {
			m.put(i, i+1, " ")
		}
	}
}
