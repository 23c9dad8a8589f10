package bundle

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
)

const (
	// maxFields bounds the fields of a type that are shown beside a place, and outlineTokens their
	// tokens together with the type's header.
	maxFields, outlineTokens = 8, 100
	// maxDeclared bounds the methods of other types that are named as implemented or overridden by
	// a method.
	maxDeclared = 2
	// headerLines bounds the lines of a type's header.
	headerLines = 12
)

// typeKinds are the kinds of symbols that have members.
var typeKinds = []string{"class", "struct", "interface", "type", "enum", "trait", "object"}

// owner returns the type that the first method of a place belongs to, when its file or another one
// in the folder declares it.
func (b *build) owner(at *draft) (owner, method indexer.Symbol, ok bool) {
	method, ok = b.callableAt(at)
	if !ok || method.Container == "" {
		return owner, method, false
	}
	ok = false
	all := b.src.Snapshot.FileSymbols(at.place.chunk.File)
	name := strings.TrimLeft(method.Container, "*&")
	for _, s := range slices.Backward(all) { // the innermost one that has the method, else any of that name
		if s.Name == name && slices.Contains(typeKinds, s.Kind) && (!ok || within(method, s)) {
			owner, ok = s, true
			if within(method, s) {
				break
			}
		}
	}
	if ok {
		return owner, method, true
	}
	const most = 16
	for _, s := range b.src.Snapshot.Definitions(name, most) { // methods may be in other files than their type
		if slices.Contains(typeKinds, s.Kind) && folderOf(s.Path) == folderOf(method.Path) && b.keeps(s) {
			return s, method, true
		}
	}
	return owner, method, false
}

// callableAt returns the first function that begins in a place, else the innermost one that the
// place is a piece of.
func (b *build) callableAt(at *draft) (found indexer.Symbol, ok bool) {
	start, end := at.forms[0].start, at.forms[0].end
	for _, s := range b.src.Snapshot.FileSymbols(at.place.chunk.File) {
		switch {
		case !retrieve.IsCallable(s):
		case start <= s.Line && s.Line <= end:
			return s, true
		case s.Line < start && start <= s.EndLine:
			found, ok = s, true
		}
	}
	return found, ok
}

// within reports whether a definition is within the lines of another one.
func within(d, outer indexer.Symbol) bool {
	return d.File == outer.File && outer.Line <= d.Line && d.EndLine <= outer.EndLine
}

// outline returns the header of a type and its fields, each with its line, except those already
// shown. Fields that the text uses come first.
func (b *build) outline(t indexer.Symbol, used string, shown func(indexer.Symbol) bool) (list []signed) {
	if !shown(t) {
		if text := b.signature(t); text != "" {
			list = append(list, signed{t, text})
		}
	}
	fields := b.fields(t)
	fields = slices.DeleteFunc(fields, func(f signed) bool { return shown(f.Symbol) })
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(used, func(c rune) bool { return !isWordRune(c) }) {
		words[word] = true
	}
	uses := func(f signed) bool {
		return slices.ContainsFunc(strings.FieldsFunc(f.text, func(c rune) bool { return !isWordRune(c) }), func(w string) bool {
			return words[w] && strings.Trim(w, "0123456789") != "" && !strings.Contains(t.Name, w)
		})
	}
	slices.SortStableFunc(fields, func(x, y signed) int { return btoi(!uses(x)) - btoi(!uses(y)) })
	fields = fields[:min(maxFields, len(fields))]
	slices.SortFunc(fields, func(x, y signed) int { return x.Line - y.Line })
	for _, f := range fields {
		f.text = b.signature(f.Symbol) // with the contents of its parentheses
		list = append(list, f)
	}
	return list
}

// signed is a definition or a field, with the line that declares it.
type signed struct {
	indexer.Symbol
	text string
}

func isWordRune(c rune) bool {
	return c == '_' || c == '$' || unicode.IsLetter(c) || unicode.IsDigit(c)
}

// fields returns the lines of a type that declare members other than methods: all lines at the
// indentation of its members that are in no other definition and are neither a comment nor an
// annotation of what follows.
func (b *build) fields(t indexer.Symbol) (out []signed) {
	if t.EndLine <= t.Line {
		return nil
	}
	inner := b.definitionsIn(t)
	lines := b.linesOf(t.File)
	lines = lines[min(t.Line, len(lines)):min(t.EndLine+1, len(lines))]
	indent, quoted := -1, false
	for i := headerEnd(lines); i < len(lines); i++ {
		trimmed := strings.TrimSpace(string(lines[i]))
		wasQuoted := quoted
		if togglesQuotation(trimmed) {
			quoted = !quoted
		}
		n := t.Line + i
		if wasQuoted || quoted || !isMember(trimmed) || slices.ContainsFunc(inner, func(s indexer.Symbol) bool { return s.Line <= n && n <= s.EndLine }) {
			continue
		}
		deep := indentOf(lines[i])
		if indent < 0 || deep < indent {
			indent, out = deep, nil
		}
		if deep == indent {
			f := signed{t, trimmed}
			f.Line, f.EndLine = n, n
			out = append(out, f)
		}
	}
	return out
}

// definitionsIn returns the functions and types that are defined within a type's lines.
func (b *build) definitionsIn(t indexer.Symbol) (out []indexer.Symbol) {
	for _, s := range b.src.Snapshot.FileSymbols(t.File) {
		if s != t && t.Line <= s.Line && s.EndLine <= t.EndLine && (retrieve.IsCallable(s) || slices.Contains(typeKinds, s.Kind)) {
			out = append(out, s)
		}
	}
	return out
}

// headerEnd returns how many lines of a type are its header: the first one, those after an open
// bracket or a comma, and comments between them.
func headerEnd(lines [][]byte) int {
	for i, line := range lines {
		trimmed := strings.TrimSpace(string(line))
		goesOn := strings.ContainsAny(trimmed[max(0, len(trimmed)-1):], "<(,") || i > 0 && !isMember(trimmed) && trimmed != "" && trimmed[0] == '/'
		if i >= headerLines || !goesOn {
			return i + 1
		}
	}
	return len(lines)
}

// togglesQuotation reports whether a line begins or ends a multi-line string.
func togglesQuotation(line string) bool {
	return strings.Count(line, `"""`)%2 == 1 || strings.Count(line, "'''")%2 == 1
}

// indentOf returns how many characters a line is indented.
func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }

// isMember reports whether a line may declare a member: it is no comment, decorator or string, and
// no bracket alone.
func isMember(line string) bool {
	for _, mark := range []string{"//", "/*", "*", "#", "--", "@", `"`, "'", "["} {
		if strings.HasPrefix(line, mark) && !isPrivateName(line) {
			return false
		}
	}
	return strings.ContainsFunc(line, unicode.IsLetter) && line != "end"
}

// isPrivateName reports whether a line begins with a name marked as private: #path = 1.
func isPrivateName(line string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimPrefix(line, "#"))
	return line[0] == '#' && unicode.IsLetter(r) && strings.ContainsAny(line, ":=;")
}

// clipped returns a text cut to at most signatureRunes characters.
func clipped(text string) string {
	if utf8.RuneCountInString(text) > signatureRunes {
		return string([]rune(text)[:signatureRunes]) + "…"
	}
	return text
}

// declared returns the methods of other types that a method of a type implements or overrides, each
// with the reason: methods of the same name whose type the block around the method names or, in Go,
// an interface all of whose methods the type has.
func (b *build) declared(owner, method indexer.Symbol, shown func(indexer.Symbol) bool) (out []signed) {
	const most = 64
	header := b.header(owner) + " " + b.opener(method)
	named := map[string]bool{}
	for word := range strings.FieldsFuncSeq(header, func(c rune) bool { return !isWordRune(c) }) {
		named[word] = word != owner.Name
	}
	for _, d := range b.src.Snapshot.Definitions(method.Name, most) {
		if len(out) == maxDeclared {
			break
		}
		name := strings.TrimLeft(d.Container, "*&")
		if name == "" || name == owner.Name || d.File == method.File && d.Line == method.Line || shown(d) || !retrieve.IsCallable(d) || !b.keeps(d) {
			continue
		}
		verb := b.relation(owner, method, d, named[name])
		if verb == "" {
			continue
		}
		if text := b.signature(d); text != "" {
			out = append(out, signed{d, text + " (of " + name + ", which " + owner.Name + "." + method.Name + " " + verb + ")"})
		}
	}
	return out
}

// keeps reports whether the request admits the file of a symbol.
func (b *build) keeps(s indexer.Symbol) bool {
	return b.req.Keep == nil || b.req.Keep(s.Path, b.src.Snapshot.Language(s.File))
}

// relation returns how a method of owner relates to a method of another type, "" when they are
// unrelated. named means that the block around the method names that type.
func (b *build) relation(owner, method, other indexer.Symbol, named bool) string {
	of, ok := b.typeOf(other)
	if !ok {
		return ""
	}
	language := b.src.Snapshot.Language(of.File)
	switch {
	case language != b.src.Snapshot.Language(method.File):
		return ""
	case language == "go":
		if of.Kind == "interface" && b.hasAll(of, owner) {
			return "implements"
		}
		return ""
	case !named:
		return ""
	case of.Kind == "interface" || of.Kind == "trait":
		return "implements"
	}
	return "overrides"
}

// linesOf returns the lines of a file, nil when it cannot be read. It splits each file once.
func (b *build) linesOf(file int) [][]byte {
	lines, known := b.lines[file]
	if !known {
		if text, gate := b.reader.File(file); gate == "" {
			lines = bytes.Split(text, []byte("\n"))
		}
		if b.lines == nil {
			b.lines = map[int][][]byte{}
		}
		b.lines[file] = lines
	}
	return lines
}

// header returns the lines of a type up to the one that opens its block.
func (b *build) header(t indexer.Symbol) string {
	lines := b.linesOf(t.File)
	lines = lines[min(t.Line, len(lines)):min(t.EndLine+1, t.Line+headerLines, len(lines))]
	for i, line := range lines {
		if line = bytes.TrimSpace(line); bytes.Contains(line, []byte("{")) || bytes.HasSuffix(line, []byte(":")) {
			return string(bytes.Join(lines[:i+1], []byte(" ")))
		}
	}
	return string(bytes.Join(lines[:min(1, len(lines))], nil))
}

// typeOf returns the type that declares a method within its own lines.
func (b *build) typeOf(method indexer.Symbol) (indexer.Symbol, bool) {
	name := strings.TrimLeft(method.Container, "*&")
	for _, s := range b.src.Snapshot.FileSymbols(method.File) {
		if s.Name == name && slices.Contains(typeKinds, s.Kind) && within(method, s) {
			return s, true
		}
	}
	return indexer.Symbol{}, false
}

// hasAll reports whether a Go type has all methods of an interface that has at least one.
func (b *build) hasAll(of, owner indexer.Symbol) bool {
	const most = 64
	n := 0
	for _, m := range b.src.Snapshot.FileSymbols(of.File) {
		if !retrieve.IsCallable(m) || strings.TrimLeft(m.Container, "*&") != of.Name || !within(m, of) {
			continue
		}
		n++
		if !slices.ContainsFunc(b.src.Snapshot.Definitions(m.Name, most), func(d indexer.Symbol) bool {
			return strings.TrimLeft(d.Container, "*&") == owner.Name && folderOf(d.Path) == folderOf(owner.Path)
		}) {
			return false
		}
	}
	return n > 0
}

func folderOf(p string) string { return p[:strings.LastIndexByte(p, '/')+1] }

// opener returns the line that opens the block of a definition: the last line before it with less
// indentation.
func (b *build) opener(d indexer.Symbol) string {
	lines := b.linesOf(d.File)
	if d.Line >= len(lines) {
		return ""
	}
	for i := d.Line - 1; i >= 0; i-- {
		if line := bytes.TrimRight(lines[i], " \t\r"); len(line) > 0 && indentOf(line) < indentOf(lines[d.Line]) && isMember(strings.TrimSpace(string(line))) {
			return string(line)
		}
	}
	return ""
}

// placed returns a signature with its line, and with its path when that is not the place's file.
func placed(s signed, file int) string {
	line := strconv.Itoa(s.Line+1) + ": " + s.text
	if s.File != file {
		line = s.Path + ":" + line
	}
	return line
}
