package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"unicode"
)

// load parses the contract from the sources below root. It works on syntax alone: the generated
// files need not exist or compile, so that code can be generated after any change of the interface.
func load(root string) (*Model, error) {
	m := &Model{Root: root, byName: map[string]*Struct{}}
	commands, err := parseDir(filepath.Join(root, "server", "command"))
	if err != nil {
		return nil, err
	}
	decls := declarations(commands)
	for _, d := range decls {
		st, ok := d.spec.Type.(*ast.StructType)
		if !ok || !isContract(st, decls) {
			continue
		}
		s := &Struct{Name: d.spec.Name.Name, Doc: docText(d.doc)}
		if s.Fields, err = fieldsOf(st, decls); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		m.Types = append(m.Types, s)
		m.byName[s.Name] = s
	}
	if err := m.addCommands(decls); err != nil {
		return nil, err
	}
	if m.Version, err = version(commands); err != nil {
		return nil, err
	}
	settings, err := parseDir(filepath.Join(root, "server", "settings"))
	if err != nil {
		return nil, err
	}
	m.Settings, err = settingsOf(declarations(settings))
	return m, err
}

// parseDir parses a folder's Go files, except tests and generated files, in the order of their
// names.
func parseDir(dir string) ([]*ast.File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	fset := token.NewFileSet()
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_gen.go") {
			continue
		}
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

type declaration struct {
	spec *ast.TypeSpec
	doc  *ast.CommentGroup
}

func declarations(files []*ast.File) []declaration {
	var out []declaration
	for _, f := range files {
		for _, d := range f.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, s := range gen.Specs {
				spec := s.(*ast.TypeSpec)
				doc := spec.Doc
				if doc == nil {
					doc = gen.Doc
				}
				out = append(out, declaration{spec, doc})
			}
		}
	}
	return out
}

func lookup(decls []declaration, name string) *ast.StructType {
	for _, d := range decls {
		if st, ok := d.spec.Type.(*ast.StructType); ok && d.spec.Name.Name == name {
			return st
		}
	}
	return nil
}

// isContract reports whether a struct is part of the contract: all its fields have JSON names or
// are embedded structs that do.
func isContract(st *ast.StructType, decls []declaration) bool {
	if st.Fields.NumFields() == 0 {
		return false
	}
	for _, f := range st.Fields.List {
		if len(f.Names) > 0 {
			if tagOf(f).Get("json") == "" {
				return false
			}
			continue
		}
		id, ok := f.Type.(*ast.Ident)
		if !ok {
			return false
		}
		inner := lookup(decls, id.Name)
		if inner == nil || !isContract(inner, decls) {
			return false
		}
	}
	return true
}

func fieldsOf(st *ast.StructType, decls []declaration) ([]Field, error) {
	var out []Field
	for _, f := range st.Fields.List {
		if len(f.Names) == 0 {
			inner, err := fieldsOf(lookup(decls, f.Type.(*ast.Ident).Name), decls)
			if err != nil {
				return nil, err
			}
			out = append(out, inner...)
			continue
		}
		tag := tagOf(f)
		name, option, _ := strings.Cut(tag.Get("json"), ",")
		typ, err := typeOf(f.Type)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if f.Doc == nil {
			return nil, fmt.Errorf("%s has no doc comment", name)
		}
		out = append(out, Field{
			Name: name, GoName: f.Names[0].Name, Doc: docText(f.Doc), Type: typ, OmitEmpty: option != "",
			Rules: parseRules(tag.Get("check")), Each: parseRules(tag.Get("each")), Keys: parseRules(tag.Get("keys")),
		})
	}
	return out, nil
}

func typeOf(e ast.Expr) (Type, error) {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeOf(e.X)
	case *ast.ArrayType:
		elem, err := typeOf(e.Elt)
		return Type{Kind: List, Elem: &elem}, err
	case *ast.MapType:
		elem, err := typeOf(e.Value)
		return Type{Kind: Map, Elem: &elem}, err
	case *ast.SelectorExpr:
		if e.Sel.Name == "RawMessage" {
			return Type{Kind: Any}, nil
		}
	case *ast.Ident:
		switch e.Name {
		case "string":
			return Type{Kind: String}, nil
		case "bool":
			return Type{Kind: Bool}, nil
		case "int", "int64", "uint64":
			return Type{Kind: Integer}, nil
		case "float64":
			return Type{Kind: Number}, nil
		case "any":
			return Type{Kind: Any}, nil
		case "Time":
			return Type{Kind: Time}, nil
		}
		if ast.IsExported(e.Name) {
			return Type{Kind: Ref, Name: e.Name}, nil
		}
	}
	return Type{}, fmt.Errorf("the contract has no such type: %T", e)
}

// addCommands parses the interface Commands.
func (m *Model) addCommands(decls []declaration) error {
	for _, d := range decls {
		it, ok := d.spec.Type.(*ast.InterfaceType)
		if !ok || d.spec.Name.Name != "Commands" {
			continue
		}
		for _, f := range it.Methods.List {
			c := Command{Method: f.Names[0].Name, Doc: docText(f.Doc)}
			var err error
			if c.Directives, err = directivesOf(f.Doc); err != nil {
				return fmt.Errorf("%s: %w", c.Method, err)
			}
			c.ID = "contexture." + commandName(c.Method)
			fn := f.Type.(*ast.FuncType)
			if fn.Params.NumFields() != 2 || fn.Results.NumFields() != 2 || c.Doc == "" {
				return fmt.Errorf("%s: want a doc comment and the form (ctx, *Args) (*Result, error)", c.Method)
			}
			c.Args, c.Result = pointee(fn.Params.List[1].Type), pointee(fn.Results.List[0].Type)
			if m.Type(c.Args) == nil || m.Type(c.Result) == nil {
				return fmt.Errorf("%s: argument or result type is no part of the contract", c.Method)
			}
			m.Commands = append(m.Commands, c)
		}
		return nil
	}
	return fmt.Errorf("interface Commands not found")
}

func pointee(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		if id, ok := star.X.(*ast.Ident); ok {
			return id.Name
		}
	}
	return ""
}

// commandName converts ConversationAppend to conversation.append.
func commandName(method string) string {
	var b strings.Builder
	for i, r := range method {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('.')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func version(files []*ast.File) (int, error) {
	for _, f := range files {
		for _, d := range f.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.CONST {
				continue
			}
			for _, s := range gen.Specs {
				spec := s.(*ast.ValueSpec)
				if lit, ok := firstValue(spec).(*ast.BasicLit); ok && spec.Names[0].Name == "Version" {
					return strconv.Atoi(lit.Value)
				}
			}
		}
	}
	return 0, fmt.Errorf("constant Version not found")
}

func firstValue(spec *ast.ValueSpec) ast.Expr {
	if len(spec.Values) == 0 {
		return nil
	}
	return spec.Values[0]
}

func tagOf(f *ast.Field) reflect.StructTag {
	if f.Tag == nil {
		return ""
	}
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return ""
	}
	return reflect.StructTag(tag)
}

// docText returns a doc comment with each paragraph on one line.
func docText(g *ast.CommentGroup) string {
	if g == nil {
		return ""
	}
	paragraphs := strings.Split(strings.TrimSpace(g.Text()), "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = strings.Join(strings.Fields(p), " ")
	}
	return strings.Join(paragraphs, "\n\n")
}
