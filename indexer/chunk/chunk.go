// Package chunk cuts source files into pieces worth retrieving, and lists what
// they define and use.
//
// A file is named by [Language], parsed by tree-sitter where there is a grammar
// for it, and cut at the borders of its syntax: a definition with its doc
// comment is one chunk of at most about 500 tokens or 60 lines; larger ones are
// cut at their statements or members, small neighbours are put together.
// Markdown and reStructuredText are cut by heading, everything else by
// paragraphs and windows of lines. Chunks are disjoint, in order, and leave out
// no line that has text in it.
//
// A [Highlighter] classifies ranges of source text, for showing it in colours,
// with the same grammars.
//
// Nothing here fails: bytes that make no sense come back as windows of lines,
// with the reason in [File.Problem].
package chunk

import "time"

// Span is a range of bytes, half open.
type Span struct{ Start, End int }

// Kind says what a chunk is.
type Kind string

// The kinds of a chunk.
const (
	KindFunction  Kind = "function"
	KindMethod    Kind = "method"
	KindType      Kind = "type"      // a class, struct, interface, enum, module, or its head
	KindBlock     Kind = "block"     // several definitions, or statements outside of one
	KindSection   Kind = "section"   // prose below a heading, a top-level key or block of a data file
	KindParagraph Kind = "paragraph" // text without syntax
	KindFile      Kind = "file"      // the whole file
)

// Chunk is one piece of a file. It starts and ends with a line, the newline
// included, except where a single line is too long for one chunk.
type Chunk struct {
	Start, End         int // bytes, half open
	StartLine, EndLine int // from 0, inclusive
	Kind               Kind
	// Symbols are the names defined in it, in order; for the parts of a split
	// definition, the definition's name in each part.
	Symbols []string
	// Enclosing names what the chunk is inside of, outermost first: classes,
	// receiver types, modules; in prose the headings above.
	Enclosing []string
	// Header is the signature, at most 200 bytes, for the second and later
	// parts of a split definition. It is not part of [Start, End).
	Header string
	// Title is one short line, such as "func (c *Client) Do" or "## Install".
	Title string
	// Tokens is the chunk's size by Options.Count.
	Tokens int
}

// Symbol is one definition. Kind is one of function, method, class, struct,
// interface, type, enum, const, var, field, module, macro, rule, section, key.
type Symbol struct {
	Name, Kind    string
	Container     string // the class, receiver type, module or heading it belongs to
	Start, End    int    // bytes of the definition, without its doc comment
	Line, EndLine int    // from 0, inclusive
}

// Ref is a name that a file calls, instantiates, imports or uses as a type.
type Ref struct {
	Name  string
	Count int
}

// File is all that is known about one file. It holds no reference to the
// source.
type File struct {
	Language string // "" when unknown
	Chunks   []Chunk
	Symbols  []Symbol // in order of Start
	Refs     []Ref    // distinct, sorted by name
	Imports  []string // modules, packages or files, as written
	Comments []Span   // comments and docstrings, sorted, disjoint
	// Doc is the doc comment of the package, module or file, or the first
	// paragraph of prose; empty when there is none.
	Doc Span
	// Problem says why syntax was not used although there is a grammar; the
	// chunks are then windows of lines, and the names are those that could be
	// made out. "" when it was used.
	Problem string
	// Unparsed are the regions that the grammar did not accept, in order and disjoint, without the
	// definitions that were made out inside of them; also when there is a Problem.
	Unparsed []Span
}

// Options of a Parser; zero values are the defaults.
type Options struct {
	TargetTokens   int              // of a chunk; 500
	Count          func([]byte) int // exact token counter; default len/3.5
	OperationLimit int              // microseconds that one parse may take; 3,000,000
}

// Parser turns files into chunks. Not safe for concurrent use: one for each
// worker. It keeps buffers in the size of the largest file it has seen.
type Parser struct {
	options Options
	limit   time.Duration
	syntax  *syntax
	lines   lines
	extract extractor
	cutter  cutter
}

const (
	defaultTarget = 500
	defaultLimit  = 3 * time.Second
	// hardFactor × the target is what no chunk exceeds.
	hardFactor = 2
)

// NewParser returns a parser whose C memory is freed by Close.
func NewParser(options Options) *Parser {
	if options.TargetTokens <= 0 {
		options.TargetTokens = defaultTarget
	}
	if options.Count == nil {
		options.Count = estimate
	}
	limit := time.Duration(options.OperationLimit) * time.Microsecond
	if limit <= 0 {
		limit = defaultLimit
	}
	return &Parser{options: options, limit: limit, syntax: newSyntax()}
}

// estimate is the token count of text in the absence of a counter.
func estimate(text []byte) int { return (len(text)*2 + 6) / 7 }

// Close frees the parser. It may be called more than once; Parse may not be
// called after it.
func (p *Parser) Close() {
	if p.syntax != nil {
		p.syntax.close()
		p.syntax = nil
	}
}

// maxSource is the most that is parsed: positions in a tree are 32 bits, and
// files of this size are no source files.
const maxSource = 64 << 20

// Parse cuts src. It never fails: see File.Problem. The path is used for its
// name only.
func (p *Parser) Parse(path string, src []byte) File {
	file := File{Language: Language(path, src)}
	p.lines.index(src)
	defer p.release()
	switch file.Language {
	case "markdown", "rst":
		p.prose(&file, path, src)
	case "make", "json", "text":
		p.plain(&file, path, src)
	default:
		p.code(&file, path, src)
	}
	return file
}

// release drops what refers to the file just parsed.
func (p *Parser) release() {
	x, c := &p.extract, &p.cutter
	x.nodes, x.src, x.file = nil, nil, nil
	c.src, c.file, c.x, c.heads = nil, nil, nil, nil
}

func (p *Parser) code(file *File, path string, src []byte) {
	l := languageOf(file.Language)
	if l == nil {
		p.plain(file, path, src)
		return
	}
	if len(src) > maxSource {
		file.Problem = "file is too large to parse"
		p.plain(file, path, src)
		return
	}
	if (file.Language == "bash" || file.Language == "ruby") && unsafeHeredocs(src) {
		file.Problem = "heredocs are too long"
		p.plain(file, path, src)
		return
	}
	usable := p.cutSyntax(file, l, path, src, known(file.Language, src))
	if errors := p.extract.errors; !usable || errors*100 > len(src)*doubtful {
		if text, ok := knownBetter(file.Language, src); ok {
			first := *file
			if better := p.cutSyntax(file, l, path, src, text); better && (!usable || p.improves(first, file, errors)) {
				return
			}
			*file = first
		}
	}
	if !usable {
		p.plain(file, path, src)
	}
}

// doubtful is the percentage of a text that did not parse from which on a second reading of it is
// tried.
const doubtful = 3

// improves reports whether a second reading is better than the first. Text that did not parse looks
// like definitions here and there, so that a few less of them are no loss where most of the errors
// are gone.
func (p *Parser) improves(first File, second *File, errors int) bool {
	before, after := len(first.Symbols), len(second.Symbols)
	return p.extract.errors*2 <= errors && after*10 >= before*9 || p.extract.errors*10 <= errors && after*4 >= before*3
}

// cutSyntax cuts src by the syntax of text, its copy of the same length, and
// reports whether that is of use; else File.Problem says why it is not.
func (p *Parser) cutSyntax(file *File, l *language, path string, src, text []byte) bool {
	*file = File{Language: file.Language}
	nodes, err := p.syntax.parse(l.grammar, l.keep, text, p.limit)
	if err != nil {
		file.Problem = err.Error()
		return false
	}
	x := &p.extract
	x.run(l, nodes, src, &p.lines, file)
	if file.Problem = x.problem(); file.Problem != "" {
		return false
	}
	c := &p.cutter
	c.reset(p.options, src, &p.lines, file)
	c.syntax(l, nodes, x)
	c.finish(path)
	return true
}
