package survey

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// tree is a workspace in memory.
type tree map[string]string

func (t tree) Files(yield func(path, language string)) {
	languages := map[string]string{".go": "go", ".py": "python", ".ts": "typescript", ".rs": "rust", ".md": "markdown", ".rb": "ruby", ".java": "java"}
	for _, p := range slices.Sorted(maps.Keys(t)) {
		yield(p, languages[path.Ext(p)])
	}
}

func (t tree) Read(p string) (string, bool) {
	text, ok := t[p]
	return text, ok
}

// factsOf returns the facts of a workspace as "kind name: value count/of path:line", and fails if
// evidence is missing or is no line of its file.
func factsOf(t *testing.T, files tree, subjects ...string) []string {
	t.Helper()
	facts, err := Of(t.Context(), Input{Source: files, Subjects: subjects})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range facts {
		line := string(f.Kind) + " " + f.Name + ": " + f.Value
		if f.Of > 0 {
			line += fmt.Sprintf(" %d/%d", f.Count, f.Of)
		}
		if len(f.Evidence) == 0 || len(f.Evidence) > maxEvidence {
			t.Errorf("%s has %d pieces of evidence", line, len(f.Evidence))
			continue
		}
		for _, e := range f.Evidence {
			lines := strings.Split(files[e.Path], "\n")
			if e.Path == "" && slices.Contains(subjects, e.Text) {
				continue
			}
			if _, ok := files[e.Path]; !ok || e.Line > len(lines) || e.Line > 0 && strings.TrimSpace(lines[e.Line-1]) != e.Text {
				t.Errorf("%s is shown by %+v", line, e)
			}
		}
		if e := f.Evidence[0]; e.Line > 0 {
			line += fmt.Sprintf(" %s:%d", e.Path, e.Line)
		}
		out = append(out, line)
	}
	return out
}

func wantFacts(t *testing.T, got []string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("%q is not among\n  %s", w, strings.Join(got, "\n  "))
		}
	}
}

// TestManifests checks the facts in the manifests of many ecosystems, each line with its position.
func TestManifests(t *testing.T) {
	wantFacts(t, factsOf(t, tree{
		"go.mod":        "module m\n\ngo 1.25\n\nrequire (\n\tgithub.com/a/b/v2 v2.1.0\n\tgithub.com/c/d v0.1.0 // indirect\n)\n",
		"main.go":       "package main\n\nimport (\n\t\"fmt\"\n\n\tb \"github.com/a/b/v2/sub\"\n)\n",
		"Makefile":      "GO = go\n\n.PHONY: test\n\ntest: build\n\t@echo running\n\t$(GO) test ./...\n\nhelp:\n\t@echo no\n",
		".golangci.yml": "x\n", ".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: make test\n      - run: echo no\n        with:\n          go-version: '1.25'\n",
		"compose.yaml": "services:\n  db:\n    image: postgres:16-alpine\n", "Dockerfile": "FROM golang:1.25 AS build\nFROM build\nFROM scratch\n",
		"testdata/go.mod": "module x\n\nrequire github.com/no/no v1.0.0\n",
	}),
		"version go: 1.25 go.mod:3", "dependency github.com/a/b/v2: v2.1.0 1/1 go.mod:6", "command make test: $(GO) test ./... Makefile:5",
		"command pipeline ci.yml: make test .github/workflows/ci.yml:4", "version go (pipeline): 1.25 .github/workflows/ci.yml:7", "tool golangci-lint: ",
		"service postgres: 16-alpine compose.yaml:3", "service golang: 1.25 Dockerfile:1")
	got := factsOf(t, tree{
		"package.json": "{\n  \"scripts\": {\n    \"test\": \"vitest run\"\n  },\n  \"engines\": {\n    \"node\": \">=20\"\n  },\n  \"dependencies\": {\n    \"@scope/lib\": \"^1.0.0\"\n  },\n  \"devDependencies\": {\n    \"vitest\": \"^3.0.0\"\n  }\n}\n",
		"src/a.ts":     "import { x } from \"@scope/lib/deep\"\n", "src/b.ts": "import y from '@scope/lib'\n",
		"pyproject.toml": "[project]\nrequires-python = \">=3.11\"\ndependencies = [\n  \"Flask-Login>=2\",\n]\n\n[tool.ruff]\nline-length = 90\n", "a.py": "from flask_login import x\n",
		"Cargo.toml": "[package]\nedition = \"2024\"\n[dependencies]\nserde = { version = \"1.0\", features = [\"derive\"] }\nown = { path = \"own\" }\n", "a.rs": "use serde::Serialize;\n",
		"Gemfile": "ruby \"3.3\"\ngem \"rails\", \"~> 8.0\"\n", "pom.xml": "<project>\n<java.version>21</java.version>\n<dependency>\n<artifactId>junit</artifactId>\n</dependency>\n</project>\n",
		"x.csproj": "<TargetFramework>net9.0</TargetFramework>\n<PackageReference Include=\"Dapper\" Version=\"2.1\" />\n", "CMakeLists.txt": "find_package(ZLIB REQUIRED)\nset(CMAKE_CXX_STANDARD 20)\n",
		"build.gradle.kts": "implementation(\"io.ktor:ktor-core:3.0\")\n", "mix.exs": "{:plug, \"~> 1.0\"},\n",
		"composer.json": "{\n  \"require\": {\n    \"php\": \">=8.2\",\n    \"laravel/framework\": \"^12\"\n  }\n}\n",
	})
	wantFacts(t, got,
		"command script test: vitest run package.json:3", "version node: >=20 package.json:6", "dependency @scope/lib: ^1.0.0 2/2 package.json:9",
		"version python: >=3.11 pyproject.toml:2", "dependency Flask-Login: >=2 1/1 pyproject.toml:4", "tool ruff:  pyproject.toml:7",
		"version rust edition: 2024 Cargo.toml:2", "dependency serde: 1.0 1/1 Cargo.toml:4", "version ruby: 3.3 Gemfile:1", "dependency rails: ~> 8.0 Gemfile:2",
		"version java: 21 pom.xml:2", "dependency junit:  pom.xml:4", "version dotnet: net9.0 x.csproj:1", "dependency Dapper: 2.1 x.csproj:2",
		"dependency ZLIB:  CMakeLists.txt:1", "version CMAKE_CXX_STANDARD: 20 CMakeLists.txt:2", "dependency ktor-core: 3.0 build.gradle.kts:1", "dependency plug: ~> 1.0 mix.exs:1",
		"version php: >=8.2 composer.json:3", "dependency laravel/framework: ^12 composer.json:4")
	for _, line := range got {
		if strings.Contains(line, "own") {
			t.Errorf("a package of the workspace: %s", line)
		}
	}
}

// TestHabits checks that conventions are measured, and that none is reported if the files disagree.
func TestHabits(t *testing.T) {
	files := tree{}
	for i, name := range []string{"get_user", "put_user", "list_users", "drop_user", "load_user"} {
		files["server/handlers/"+name+".go"] = "package handlers\n\nfunc f() error {\n\tif a {\n\t\treturn fmt.Errorf(\"read: %w\", err)\n\t}\n\tb()\n\treturn fmt.Errorf(\"x: %w\", err)\n}\n"
		files["server/handlers/"+name+"_test.go"] = "package handlers\n\nfunc g() {\n\tx()\n\ty()\n\tz()\n}\n"
		files[fmt.Sprintf("mixed/f%d.py", i)] = strings.Repeat("if a:\n"+strings.Repeat(" ", 2+i%3)+"b()\n", 4)
	}
	var subjects []string
	for i := range 30 {
		subjects = append(subjects, fmt.Sprintf("store: it keeps %d", i))
	}
	got := factsOf(t, files, append(subjects, "Merge x", "no form")...)
	wantFacts(t, got,
		"language go:  10/15", "language python:  5/15", "convention indentation of go: tabs 10/10", "convention names of go files of several words: snake_case 5/5",
		"convention names of go tests: X_test.go 5/5", "convention place of go tests: beside the code 5/5", "pattern server/handlers: each file has a test of its name beside it 5/5",
		"convention first lines of the last 31 commits: area: text 30/31")
	if !slices.ContainsFunc(got, func(f string) bool {
		return strings.HasPrefix(f, "convention errors in go: fmt.Errorf with %w 10/10 server/handlers/")
	}) {
		t.Errorf("how errors are made is not in %q", got)
	}
	for _, line := range got {
		if strings.Contains(line, "indentation of python") {
			t.Errorf("files disagree: %s", line)
		}
	}
	if again := factsOf(t, files, append(subjects, "Merge x", "no form")...); !slices.Equal(got, again) {
		t.Errorf("another survey says\n%q\nnot\n%q", again, got)
	}
}

// TestSurveyOfNothing checks that an empty workspace, unreadable files and broken manifests give no
// facts and no error, and that a survey ends with its context.
func TestSurveyOfNothing(t *testing.T) {
	if got := factsOf(t, tree{}); len(got) != 0 {
		t.Errorf("of nothing: %q", got)
	}
	broken := "{\"dependencies\": {\"a\"\n[[[\n<dependency>\n\x00\xff = = \"\nrequire (\n"
	got := factsOf(t, tree{"package.json": broken, "go.mod": broken, "Cargo.toml": broken, "pom.xml": broken, "pyproject.toml": broken, "composer.json": broken,
		"Makefile": broken, "Dockerfile": broken, "mix.exs": broken, "Gemfile": broken})
	for _, line := range got {
		t.Errorf("of broken manifests: %s", line)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Of(ctx, Input{Source: tree{"a.go": "package a\n"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func FuzzManifest(f *testing.F) {
	f.Add("go.mod", "go 1.2\nrequire a v1\n")
	f.Add("pyproject.toml", "[project]\ndependencies = [\"a>=1\"]\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		if name == "" || strings.ContainsAny(name, "\x00") {
			return
		}
		factsOf(t, tree{name: text, "a.go": "package a\n\nimport \"" + name + "\"\n"})
	})
}
