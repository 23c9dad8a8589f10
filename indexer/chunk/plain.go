package chunk

import (
	"bytes"
	"unicode"
)

// plain cuts text without syntax: at blank lines, or anywhere if there are none.
func (p *Parser) plain(file *File, path string, src []byte) {
	c := &p.cutter
	c.reset(p.options, src, &p.lines, file)
	from, to, ok := p.lines.trim(0, p.lines.count()-1)
	if !ok {
		return
	}
	if file.Language == "make" {
		targets(file, src, &p.lines)
	}
	if l := linedLanguages[file.Language]; l != nil {
		l.define(file, rowsOf(src, &p.lines), &p.lines)
		c.definitions(from, to, 0)
	} else {
		c.paragraphs(from, to, 0)
	}
	c.fill(from, to)
	if file.Language == "text" {
		file.Doc = firstParagraph(src, &p.lines)
	}
	c.finish(path)
}

// targets adds the targets of a Makefile as rules and its variables as vars.
func targets(file *File, src []byte, l *lines) {
	for line := range l.count() {
		span := l.span(line, line)
		text := src[span.Start:span.End]
		if l.blank[line] || bytes.IndexByte([]byte("\t# ."), text[0]) >= 0 {
			continue
		}
		at := bytes.IndexAny(text, ":=")
		if at <= 0 {
			continue
		}
		symbol := Symbol{Kind: "rule", Start: span.Start, Line: line}
		name := trimBlank(text[:at])
		if isMakeAssignment(text[at:]) {
			symbol.Kind = "var"
			name = bytes.TrimRight(name, "?+!: \t")
			symbol.EndLine = lastContinued(src, l, line)
		} else {
			symbol.EndLine = lastOfRecipe(src, l, line)
		}
		for symbol.EndLine > line && l.blank[symbol.EndLine] {
			symbol.EndLine--
		}
		end := symbol.EndLine
		symbol.End = int(l.start[end]) + len(bytes.TrimRight(src[l.start[end]:l.start[end+1]], " \t\r\n\v\f"))
		addTargets(file, symbol, bytes.Fields(name))
	}
}

// isMakeAssignment reports whether text, which begins with the first : or = of a line of a
// Makefile, begins with an assignment operator: =, :=, ::=.
func isMakeAssignment(text []byte) bool {
	return text[0] == '=' || len(text) > 1 && text[1] == '=' || bytes.HasPrefix(text, []byte("::="))
}

// lastContinued returns the last line that is joined to line by backslashes.
func lastContinued(src []byte, l *lines, line int) int {
	for line+1 < l.count() && bytes.HasSuffix(bytes.TrimRight(src[l.start[line]:l.start[line+1]], "\r\n"), []byte(`\`)) {
		line++
	}
	return line
}

// lastOfRecipe returns the last line of the recipe that follows line.
func lastOfRecipe(src []byte, l *lines, line int) int {
	for line+1 < l.count() && src[l.start[line+1]] == '\t' {
		line++
	}
	return line
}

// addTargets adds a symbol for each of the words that can be its name; for a variable only for the
// first.
func addTargets(file *File, symbol Symbol, words [][]byte) {
	for _, word := range words {
		symbol.Name = string(bytes.ToValidUTF8(word, nil))
		if len(word) > maxName || symbol.Name == "" || bytes.ContainsAny(word, "$(){}\"'") || bytes.IndexFunc(word, unicode.IsControl) >= 0 {
			continue
		}
		file.Symbols = append(file.Symbols, symbol)
		if symbol.Kind == "var" {
			return
		}
	}
}

// firstParagraph returns the first run of lines that reads as prose.
func firstParagraph(src []byte, l *lines) Span {
	for line := 0; line < l.count(); line++ {
		if l.blank[line] {
			continue
		}
		end := line
		for end+1 < l.count() && !l.blank[end+1] {
			end++
		}
		span := l.span(line, end)
		text := trimBlank(src[span.Start:span.End])
		if letters(text) >= 20 {
			start := span.Start + bytes.Index(src[span.Start:span.End], text)
			return Span{start, start + len(text)}
		}
		line = end
	}
	return Span{}
}

func letters(text []byte) int {
	n := 0
	for _, b := range text {
		if b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 {
			n++
		}
	}
	return n
}
