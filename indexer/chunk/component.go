package chunk

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode"
)

// componentLanguages are the languages of single-file components: scripts and a template in one
// file. Each maps to the language of its scripts and expressions.
var componentLanguages = map[string]string{"vue": "typescript", "svelte": "typescript", "astro": "tsx"}

// component cuts a single-file component by the syntax of its scripts and of the expressions in its
// template. It reports whether it could; otherwise File.Problem has the reason.
func (p *Parser) component(file *File, name string, src []byte) bool {
	m := &markup{language: file.Language, script: componentLanguages[file.Language], src: src, out: blanked(src)}
	m.scan()
	l := languageOf(m.script)
	if l == nil || !p.cutSyntax(file, l, name, src, known(m.script, m.out)) {
		return false
	}
	file.refer(m.tags)
	file.mark(m.ids, &p.lines)
	file.define(componentName(name, file.Language), src)
	return true
}

// ComponentFile reports whether a file's name is the name of what it defines.
func ComponentFile(file string) bool { return componentLanguages[Language(file, nil)] != "" }

// KindComponent is the kind of the symbol that a single-file component is.
const KindComponent = "component"

// componentName returns the name by which templates use the component of a file, "" for a file that
// is only a page: my-button.vue and MyButton.vue are MyButton.
func componentName(file, language string) string {
	stem := path.Base(strings.ReplaceAll(file, `\`, "/"))
	stem, _, _ = strings.Cut(stem, ".")
	name := pascal(stem)
	if language != "vue" && name != stem || name == "" || name == stem && !unicode.IsUpper([]rune(name)[0]) {
		return ""
	}
	return name
}

// pascal returns a name in kebab case as templates may also write it: MyButton for my-button; other
// names as they are, and "" for what is no name.
func pascal(name string) string {
	var b strings.Builder
	up := strings.Contains(name, "-")
	for _, r := range name {
		switch {
		case r == '-':
			up = true
			continue
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '$':
			return ""
		case up:
			r, up = unicode.ToUpper(r), false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// define adds the symbol of the component that the whole file is.
func (f *File) define(name string, src []byte) {
	if name == "" || len(f.Chunks) == 0 {
		return
	}
	first, last := &f.Chunks[0], f.Chunks[len(f.Chunks)-1]
	end := last.Start + len(bytes.TrimRight(src[last.Start:last.End], " \t\r\n\v\f"))
	start := first.Start + bytes.IndexFunc(src[first.Start:first.End], func(r rune) bool { return r > 0x7f || !isBlank(byte(r)) })
	f.Symbols = slices.Insert(f.Symbols, 0, Symbol{
		Name: name, Kind: KindComponent, Start: start, End: end,
		Line: first.StartLine + bytes.Count(src[first.Start:start], []byte("\n")), EndLine: last.EndLine,
	})
	first.Symbols = slices.Insert(first.Symbols, 0, name)
}

// refer adds references to names.
func (f *File) refer(names []string) {
	for _, name := range names {
		i, found := slices.BinarySearchFunc(f.Refs, name, func(r Ref, name string) int { return strings.Compare(r.Name, name) })
		if !found {
			f.Refs = slices.Insert(f.Refs, i, Ref{Name: name})
		}
		f.Refs[i].Count++
	}
}

// blanked returns a copy of a text that has its line ends and is blank elsewhere.
func blanked(src []byte) []byte {
	out := bytes.Repeat([]byte(" "), len(src))
	for i := range occurrences(src, "\n") {
		out[i] = '\n'
	}
	return out
}

// markup reads a component and copies what is script to the same positions of a blank text, which
// is parsed as a whole: scripts as they are, and each expression of the template as a statement.
type markup struct {
	language string
	script   string // language of the scripts
	src, out []byte
	tags     []string // components that the template uses
	ids      []Symbol // elements that the template names
	depth    int      // of Vue's template elements
	at       int
}

func (m *markup) scan() {
	if m.language == "astro" {
		m.frontMatter()
	}
	for m.at < len(m.src) {
		rest := m.src[m.at:]
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			m.skipPast("-->")
		case rest[0] == '<' && len(rest) > 1 && isTagStart(rest[1]):
			m.element()
		case rest[0] == '{':
			m.interpolation()
		default:
			m.at++
		}
	}
}

// frontMatter copies the script between the first two lines of dashes.
func (m *markup) frontMatter() {
	fence := []byte("---")
	start := bytes.Index(m.src, fence)
	if start < 0 || len(trimBlank(m.src[:start])) > 0 {
		return
	}
	start += len(fence)
	end := bytes.Index(m.src[start:], []byte("\n---"))
	if end < 0 {
		end = len(m.src) - start
	}
	m.code(start, start+end)
	m.at = min(start+end+len("\n---"), len(m.src))
}

// code copies a script, and ends its last statement, so that no expression continues it.
func (m *markup) code(start, end int) {
	copy(m.out[start:end], m.src[start:end])
	last := start + len(bytes.TrimRight(m.src[start:end], " \t\r\n"))
	if line := m.src[bytes.LastIndexByte(m.src[:last], '\n')+1 : last]; bytes.Contains(line, []byte("//")) {
		last = end + 1 // behind the comment
	}
	if last < len(m.out) {
		m.out[last] = ';'
	}
}

// skipPast moves behind the next occurrence of an end mark.
func (m *markup) skipPast(end string) {
	if i := bytes.Index(m.src[m.at:], []byte(end)); i >= 0 {
		m.at += i + len(end)
	} else {
		m.at = len(m.src)
	}
}

func isTagStart(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' || b == '/' }

// element reads a tag with its attributes, and the content of scripts and styles.
func (m *markup) element() {
	m.at++
	closes := m.src[m.at] == '/'
	if closes {
		m.at++
	}
	start := m.at
	for m.at < len(m.src) && bytes.IndexByte([]byte(" \t\r\n\f/>"), m.src[m.at]) < 0 {
		m.at++
	}
	name := string(m.src[start:m.at])
	tag := m.attributes(closes)
	isTemplate := m.language == "vue" && name == "template"
	switch {
	case closes:
		if isTemplate {
			m.depth--
		}
	case tag.empty:
		m.use(name)
	case name == "script" || name == "style":
		m.raw(name, name == "script" && m.isCode(tag))
	case isTemplate && m.depth <= 0 && tag.values["lang"] != "" && tag.values["lang"] != "html":
		m.raw(name, false)
	case isTemplate:
		m.depth++
	case m.language == "vue" && m.depth <= 0: // a block of a tool's own
		m.raw(name, false)
	default:
		m.use(name)
	}
}

// use records a component by the name of its tag.
func (m *markup) use(name string) {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	if m.language == "vue" {
		name = pascal(name)
	}
	if len(name) > 1 && len(name) <= maxName && unicode.IsUpper([]rune(name)[0]) && pascal(name) == name {
		m.tags = append(m.tags, strings.ToValidUTF8(name, ""))
	}
}

// raw moves behind an element whose content is no markup, and copies the content if it is code.
func (m *markup) raw(name string, code bool) {
	start := m.at
	end := bytes.Index(m.src[start:], []byte("</"+name))
	if end < 0 {
		end = len(m.src) - start
	}
	if code {
		m.code(start, start+end)
	}
	m.at = start + end
	m.skipPast(">")
}

// isCode reports whether a script is of JavaScript or TypeScript.
func (m *markup) isCode(t tag) bool {
	switch kind := t.values["type"]; kind {
	case "", "module", "text/javascript", "application/javascript", "text/babel", "text/typescript":
	default:
		return false
	}
	switch t.values["lang"] {
	case "tsx", "jsx":
		m.script = "tsx"
	case "", "ts", "js", "typescript", "javascript":
	default:
		return false
	}
	return true
}

// tag is what element must know of a tag's attributes.
type tag struct {
	empty  bool              // ends with />
	values map[string]string // of type and lang
}

// attributes reads up to the end of a tag and copies the expressions.
func (m *markup) attributes(closes bool) tag {
	t := tag{}
	for m.at < len(m.src) {
		switch c := m.src[m.at]; {
		case c == '>':
			m.at++
			return t
		case c == '/':
			t.empty = m.at+1 < len(m.src) && m.src[m.at+1] == '>'
			m.at++
		case isBlank(c) || closes:
			m.at++
		case c == '{' && m.language != "vue":
			m.braces("")
		default:
			m.attribute(&t)
		}
	}
	return t
}

// attribute reads an attribute's name and value.
func (m *markup) attribute(t *tag) {
	start := m.at
	for m.at < len(m.src) && !isBlank(m.src[m.at]) && bytes.IndexByte([]byte("=>"), m.src[m.at]) < 0 &&
		!(m.src[m.at] == '/' && bytes.HasPrefix(m.src[m.at:], []byte("/>"))) {
		m.at++
	}
	name := string(m.src[start:m.at])
	if m.at >= len(m.src) || m.src[m.at] != '=' {
		m.at = max(m.at, start+1)
		return
	}
	m.at++
	for m.at < len(m.src) && isBlank(m.src[m.at]) {
		m.at++
	}
	if m.at >= len(m.src) {
		return
	}
	switch quote := m.src[m.at]; quote {
	case '"', '\'', '`':
		end := bytes.IndexByte(m.src[m.at+1:], quote)
		if end < 0 {
			m.at = len(m.src)
			return
		}
		m.value(name, m.at, m.at+1+end)
		m.identify(name, m.at, m.at+1+end)
		if name == "type" || name == "lang" {
			if t.values == nil {
				t.values = map[string]string{}
			}
			t.values[name] = strings.ToLower(string(m.src[m.at+1 : m.at+1+end]))
		}
		m.at += end + 2
	case '{':
		if m.language != "vue" {
			m.braces(name)
			return
		}
		fallthrough
	default:
		for m.at < len(m.src) && !isBlank(m.src[m.at]) && m.src[m.at] != '>' {
			m.at++
		}
	}
}

// value copies the expressions of a quoted value, whose quotes are at open and end.
func (m *markup) value(name string, open, end int) {
	if m.language != "vue" {
		for at := open + 1; at < end; at++ {
			if m.src[at] == '{' && m.language == "svelte" {
				if close := matching(m.src[:end], at); close > at {
					m.expression(name, at, close)
					at = close
				}
			}
		}
		return
	}
	if strings.IndexByte(":@#", name[0]) < 0 && !strings.HasPrefix(name, "v-") {
		return
	}
	m.expression(name, open, end)
	if name == "v-for" { // JavaScript has no "of" between expressions
		if i := bytes.Index(m.src[open:end], []byte(" of ")); i >= 0 {
			copy(m.out[open+i:], " in ")
		}
	}
}

// interpolation copies the expression between the braces of a text.
func (m *markup) interpolation() {
	if m.language != "vue" {
		m.braces("")
		return
	}
	if end := bytes.Index(m.src[m.at:], []byte("}}")); m.depth > 0 && bytes.HasPrefix(m.src[m.at:], []byte("{{")) && end > 0 {
		m.expression("", m.at+1, m.at+end)
		m.at += end + 2
		return
	}
	m.at++
}

// braces copies the expression or block of Svelte that begins at the brace.
func (m *markup) braces(attribute string) {
	open := m.at
	end := matching(m.src, open)
	if end < 0 {
		m.at++
		return
	}
	m.at = end + 1
	body := m.src[open+1 : end]
	switch {
	case m.language != "svelte" || bytes.IndexByte([]byte("#:@/"), byteAt(body, 0)) < 0:
		m.expression(attribute, open, end)
	case bytes.Equal(body, []byte("/snippet")):
		m.out[end] = '}'
	case bytes.HasPrefix(body, []byte("#snippet ")):
		copy(m.out[open:], "function  ")
		copy(m.out[open+len("{#snippet "):end], body[len("#snippet "):])
		m.out[end] = '{'
	case body[0] != '/':
		word := 1
		for word < len(body) && isWord(body[word]) {
			word++
		}
		if bytes.HasPrefix(body, []byte(":else if ")) {
			word = len(":else if ")
		}
		m.expression(attribute, open, end)
		for i := open + 1; i < open+1+word; i++ {
			m.out[i] = ' '
		}
	}
}

func byteAt(text []byte, i int) byte {
	if i < len(text) {
		return text[i]
	}
	return 0
}

// expression copies the expression between the marks at open and end as a statement of its own. An
// event's handler may be statements, or the name of what is called.
func (m *markup) expression(attribute string, open, end int) {
	body := m.src[open+1 : end]
	copy(m.out[open+1:end], body)
	event := isEvent(attribute)
	if open > 0 && m.out[open-1] == ' ' {
		m.out[open-1] = ';'
	}
	m.out[open], m.out[end] = '(', ')'
	switch name := trimBlank(body); {
	case event && len(name) > 0 && isPath(name) && end+1 < len(m.src) && m.src[end+1] != '{':
		m.out[open], m.out[end], m.out[end+1] = ';', '(', ')'
	case event && m.language == "vue":
		m.out[open], m.out[end] = '{', '}'
	case bytes.HasPrefix(name, []byte("...")):
		i := open + 1 + bytes.Index(body, name)
		copy(m.out[i:], "   ")
	}
}

// isEvent reports whether an attribute names what is called at an event.
func isEvent(attribute string) bool {
	return strings.HasPrefix(attribute, "@") || strings.HasPrefix(attribute, "v-on:") || strings.HasPrefix(attribute, "on") || strings.HasPrefix(attribute, "use:")
}

// isPath reports whether an expression is a name, possibly of a member.
func isPath(text []byte) bool {
	for _, b := range text {
		if !isWord(b) && b != '.' && b != '$' {
			return false
		}
	}
	return text[0] < '0' || text[0] > '9'
}

// matching returns the position of the brace that closes the one at open, -1 for none. It passes
// over strings, templates and comments.
func matching(src []byte, open int) int {
	depth := 0
	for i := open; i < len(src); i++ {
		switch c := src[i]; c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		case '"', '\'', '`':
			i = afterString(src, i)
		case '/':
			i = afterComment(src, i)
		}
	}
	return -1
}

// afterString returns the position of the quote that closes the one at i; i itself for one that
// does not begin a string, as in a text between tags.
func afterString(src []byte, i int) int {
	quote := src[i]
	if quote == '\'' && i > 0 && isWord(src[i-1]) {
		return i
	}
	for k := i + 1; k < len(src); k++ {
		switch src[k] {
		case quote:
			return k
		case '\\':
			k++
		case '\n':
			if quote != '`' {
				return i
			}
		}
	}
	return i
}

// afterComment returns the position of the last byte of the comment that begins at i, i itself for
// none.
func afterComment(src []byte, i int) int {
	if i > 0 && src[i-1] == ':' { // of an address
		return i
	}
	for start, end := range map[string]string{"//": "\n", "/*": "*/"} {
		if bytes.HasPrefix(src[i:], []byte(start)) {
			if k := bytes.Index(src[i+2:], []byte(end)); k >= 0 {
				return i + 1 + k + len(end)
			}
		}
	}
	return i
}
