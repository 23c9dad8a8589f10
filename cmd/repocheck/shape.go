package repocheck

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// top are the entries that may stand at the top.
var top = []string{
	"cmd", "server", "indexer", "context", "memory", "editors", "testdata",
	"go.mod", "go.sum", "README.md", "LICENSE", "Makefile", ".ci", ".gitignore", ".gitattributes", ".golangci.yml",
}

// maxLines of a source file before it needs a reason.
const maxLines = 500

// long are the files that may be longer.
var long = []exception{}

// TopLevel checks that nothing stands at the top but what the layout names.
func TopLevel(t *Tree) []Finding {
	var out []Finding
	for _, name := range t.Top {
		if !slices.Contains(top, name) {
			out = append(out, Finding{name, 0, "the layout names no such top-level entry; what a tool leaves behind belongs into .gitignore"})
		}
	}
	return sorted(out)
}

// PackageDocs checks that every package says what it is for: "Package x ..." or, for a program, "Command x ...".
func PackageDocs(t *Tree) []Finding {
	documented, package_ := map[string]bool{}, map[string]string{}
	onlyTests := map[string]bool{}
	for _, f := range t.goFiles() {
		if _, seen := onlyTests[f.Dir()]; !seen {
			onlyTests[f.Dir()] = true
		}
		if !f.IsTest() {
			onlyTests[f.Dir()] = false
			package_[f.Dir()] = f.Go.Name.Name
		}
	}
	for _, f := range t.goFiles() {
		dir := f.Dir()
		if f.Go.Doc == nil || f.IsTest() && !onlyTests[dir] {
			continue
		}
		want := "Package " + strings.TrimSuffix(f.Go.Name.Name, "_test")
		if f.Go.Name.Name == "main" {
			want = "Command " + path.Base(dir)
		}
		if first, _, _ := strings.Cut(f.Go.Doc.Text(), "\n"); first == want+"." || strings.HasPrefix(first, want+" ") {
			documented[dir] = true
		}
	}
	var out []Finding
	for _, dir := range slices.Sorted(maps.Keys(onlyTests)) {
		if !documented[dir] {
			out = append(out, Finding{dir, 0, fmt.Sprintf("package %s has no package comment", package_[dir])})
		}
	}
	return out
}

// Sizes checks that files stay small enough to be read in one go.
func Sizes(t *Tree) []Finding {
	var out []Finding
	for _, f := range t.Files {
		if !isCode(f.Path) || f.IsGenerated() {
			continue
		}
		if n := bytes.Count(f.Text, []byte("\n")); n > maxLines {
			out = append(out, Finding{f.Path, 0, fmt.Sprintf("%d lines: over %d a file needs a reason, or a split", n, maxLines)})
		}
	}
	return except(t, sorted(out), long)
}

// isCode says whether a file is written by programmers for machines.
func isCode(name string) bool {
	switch path.Ext(name) {
	case ".go", ".c", ".h", ".s", ".ts", ".js", ".mjs", ".cjs", ".lua", ".sh", ".vim":
		return true
	}
	return slices.Contains([]string{"Makefile", ".ci/run"}, name)
}
