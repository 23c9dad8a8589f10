package chunk

import (
	"bytes"
	"unicode/utf8"
)

// The grammar reads what is between the brackets of a macro as a list of words. Mostly that is code
// of the language, such as the functions in cfg_net! { … } and the arguments of assert_eq!(…), and
// it is read as such where the macro's own name and brackets are masked.

// rustToken is a word, a literal, a bracket or another sign of Rust.
type rustToken struct {
	kind       byte // 'a' of a word, '0' of a literal, else the sign itself
	start, end int
	match      int // of a bracket: the index of the one that belongs to it, -1 for none
}

// rustTokens returns the tokens of a text, without its comments.
func rustTokens(src []byte) (out []rustToken) {
	var open []int
	for i := 0; i < len(src); {
		end, kind := i+1, src[i]
		switch c := src[i]; {
		case isBlank(c):
			i++
			continue
		case c == '/' && i+1 < len(src) && (src[i+1] == '/' || src[i+1] == '*'):
			i = rustCommentEnd(src, i)
			continue
		case c == '"':
			end, kind = rustQuoteEnd(src, i), '0'
		case c == '\'':
			end, kind = rustCharEnd(src, i), '0'
		case isWord(c) || c >= utf8.RuneSelf:
			if end = rustRawEnd(src, i); end > 0 {
				kind = '0'
				break
			}
			for end = i; end < len(src) && (isWord(src[end]) || src[end] >= utf8.RuneSelf); end++ {
				continue
			}
			kind = 'a'
		}
		t := rustToken{kind, i, end, -1}
		switch kind {
		case '(', '[', '{':
			open = append(open, len(out))
		case ')', ']', '}':
			if last := len(open) - 1; last >= 0 {
				t.match = open[last]
				out[t.match].match = len(out)
				open = open[:last]
			}
		}
		out = append(out, t)
		i = end
	}
	return out
}

// rustCommentEnd returns the end of the comment at i. Comments of blocks nest.
func rustCommentEnd(src []byte, i int) int {
	if src[i+1] == '/' {
		if n := bytes.IndexByte(src[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(src)
	}
	depth := 0
	for ; i+1 < len(src); i++ {
		switch string(src[i : i+2]) {
		case "/*":
			depth++
			i++
		case "*/":
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(src)
}

// rustQuoteEnd returns the end of the string that begins at i.
func rustQuoteEnd(src []byte, i int) int {
	for k := i + 1; k < len(src); k++ {
		switch src[k] {
		case '\\':
			k++
		case '"':
			return k + 1
		}
	}
	return len(src)
}

// rustCharEnd returns the end of the character, or else of the sign before a lifetime, at i.
func rustCharEnd(src []byte, i int) int {
	const longest = 12 // bytes of '\u{10ffff}'
	if i+2 >= len(src) {
		return i + 1
	}
	if src[i+1] != '\\' {
		if _, size := utf8.DecodeRune(src[i+1:]); i+1+size < len(src) && src[i+1+size] == '\'' {
			return i + size + 2
		}
		return i + 1
	}
	for k := i + 3; k < min(len(src), i+longest); k++ {
		if src[k] == '\'' {
			return k + 1
		}
	}
	return i + 1
}

// rustRawEnd returns the end of the raw string at i, 0 for none.
func rustRawEnd(src []byte, i int) int {
	k := i
	if src[k] == 'b' || src[k] == 'c' {
		k++
	}
	if k >= len(src) || src[k] != 'r' {
		return 0
	}
	first := k + 1
	for k = first; k < len(src) && src[k] == '#'; k++ {
		continue
	}
	if k >= len(src) || src[k] != '"' {
		return 0
	}
	closing := append([]byte{'"'}, src[first:k]...)
	if n := bytes.Index(src[k+1:], closing); n >= 0 {
		return k + 1 + n + len(closing)
	}
	return len(src)
}

// rustItemWords are the words with which items begin.
var rustItemWords = wordSet("pub fn impl mod use struct enum union trait const static type unsafe async extern macro_rules")

// rustMacros masks the names and brackets of macros around code.
type rustMacros struct {
	*masker
	tokens []rustToken
	inside bool         // also in the bodies of functions
	apart  map[int]bool // the bytes of macros that are not read as code
	calls  []Span       // the macros that became calls and blocks, the outer ones first
}

// rustKnown masks the macros around items.
func rustKnown(m *masker) {
	if bytes.Contains(m.src, []byte("!")) {
		r := rustMacros{masker: m, tokens: rustTokens(m.src)}
		r.items(0, len(r.tokens))
	}
}

// rustCode returns a text in which the macros in functions are masked, too, other than those at
// some bytes: they have the form of calls and blocks. It returns these.
func rustCode(src []byte, apart map[int]bool) ([]byte, []Span) {
	m := masker{src: src}
	r := rustMacros{masker: &m, tokens: rustTokens(src), inside: true, apart: apart}
	r.items(0, len(r.tokens))
	return m.text(), r.calls
}

func (r *rustMacros) text(i int) string { return string(r.src[r.tokens[i].start:r.tokens[i].end]) }

// after returns the index after the brackets at i, or after the token there.
func (r *rustMacros) after(i int) int {
	if m := r.tokens[i].match; m > i {
		return m + 1
	}
	return i + 1
}

// macro returns the index of the bracket of the macro whose name is at i, 0 for none.
func (r *rustMacros) macro(i int) int {
	if i+2 >= len(r.tokens) || r.tokens[i].kind != 'a' || r.tokens[i+1].kind != '!' || r.tokens[i+1].start != r.tokens[i].end {
		return 0
	}
	if i+3 < len(r.tokens) && r.text(i) == "macro_rules" {
		i++
	}
	if b := i + 2; r.tokens[b].match > b {
		return b
	}
	return 0
}

// first returns the byte at which the path to the name at i begins.
func (r *rustMacros) first(i int) int {
	for i >= 3 && r.tokens[i-1].kind == ':' && r.tokens[i-2].kind == ':' && r.tokens[i-3].kind == 'a' {
		i -= 3
	}
	return r.tokens[i].start
}

// items masks what is among the items from one token to another.
func (r *rustMacros) items(from, to int) {
	head := "" // the word that decides what the item is
	for i := from; i < to; {
		t := r.tokens[i]
		switch b := r.macro(i); {
		case b > 0:
			r.itemMacro(i, b, from == 0)
			i, head = r.after(b), ""
			continue
		case t.kind == ';':
			head = ""
		case t.kind == '{':
			switch {
			case t.match < i:
			case head == "mod" || head == "impl" || head == "trait":
				r.items(i+1, t.match)
			default:
				r.code(i+1, t.match, false)
			}
			i, head = r.after(i), ""
			continue
		case t.match > i:
			r.code(i+1, t.match, false)
			i = r.after(i)
			continue
		case t.kind == 'a' && head == "":
			if word := r.text(i); rustItemWords[word] && word != "pub" && word != "unsafe" && word != "async" {
				head = word
			}
		}
		i++
	}
}

// itemMacro masks the macro with its name and its bracket at two indexes, which is among items: of
// a file itself, or of a module or the like in it.
func (r *rustMacros) itemMacro(i, b int, ofFile bool) {
	open, end := r.tokens[b], r.tokens[r.tokens[b].match]
	switch {
	case b == i+2 && open.kind == '{' && r.hasItems(b):
		r.blank(r.first(i), open.end)
		r.blank(end.start, end.end)
		r.items(b+1, open.match)
	case b == i+2 && open.kind == '(' && r.inside && ofFile && !r.isTemplate(b):
		r.call(i, b) // the grammar has calls among the items of a file only
	default:
		if body := r.body(i, b); body > 0 {
			r.blank(r.tokens[i].start, r.tokens[body].end)
			r.blank(r.tokens[r.tokens[body].match].start, end.end)
			r.items(body+1, r.tokens[body].match)
		}
	}
}

// body returns the index of the bracket around the items that the macro with the rules at b stands
// for, 0 for one with parameters.
func (r *rustMacros) body(name, b int) int {
	body := b + 5
	if r.text(name) != "macro_rules" || body >= r.tokens[b].match || r.tokens[b+1].kind != '(' || r.tokens[b+1].match != b+2 {
		return 0
	}
	end := r.tokens[body].match
	if r.tokens[body].kind != '{' || end < 0 || !r.hasItems(body) || end+1 < r.tokens[b].match && r.tokens[end+1].kind != ';' || end+2 < r.tokens[b].match {
		return 0
	}
	return body
}

// hasItems reports whether items are in the brackets at b.
func (r *rustMacros) hasItems(b int) bool {
	i := b + 1
	for i < r.tokens[b].match && r.tokens[i].kind == '#' {
		if i++; r.tokens[i].kind == '!' {
			i++
		}
		i = r.after(i)
	}
	return i < r.tokens[b].match && r.tokens[i].kind == 'a' && rustItemWords[r.text(i)] && !r.isTemplate(b)
}

// isTemplate reports whether the brackets at b are around code with places to fill in.
func (r *rustMacros) isTemplate(b int) bool {
	for i := b + 1; i+1 < r.tokens[b].match; i++ {
		if inner := r.macro(i); inner > i+2 { // the rules of another one
			i = r.tokens[inner].match
			continue
		}
		if next := r.tokens[i+1]; r.tokens[i].kind == '#' && (next.kind == 'a' || next.kind == '(') || r.tokens[i].kind == '$' {
			return true
		}
	}
	return false
}

// code masks what is in code from one token to another. In the arguments of a macro other signs
// than a comma may part them.
func (r *rustMacros) code(from, to int, isArguments bool) {
	if !r.inside {
		return
	}
	for i := from; i < to; {
		t := r.tokens[i]
		switch b := r.macro(i); {
		case b > 0:
			if b == i+2 && !r.isTemplate(b) {
				r.call(i, b)
			}
			i = r.after(b)
			continue
		case t.match > i:
			r.code(i+1, t.match, false)
			i = r.after(i)
			continue
		case isArguments && t.kind == ';', isArguments && t.kind == 'a' && r.text(i) == "if" && r.isGuard(i):
			r.put(t.start, t.end, ", ")
		}
		i++
	}
}

// isGuard reports whether the word at i follows a pattern, and does not begin an expression.
func (r *rustMacros) isGuard(i int) bool {
	switch r.tokens[i-1].kind {
	case 'a', '0', ')', ']', '}':
		return true
	}
	return false
}

// call masks a macro in code: with round brackets it becomes the call of a function, with braces a
// block, whose arms are statements.
func (r *rustMacros) call(name, b int) {
	open, end := r.tokens[b], r.tokens[r.tokens[b].match]
	if r.apart[r.tokens[name].start] {
		return
	}
	r.calls = append(r.calls, Span{r.tokens[name].start, end.end})
	if open.kind != '{' {
		r.blank(r.tokens[name+1].start, r.tokens[name+1].end)
		r.put(open.start, open.end, "(")
		r.put(end.start, end.end, ")")
		r.code(b+1, open.match, true)
		return
	}
	r.blank(r.first(name), r.tokens[name+1].end)
	r.code(b+1, open.match, false)
	for i := b + 1; i < open.match; i = r.after(i) {
		switch t := r.tokens[i]; {
		case t.kind == ',':
			r.put(t.start, t.end, ";")
		case t.kind == '=' && i+1 < open.match && r.tokens[i+1].kind == '>' && r.tokens[i+1].start == t.end:
			if r.tokens[i-1].kind == 'a' && r.text(i-1) == "else" {
				r.blank(r.tokens[i-1].start, r.tokens[i-1].end)
			}
			r.put(t.start, r.tokens[i+1].end, "; ")
		}
	}
}
