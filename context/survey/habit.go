package survey

import (
	"cmp"
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
	by := tallies{}
	for _, f := range s.files {
		name, _ := stem(f.path)
		if form := caseOf(name); isCode(f.language) && testName(name) == "" && form != "" {
			by.of(f.language).add(form, Evidence{Path: f.path})
		}
	}
	for _, language := range sorted(by) {
		s.add(by[language].common(fileHabit, 1, Convention, "names of "+language+" files of several words")...)
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
	names, places := tallies{}, tallies{}
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
		place := "in folders of their own"
		if code[path.Dir(f.path)] && !isTestFolder(path.Dir(f.path)) {
			place = "beside the code"
		}
		names.of(f.language).add(form+ext, Evidence{Path: f.path})
		places.of(f.language).add(place, Evidence{Path: f.path})
	}
	for _, language := range sorted(names) {
		s.add(names[language].common(fileHabit, 1, Convention, "names of "+language+" tests")...)
		s.add(places[language].common(fileHabit, 1, Convention, "place of "+language+" tests")...)
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
	for _, dir := range sorted(byDir) {
		if isTestFolder(dir) {
			continue
		}
		found = append(found, testedFolder(dir, byDir[dir])...)
		found = append(found, suffixFolder(dir, byDir[dir])...)
	}
	slices.SortStableFunc(found, func(a, b Fact) int { return b.Count - a.Count })
	s.add(found...)
}

// testedFolder returns the fact that nearly each file of a folder has a test beside it.
func testedFolder(dir string, files []file) []Fact {
	has := map[string]string{}
	for _, f := range files {
		if name, _ := stem(f.path); testName(name) != "" {
			has[strings.ToLower(tested(name))] = f.path
		}
	}
	var t tally
	for _, f := range files {
		name, _ := stem(f.path)
		if testName(name) != "" {
			continue
		}
		if test := has[strings.ToLower(name)]; test != "" {
			t.add("each file has a test of its name beside it", Evidence{Path: f.path}, Evidence{Path: test})
		} else {
			t.add("")
		}
	}
	return t.common(testedHabit, 1, Pattern, dir)
}

var lastWord = regexp.MustCompile(`(?:[._-]([a-z0-9]+)|[a-z0-9]([A-Z][a-z0-9]+))$`)

// suffixFolder returns the fact that the names of a folder's files end in the same word.
func suffixFolder(dir string, files []file) []Fact {
	var t tally
	for _, f := range files {
		name, ext := stem(f.path)
		if testName(name) != "" || name == "__init__" {
			continue
		}
		m := lastWord.FindStringSubmatch(name)
		if m == nil {
			t.add("")
			continue
		}
		t.add("file names end in "+cmp.Or(m[2], m[0])+ext, Evidence{Path: f.path})
	}
	return t.common(folderHabit, 1, Pattern, dir)
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

// commits measures the form of the commits' first lines. Merges do not count.
func (s *survey) commits() {
	var t tally
	for _, subject := range s.in.Subjects {
		if strings.HasPrefix(subject, "Merge ") {
			continue
		}
		form := ""
		for _, f := range subjectForms {
			if f.re.MatchString(subject) {
				form = f.form
				break
			}
		}
		t.add(form, Evidence{Text: subject})
	}
	s.add(t.common(commitHabit, 1, Convention, fmt.Sprintf("first lines of the last %d commits", t.all))...)
}
