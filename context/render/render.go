// Package render turns chosen items into the text of a bundle.
//
// Every item becomes a block: an opening tag on a line of its own, the body, one
// line feed, a closing tag on a line of its own.
//
//	<ctx-code path="a/b.go" lines="10-42">
//	func F() {}
//	</ctx-code>
//
// Block renders one item, Assemble puts all of them in order. The text is the exact
// concatenation of the blocks, and each block starts with '<' and ends with ">\n".
// The splitters of o200k_base and cl100k_base never join characters across ">\n<",
// so the token count of the text is exactly the sum of the blocks' counts: a caller
// may count each block once and add.
//
// Retrieved bodies are data. Whatever in them could be taken for one of our tags is
// escaped (see Escape), so that no body can close its own element or open another.
// The element names carry the prefix "ctx-" because names such as <code>, <summary>
// or <Message> occur in ordinary Javadoc, C#, HTML and JSX, which must reach the
// assistant as written.
//
// The package is pure: no clock, no I/O; the same items give the same bytes.
package render

import (
	"strings"

	"github.com/contexture-dev/contexture/context/item"
)

// Block returns the item's body between its delimiters. Its title is the first attribute, unless it
// is a turn or a place, whose tag or path names it. The prompt's body is included verbatim: a text
// has at most one, and Assemble puts it last, so that nothing in it can be taken for a later
// element. A block starts with '<', ends with ">\n", and is valid UTF-8.
func Block(it item.Item) string {
	name := elementName(it)
	body := it.Body
	if it.Kind == item.Prompt {
		body = strings.ToValidUTF8(body, "\uFFFD")
	} else {
		body = Escape(clean(body))
	}
	var b strings.Builder
	b.Grow(len(body) + 2*len(name) + 64)
	b.WriteByte('<')
	b.WriteString(name)
	if it.Title != "" && it.Tag == "" && it.Path == "" {
		writeAttr(&b, item.Attr{Name: "title", Value: it.Title})
	}
	for _, a := range it.Attrs {
		writeAttr(&b, a)
	}
	b.WriteString(">\n")
	b.WriteString(body)
	b.WriteString("\n</")
	b.WriteString(name)
	b.WriteString(">\n")
	return b.String()
}

// elementPrefix starts the name of every element except those of turns.
const elementPrefix = "ctx-"

// elementName returns the turn tag if the item has a valid one, else the kind's element; a kind
// that is not valid in a tag becomes "ctx-item".
func elementName(it item.Item) string {
	if isTurnTag(it.Tag) {
		return it.Tag
	}
	if !isName(string(it.Kind)) {
		return elementPrefix + "item"
	}
	return elementPrefix + string(it.Kind)
}

// isName reports whether s is a lower-case name of letters, digits and hyphens that
// starts with a letter.
func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}

// isTurnTag reports whether s is exactly the tag of one turn or of a merged block: T-12-R,
// T-50-through-100-C.
func isTurnTag(s string) bool {
	rest, ok := strings.CutPrefix(s, "T-")
	if !ok {
		return false
	}
	span, level, ok := cutLast(rest, "-")
	if !ok || len(level) != 1 || !strings.Contains("RSCT", level) {
		return false
	}
	from, to, merged := strings.Cut(span, "-through-")
	return isNumber(from) && (!merged || isNumber(to))
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
