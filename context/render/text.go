package render

import (
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
)

// clean makes a retrieved body safe to show: invalid UTF-8 becomes U+FFFD, and a control character
// its picture (NUL becomes ␀), because some editors cut a string at NUL and a terminal executes
// escape sequences. White space stays.
func clean(body string) string {
	body = strings.ToValidUTF8(body, "\uFFFD")
	if strings.IndexFunc(body, isShownControl) < 0 {
		return body
	}
	return strings.Map(func(r rune) rune {
		switch {
		case !isShownControl(r):
			return r
		case r == 0x7F:
			return '\u2421'
		default:
			return 0x2400 + r
		}
	}, body)
}

// isShownControl reports whether r is an ASCII control character that is not white
// space.
func isShownControl(r rune) bool {
	return r < ' ' && (r < '\t' || r > '\r') || r == 0x7F
}

// writeAttr writes ` name="value"` so that the tag stays on one line and ends at its own '>'.
func writeAttr(b *strings.Builder, a item.Attr) {
	if !isName(a.Name) {
		return
	}
	b.WriteByte(' ')
	b.WriteString(a.Name)
	b.WriteString(`="`)
	for _, r := range strings.ToValidUTF8(a.Value, "\uFFFD") {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&quot;")
		case isUnprintable(r):
			fmt.Fprintf(b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}

// isUnprintable reports whether r would break a line, be invisible or reorder its surroundings.
func isUnprintable(r rune) bool {
	return r < ' ' || r == 0x7F || isIgnorable(r) || r == '\u0085' || r == '\u2028' || r == '\u2029'
}
