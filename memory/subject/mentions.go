package subject

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"golang.org/x/text/unicode/norm"
)

const (
	// maxMentions bounds the mentions of one message; the first ones count.
	maxMentions = 400
	// maxToolPaths bounds the mentions of a tool's output, which lists names in bulk; only paths
	// count there.
	maxToolPaths               = 40
	maxPathBytes, maxNameBytes = 400, 120
	// maxArgument bounds the strings in a tool's arguments that are read as text, in bytes; the
	// content of a file is longer.
	maxArgument = 2048
	// maxTokens bounds the JSON tokens that are read from a tool's arguments.
	maxTokens = 20000
)

// Mentions returns the files and symbols that a message names, without duplicates, in this order:
// its URIs, its symbols, and the names in its text and in the arguments of its tool calls. In the
// text it recognises file paths, names in backticks, and names that prose does not contain:
// qualified, compound and called ones. It runs in time linear in the message's size.
//
// relative returns the path below the workspace's root of a document's URI, or false for a document
// outside. If relative is nil, all documents are outside.
func Mentions(m dialogue.Message, relative func(uri string) (path string, ok bool)) []Mention {
	c := &collector{relative: relative, seen: map[Mention]bool{}, limit: maxMentions}
	for _, u := range m.URIs {
		c.uri(u)
	}
	for _, s := range m.Symbols {
		c.add(Symbol, strings.TrimSpace(s))
	}
	if m.Role == dialogue.Tool {
		c.limit, c.pathsOnly = min(maxMentions, len(c.list)+maxToolPaths), true
	}
	c.text(m.Content)
	c.limit, c.pathsOnly = maxMentions, false
	for _, call := range m.ToolCalls {
		c.arguments(call.Arguments)
	}
	return c.list
}

// collector gathers mentions.
type collector struct {
	relative  func(uri string) (string, bool)
	seen      map[Mention]bool
	list      []Mention
	limit     int
	pathsOnly bool
}

func (c *collector) full() bool { return len(c.list) >= c.limit }

func (c *collector) add(kind Kind, n string) {
	most := maxNameBytes
	if kind == Path {
		most = maxPathBytes
	}
	m := Mention{kind, norm.NFC.String(n)}
	if n == "" || len(n) > most || c.full() || c.seen[m] || !utf8.ValidString(n) || strings.ContainsFunc(n, unicode.IsControl) {
		return
	}
	c.seen[m] = true
	c.list = append(c.list, m)
}

// uri adds a document of the workspace.
func (c *collector) uri(u string) {
	if c.relative == nil {
		return
	}
	if p, ok := c.relative(u); ok && p != "." {
		c.add(Path, p)
	}
}

// absolute adds a file of the workspace by its absolute path.
func (c *collector) absolute(p string) {
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/x
	}
	c.uri((&url.URL{Scheme: "file", Path: p}).String())
}

// arguments adds the names in the arguments of a tool call.
func (c *collector) arguments(raw json.RawMessage) {
	w := argumentWalk{c: c, d: json.NewDecoder(bytes.NewReader(raw))}
	w.walk(1)
}

// argumentWalk walks a JSON value. It ends at the first syntax error.
type argumentWalk struct {
	c *collector
	d *json.Decoder
}

// frame is an enclosing object or array of the walk.
type frame struct {
	object, value bool   // in an object: a value comes next
	key           string // of the value, or of the array
}

func (w argumentWalk) walk(nested int) {
	var open []frame
	for range maxTokens {
		t, err := w.d.Token()
		if err != nil || w.c.full() {
			return
		}
		key := ""
		top := len(open) - 1
		if top >= 0 {
			f := &open[top]
			if s, isKey := t.(string); isKey && f.object && !f.value {
				f.key, f.value = strings.ToLower(s), true
				continue
			}
			key, f.value = f.key, false
		}
		switch v := t.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				open = append(open, frame{object: v == '{', key: key})
			} else if top >= 0 {
				open = open[:top]
			}
		case string:
			w.argument(key, v, nested)
		}
	}
}

// argument adds the names in one string; some tools receive their arguments as JSON in a string.
func (w argumentWalk) argument(key, v string, nested int) {
	c := w.c
	switch s := strings.TrimSpace(v); {
	case nested > 0 && strings.HasPrefix(s, "{"):
		argumentWalk{c, json.NewDecoder(strings.NewReader(s))}.walk(nested - 1)
	case keyNames(key, "path", "file", "uri", "dir", "folder") && c.document(s):
	case keyNames(key, "symbol", "identifier", "function", "method", "class"):
		c.word(token{text: s, where: inline})
	case len(s) <= maxArgument:
		for line := range strings.Lines(s) {
			c.tokens(line, fenced)
		}
	}
}

func keyNames(key string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(key, w) {
			return true
		}
	}
	return false
}

// document adds the value of an argument that is a path or a URI, and reports whether it is either.
func (c *collector) document(s string) bool {
	p := strings.ReplaceAll(s, `\`, "/")
	switch {
	case s == "" || len(s) > maxPathBytes || strings.ContainsAny(s, "\n*?{}<>|\""):
		return false
	case strings.Contains(p, "://"):
		c.uri(s)
	case strings.HasPrefix(p, "/") || hasDrive(p):
		c.absolute(path.Clean(p))
	default:
		c.add(Path, below(p))
	}
	return true
}

// below cleans a relative path. It drops leading ../ components. It returns "" for a path that
// names nothing.
func below(p string) string {
	p = path.Clean(p)
	for strings.HasPrefix(p, "../") {
		p = p[3:]
	}
	if p == "." || p == ".." || !strings.ContainsFunc(p, unicode.IsLetter) {
		return ""
	}
	return p
}

func hasDrive(p string) bool {
	return len(p) > 2 && p[1] == ':' && p[2] == '/' && isLetter(p[0])
}
