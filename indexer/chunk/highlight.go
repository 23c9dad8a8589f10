package chunk

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"
)

// SpanKind is the syntactic kind of a range of source text, for highlighting.
type SpanKind string

// The kinds of spans. Brackets, separators and other names have none.
const (
	SpanKeyword   SpanKind = "keyword"
	SpanString    SpanKind = "string"
	SpanNumber    SpanKind = "number"
	SpanComment   SpanKind = "comment"
	SpanType      SpanKind = "type"
	SpanFunction  SpanKind = "function"
	SpanProperty  SpanKind = "property"
	SpanConstant  SpanKind = "constant"
	SpanVariable  SpanKind = "variable"
	SpanOperator  SpanKind = "operator"
	SpanTag       SpanKind = "tag"
	SpanAttribute SpanKind = "attribute"
)

// HighlightSpan is a range of text of one kind.
type HighlightSpan struct {
	Span
	Kind SpanKind
}

// languageAliases maps names of languages that are neither the indexer's own nor file extensions.
var languageAliases = map[string]string{
	"typescriptreact": "tsx", "javascriptreact": "javascript", "shellscript": "bash", "shell": "bash", "console": "bash", "shell-session": "bash",
	"golang": "go", "c++": "cpp", "c#": "csharp", "terraform": "hcl", "opentofu": "hcl", "proto3": "protobuf", "postgres": "sql", "postgresql": "sql",
	"mysql": "sql", "sqlite": "sql", "docker": "dockerfile", "python3": "python", "jsonl": "json",
}

// readAs maps languages without a grammar to one whose grammar parses them well enough.
var readAs = map[string]string{
	"json": "javascript", "vue": "html", "svelte": "html", "astro": "html", "xml": "html", "scss": "css", "less": "css",
}

// NamedLanguage returns the indexer's name of a language, given that name, an editor's language id
// or the label of a Markdown code fence. It returns "" for an unknown language.
func NamedLanguage(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if l, ok := languageAliases[name]; ok {
		return l
	}
	if specs[name] != nil || readAs[name] != "" {
		return name
	}
	if l, ok := byExtension["."+name]; ok {
		return l
	}
	for _, l := range byExtension { // languages without a grammar
		if l == name {
			return l
		}
	}
	return ""
}

// A Highlighter classifies ranges of source text by the types of their syntax nodes. It never
// fails: the text may begin and end anywhere in a file. Not safe for concurrent use; Close frees
// its C memory.
type Highlighter struct{ syntax *syntax }

// NewHighlighter returns a Highlighter that must be closed.
func NewHighlighter() *Highlighter { return &Highlighter{syntax: newSyntax()} }

// Close frees the parser. The Highlighter must not be used afterwards.
func (h *Highlighter) Close() { h.syntax.close() }

// Spans returns the spans of src, in order, inside src, at character boundaries and without
// overlaps. A language without a grammar has none. whole is false if parsing took longer than limit
// or the grammar gave up; spans is empty then.
func (h *Highlighter) Spans(language string, src []byte, limit time.Duration) (spans []HighlightSpan, whole bool) {
	prefix := fragmentPrefix(language, src)
	if as, ok := readAs[language]; ok {
		language = as
	}
	p := classifierOf(language)
	if p == nil || len(src) == 0 {
		return nil, true
	}
	if len(src) > maxSource || (language == "bash" || language == "ruby") && unsafeHeredocs(src) {
		return nil, false
	}
	text := src
	if prefix != "" {
		text = append([]byte(prefix), src...)
	}
	nodes, err := h.syntax.parse(p.grammar, p.keep, known(language, text), limit)
	if err != nil {
		return nil, false
	}
	b := spanBuilder{classes: p, nodes: nodes, src: text, shift: len(prefix)}
	b.run()
	return b.out, true
}

// fragmentPrefix returns what must precede a text for its grammar to parse it: PHP outside its tags
// is HTML, and a JSON object at the beginning of a script is a block of statements.
func fragmentPrefix(language string, src []byte) string {
	switch language {
	case "php":
		if !bytes.Contains(src, []byte("<?")) {
			return "<?php "
		}
	case "json":
		if text := bytes.TrimLeft(src, " \t\r\n"); len(text) > 0 && text[0] == '"' {
			return "({" // the members of an object
		}
		return "("
	}
	return ""
}

// spanBuilder collects the spans of one text.
type spanBuilder struct {
	classes *classifier
	nodes   []node
	src     []byte // the text that was parsed
	shift   int    // length of the prefix that the caller's text does not have
	out     []HighlightSpan
	pos     int // the end of what has been emitted
	open    []openNode
}

// openNode is a node whose descendants are being visited.
type openNode struct {
	next uint32 // index after its last descendant
	end  int
	kind SpanKind
}

// run visits the nodes in document order. A node's kind applies to the text that none of its
// descendants classifies.
func (b *spanBuilder) run() {
	for i := range b.nodes {
		n := &b.nodes[i]
		b.close(uint32(i))
		inherited := SpanKind("")
		if len(b.open) > 0 {
			inherited = b.open[len(b.open)-1].kind
		}
		b.emit(int(n.start), inherited)
		b.open = append(b.open, openNode{max(n.next, uint32(i)+1), int(n.end), b.of(uint32(i), inherited)})
	}
	b.close(uint32(len(b.nodes)))
}

// close emits the rest of the open nodes that do not contain node i.
func (b *spanBuilder) close(i uint32) {
	for len(b.open) > 0 {
		last := b.open[len(b.open)-1]
		if last.next > i {
			return
		}
		b.emit(last.end, last.kind)
		b.open = b.open[:len(b.open)-1]
	}
}

// emit assigns a kind to the text from pos to end, which is an offset in the parsed text.
func (b *spanBuilder) emit(end int, kind SpanKind) {
	start := b.pos
	if end = min(end, len(b.src)); end <= start {
		return
	}
	b.pos = end
	if kind == "" {
		return
	}
	start, end = max(b.border(start), b.shift), max(b.border(end), b.shift)
	if kind != SpanString && kind != SpanComment {
		trimmed := bytes.TrimLeft(b.src[start:end], " \t\r\n")
		start = end - len(trimmed)
	}
	end = start + len(bytes.TrimRight(b.src[start:end], " \t\r\n"))
	if start >= end {
		return
	}
	start, end = start-b.shift, end-b.shift
	if last := len(b.out) - 1; last >= 0 && b.out[last].End == start && b.out[last].Kind == kind {
		b.out[last].End = end
		return
	}
	b.out = append(b.out, HighlightSpan{Span{start, end}, kind})
}

// border returns the beginning of the character that contains the offset at.
func (b *spanBuilder) border(at int) int {
	for back := range utf8.UTFMax {
		if i := at - back; i < 0 || i >= len(b.src) || utf8.RuneStart(b.src[i]) {
			return max(i, 0)
		}
	}
	return at // not UTF-8
}
