package repocheck

import (
	"fmt"
	"go/ast"
	"slices"
)

// pure packages do no I/O, read no clock and use no randomness: they fail only because of their
// input.
var pure = []string{"context/item", "context/tokens", "context/intent", "context/budget", "context/render"}

// impureImports are forbidden imports, including all packages below them.
var impureImports = []string{"os", "net", "syscall", "io/ioutil", "log", "database", "golang.org/x/sys", "crypto/rand", "plugin"}

// impureCalls are forbidden calls, by package. The functions of math/rand that make a generator
// from a seed are allowed.
var impureCalls = map[string][]string{
	"time":         {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"},
	"math/rand":    {"Int", "Intn", "Int31", "Int63", "Float64", "Float32", "Perm", "Shuffle", "Seed", "Uint32", "Uint64"},
	"math/rand/v2": {"Int", "IntN", "Int32N", "Int64N", "N", "Float64", "Float32", "Perm", "Shuffle", "Uint32", "Uint64"},
	"runtime":      {"NumCPU", "GOMAXPROCS", "NumGoroutine", "ReadMemStats"},
}

// Purity checks the pure packages. Their tests may read files.
func Purity(t *Tree) []Finding {
	var out []Finding
	for _, f := range t.goFiles() {
		if f.IsTest() || !insideAny(f.Dir(), pure) {
			continue
		}
		for _, i := range t.imports(f) {
			if insideAny(i.path, impureImports) {
				out = append(out, Finding{f.Path, i.line, fmt.Sprintf("%s imports %s: a pure package does no I/O", f.Dir(), i.path)})
			}
		}
		for _, u := range t.uses(f) {
			if slices.Contains(impureCalls[u.pkg], u.name) {
				out = append(out, Finding{f.Path, u.line, fmt.Sprintf("%s uses %s.%s: clocks, randomness and the machine's shape are handed to a pure package", f.Dir(), u.pkg, u.name)})
			}
		}
	}
	return sorted(out)
}

// use is one mention of an imported package's name.
type use struct {
	pkg  string // the import path
	name string
	line int
}

// uses finds pkg.Name throughout a file. A local variable that shadows the package is mistaken for
// it.
func (t *Tree) uses(f *File) []use {
	byName := map[string]string{}
	for _, i := range t.imports(f) {
		byName[i.name] = i.path
	}
	var out []use
	ast.Inspect(f.Go, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && byName[x.Name] != "" {
				out = append(out, use{byName[x.Name], sel.Sel.Name, t.line(sel.Pos())})
			}
		}
		return true
	})
	return out
}
