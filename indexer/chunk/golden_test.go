package chunk

import (
	"fmt"
	"strings"
)

// list is the golden form of a file: one line a chunk, symbol, and so on.
func list(file File, src []byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "language %s\n", file.Language)
	if file.Problem != "" {
		fmt.Fprintf(&b, "problem %s\n", file.Problem)
	}
	if file.Doc.End > file.Doc.Start {
		fmt.Fprintf(&b, "doc %q\n", src[file.Doc.Start:file.Doc.End])
	}
	if len(file.Imports) > 0 {
		fmt.Fprintf(&b, "imports %s\n", strings.Join(file.Imports, ", "))
	}
	b.WriteString("\n")
	for _, c := range file.Chunks {
		fmt.Fprintf(&b, "chunk %d-%d %s %q", c.StartLine+1, c.EndLine+1, c.Kind, c.Title)
		if len(c.Enclosing) > 0 {
			fmt.Fprintf(&b, " in %s", strings.Join(c.Enclosing, " > "))
		}
		if c.Header != "" {
			fmt.Fprintf(&b, " header %q", c.Header)
		}
		if len(c.Symbols) > 0 {
			fmt.Fprintf(&b, " defines %s", strings.Join(c.Symbols, " "))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	for _, s := range file.Symbols {
		name := s.Name
		if s.Container != "" {
			name = s.Container + " . " + name
		}
		fmt.Fprintf(&b, "%s %s %d-%d\n", s.Kind, name, s.Line+1, s.EndLine+1)
	}
	b.WriteString("\nrefs")
	for _, r := range file.Refs {
		fmt.Fprintf(&b, " %s", r.Name)
		if r.Count > 1 {
			fmt.Fprintf(&b, "×%d", r.Count)
		}
	}
	b.WriteString("\n")
	for _, c := range file.Comments {
		text := src[c.Start:c.End]
		fmt.Fprintf(&b, "comment %q\n", clip(strings.ToValidUTF8(string(text), "?"), 50))
	}
	return b.String()
}

