package chunk

import "bytes"

// The kinds of a token of Haskell.
const (
	hsLower     = iota // a name or keyword, optionally after a module's name
	hsUpper            // the same of a type, constructor or module
	hsOperator         // also :: = | -> <- ` , ;
	hsBracket          // ( ) [ ] { }
	hsLiteral          // a string, character or number
	hsNote             // a comment
	hsDirective        // a pragma, or a line of the C preprocessor
)

type hsToken struct {
	kind       uint8
	first      bool // of its line
	column     int
	start, end int
	last       int // start of the last part of a qualified name
}

// hsTokens splits Haskell into tokens. It accepts every text.
func hsTokens(src []byte) []hsToken {
	var out []hsToken
	line, first := 0, true // where the line begins, and whether nothing was in it yet
	for at := 0; at < len(src); {
		c := src[at]
		if c == '\n' {
			line, first = at+1, true
			at++
			continue
		}
		if isBlank(c) {
			at++
			continue
		}
		t := hsToken{first: first, column: at - line, start: at, last: at}
		if first && bytes.IndexByte(src[line:at], '\t') >= 0 {
			t.column += 7 * bytes.Count(src[line:at], []byte("\t"))
		}
		t.end, t.kind = hsNext(src, at, t.column == 0)
		if t.kind == hsLower || t.kind == hsUpper {
			t.last = at + bytes.LastIndexByte(src[at:t.end], '.') + 1
		}
		if n := bytes.LastIndexByte(src[at:t.end], '\n'); n >= 0 {
			line = at + n + 1
		}
		at, first = t.end, false
		out = append(out, t)
	}
	return out
}

// hsNext returns the end of the token at byte at, and its kind.
func hsNext(src []byte, at int, column0 bool) (int, uint8) {
	c, rest := src[at], src[at:]
	switch {
	case c == '#' && column0:
		return at + hsLine(rest, true), hsDirective
	case bytes.HasPrefix(rest, []byte("{-#")):
		return at + hsPragmaLength(rest), hsDirective
	case bytes.HasPrefix(rest, []byte("{-")):
		return at + hsBlock(rest), hsNote
	case isHsLineComment(rest):
		return at + hsLine(rest, false), hsNote
	case c == '"':
		return at + hsString(rest), hsLiteral
	case c == '\'':
		n, kind := hsChar(rest)
		return at + n, kind
	case isDecimal(c):
		return at + hsRun(rest, isWord), hsLiteral
	case isWord(c) || c >= 0x80:
		n, upper := hsIdentifier(rest)
		if upper {
			return at + n, hsUpper
		}
		return at + n, hsLower
	case bytes.IndexByte([]byte("()[]{}"), c) >= 0:
		return at + 1, hsBracket
	case isHsSymbol(c):
		return at + hsRun(rest, isHsSymbol), hsOperator
	}
	return at + 1, hsOperator
}

// hsRun returns the length of the first byte and the following bytes of a kind.
func hsRun(rest []byte, is func(byte) bool) int {
	n := 1
	for n < len(rest) && is(rest[n]) {
		n++
	}
	return n
}

// hsPragmaLength returns the length of a pragma.
func hsPragmaLength(rest []byte) int {
	if n := bytes.Index(rest, []byte("#-}")); n >= 0 {
		return n + len("#-}")
	}
	return len(rest)
}

// isHsLineComment reports whether two dashes or more begin a comment, not an operator such as -->.
func isHsLineComment(rest []byte) bool {
	if !bytes.HasPrefix(rest, []byte("--")) {
		return false
	}
	text := bytes.TrimLeft(rest, "-")
	return len(text) == 0 || !isHsSymbol(text[0])
}

func isHsSymbol(c byte) bool { return bytes.IndexByte([]byte("!#$%&*+./<=>?@\\^|-~:"), c) >= 0 }

// hsLine returns the length of a line; for the preprocessor with its continuation lines.
func hsLine(rest []byte, continued bool) int {
	for n := 0; ; {
		i := bytes.IndexByte(rest[n:], '\n')
		if i < 0 {
			return len(rest)
		}
		if n += i; !continued || n == 0 || rest[n-1] != '\\' {
			return n
		}
		n++
	}
}

// hsBlock returns the length of a comment, which may be nested.
func hsBlock(rest []byte) int {
	depth := 0
	for n := 0; n+1 < len(rest); n++ {
		switch {
		case rest[n] == '{' && rest[n+1] == '-':
			depth++
			n++
		case rest[n] == '-' && rest[n+1] == '}':
			if depth--; depth == 0 {
				return n + 2
			}
			n++
		}
	}
	return len(rest)
}

// hsString returns the length of a string. It continues on the next line only after a backslash.
func hsString(rest []byte) int {
	if bytes.HasPrefix(rest, []byte(`"""`)) {
		if n := bytes.Index(rest[3:], []byte(`"""`)); n >= 0 {
			return n + 6
		}
	}
	for n := 1; n < len(rest); n++ {
		switch rest[n] {
		case '\\':
			if n+1 < len(rest) && isBlank(rest[n+1]) {
				for n+1 < len(rest) && isBlank(rest[n+1]) {
					n++
				}
			}
			n++
		case '"':
			return n + 1
		case '\n':
			return n
		}
	}
	return len(rest)
}

// hsChar returns the length and kind of what a quote begins: a character, or the quote before a
// name.
func hsChar(rest []byte) (int, uint8) {
	if len(rest) > 2 && rest[1] == '\\' {
		if n := bytes.IndexByte(rest[2:min(len(rest), 12)], '\''); n >= 0 {
			if n == 0 { // '\''
				n = 1
			}
			return min(n+3, len(rest)), hsLiteral
		}
	}
	if n := bytes.IndexByte(rest[1:min(len(rest), 6)], '\''); n > 0 && (n == 1 || rest[1] >= 0x80) {
		return n + 2, hsLiteral
	}
	return 1, hsOperator
}

// hsIdentifier returns the length of a name with the modules before it, and whether its last part
// begins with a capital.
func hsIdentifier(rest []byte) (int, bool) {
	n := 0
	for {
		upper := 'A' <= rest[n] && rest[n] <= 'Z'
		for n < len(rest) && (isWord(rest[n]) || rest[n] >= 0x80 || rest[n] == '\'' || rest[n] == '#' && n+1 < len(rest) && isBlank(rest[n+1])) {
			n++
		}
		if !upper || n+1 >= len(rest) || rest[n] != '.' || !isWord(rest[n+1]) || '0' <= rest[n+1] && rest[n+1] <= '9' {
			return n, upper
		}
		n++
	}
}

// hsKeywords are words that are never calls.
var hsKeywords = map[string]bool{
	"case": true, "class": true, "data": true, "deriving": true, "do": true, "else": true, "family": true, "forall": true, "foreign": true,
	"if": true, "import": true, "in": true, "infix": true, "infixl": true, "infixr": true, "instance": true, "let": true, "mdo": true,
	"module": true, "newtype": true, "of": true, "proc": true, "qualified": true, "rec": true, "then": true, "type": true, "where": true,
	"as": true, "hiding": true, "_": true, "stock": true, "anyclass": true, "via": true, "pattern": true,
}

// references lays out the comments of tokens [from, end), the types and constructors that they
// name, and, with calls, what they call: names of other modules, and names followed by an argument
// where an expression begins.
func (b *hsBuilder) references(from, end int, calls bool) {
	for t := from; t < end; t++ {
		token := b.tokens[t]
		switch {
		case b.trivia(t):
		case token.kind == hsUpper:
			b.leaf(hsTypeName, 0, token.last, token.end)
		case calls && token.kind == hsLower && (token.last > token.start || b.calls(t, from, end)):
			b.leaf(hsReference, 0, token.last, token.end)
		}
	}
}

func (b *hsBuilder) calls(t, from, end int) bool {
	if hsKeywords[b.text(t)] || t+1 >= end {
		return false
	}
	if next := b.tokens[t+1]; next.kind == hsOperator && !b.is(t+1, "$", ".", "<$>", "<>", ">>=", "$!", "`") || next.kind == hsNote ||
		next.kind == hsDirective || next.kind == hsLower && hsKeywords[b.text(t+1)] && !b.is(t+1, "do", "case") || next.first {
		return t > from && b.is(t-1, "`")
	}
	if b.tokens[t+1].kind == hsBracket && b.is(t+1, ")", "]", "}") {
		return false
	}
	if b.tokens[t].first {
		return !b.binds(t, end)
	}
	if t == from {
		return true
	}
	switch before := b.tokens[t-1]; before.kind {
	case hsOperator:
		return !b.is(t-1, "\\", "@", "~", "!")
	case hsBracket:
		return b.is(t-1, "(", "[", "{")
	case hsLower:
		return b.is(t-1, "then", "else", "of", "in", "do", "if", "case", "return", "pure")
	}
	return false
}

// binds reports whether the line that token t begins defines something.
func (b *hsBuilder) binds(t, end int) bool {
	for k := t + 1; k < end && !b.tokens[k].first; k++ {
		if b.tokens[k].kind == hsOperator && b.is(k, "=", "<-", "::", "|", "->") {
			return true
		}
	}
	return false
}
