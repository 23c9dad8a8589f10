package retrieve

import (
	"path"
	"slices"
	"strings"
)

// class is the role of a file, for someone who asks about a program.
type class uint8

// The classes. A prompt is about code that runs unless it says otherwise.
const (
	code    class = iota
	test          // tests and their data
	prose         // documentation
	changes       // change logs: they summarise in a line what the code does elsewhere
	example       // examples, demos, benchmarks
	data          // configuration, manifests, tables
	meta          // of the repository itself: CI, templates
)

// factors are the multipliers of the scores of each class, unless the prompt asks for such files.
var factors = [...]float64{code: 1, test: .3, prose: .4, changes: .25, example: .5, data: .4, meta: .3}

// classOf returns a file's class by the conventions of the common languages.
func classOf(p, language string) class {
	lower := strings.ToLower(p)
	base := path.Base(lower)
	stem := strings.TrimSuffix(base, path.Ext(base))
	if IsTest(p) {
		return test
	}
	for _, prefix := range changeLogs {
		if strings.HasPrefix(stem, prefix) && !codeLanguage(language) {
			return changes
		}
	}
	if strings.HasPrefix(lower, ".github/") || strings.HasPrefix(lower, ".circleci/") || strings.HasPrefix(base, ".") || metaFiles[base] {
		return meta
	}
	dirs := strings.Split(path.Dir(lower), "/")
	for _, d := range dirs {
		if exampleDirs[d] {
			return example
		}
	}
	if buildFiles[base] || strings.HasSuffix(base, ".cmake") || strings.HasSuffix(base, ".bzl") || strings.HasSuffix(base, ".bazel") {
		return data
	}
	if codeLanguage(language) {
		return code
	}
	for _, d := range dirs {
		if docDirs[d] {
			return prose
		}
	}
	if proseLanguage(language, base) {
		return prose
	}
	return data
}

var changeLogs = []string{"changelog", "changes", "history", "news", "release", "whatsnew", "whats_new", "upgrading", "migration"}

var metaFiles = map[string]bool{
	"license": true, "license.md": true, "license.txt": true, "copying": true, "notice": true, "contributing.md": true,
	"code_of_conduct.md": true, "security.md": true, "authors": true, "maintainers": true, "codeowners": true,
}

// buildFiles define how a program is built, in any language.
var buildFiles = map[string]bool{
	"build.bazel": true, "workspace.bazel": true, "cmakelists.txt": true, "meson.build": true, "build.gradle": true, "build.gradle.kts": true,
	"settings.gradle.kts": true, "package.swift": true, "setup.py": true, "gemfile": true, "rakefile": true, "mix.exs": true, "build.zig": true, "build.sbt": true,
}

var exampleDirs = map[string]bool{
	"example": true, "examples": true, "_examples": true, "demo": true, "demos": true, "sample": true, "samples": true,
	"benches": true, "bench": true, "benchmark": true, "benchmarks": true, "playground": true,
}

var docDirs = map[string]bool{"doc": true, "docs": true, "documentation": true, "website": true, "man": true}

var dataLanguages = []string{"", "text", "json", "yaml", "toml", "xml", "css", "csv", "ini", "hcl", "make", "dockerfile", "html", "bash", "diff", "properties"}

func proseLanguage(language, base string) bool {
	switch language {
	case "markdown", "rst", "text", "asciidoc":
		return true
	}
	return language == "" && (strings.HasPrefix(base, "readme") || strings.HasSuffix(base, ".1") || strings.HasSuffix(base, ".tpl"))
}

func codeLanguage(language string) bool {
	return !slices.Contains(dataLanguages, language) && !proseLanguage(language, "")
}

// IsCode reports whether a language is one of programs.
func IsCode(language string) bool { return language != "" && codeLanguage(language) }

// IsDocument reports whether a file is prose for people, no change log.
func IsDocument(p, language string) bool { return classOf(p, language) == prose }

// IsSettings reports whether a file is data that configures a program, its build or its checks.
func IsSettings(p, language string) bool {
	c := classOf(p, language)
	return c == data || c == meta && !proseLanguage(language, "")
}

// IsTestCode reports whether a file is a test's code, which can be run or serves what is.
func IsTestCode(p, language string) bool {
	return IsCode(language) && IsTest(p) && !slices.ContainsFunc(strings.Split(path.Dir(strings.ToLower(p)), "/"), func(dir string) bool { return testDataDirs[dir] })
}

// IsTest reports whether a path is a test's or its data's.
func IsTest(p string) bool {
	for dir := range strings.SplitSeq(path.Dir(p), "/") {
		if testDirs[strings.ToLower(dir)] || testFolder(dir) {
			return true
		}
	}
	base := strings.ToLower(path.Base(p))
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch {
	case strings.HasPrefix(stem, "test_"), strings.HasPrefix(stem, "test-"), strings.HasSuffix(stem, "_spec"), strings.HasSuffix(stem, ".spec"),
		strings.HasSuffix(stem, ".spec-d"), strings.HasSuffix(stem, ".test-d"), stem == "conftest", stem == "tests", stem == "test":
		return true
	}
	for _, suffix := range []string{"_test", "-test", ".test", "_tests", "_unittest"} {
		if strings.HasSuffix(stem, suffix) {
			return true
		}
	}
	original := strings.TrimSuffix(path.Base(p), path.Ext(p))
	return strings.HasSuffix(original, "Test") || strings.HasSuffix(original, "Tests") || strings.HasSuffix(original, "TestCase")
}

// testFolder reports whether a folder's name says that it holds tests: Shop.Tests and
// Shop.UnitTests of .NET, ShopTests and ShopUITests of Xcode, commonTest and androidTest of Kotlin,
// integration-tests and shop_test of many.
func testFolder(dir string) bool {
	for _, suffix := range []string{"Tests", "Test"} {
		if stem, ok := strings.CutSuffix(dir, suffix); ok && stem != "" {
			return true // a word begins there: "latest" does not count
		}
	}
	for _, suffix := range []string{"-test", "-tests", "_test", "_tests", ".test", ".tests"} {
		if strings.HasSuffix(dir, suffix) {
			return true
		}
	}
	return false
}

// testDataDirs are those of testDirs that hold what tests read.
var testDataDirs = map[string]bool{"testdata": true, "fixtures": true, "__fixtures__": true, "__mocks__": true, "mocks": true}

var testDirs = map[string]bool{
	"test": true, "tests": true, "__tests__": true, "spec": true, "specs": true, "testdata": true, "fixtures": true,
	"__fixtures__": true, "__mocks__": true, "mocks": true, "e2e": true,
}

// factor returns the multiplier of a file's score for this prompt.
func (r Request) factor(p, language string) float64 { return r.classFactor(classOf(p, language)) }

func (r Request) classFactor(c class) float64 {
	switch {
	case c == test && r.Intent.AboutTests, (c == prose || c == changes) && r.Intent.AboutDocs:
		return 1
	}
	return factors[c]
}
