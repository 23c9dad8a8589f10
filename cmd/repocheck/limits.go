package repocheck

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// maxMethods is the maximum number of methods of a type.
const maxMethods = 40

// wide are the types that may have more.
var wide = []exception{
	{"memory/store.Store", "one type owns the format of everything that is kept"},
}

// Methods checks that no type has so many methods that nobody knows them all.
func Methods(t *Tree) []Finding {
	n := map[string]int{}
	for _, f := range t.goFiles() {
		if f.IsTest() || f.IsGenerated() {
			continue
		}
		for _, d := range f.Go.Decls {
			method, ok := d.(*ast.FuncDecl)
			if !ok || method.Recv == nil {
				continue
			}
			n[f.Dir()+"."+receiver(method.Recv.List[0].Type)]++
		}
	}
	var out []Finding
	for name, n := range n {
		if n > maxMethods {
			out = append(out, Finding{name, 0, fmt.Sprintf("has %d methods: over %d a type is several", n, maxMethods)})
		}
	}
	return exceptNames(n, sorted(out), wide)
}

// receiver returns the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// maxPackageLines is the maximum size of a package without a reason, in lines without tests.
const maxPackageLines = 2500

// Weights checks that packages are small enough to be known.
func Weights(t *Tree) []Finding {
	n := map[string]int{}
	for _, f := range t.goFiles() {
		if !f.IsTest() && !f.IsGenerated() {
			n[f.Dir()] += bytes.Count(f.Text, []byte("\n"))
		}
	}
	var out []Finding
	for dir, n := range n {
		if n > maxPackageLines {
			out = append(out, Finding{dir, 0, fmt.Sprintf("%d lines: over %d a package needs a reason, or a split", n, maxPackageLines)})
		}
	}
	return exceptNames(n, sorted(out), heavy)
}

// exceptNames is except for packages and types; known has those that exist.
func exceptNames(known map[string]int, findings []Finding, exceptions []exception) []Finding {
	for _, e := range exceptions {
		kept := slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Path == e.path })
		if known[e.path] > 0 && len(kept) == len(findings) {
			kept = append(kept, Finding{e.path, 0, fmt.Sprintf("is excepted (%s) and needs it no more", e.reason)})
		}
		findings = kept
	}
	return findings
}

// Literals checks that the fractions by which context and memory choose are in one table a package:
// one file, which tells the unit and the source of each. Lists of numbers are tables themselves;
// zero, a half, one, and powers of ten choose nothing.
func Literals(t *Tree) []Finding {
	lines := map[string]map[string][]int{} // by package and file
	for _, f := range t.goFiles() {
		if f.IsTest() || f.IsGenerated() || !insideAny(f.Dir(), []string{"context", "memory"}) {
			continue
		}
		for _, d := range f.Go.Decls {
			if table, ok := d.(*ast.GenDecl); ok && table.Tok == token.VAR {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.FLOAT && chooses(l.Value) {
					if lines[f.Dir()] == nil {
						lines[f.Dir()] = map[string][]int{}
					}
					lines[f.Dir()][f.Path] = append(lines[f.Dir()][f.Path], t.line(l.Pos()))
				}
				return true
			})
		}
	}
	var out []Finding
	for _, files := range lines {
		table := slices.MaxFunc(slices.Sorted(maps.Keys(files)), func(a, b string) int { return len(files[a]) - len(files[b]) })
		for file, lines := range files {
			for _, line := range lines {
				if file != table {
					out = append(out, Finding{file, line, "the package's fractions stand in " + path.Base(table)})
				}
			}
		}
	}
	return sorted(out)
}

// neutral are the fractions that choose nothing.
var neutral = []float64{0, .5, 1, 10}

func chooses(literal string) bool {
	v, err := strconv.ParseFloat(literal, 64)
	return err == nil && !slices.Contains(neutral, v) && !strings.HasPrefix(literal, "1e")
}
