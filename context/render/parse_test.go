package render

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
)

// element is an element of a text as a strict reader finds it.
type element struct {
	name  string
	attrs []item.Attr
	body  string // unescaped, except the prompt, which is never escaped
	span  item.Span
}

var (
	openTag  = regexp.MustCompile(`^<([^\s<>"]+)((?: [a-z0-9-]+="[^"<>\n]*")*)>\n`)
	openAttr = regexp.MustCompile(`([a-z0-9-]+)="([^"]*)"`)
	attrRef  = regexp.MustCompile(`&(amp|lt|gt|quot|#[0-9]+);`)
)

// parse splits a text by our delimiters alone: an element ends at the first line that is its
// closing tag, the prompt at the last.
func parse(t testing.TB, text string) []element {
	t.Helper()
	var found []element
	for at := 0; at < len(text); {
		m := openTag.FindStringSubmatch(text[at:])
		if m == nil {
			t.Fatalf("no opening tag at byte %d: %.80q", at, text[at:])
		}
		e := element{name: m[1]}
		for _, a := range openAttr.FindAllStringSubmatch(m[2], -1) {
			e.attrs = append(e.attrs, item.Attr{Name: a[1], Value: attrRef.ReplaceAllStringFunc(a[2], decodeRef)})
		}
		start, closing := at+len(m[0]), "\n</"+e.name+">\n"
		end := strings.Index(text[start:], closing)
		if e.name == "ctx-prompt" {
			end = strings.LastIndex(text[start:], closing)
		}
		if end < 0 {
			t.Fatalf("element %s at byte %d is not closed", e.name, at)
		}
		e.body = text[start : start+end]
		if e.name != "ctx-prompt" {
			e.body = Unescape(e.body)
		}
		next := start + end + len(closing)
		e.span = item.Span{Start: at, End: next}
		found = append(found, e)
		at = next
	}
	return found
}

func decodeRef(ref string) string {
	switch name := strings.Trim(ref, "&;"); name {
	case "amp":
		return "&"
	case "lt":
		return "<"
	case "gt":
		return ">"
	case "quot":
		return `"`
	default:
		n, err := strconv.Atoi(name[1:])
		if err != nil {
			return fmt.Sprint(err)
		}
		return string(rune(n))
	}
}
