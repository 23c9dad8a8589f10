package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
)

// showSymbol formats what is known of a name: definitions, with their text if there are few, then
// lists with one location per line.
func showSymbol(a reply) (string, error) {
	var r command.SymbolResult
	if err := json.Unmarshal(a.raw, &r); err != nil {
		return "", err
	}
	var parts []string
	add := func(text string) { parts = append(parts, text) }
	for _, d := range r.Definitions {
		if d.Text != "" {
			add(definitionBlock(d))
		}
	}
	if bare := definitionLines(r.Definitions, true); len(bare) > 0 {
		title := "Definitions of " + r.Name
		if r.Name == "" {
			title = "Symbols of " + a.text("path")
		}
		add(section(title, bare, r.More.Definitions))
	}
	if lines := definitionLines(r.Implementations, false); len(lines) > 0 {
		add(section("Implemented or overridden by", lines, r.More.Implementations))
	}
	switch {
	case r.Name == "" && len(r.Definitions) == 0 && r.Unparsed == nil:
		add("No symbol is known at " + a.text("path") + ".")
	case r.Name == "" && len(r.Definitions) == 0:
		add(unparsed(&r))
	case r.Name == "":
	case len(r.Definitions) > 0:
		add(usedBy(&r))
	default:
		add(undefined(&r, a.text("name")))
	}
	more := lack(r.Degraded)
	if r.More.AtLeast {
		more = append(more, "The name is so common that not every line was counted.")
	}
	if left := r.More.Definitions + r.More.Occurrences + r.More.Implementations; left > 0 {
		more = append(more, fmt.Sprintf("%s not shown: symbol with a larger limit, with Type.name, or with path.", several(left, "line")))
	}
	if line := closing(more...); line != "" {
		add(line)
	}
	return strings.TrimRight(strings.Join(parts, "\n"), "\n"), nil
}

// definitionBlock formats a definition with its text.
func definitionBlock(d command.Definition) string {
	last := d.TextLine + strings.Count(strings.TrimRight(d.Text, "\n"), "\n")
	head := fmt.Sprintf("%s:%d-%d %s", d.Path, d.TextLine+1, last+1, describe(d))
	if last < d.Range.End.Line {
		head += fmt.Sprintf(" (goes on to line %d)", d.Range.End.Line+1)
	}
	return head + "\n" + fenced(d.Text, languageOf(d.Path))
}

// describe returns a definition's kind and full name.
func describe(d command.Definition) string {
	name := d.Name
	if d.Container != "" {
		name = strings.TrimLeft(d.Container, "*&") + "." + name
	}
	return strings.TrimSpace(d.Kind + " " + name)
}

// definitionLines formats definitions, one per line; if bare is true, only those without text.
func definitionLines(list []command.Definition, bare bool) (out []string) {
	for _, d := range list {
		if bare && d.Text != "" {
			continue
		}
		out = append(out, fmt.Sprintf("%s:%d-%d %s: %s", d.Path, d.Range.Start.Line+1, d.Range.End.Line+1, describe(d), d.Signature))
	}
	return out
}

// usedBy lists what calls or uses a name.
func usedBy(r *command.SymbolResult) string {
	switch {
	case len(r.Occurrences) == 0 && r.More.AtLeast:
		return "No line that means it was found in the files that were read.\n"
	case len(r.Occurrences) == 0:
		return "Nothing else in the project's code names it.\n"
	}
	var sure, unsure []string
	calls := false
	for _, o := range r.Occurrences {
		line := occurrence(o)
		if o.Unsure {
			unsure = append(unsure, line)
		} else {
			sure = append(sure, line)
		}
		calls = calls || o.Call
	}
	title := "Used by"
	if calls {
		title = "Called or used by"
	}
	var text string
	left := r.More.Occurrences
	if len(sure) > 0 {
		count := left
		if len(unsure) > 0 {
			count = 0 // the rest is equally uncertain
		}
		text = section(title, sure, count)
	}
	if len(unsure) > 0 {
		if text != "" {
			text += "\n"
		}
		text += section("Perhaps this one, perhaps another of the same name", unsure, left)
	}
	return text
}

// occurrence formats a use on one line.
func occurrence(o command.Occurrence) string {
	place := fmt.Sprintf("%s:%d", o.Path, o.Range.Start.Line+1)
	if o.In != "" {
		place += " in " + o.In
	}
	return place + ": " + o.Text
}

// unparsed says which languages have no definitions in the index.
func unparsed(r *command.SymbolResult) string {
	return strings.Join(r.Unparsed, ", ") + " is not parsed, so that definitions in it are not known; search finds them by words."
}

// undefined returns the names most similar to one without a definition.
func undefined(r *command.SymbolResult, asked string) string {
	text := fmt.Sprintf("Nothing in the project defines %s.", asked)
	if r.Unparsed != nil {
		text = fmt.Sprintf("No definition of %s is known. ", asked) + unparsed(r)
	}
	if len(r.Occurrences) > 0 {
		var lines []string
		for _, o := range r.Occurrences {
			lines = append(lines, occurrence(o))
		}
		text += "\n" + strings.TrimSuffix(section("It occurs in", lines, r.More.Occurrences), "\n")
	}
	if lines := definitionLines(r.Similar, false); len(lines) > 0 {
		text += "\n" + strings.TrimSuffix(section("Similar names", lines, 0), "\n")
	}
	if len(r.Occurrences) == 0 && len(r.Similar) == 0 {
		text += " No name is similar; search finds it by words."
	}
	return text + "\n"
}

// section formats a heading, and lines in a fence, since they contain text of files.
func section(title string, lines []string, left int) string {
	if left > 0 {
		title += fmt.Sprintf(" (%d of %d)", len(lines), len(lines)+left)
	}
	return title + ":\n" + fenced(strings.Join(lines, "\n"), "")
}
