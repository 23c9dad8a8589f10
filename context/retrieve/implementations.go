package retrieve

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
)

// typeKinds are the kinds of symbols that can be implemented or implement.
var typeKinds = []string{"class", "struct", "interface", "type", "enum", "trait"}

func isType(d indexer.Symbol) bool { return slices.Contains(typeKinds, d.Kind) }

// implementations lists what implements the targets that are types, or overrides those that are
// methods of types.
func (l *lookup) implementations(ctx context.Context) {
	var found []indexer.Symbol
	for _, d := range l.targets[:min(shownWhole, len(l.targets))] {
		switch {
		case isType(d):
			found = append(found, l.implementers(ctx, d)...)
		case IsCallable(d) && d.Container != "":
			found = append(found, l.overriders(ctx, d)...)
		}
	}
	found = distinct(found)
	slices.SortStableFunc(found, l.before)
	for _, d := range found {
		if slices.Contains(l.targets, d) && !IsCallable(d) {
			continue
		}
		if lines := l.lines(d.File); !IsCallable(d) && lines != nil {
			l.headers[placeOf{d.File, foundAt(lines, d)}] = true
		}
		if len(l.answer.Implementations) == l.query.Limit {
			l.answer.MoreImplementations++
			continue
		}
		if shown, ok := l.define(d, false); ok {
			l.answer.Implementations = append(l.answer.Implementations, shown)
		}
	}
}

// overriders lists the methods of the same name in the types that implement a method's type.
func (l *lookup) overriders(ctx context.Context, method indexer.Symbol) []indexer.Symbol {
	var out []indexer.Symbol
	for _, t := range l.s.Symbols().Definitions(containerName(method), maxDefinitions) {
		if !isType(t) || !sameFolder(t.Path, method.Path) {
			continue
		}
		for _, impl := range l.implementers(ctx, t) {
			for _, m := range l.all {
				if m != method && IsCallable(m) && containerName(m) == impl.Name && sameFolder(m.Path, impl.Path) {
					out = append(out, m)
				}
			}
		}
	}
	return out
}

// implementers lists the types that implement or extend a type.
func (l *lookup) implementers(ctx context.Context, t indexer.Symbol) []indexer.Symbol {
	if chunk.Typed(l.s.Language(t.File)) {
		return l.bindings.Implementers(ctx, t)
	}
	return l.declared(ctx, t)
}

// declared returns the types whose headers name a type as what they extend or implement.
func (l *lookup) declared(ctx context.Context, t indexer.Symbol) []indexer.Symbol {
	var out []indexer.Symbol
	last, read := -1, 0
	l.s.Symbols().Mentions(t.Name, func(chunk int) bool {
		file := l.s.FileOf(chunk)
		if file == last || l.s.Path(file) == "" || !callsInto(l.s.Language(file), l.s.Language(t.File)) {
			return true
		}
		last = file
		read++
		out = append(out, l.declaredIn(file, t)...)
		return read < maxOccurrenceFiles && ctx.Err() == nil
	})
	return out
}

// headLines is the largest number of lines in the header of a type.
const headLines = 30

func (l *lookup) declaredIn(file int, t indexer.Symbol) (out []indexer.Symbol) {
	lines := l.lines(file)
	if lines == nil {
		return nil
	}
	language := l.s.Language(file)
	rust := language == "rust"
	for _, d := range l.s.Symbols().InFile(file) {
		if !isType(d) || d.File == t.File && d.Line == t.Line || d.Line >= len(lines) || rust && d.Kind != "interface" {
			continue
		}
		if slices.Contains(parents(header(lines[d.Line:min(len(lines), d.Line+headLines)]), d.Name, language), t.Name) {
			out = append(out, d)
		}
	}
	if !rust {
		return out
	}
	for n, line := range lines {
		m := implFor.FindStringSubmatch(line)
		if m == nil || m[1] != t.Name {
			continue
		}
		out = append(out, indexer.Symbol{
			Name: m[2], Container: t.Name, Kind: "type", File: file, Path: l.s.Path(file), Line: n, EndLine: n,
		})
	}
	return out
}

// implFor matches the header of a Rust implementation: the trait's name and the type's.
var implFor = regexp.MustCompile(`^\s*(?:unsafe\s+)?impl\b(?:\s*<.*?>)?\s+(?:\w+::)*(\w+)(?:<.*>)?\s+for\s+(?:&\s*)?(?:mut\s+)?(?:\w+::)*(\w+)`)

// header joins the lines of a type's header up to its body.
func header(lines []string) string {
	var b strings.Builder
	for n, line := range lines {
		b.WriteByte(' ')
		line, _, _ = strings.Cut(line, "//")
		if before, _, body := strings.Cut(line, "{"); body {
			b.WriteString(before)
			break
		}
		b.WriteString(line)
		text := b.String()
		trimmed := strings.TrimSpace(text)
		if strings.Count(text, "(") > strings.Count(text, ")") {
			continue
		}
		if end := trimmed[max(0, len(trimmed)-1):]; end != "," && end != ":" && !strings.HasSuffix(trimmed, "extends") && !goesOn(lines, n) || end == ";" {
			break
		}
	}
	return b.String()
}

var (
	inBrackets = regexp.MustCompile(`<[^<>]*>`)
	inParens   = regexp.MustCompile(`\([^()]*\)`)
	// inherits matches what separates a type's name from its parents.
	inherits = regexp.MustCompile(`\b(?:extends|implements|with)\b|:`)
)

// parents returns the names that a header lists as what the type extends or implements.
func parents(header, name, language string) []string {
	i := strings.Index(header, name)
	if i < 0 {
		return nil
	}
	rest := strings.TrimSpace(header[i+len(name):])
	switch language {
	case "python":
		rest, _ = strings.CutPrefix(rest, "(")
	case "ruby":
		rest, _ = strings.CutPrefix(rest, "<")
	default:
		rest = without(inParens, rest) // parameters of a constructor, arguments of a parent's
		if strings.Contains(rest, ">") {
			rest = without(inBrackets, rest) // parameters of types
		}
		at := inherits.FindStringIndex(rest)
		if at == nil || strings.ContainsAny(rest[:at[0]], "=(<") { // an alias, or the header continues
			return nil
		}
		rest = rest[at[0]:]
	}
	var out []string
	eachName(rest, func(name, _, after string) {
		if !strings.HasPrefix(after, ".") { // else it is a namespace of what is inherited
			out = append(out, name)
		}
	})
	return out
}

// without removes the matches of a pattern until none is left.
func without(pattern *regexp.Regexp, text string) string {
	for {
		shorter := pattern.ReplaceAllString(text, "")
		if shorter == text {
			return text
		}
		text = shorter
	}
}

// goesOn reports whether the line after one continues a header: with a brace, or with more parents.
func goesOn(lines []string, n int) bool {
	if n+1 >= len(lines) {
		return false
	}
	next := strings.TrimSpace(lines[n+1])
	for _, mark := range []string{"{", ":", "@", "constructor", "extends", "implements", "with ", "where", ">", ")"} {
		if strings.HasPrefix(next, mark) {
			return true
		}
	}
	return false
}
