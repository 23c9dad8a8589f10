package repocheck

import (
	"go/ast"
	"go/token"
	"strings"
)

// Orphans checks that a comment outside of declarations documents the one directly below it, or at
// the file's top the whole file: anywhere else it stays behind when its subject moves.
func Orphans(t *Tree) []Finding {
	var out []Finding
	for _, f := range t.goFiles() {
		if f.IsGenerated() {
			continue
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
