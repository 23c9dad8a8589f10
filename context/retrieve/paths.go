package retrieve

import (
	"path"
	"strings"
)

// isTest reports whether a path is a test's or its data's by the habits of the common languages.
func isTest(p string) bool {
	lower := strings.ToLower(p)
	for _, dir := range strings.Split(path.Dir(lower), "/") {
		switch dir {
		case "test", "tests", "testing", "__tests__", "spec", "specs", "testdata", "fixtures", "__fixtures__", "__mocks__", "mocks", "e2e", "playground":
			return true
		}
	}
	base := path.Base(lower)
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch {
	case strings.HasPrefix(stem, "test_"), strings.HasSuffix(stem, "_test"), strings.HasSuffix(stem, "_spec"), strings.HasSuffix(stem, ".test"),
		strings.HasSuffix(stem, ".spec"), stem == "conftest", stem == "tests", stem == "test":
		return true
	}
	original := strings.TrimSuffix(path.Base(p), path.Ext(p))
	return strings.HasSuffix(original, "Test") || strings.HasSuffix(original, "Tests") || strings.HasSuffix(original, "TestCase")
}

// penalty is the factor for a path in lists of symbols.
func penalty(p string, aboutTests bool) float64 {
	if isTest(p) && !aboutTests {
		return Tuned.Test
	}
	return 1
}
