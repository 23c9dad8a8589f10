package chunk

import (
	"bytes"
	"sort"
)

// recovery finds definitions by line where the grammar failed: in C with unusual macros, in
// dialects that a grammar does not support.
type recovery struct {
	pattern pattern // group 1 is the name
	kind    string
	closed  bool // ends with a line that begins with } at the same indentation; otherwise at a ;
	// end returns the last line of a definition that is at line n; nil for the rule above.
	end func(x *extractor, n int) int
}

var recoveries = map[string][]recovery{
	"c":        {{cLine, "function", true, nil}},
	"cpp":      {{cLine, "function", true, nil}},
	"sql":      sqlLines,
	"protobuf": protoLines,
}

var (
	// A definition that begins in the first column: words, the name, its parameters over at most
	// eight lines, and a brace.
	cLine = patternOf(`(?m)^(?:[A-Za-z_][\w \t*&:<>,]*[ \t*&])?([A-Za-z_~][\w:~]*)[ \t]*\([^;{}#"]{0,600}\)(?:[ \t\w]{0,40})\s*\{`)

	sqlLines = []recovery{
		{sqlLine(`(?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|EXTERNAL)\s+)*TABLE`), "struct", false, sqlEnd},
		{sqlLine(`(?:(?:TEMP|TEMPORARY|RECURSIVE|MATERIALIZED)\s+)*VIEW`), "struct", false, sqlEnd},
		{sqlLine(`(?:FUNCTION|PROCEDURE|PROC|TRIGGER|AGGREGATE)`), "function", false, sqlEnd},
		{sqlLine(`(?:TYPE|DOMAIN)`), "type", false, sqlEnd},
	}
	protoLines = []recovery{
		{patternOf(`(?m)^[ \t]*message[ \t]+(\w+)[ \t]*\{`), "struct", true, nil},
		{patternOf(`(?m)^[ \t]*enum[ \t]+(\w+)[ \t]*\{`), "enum", true, nil},
		{patternOf(`(?m)^[ \t]*service[ \t]+(\w+)[ \t]*\{`), "interface", true, nil},
		{patternOf(`(?m)^[ \t]*rpc[ \t]+(\w+)[ \t]*\(`), "method", false, nil},
	}
)

func sqlLine(what string) pattern {
	return patternOf(`(?im)^[ \t]*CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:DEFINER\s*=\s*\S+\s+)?` + what +
		"\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?(?:[\\w$\"`\\[\\]]+\\.)*[\"`\\[]?([\\w$]+)")
}

// cKeywords may appear where a broken C text seems to define a name.
var cKeywords = map[string]bool{
	"if": true, "else": true, "for": true, "while": true, "do": true, "switch": true, "return": true, "sizeof": true,
	"defined": true, "catch": true, "__attribute__": true, "struct": true, "union": true, "enum": true, "typedef": true,
	"static": true, "const": true, "void": true, "int": true, "char": true, "extern": true, "inline": true, "unsigned": true,
}

// recover adds definitions that the tree lacks, inside the unparsed regions and around them.
func (x *extractor) recover() {
	list := recoveries[x.language.name]
	if x.errors == 0 || list == nil {
		return
	}
	known := map[int]bool{}  // lines with the name of a definition
	ends := map[string]int{} // last lines of definitions, by name
	for i, s := range x.file.Symbols {
		known[x.lines.of(max(int(x.nameEnds[i])-1, 0))] = true
		ends[s.Name] = s.EndLine
	}
	var found []Symbol
	for _, r := range list {
		for _, m := range r.pattern().FindAllSubmatchIndex(x.src, -1) {
			name := x.intern(x.src[m[2]:m[3]])
			line := x.lines.of(m[2])
			if end, ok := ends[name]; ok && line <= end {
				continue // the other branch of an #ifdef
			}
			if name == "" || cKeywords[name] || known[line] || x.inComment(m[2]) {
				continue
			}
			known[line] = true
			s := Symbol{Name: name, Kind: r.kind, Start: m[0]}
			for s.Start < m[2] && isBlank(x.src[s.Start]) {
				s.Start++
			}
			s.Line = x.lines.of(s.Start)
			s.EndLine = x.closing(r, s.Line, line)
			span := x.lines.span(s.Line, s.EndLine)
			s.End = span.Start + len(bytes.TrimRight(x.src[span.Start:span.End], " \t\r\n\v\f"))
			found = append(found, s)
		}
	}
	x.merge(found)
}

// closing returns the last line of a definition that begins at line from.
func (x *extractor) closing(r recovery, from, line int) int {
	if r.end != nil {
		return r.end(x, line)
	}
	column := indent(x.line(from))
	for end := line; end < x.lines.count(); end++ {
		text := trimBlank(x.line(end))
		if len(text) == 0 {
			continue
		}
		if r.closed && text[0] == '}' && indent(x.line(end)) <= column || !r.closed && text[len(text)-1] == ';' {
			return end
		}
		if r.closed && end == line && text[len(text)-1] == '}' {
			return end
		}
	}
	return line
}

func (x *extractor) line(n int) []byte {
	span := x.lines.span(n, n)
	return x.src[span.Start:span.End]
}

func (x *extractor) inComment(at int) bool {
	all := x.file.Comments
	i := sort.Search(len(all), func(i int) bool { return all[i].End > at })
	return i < len(all) && all[i].Start <= at
}

// merge inserts symbols without a node among the others, in order of Start. Each takes the node of
// the previous symbol, which a search for that node finds first.
func (x *extractor) merge(found []Symbol) {
	if len(found) == 0 {
		return
	}
	sort.SliceStable(found, func(a, b int) bool { return found[a].Start < found[b].Start })
	old, nodes, ends := x.file.Symbols, x.defNodes, x.nameEnds
	x.file.Symbols, x.defNodes, x.nameEnds = nil, nil, nil
	at := uint32(0)
	for len(old) > 0 || len(found) > 0 {
		if len(found) == 0 || len(old) > 0 && old[0].Start <= found[0].Start {
			at = nodes[0]
			x.file.Symbols, x.defNodes, x.nameEnds = append(x.file.Symbols, old[0]), append(x.defNodes, at), append(x.nameEnds, ends[0])
			old, nodes, ends = old[1:], nodes[1:], ends[1:]
			continue
		}
		x.file.Symbols, x.defNodes = append(x.file.Symbols, found[0]), append(x.defNodes, at)
		x.nameEnds = append(x.nameEnds, uint32(found[0].Start))
		found = found[1:]
	}
}

// unsafeHeredocs reports text that the scanners of Bash and Ruby cannot handle: they write the
// delimiters of open heredocs, with a few bytes for each, into a buffer of 1,024 bytes and check
// its size a few bytes too late.
func unsafeHeredocs(src []byte) bool {
	for line := range bytes.Lines(src) {
		size := 0
		for {
			n := bytes.Index(line, []byte("<<"))
			if n < 0 {
				break
			}
			line = line[n+2:]
			word := bytes.TrimLeft(line, "-~ \t'\"`\\")
			end := bytes.IndexAny(word, " \t\r\n'\"`;|&)<>,.")
			if end < 0 {
				end = len(word)
			}
			size += end + 8
		}
		if size > 900 {
			return true
		}
	}
	return false
}
