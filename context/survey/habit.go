package survey

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// caseOf returns the form in which a name of several words is written, "" for a single word.
func caseOf(name string) string {
	name, _, _ = strings.Cut(name, ".")
	var upper, lower bool
	for _, r := range name {
		upper, lower = upper || unicode.IsUpper(r), lower || unicode.IsLower(r)
	}
	switch first := []rune(name); {
	case len(first) == 0 || !lower:
		return ""
	case strings.Contains(strings.Trim(name, "_"), "_") && !upper:
		return "snake_case"
	case strings.Contains(strings.Trim(name, "-"), "-") && !upper:
		return "kebab-case"
	case strings.ContainsAny(name, "_-"):
		return ""
	case unicode.IsUpper(first[0]) && strings.IndexFunc(name[1:], unicode.IsUpper) >= 0:
		return "PascalCase"
	case unicode.IsLower(first[0]) && upper:
		return "camelCase"
	}
	return ""
}

// naming measures how the files of a language are named.
func (s *survey) naming() {
	n, all := map[string]map[string]int{}, map[string]int{}
	shown := map[string][]Evidence{}
	for _, f := range s.files {
		name, _ := stem(f.path)
		if !isCode(f.language) || testName(name) != "" {
			continue
		}
		form := caseOf(name)
		if form == "" {
			continue
		}
		if n[f.language] == nil {
			n[f.language] = map[string]int{}
		}
		n[f.language][form]++
		all[f.language]++
		if k := f.language + form; len(shown[k]) < maxEvidence {
			shown[k] = append(shown[k], Evidence{Path: f.path})
		}
	}
	for _, language := range sortedKeys(n) {
		for _, form := range sortedByCount(n[language])[:1] {
			if c := n[language][form]; all[language] >= minFiles && float64(c) >= habitShare*float64(all[language]) {
				s.add(Fact{Kind: Convention, Name: "names of " + language + " files of several words", Value: form, Count: c, Of: all[language], Evidence: shown[language+form]})
			}
		}
	}
}

// testNames are the forms in which a test file is named after what it tests.
var testNames = []struct {
	form string
	re   *regexp.Regexp
}{
	{"X_test", regexp.MustCompile(`^(.+)_tests?$`)}, {"test_X", regexp.MustCompile(`^test_(.+)$`)}, {"X.test", regexp.MustCompile(`^(.+)\.test$`)},
	{"X.spec", regexp.MustCompile(`^(.+)\.spec$`)}, {"X_spec", regexp.MustCompile(`^(.+)_spec$`)}, {"XTests", regexp.MustCompile(`^(.+)Tests$`)},
	{"XTest", regexp.MustCompile(`^(.+)Test$`)}, {"XSpec", regexp.MustCompile(`^(.+)Spec$`)},
}

// testName returns the form of a test's name, "" for a file that is not a test.
func testName(name string) string {
	for _, t := range testNames {
		if t.re.MatchString(name) {
			return t.form
		}
	}
	return ""
}

// tested returns the name that a test is named after.
func tested(name string) string {
	for _, t := range testNames {
		if m := t.re.FindStringSubmatch(name); m != nil {
			return m[1]
		}
	}
	return ""
}

// tests measures how tests are named and where they are.
func (s *survey) tests() {
	type seen struct {
		forms  map[string]int
		shown  map[string][]Evidence
		places map[string]int
		at     map[string][]Evidence
		all    int
	}
	by := map[string]*seen{}
	code := map[string]bool{} // folders with code other than tests
	for _, f := range s.files {
		if name, _ := stem(f.path); isCode(f.language) && testName(name) == "" && name != "__init__" && name != "conftest" {
			code[path.Dir(f.path)] = true
		}
	}
	for _, f := range s.files {
		name, ext := stem(f.path)
		form := testName(name)
		if !isCode(f.language) || form == "" {
			continue
		}
		t := by[f.language]
		if t == nil {
			t = &seen{map[string]int{}, map[string][]Evidence{}, map[string]int{}, map[string][]Evidence{}, 0}
			by[f.language] = t
		}
		t.all++
		k := form + ext
		t.forms[k]++
		if len(t.shown[k]) < maxEvidence {
			t.shown[k] = append(t.shown[k], Evidence{Path: f.path})
		}
		place := "in folders of their own"
		if code[path.Dir(f.path)] && !isTestFolder(path.Dir(f.path)) {
			place = "beside the code"
		}
		t.places[place]++
		if len(t.at[place]) < maxEvidence {
			t.at[place] = append(t.at[place], Evidence{Path: f.path})
		}
	}
	for _, language := range sortedKeys(by) {
		t := by[language]
		if t.all < minFiles {
			continue
		}
		if form := sortedByCount(t.forms)[0]; float64(t.forms[form]) >= habitShare*float64(t.all) {
			s.add(Fact{Kind: Convention, Name: "names of " + language + " tests", Value: form, Count: t.forms[form], Of: t.all, Evidence: t.shown[form]})
		}
		if place := sortedByCount(t.places)[0]; float64(t.places[place]) >= habitShare*float64(t.all) {
			s.add(Fact{Kind: Convention, Name: "place of " + language + " tests", Value: place, Count: t.places[place], Of: t.all, Evidence: t.at[place]})
		}
	}
}

func isTestFolder(dir string) bool {
	for part := range strings.SplitSeq(strings.ToLower(dir), "/") {
		if slices.Contains([]string{"test", "tests", "__tests__", "spec", "specs", "t"}, part) {
			return true
		}
	}
	return false
}

// Bounds of patterns.
const (
	leastPattern = 4
	patternShare = .8
)

// folders finds what the files of a folder have in common: a test beside each, or the end of their
// names.
func (s *survey) folders() {
	byDir := map[string][]file{}
	for _, f := range s.files {
		if isCode(f.language) {
			byDir[path.Dir(f.path)] = append(byDir[path.Dir(f.path)], f)
		}
	}
	var found []Fact
	for _, dir := range sortedKeys(byDir) {
		if isTestFolder(dir) {
			continue
		}
		found = append(found, testedFolder(dir, byDir[dir])...)
		found = append(found, suffixFolder(dir, byDir[dir])...)
	}
	slices.SortStableFunc(found, func(a, b Fact) int { return b.Count - a.Count })
	for _, f := range found {
		s.add(f)
	}
}

// testedFolder returns the fact that nearly each file of a folder has a test beside it.
func testedFolder(dir string, files []file) []Fact {
	has := map[string]string{}
	for _, f := range files {
		if name, _ := stem(f.path); testName(name) != "" {
			has[strings.ToLower(tested(name))] = f.path
		}
	}
	all := 0
	var shown []Evidence
	n := 0
	for _, f := range files {
		name, _ := stem(f.path)
		if testName(name) != "" {
			continue
		}
		all++
		if test := has[strings.ToLower(name)]; test != "" {
			if n++; len(shown)+1 < maxEvidence {
				shown = append(shown, Evidence{Path: f.path}, Evidence{Path: test})
			}
		}
	}
	if all < leastPattern || float64(n) < patternShare*float64(all) {
		return nil
	}
	return []Fact{{Kind: Pattern, Name: dir, Value: "each file has a test of its name beside it", Count: n, Of: all, Evidence: shown}}
}

var lastWord = regexp.MustCompile(`(?:[._-]([a-z0-9]+)|[a-z0-9]([A-Z][a-z0-9]+))$`)

// suffixFolder returns the fact that the names of a folder's files end in the same word.
func suffixFolder(dir string, files []file) []Fact {
	n, shown, all := map[string]int{}, map[string][]Evidence{}, 0
	for _, f := range files {
		name, ext := stem(f.path)
		if testName(name) != "" || name == "__init__" {
			continue
		}
		all++
		if m := lastWord.FindStringSubmatch(name); m != nil {
			k := m[0]
			if m[2] != "" {
				k = m[2]
			}
			k += ext
			n[k]++
			if len(shown[k]) < maxEvidence {
				shown[k] = append(shown[k], Evidence{Path: f.path})
			}
		}
	}
	for _, k := range sortedByCount(n)[:min(1, len(n))] {
		if n[k] >= leastPattern && float64(n[k]) >= patternShare*float64(all) {
			return []Fact{{Kind: Pattern, Name: dir, Value: "file names end in " + k, Count: n[k], Of: all, Evidence: shown[k]}}
		}
	}
	return nil
}

// subjectForms are the forms of a commit's first line.
var subjectForms = []struct {
	form string
	re   *regexp.Regexp
}{
	{"type(scope): text", regexp.MustCompile(`^(feat|fix|docs|style|refactor|perf|test|tests|build|ci|chore|revert|deps|release)(\([^)]*\))?!?: `)},
	{"[area] text", regexp.MustCompile(`^\[[^\]]+\] `)},
	{"area: text", regexp.MustCompile(`^[\w./*,{}-]+(, [\w./*,{}-]+)*: `)},
	{"KEY-123 text", regexp.MustCompile(`^[A-Z][A-Z0-9]+-\d+[: ]`)},
	{"text (#123)", regexp.MustCompile(`\(#\d+\)$`)},
}

// minCommits is the smallest number of commits whose form is measured.
const minCommits, commitShare = 20, .6

// commits measures the form of the commits' first lines. Merges do not count.
func (s *survey) commits() {
	n, all := map[string]int{}, 0
	shown := map[string][]Evidence{}
	for _, subject := range s.in.Subjects {
		if strings.HasPrefix(subject, "Merge ") {
			continue
		}
		all++
		for _, f := range subjectForms {
			if f.re.MatchString(subject) {
				n[f.form]++
				if len(shown[f.form]) < maxEvidence {
					shown[f.form] = append(shown[f.form], Evidence{Text: subject})
				}
				break
			}
		}
	}
	for _, form := range sortedByCount(n)[:min(1, len(n))] {
		if all >= minCommits && float64(n[form]) >= commitShare*float64(all) {
			s.add(Fact{Kind: Convention, Name: fmt.Sprintf("first lines of the last %d commits", all), Value: form, Count: n[form], Of: all, Evidence: shown[form]})
		}
	}
}
