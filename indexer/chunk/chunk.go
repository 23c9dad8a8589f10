// Package chunk cuts source files into pieces worth retrieving, and lists what they define and use.
//
// A file's language is determined by [Language]. The file is parsed by tree-sitter if there is a
// grammar for the language, and cut at the borders of its syntax: a definition with its doc comment
// is one chunk of at most about 500 tokens or 60 lines; larger ones are cut at their statements or
// members, small neighbours are joined. Markdown and reStructuredText are cut by heading,
// everything else by paragraphs and windows of lines. Chunks are disjoint, in order, and omit no
// line with text.
//
// A [Highlighter] classifies ranges of source text for syntax highlighting, with the same grammars.
//
// Nothing here fails: unparsable bytes become windows of lines, with the reason in [File.Problem].
package chunk

import "time"

// Span is a range of bytes, half open.
type Span struct{ Start, End int }

// Kind is the kind of a chunk.
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

// Chunk is one piece of a file. It consists of whole lines, newlines included, except when a single
// line is too long for one chunk.
type Chunk struct {
	Start, End         int // bytes, half open
	StartLine, EndLine int // from 0, inclusive
	Kind               Kind
	// Symbols are the names defined in it, in order; in the parts of a split definition, each part
	// has the definition's name.
	Symbols []string
	// Enclosing lists the names of what encloses the chunk, outermost first: classes, receiver
	// types, modules; in prose the headings above.
	Enclosing []string
	// Header is the signature, at most 200 bytes, for the second and later
	// parts of a split definition. It is not part of [Start, End).
	Header string
	// Title is one short line, such as "func (c *Client) Do" or "## Install".
	Title string
	// Tokens is the chunk's size as counted by Options.Count.
	Tokens int
}

// Symbol is one definition. Kind is one of function, method, class, struct,
// interface, type, enum, const, var, field, module, macro, rule, section, key, component.
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

// File is the result for one file. It holds no reference to the source.
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
	// Problem is why syntax was not used although there is a grammar; the chunks are then windows
	// of lines, and the names are those that could be recovered. "" when it was used.
	Problem string
	// Unparsed lists the regions that the grammar did not accept, in order and disjoint, without
	// the definitions that were recovered inside them; also when there is a Problem.
	Unparsed []Span
}

// Options are the options of a Parser; zero values are the defaults.
type Options struct {
	TargetTokens   int              // of a chunk; 500
	Count          func([]byte) int // exact token counter; default len/3.5
	OperationLimit int              // microseconds of processor time that one parse may take; 3,000,000
}

// Parser cuts files into chunks. Not safe for concurrent use: make one for each worker. Its buffers
// stay as large as the largest file so far.
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
	// hardFactor × the target is the largest size of a chunk.
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

// estimate returns the approximate number of tokens of a text, for use without a counter.
func estimate(text []byte) int { return (len(text)*2 + 6) / 7 }

// Close frees the parser. It may be called more than once; Parse must not be called after it.
func (p *Parser) Close() {
	if p.syntax != nil {
		p.syntax.close()
		p.syntax = nil
	}
}

// maxSource is the largest source that is parsed: positions in a tree have 32 bits, and larger
// files are not source files.
const maxSource = 64 << 20

// Parse cuts src. It never fails: see File.Problem. Of the path only the file's name is used.
func (p *Parser) Parse(path string, src []byte) File {
	file := File{Language: Language(path, src)}
	p.lines.index(src)
	defer p.release()
	switch file.Language {
	case "markdown", "rst":
		p.prose(&file, path, src)
	case "make", "json", "text":
		p.plain(&file, path, src)
	case "vue", "svelte", "astro":
		if len(src) > maxSource || !p.component(&file, path, src) {
			p.plain(&file, path, src)
		}
	default:
		p.code(&file, path, src)
	}
	return file
}

// release drops references to the file just parsed.
func (p *Parser) release() {
	x, c := &p.extract, &p.cutter
	x.nodes, x.src, x.file = nil, nil, nil
	c.src, c.file, c.x, c.heads = nil, nil, nil, nil
}

func (p *Parser) code(file *File, path string, src []byte) {
	l := languageOf(grammarFor(file.Language, path))
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

// doubtful is the percentage of unparsed text from which a second reading is tried.
const doubtful = 3

// improves reports whether a second reading is better than the first. Unparsed text sometimes looks
// like definitions, so that a few fewer of them are acceptable when most of the errors are gone.
func (p *Parser) improves(first File, second *File, errors int) bool {
	before, after := len(first.Symbols), len(second.Symbols)
	return p.extract.errors*2 <= errors && after*10 >= before*9 || p.extract.errors*10 <= errors && after*4 >= before*3
}

// cutSyntax cuts src by the syntax of text, its copy of the same length, and reports whether that
// is usable; otherwise File.Problem has the reason.
func (p *Parser) cutSyntax(file *File, l *language, path string, src, text []byte) bool {
	*file = File{Language: file.Language}
	nodes, err := p.syntax.parse(l.grammar, l.keep, text, p.limit)
	if err != nil {
		file.Problem = err.Error()
		return false
	}
	l.join(nodes)
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
