package retrieve

import "strings"

// lineFilter recognises the lines of a file that are only comments or imports. It must be shown the
// lines in order.
type lineFilter struct {
	language string
	marks    commentMarks
	until    string // the end mark of the comment, docstring or import that continues; "" for none
}

// over reports whether a line is to be skipped.
func (p *lineFilter) over(line string) bool {
	trimmed := strings.TrimSpace(line)
	if p.until != "" {
		if strings.Contains(trimmed, p.until) {
			p.until = ""
		}
		return true
	}
	if trimmed == "" {
		return false
	}
	if isImport(line, trimmed) {
		_ = p.opens(trimmed, "{", "}") || p.opens(trimmed, "(", ")")
		return true
	}
	switch p.language {
	case "python":
		for _, quotes := range []string{`"""`, "'''"} {
			if i := strings.Index(trimmed, quotes); i >= 0 && p.opens(trimmed, quotes, quotes) {
				return i <= 1 // else code precedes it
			}
		}
	case "elixir":
		if strings.HasPrefix(trimmed, "@") && p.opens(trimmed, `"""`, `"""`) {
			return true
		}
	}
	if p.marks.open != "" && strings.HasPrefix(trimmed, p.marks.open) {
		return p.opens(trimmed, p.marks.open, p.marks.end)
	}
	return strings.HasPrefix(trimmed, p.marks.line) || p.marks.starred && (strings.HasPrefix(trimmed, "* ") || trimmed == "*")
}

// opens reports whether a line contains a mark, and records its end mark if the line does not have
// that.
func (p *lineFilter) opens(line, mark, end string) bool {
	_, rest, ok := strings.Cut(line, mark)
	if ok && !strings.Contains(rest, end) {
		p.until = end
	}
	return ok
}

// commentMarks are the begin and end marks of a language's comments.
type commentMarks struct {
	line      string
	open, end string // of one that may span lines; "" for none
	starred   bool   // whose lines begin with a star
}

// commentsOf returns the marks of a language's comments: those of C for most.
func commentsOf(language string) commentMarks {
	switch language {
	case "python", "elixir", "ruby", "bash", "r":
		return commentMarks{line: "#"}
	case "julia":
		return commentMarks{line: "#", open: "#=", end: "=#"}
	case "ocaml":
		return commentMarks{line: "(*", open: "(*", end: "*)"}
	case "lua", "sql":
		return commentMarks{line: "--"}
	case "haskell":
		return commentMarks{line: "--", open: "{-", end: "-}"}
	case "vue", "svelte", "astro":
		return commentMarks{line: "//", open: "<!--", end: "-->", starred: true}
	}
	return commentMarks{line: "//", open: "/*", end: "*/", starred: true}
}
