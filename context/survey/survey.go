// Package survey determines how a workspace is composed and written: languages and their versions,
// the dependencies in its manifests and how much of the code imports them, the commands that build,
// test and check it, the configured tools, and habits measured in its code. [Of] returns the facts.
//
// Each fact has its evidence: lines of files, byte for byte, or files with the number of those that
// agree and of those that were examined. Nothing is claimed without evidence. The package is pure:
// it reads only through [Source].
package survey

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
)

// Kind of a fact.
type Kind string

// The kinds, in the order in which facts are listed.
const (
	Language   Kind = "language"   // of the code, with its share of the files
	Version    Kind = "version"    // of a language or a platform, as a manifest asks for it
	Dependency Kind = "dependency" // in a manifest, with the files that import it
	Service    Kind = "service"    // an image that a container or a pipeline runs
	Command    Kind = "command"    // of a build file, a manifest's scripts or a pipeline
	Tool       Kind = "tool"       // configured by a file
	Convention Kind = "convention" // measured
	Pattern    Kind = "pattern"    // followed by the files of a folder
)

var kinds = []Kind{Language, Version, Dependency, Service, Command, Tool, Convention, Pattern}

// Evidence is a line of a file, or a file that shows a habit.
type Evidence struct {
	Path string
	Line int    // from 1; 0 = the file as a whole
	Text string // of the line, without the space around it
}

// Fact is one fact about a workspace.
type Fact struct {
	Kind Kind
	Name string // its subject: "go", "make test", "indentation"
	// Value is a version, a command line or a form; for a dependency also that only development
	// needs it. "" when the name is enough.
	Value string
	// Count of Of files, or of lines for an error's form, agree; both are 0 when Evidence is
	// everything.
	Count, Of int
	// Evidence lists at most maxEvidence locations.
	Evidence []Evidence
}

// maxEvidence bounds the evidence for one fact.
const maxEvidence = 4

// Source is a workspace.
type Source interface {
	// Files calls yield for each file, by path, with its language.
	Files(yield func(path, language string))
	// Read returns a file's text; false when it cannot be read.
	Read(path string) (string, bool)
}

// Input is the input of a survey.
type Input struct {
	Source
	// Subjects are the first lines of the latest commits, the newest first.
	Subjects []string
}

// file is one of the workspace's.
type file struct{ path, language string }

// survey collects the facts of one workspace: each step that Of lists adds some, from the sorted
// files and what the steps before it found.
type survey struct {
	in    Input
	files []file // by path
	facts []Fact
	// Manifests' dependencies by the key of their name, with the files that import them.
	wanted map[string]*dependency
	order  []string
}

// Of returns the facts of a workspace, by kind, those with more supporting files first. It reads
// manifests and a sample of the code; its error is the context's.
func Of(ctx context.Context, in Input) ([]Fact, error) {
	s := &survey{in: in, wanted: map[string]*dependency{}}
	in.Files(func(p, language string) {
		if !isAside(p) {
			s.files = append(s.files, file{p, language})
		}
	})
	slices.SortFunc(s.files, func(a, b file) int {
		return cmp.Or(cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/")), cmp.Compare(a.path, b.path))
	})
	s.languages()
	for _, step := range []func(){s.manifests, s.code, s.dependencies, s.naming, s.tests, s.folders, s.commits} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		step()
	}
	s.tidy()
	return s.facts, nil
}

// asides are folders whose files are not the workspace's own code: examples, test data, third-party
// code.
var asides = []string{"testdata", "fixtures", "fixture", "__fixtures__", "examples", "example", "samples", "sample", "playground", "bench", "benchmark", "benchmarks", "vendor",
	"third_party", "node_modules", "templates", "snapshots", "__snapshots__", "goldens", ".specstory"}

func isAside(p string) bool {
	dir := path.Dir(p)
	for part := range strings.SplitSeq(dir, "/") {
		if slices.Contains(asides, strings.ToLower(part)) {
			return true
		}
	}
	return false
}

func (s *survey) add(facts ...Fact) {
	for _, f := range facts {
		f.Evidence = f.Evidence[:min(len(f.Evidence), maxEvidence)]
		s.facts = append(s.facts, f)
	}
}

// bounds limits the facts of each kind.
var bounds = map[Kind]int{Language: 5, Version: 8, Dependency: 14, Service: 8, Command: 16, Tool: 12, Convention: 14, Pattern: 8}

// tidy sorts facts, merges duplicates, and applies the bounds.
func (s *survey) tidy() {
	var out []Fact
	n := map[Kind]int{}
	for _, f := range s.facts {
		same := slices.IndexFunc(out, func(o Fact) bool { return o.Kind == f.Kind && o.Name == f.Name && o.Value == f.Value })
		if same >= 0 {
			if e := &out[same]; len(e.Evidence) < maxEvidence {
				e.Evidence = append(e.Evidence, f.Evidence[:min(len(f.Evidence), maxEvidence-len(e.Evidence))]...)
			}
			continue
		}
		if n[f.Kind]++; n[f.Kind] <= bounds[f.Kind] {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Fact) int { return cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)) })
	s.facts = out
}

// notCode are languages without executable code.
var notCode = []string{"", "text", "markdown", "rst", "json", "yaml", "toml", "xml", "ini", "csv", "tsv", "html", "css", "scss", "sass", "less",
	"gomod", "diff", "make", "dockerfile", "cmake", "m4", "protobuf", "graphql", "sql", "batch", "nix", "hcl"}

func isCode(language string) bool { return !slices.Contains(notCode, language) }

// shownFiles is how many files show a language.
const shownFiles = 2

// languages counts files by language.
func (s *survey) languages() {
	var t tally
	for _, f := range s.files {
		if isCode(f.language) {
			t.add(f.language, Evidence{Path: f.path})
		}
	}
	for _, f := range t.common(languageHabit, len(t.n), Language, "") {
		f.Name, f.Value, f.Evidence = f.Value, "", f.Evidence[:min(shownFiles, len(f.Evidence))]
		s.add(f)
	}
}
