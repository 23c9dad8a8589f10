package chunk

import (
	"bytes"
	"slices"
	"strings"
)

// A lined language has no grammar here. What it defines begins on a line that can be told from the
// others, and what belongs to that is more indented, or in braces.
type lined struct {
	rules    []lineRule
	comments []string // begin a line that belongs to what follows
	blocks   []block
	pod      bool // lines from one that begins with = to =cut are documentation
	// braced: what opens a brace ends with it, however its lines are indented.
	braced bool
	// begins are the characters with which a line begins that is not part of the definition before
	// it; "" for all.
	begins string
	depth  int // of definitions inside others; 0 for any
}

// lineRule finds the lines that begin one kind of definition. The group that matched is its name.
type lineRule struct {
	pattern pattern
	kind    string
	in      string // kinds of what it must be directly inside of, "top" for nothing; "" for all but values and functions
	rest    bool   // it has no body of its own, and contains what follows up to the next of its sort
}

// block is text of several lines in which nothing is defined.
type block struct {
	open, end string
	comment   bool
}

func defines(kind, in, text string) lineRule { return lineRule{patternOf(text), kind, in, false} }

func heads(kind, text string) lineRule { return lineRule{patternOf(text), kind, "", true} }

const (
	clojureName = `[ \t]+(?:\^\S+[ \t]+)*([^\s()\[\]{}"]+)`
	fsharpWords = `(?:(?:rec|inline|private|internal|public|mutable|static|member)[ \t]+)*`
	fsharpName  = "(?:\\([ \t]*(\\|[^()]+\\||[!%&*+./<=>?@^|~-]+)[ \t]*\\)|``([^`]+)``|([A-Za-z_][\\w']*))"
)

var linedLanguages = map[string]*lined{
	"graphql": {
		rules: []lineRule{
			defines("interface", "", `^(?:extend[ \t]+)?interface[ \t]+(\w+)`),
			defines("enum", "", `^(?:extend[ \t]+)?enum[ \t]+(\w+)`),
			defines("struct", "", `^(?:extend[ \t]+)?(?:type|input)[ \t]+(\w+)`),
			defines("type", "", `^(?:extend[ \t]+)?(?:union|scalar)[ \t]+(\w+)`),
			defines("macro", "", `^directive[ \t]+@[ \t]*(\w+)`),
			defines("function", "", `^(?:query|mutation|subscription|fragment)[ \t]+(\w+)`),
			defines("field", "struct interface", `^[ \t]+(\w+)[ \t]*(?:\(|:[ \t]*[\[A-Za-z_])`),
		},
		comments: []string{"#", `"`}, blocks: []block{{`"""`, `"""`, true}}, braced: true,
	},
	"perl": {
		rules: []lineRule{
			heads("module", `^[ \t]*package[ \t]+([\w:]+)[^{]*;`),
			defines("module", "", `^[ \t]*(?:package|class|role)[ \t]+([\w:]+)[^;]*\{`),
			defines("function", "", `^[ \t]*(?:(?:my|our|async)[ \t]+)?(?:sub|method)[ \t]+([\w:']+)`),
			defines("const", "", `^[ \t]*use[ \t]+constant[ \t]+([A-Za-z]\w*)`),
			defines("var", "", `^our[ \t]+[$@%](\w+)`),
		},
		comments: []string{"#"}, pod: true, braced: true,
	},
	"nix": {
		rules:    []lineRule{defines("key", "top key", `^[ \t]*([A-Za-z_"][\w'".-]*)[ \t]*=(?:[^=]|$)`)},
		comments: []string{"#"}, blocks: []block{{"/*", "*/", true}, {"''", "''", false}}, depth: 2,
	},
	"clojure": {
		rules: []lineRule{
			defines("module", "", `^\(ns`+clojureName),
			defines("macro", "", `^\(defmacro`+clojureName),
			defines("interface", "", `^\((?:defprotocol|definterface)`+clojureName),
			defines("class", "", `^\((?:defrecord|deftype)`+clojureName),
			defines("const", "", `^\((?:[\w.-]+/)?(?:def|defonce)`+clojureName),
			defines("function", "", `^\((?:[\w.-]+/)?def[\w+-]+`+clojureName),
			defines("method", "interface class", `^[ \t]+\(([^\s()\[\]{}"]+)[ \t]+\[`),
		},
		comments: []string{";"}, begins: "(;#",
	},
	"fsharp": {
		rules: []lineRule{
			heads("module", `^namespace[ \t]+(?:rec[ \t]+)?([\w.]+)`),
			heads("module", `^module[ \t]+`+fsharpWords+`([\w.]+)[ \t]*(?://.*)?$`),
			defines("module", "", `^[ \t]*module[ \t]+`+fsharpWords+`(\w+)`),
			defines("type", "", `^[ \t]*(?:type|exception|and)[ \t]+(?:\[<[^>]*>\][ \t]*)?`+fsharpWords+`([A-Z]\w*)`),
			defines("const", "", `^[ \t]*let[ \t]+`+fsharpWords+`([A-Za-z_][\w']*)[ \t]*[=:]`),
			defines("function", "", `^[ \t]*(?:let|and)[ \t]+`+fsharpWords+fsharpName+`(?:[<( \t]|$)`),
			defines("method", "type", `^[ \t]*(?:static[ \t]+)?(?:member|abstract|override|default)[ \t]+`+fsharpWords+"(?:\\w+\\.)?(?:``([^`]+)``|(\\w+))"),
		},
		comments: []string{"//", "[<"}, blocks: []block{{"(*", "*)", true}, {`"""`, `"""`, false}},
	},
}

// rowsOf returns the lines of a text without the blanks at their ends.
func rowsOf(src []byte, ls *lines) [][]byte {
	rows := make([][]byte, ls.count())
	for n := range rows {
		rows[n] = bytes.TrimRight(src[ls.start[n]:ls.start[n+1]], " \t\r\n\v\f")
	}
	return rows
}

func margin(row []byte) int { return len(row) - len(bytes.TrimLeft(row, " \t")) }

// define adds what a file defines, and its comments.
func (l *lined) define(file *File, rows [][]byte, ls *lines) {
	var open []int // the symbols that a line is inside of
	until := block{}
	for n, row := range rows {
		was := until
		var text []byte
		until, text = l.outside(until, row)
		switch {
		case len(row) == 0:
			continue
		case was.comment || until.comment || slices.ContainsFunc(l.comments, func(mark string) bool { return bytes.HasPrefix(row[margin(row):], []byte(mark)) }):
			file.Comments = append(file.Comments, Span{int(ls.start[n]) + margin(row), int(ls.start[n]) + len(row)})
			continue
		case was.end != "":
			continue
		}
		for len(open) > 0 && file.Symbols[open[len(open)-1]].EndLine < n {
			open = open[:len(open)-1]
		}
		r, s := l.match(text)
		if r == nil {
			continue
		}
		if s.EndLine = l.end(rows, n); r.rest {
			for _, k := range open {
				file.Symbols[k].EndLine = n - 1
			}
			open, s.EndLine = open[:0], len(rows)-1
		}
		if !l.fits(file, r, open, &s) {
			continue
		}
		s.Line, s.Start = n, int(ls.start[n])+margin(row)
		open = append(open, len(file.Symbols))
		file.Symbols = append(file.Symbols, s)
	}
	for k := range file.Symbols {
		s := &file.Symbols[k]
		for s.EndLine > s.Line && len(rows[s.EndLine]) == 0 {
			s.EndLine--
		}
		s.End = int(ls.start[s.EndLine]) + len(rows[s.EndLine])
	}
}

// outside returns the part of a line before a block that it begins, and the block that is open at
// its end.
func (l *lined) outside(in block, row []byte) (block, []byte) {
	at := 0
	if in.end != "" {
		if at = bytes.Index(row, []byte(in.end)); at < 0 {
			return in, nil
		}
		at += len(in.end)
	}
	if l.pod && at == 0 && len(row) > 1 && row[0] == '=' && isWord(row[1]) {
		return block{"=", "=cut", true}, nil
	}
	for at < len(row) {
		next, b := len(row), block{}
		for _, each := range l.blocks {
			if i := bytes.Index(row[at:], []byte(each.open)); i >= 0 && at+i < next && !bytes.HasPrefix(row[at+i:], []byte("(*)")) {
				next, b = at+i, each
			}
		}
		if b.open == "" {
			break
		}
		at = next + len(b.open)
		i := bytes.Index(row[at:], []byte(b.end))
		if i < 0 {
			return b, row[:next]
		}
		at += i + len(b.end)
	}
	return block{}, row
}

// match returns the first rule for a line, nil for none, and the name and kind of the definition.
func (l *lined) match(text []byte) (*lineRule, Symbol) {
	for k := range l.rules {
		for _, name := range slices.Backward(l.rules[k].pattern().FindSubmatch(text)) {
			if name = bytes.Trim(name, "\"| \t"); len(name) > 0 && len(name) <= maxName {
				return &l.rules[k], Symbol{Name: strings.ToValidUTF8(string(name), ""), Kind: l.rules[k].kind}
			}
		}
	}
	return nil, Symbol{}
}

// fits reports whether a definition may be where it is, and sets what it belongs to.
func (l *lined) fits(file *File, r *lineRule, open []int, s *Symbol) bool {
	inside := "top"
	if k := len(open); k > 0 {
		s.Container, inside = file.Symbols[open[k-1]].Name, file.Symbols[open[k-1]].Kind
	}
	if l.depth > 0 && len(open) >= l.depth || s.Name == "" || s.Name == "_" {
		return false
	}
	if r.in != "" {
		return slices.Contains(strings.Fields(r.in), inside)
	}
	return !isFunction(inside) && inside != "const" && inside != "var" && inside != "field"
}

// end returns the last line of the definition that begins at line from.
func (l *lined) end(rows [][]byte, from int) int {
	own, end := margin(rows[from]), from
	isBraced := l.braced && bytes.Count(rows[from], []byte("{")) > bytes.Count(rows[from], []byte("}"))
	for n := from + 1; n < len(rows); n++ {
		row := rows[n]
		if len(row) == 0 {
			continue
		}
		first := row[margin(row)]
		switch {
		case margin(row) > own, l.begins != "" && strings.IndexByte(l.begins, first) < 0:
		case margin(row) == own && bytes.IndexByte([]byte("})]'"), first) >= 0:
			if last := row[len(row)-1]; last != '{' && last != '(' && last != '[' {
				return n
			}
		case l.braced && end == from && margin(row) == own && first == '{':
			isBraced = true
		case isBraced:
			if r, _ := l.match(row); r != nil {
				return end
			}
		default:
			return end
		}
		end = n
	}
	return end
}

// definitions lays out the lines from … to at the borders of the symbols that begin in them.
func (c *cutter) definitions(from, to int, g int32) {
	at := from
	for k, s := range c.file.Symbols {
		if s.Line < at || s.Line > to || g > 0 && int32(k) <= c.groups[g].symbol {
			continue
		}
		c.remarks(at, s.Line-1, g)
		end := min(max(s.EndLine, s.Line), to)
		if at = end + 1; !c.oversize(s.Line, end) {
			c.push(piece{from: int32(s.Line), to: int32(end), group: g, solo: end-s.Line+1 >= soloLines})
			continue
		}
		c.groups = append(c.groups, group{
			name: s.Name, symbol: int32(k), parent: g, nodeAt: uint32(s.Start), bodyAt: c.lines.start[s.Line+1], function: isFunction(s.Kind),
		})
		own := int32(len(c.groups) - 1)
		c.push(piece{from: int32(s.Line), to: int32(s.Line), group: own})
		c.definitions(s.Line+1, end, own)
	}
	c.remarks(at, to, g)
}

// remarks lays out lines in which nothing is defined.
func (c *cutter) remarks(from, to int, g int32) {
	first := len(c.pieces)
	c.paragraphs(from, to, g)
	for k := first; k < len(c.pieces); k++ {
		p := &c.pieces[k]
		p.at, p.lead, p.depth = p.from, true, 1
		for n := int(p.from); n <= int(p.to); n++ {
			p.lead = p.lead && c.commented(c.lines.span(n, n))
		}
	}
}
