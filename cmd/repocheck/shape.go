package repocheck

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// top are the allowed top-level entries.
var top = []string{
	"cmd", "server", "indexer", "context", "memory", "editors", "testdata",
	"go.mod", "go.sum", "README.md", "LICENSE", "Makefile", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", ".ci", ".claude-plugin", ".github", ".gitignore", ".gitattributes", ".golangci.yml", ".goreleaser.yaml",
}

// maxLines is the maximum length of a source file without a reason.
const maxLines = 500

// long are the files that may be longer.
var long = []exception{
	{"editors/workbench/src/texts/de.ts", "all texts of a language are one file, so that who translates reads them in one go"},
	{"editors/workbench/src/texts/en.ts", "the same"},
	{"editors/workbench/src/texts/ja.ts", "the same"},
}

// TopLevel checks that the top level contains only what the layout names.
func TopLevel(t *Tree) []Finding {
	var out []Finding
	for _, name := range t.Top {
		if !slices.Contains(top, name) {
			out = append(out, Finding{name, 0, "the layout names no such top-level entry; what a tool leaves behind belongs into .gitignore"})
		}
	}
	return sorted(out)
}

// PackageDocs checks that every package documents its purpose: "Package x ..." or, for a program,
// "Command x ...".
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

// Sizes checks that files are short enough to be read at once.
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

// isCode reports whether a file is source code, judged by its name.
func isCode(name string) bool {
	switch path.Ext(name) {
	case ".go", ".c", ".h", ".s", ".ts", ".js", ".mjs", ".cjs", ".lua", ".sh", ".vim":
		return true
	}
	return slices.Contains([]string{"Makefile", ".ci/run", ".ci/quick", ".ci/extras"}, name)
}

// single are the packages that may consist of one file.
var single = []exception{
	{"indexer/chunk/packed/packed.go", "the C of scanners, which is compiled apart from what changes"},
	{"context/eval/doc.go", "its tests measure the packages beside it, which may not import each other"},
	{"memory/store/storetest/storetest.go", "what the tests of all memory's packages share; it may not be a part of the program"},
	{"server/team/nodetest/nodetest.go", "a test binary that contains it contains a NATS server, which few may"},
	{"server/hosts/answer/answer.go", "shared by hosts, which needs C, and by capture, which is checked for systems without it"},
	{"server/servertest/bench/doc.go", "its tests measure the built program, and are left out of the others"},
}

// Packages checks that no package is so small that it belongs in an adjacent one: one file of its
// own, not counting tests.
func Packages(t *Tree) []Finding {
	files := map[string][]*File{}
	for _, f := range t.goFiles() {
		if !f.IsTest() && f.Go.Name.Name != "main" {
			files[f.Dir()] = append(files[f.Dir()], f)
		}
	}
	var out []Finding
	for dir, list := range files {
		if len(list) == 1 {
			out = append(out, Finding{list[0].Path, 0, fmt.Sprintf("is all of package %s: it belongs into a neighbour", path.Base(dir))})
		}
	}
	return except(t, sorted(out), single)
}
