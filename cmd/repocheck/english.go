package repocheck

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxColumns is the maximum width of a comment line, and tabColumns the width of a tab.
	maxColumns, tabColumns = 100, 4
)

// glossary lists private words that were once used for a term of the field.
var glossary = []struct {
	word *regexp.Regexp
	term string
}{
	{phrase(`(look|looks|looked|looking)( at \w+)? again`), "check, scan or read again; retry"},
	{phrase(`later each time`), "backoff"},
	{phrase(`for now`), "transient, not yet"},
	{phrase(`for good`), "permanent"},
	{phrase(`blind|troubled`), "unavailable, degraded"},
	{phrase(`tales?|retelling|retold`), "summary"},
	{phrase(`brisk|lanes?`), "queue, priority class, worker slot"},
	{phrase(`where (it|they) stands?`), "position, reference, occurrence"},
	{phrase(`too far off`), "not relevant enough"},
	{phrase(`filed`), "stored, saved"},
	{phrase(`(is|are|be|was|were) let go`), "discard, remove, prune, release"},
	{phrase(`good for one time`), "single-use"},
	{phrase(`side by side|one by one`), "concurrently; in order, sequentially"},
	{phrase(`reminds of itself`), "reminder"},
	{phrase(`has standing|not so|which it was not`), "states the condition"},
	{phrase(`goes by|gone on with`), "uses, is identified by; continued"},
	{phrase(`lets? go of`), "release, discard"},
	{phrase(`hears? of`), "is notified of, receives"},
	{phrase(`of late`), "recently"},
	{phrase(`departed`), "removed"},
	{phrase(`spots?`), "location, position"},
	{phrase(`kin|its like`), "similar, of the same kind"},
	{phrase(`stand-ins?`), "replacement, substitute"},
	{phrase(`strikes?|forgives?`), "hit, failure count; clear, reset"},
	{phrase(`laid aside|puts? down|written down`), "set aside, stored, recorded"},
	{phrase(`beside each other`), "concurrently"},
	{phrase(`counts? for nothing|none of (ours|theirs)|worth while`), "is ignored; not part of; pays"},
}

func phrase(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(` + pattern + `)\b`) }

// Glossary checks that comments use the field's terms.
func Glossary(t *Tree) []Finding {
	all := make([]string, len(glossary))
	for i, g := range glossary {
		all[i] = strings.TrimSuffix(strings.TrimPrefix(g.word.String(), `(?i)\b`), `\b`)
	}
	some := regexp.MustCompile(`\b(` + strings.Join(all, "|") + `)\b`)
	return t.comments(func(c comment) string {
		if !some.MatchString(strings.ToLower(c.text)) {
			return ""
		}
		for _, g := range glossary {
			if m := g.word.FindString(c.text); m != "" {
				return fmt.Sprintf("says %q: the field says %s", m, g.term)
			}
		}
		return ""
	})
}

// verbatim matches a comment whose line breaks are significant: a directive, a list item, indented
// text.
var verbatim = regexp.MustCompile(`^//([^ ]| ([ \t#•|*-]|\d+[.)]))`)

// Widths checks that comments on lines of their own are at most maxColumns wide.
func Widths(t *Tree) []Finding {
	return t.comments(func(c comment) string {
		if !c.alone || verbatim.MatchString(c.text) || !strings.Contains(strings.TrimLeft(c.text, "/* "), " ") { // one word cannot be wrapped
			return ""
		}
		if n := c.column*tabColumns + utf8.RuneCountInString(c.text); n > maxColumns {
			return fmt.Sprintf("is %d columns wide: comments are wrapped at %d", n, maxColumns)
		}
		return ""
	})
}

// cited matches a document's section, or a document with a name in capitals. The documents of hosts
// are in people's workspaces.
var (
	cited    = regexp.MustCompile(`\b[A-Z]{3,} §|\b[A-Z]{3,}\.md\b`)
	hostsOwn = []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md"}
)

// Documents checks that comments cite only documents that the repository has.
func Documents(t *Tree) []Finding {
	known := map[string]bool{}
	for _, f := range t.Files {
		known[path.Base(f.Path)] = true
	}
	return t.comments(func(c comment) string {
		for _, name := range cited.FindAllString(c.text, -1) {
			if !known[name] && !slices.Contains(hostsOwn, name) {
				return fmt.Sprintf("cites %s, which is not in the repository", strings.TrimSuffix(name, " §"))
			}
		}
		return ""
	})
}

// comment is one line of a Go file's comments.
type comment struct {
	text   string
	column int  // tabs before it
	alone  bool // no code precedes it
}

// comments calls ask for every comment line in Go files that were not generated; a non-empty answer
// is a finding.
func (t *Tree) comments(ask func(comment) string) []Finding {
	var out []Finding
	for _, f := range t.goFiles() {
		if f.IsGenerated() {
			continue
		}
		lines := strings.Split(string(f.Text), "\n")
		for _, group := range f.Go.Comments {
			for _, c := range group.List {
				out = append(out, t.commentLines(f, lines, c, ask)...)
			}
		}
	}
	return sorted(out)
}

func (t *Tree) commentLines(f *File, lines []string, c *ast.Comment, ask func(comment) string) []Finding {
	var out []Finding
	first := t.line(c.Pos())
	before := strings.TrimLeft(lines[first-1], "\t")
	for i, text := range strings.Split(c.Text, "\n") {
		tabs := len(lines[first-1+i]) - len(strings.TrimLeft(lines[first-1+i], "\t"))
		if answer := ask(comment{text, tabs, i > 0 || strings.HasPrefix(before, "/")}); answer != "" {
			out = append(out, Finding{f.Path, first + i, answer})
		}
	}
	return out
}
