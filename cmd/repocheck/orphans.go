package repocheck

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Orphans checks that a comment outside of declarations documents the one directly below it, or at
// the file's top the whole file: anywhere else it stays behind when its subject moves. One that
// begins with a name begins with that of its declaration, which else has changed since; that of a
// test may begin with what it tests.
func Orphans(t *Tree) []Finding {
	var out []Finding
	for _, f := range t.goFiles() {
		if f.IsGenerated() {
			continue
		}
		for _, d := range f.Go.Decls {
			if doc, names := documented(d); isOfAnother(doc, names) {
				out = append(out, Finding{f.Path, t.line(doc.Pos()), "the comment begins with another name than " + names[0]})
			}
		}
		from := firstDeclaration(f.Go)
		for _, c := range f.Go.Comments {
			if c.Pos() > from && t.isAlone(f.Go, c) {
				out = append(out, Finding{f.Path, t.line(c.Pos()), "the comment belongs to no declaration: it stands neither directly above one nor at the file's top"})
			}
		}
	}
	return sorted(out)
}

// documented returns the comment of a declaration, nil for none, and what is declared.
func documented(d ast.Decl) (doc *ast.CommentGroup, names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if doc, names = d.Doc, []string{d.Name.Name}; testFunction.MatchString(d.Name.Name) {
			names = nil
		}
	case *ast.GenDecl:
		doc = d.Doc
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return doc, names
}

var testFunction = regexp.MustCompile(`^(Test|Fuzz|Benchmark|Example)($|[^a-z])`)

// isOfAnother reports whether a comment begins in lower case, and so with a name, and with none of
// these.
func isOfAnother(doc *ast.CommentGroup, names []string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(doc.Text()), " ")
	first = strings.TrimRight(first, ",:")
	return len(names) > 0 && first != "" && unicode.IsLower(rune(first[0])) && !slices.Contains(names, first)
}

// firstDeclaration returns where the first declaration after the imports begins; the end of a file
// without one.
func firstDeclaration(f *ast.File) token.Pos {
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
			return d.Pos()
		}
	}
	return f.FileEnd
}

// isAlone reports whether a comment is no directive and neither in a declaration, beside one nor
// above it.
func (t *Tree) isAlone(f *ast.File, c *ast.CommentGroup) bool {
	if strings.HasPrefix(c.List[0].Text, "//go:") {
		return false
	}
	for _, d := range f.Decls {
		from := d.Pos()
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Doc != nil {
				from = d.Doc.Pos()
			}
		case *ast.GenDecl:
			if d.Doc != nil {
				from = d.Doc.Pos()
			}
		}
		if from <= c.Pos() && (c.Pos() < d.End() || t.line(d.End()) == t.line(c.Pos())) {
			return false
		}
	}
	return true
}
