package chunk

import (
	"bytes"
	"regexp"
	"slices"
)

// knownBetter is known for a text with many errors: it masks more, at a cost. ok is false when
// there is nothing more to mask.
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
	case "haskell": // as the grammar reads conditions, one branch of each
		m := masker{src: src}
		m.redacted()
		return m.text(), bytes.Contains(src, []byte("\n#"))
	case "sql": // names in single quotes, as SQLite accepts them
		text = bytes.ReplaceAll(src, []byte("'"), []byte(`"`))
		return text, !bytes.Equal(text, src)
	}
	return nil, false
}

// To the grammar, a closing bracket that is not indented more than its key ends nothing. It does
// after the previous line, if that does not end in a comment.
var (
	yamlComment = within("#", `[\n \t](#[^\n]*)`, " ")
	yamlClosing = []masking{before("]", `[ \t]*[\]}]`), before("}", `[ \t]*[\]}]`)}
)

var (
	// cAttribute matches a macro after the parameters of a function, cSpecifier one before a type
	// and a name.
	cAttribute = regexp.MustCompile(`\)\s*([A-Z_][A-Z0-9_]{3,}(?:\([^()\n]*\))?)\s*[;{]`)
	cSpecifier = regexp.MustCompile(`(?m)^([A-Z_][A-Z0-9_]{3,}(?:\([^()\n]*\))?)[ \t]+(?:[A-Z_][A-Z0-9_]{3,}(?:\([^()\n]*\))?\s+)?[a-z_]\w*[ \t*]+\w`)
)

// attributes masks macros that contain compiler attributes, recognised by their capitals.
func (m *masker) attributes() {
	for _, pattern := range []*regexp.Regexp{cAttribute, cSpecifier} {
		for _, found := range pattern.FindAllSubmatchIndex(m.text(), -1) {
			m.blank(found[2], found[3])
		}
	}
}

// conditionLine matches a line of the preprocessor that begins, divides or ends conditional text.
var conditionLine = regexp.MustCompile(`(?m)^[ \t\x{feff}]*#[ \t]*(if|ifdef|ifndef|elif|else|endif|elifdef|elifndef)\b[ \t]*(0?)(?:[^\n\\]|\\\r?\n|\\.)*`)

// conditions masks the lines of conditions and all of their alternatives except the first, or the
// one after "#if 0": a grammar cannot parse a statement that begins in each of them and has one
// end.
func (m *masker) conditions() {
	const (
		waiting = iota // for an alternative to read
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

// blank masks text except its line ends.
func (m *masker) blank(start, end int) {
	for i := start; i < end; i++ {
		if m.src[i] != '\n' && m.src[i] != '\r' {
			m.put(i, i+1, " ")
		}
	}
}
