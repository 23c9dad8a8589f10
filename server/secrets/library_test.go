package secrets

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
)

// librarySum is the checksum of config/gitleaks.toml in the release that libraryVersion names.
const librarySum = "e163e53b9e7e8a8511e77271e2b323ed057759542a6d988258afe3a1fa329caf"

func TestTheRulesAreTheLibrarys(t *testing.T) {
	if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(libraryText))); sum != librarySum {
		t.Errorf("gitleaks.toml has the checksum %s", sum)
	}
}

// TestWhatTheLibraryFindsIsFound compares the scanner with gitleaks' own engine. The golden file
// holds, for each rule and seed, where that engine found a secret in the text generated from the
// rule's expression and the seed; the test generates the text again. The file was written with the
// library's detect.DetectString; a line is rule, seed, start, end.
func TestWhatTheLibraryFindsIsFound(t *testing.T) {
	golden, err := os.ReadFile("testdata/library.golden")
	if err != nil {
		t.Fatal(err)
	}
	s := scanner(t)
	source := map[string]string{}
	for _, r := range library().rules {
		source[r.id] = r.source
	}
	checked := map[string]bool{}
	for line := range strings.Lines(string(golden)) {
		var rule string
		var seed uint64
		var start, end int
		if _, err := fmt.Sscan(line, &rule, &seed, &start, &end); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		text, ok := source[rule]
		if !ok {
			continue
		}
		text = "a = 1\n" + sampled(text, seed) + "\nb = 2\n"
		_, found := s.Redact(text)
		for at := start; at < end; at++ {
			if !covered(found, at) {
				t.Errorf("%s %d: %q of %q is not in %v", rule, seed, text[start:end], text, found)
				break
			}
		}
		checked[rule] = true
	}
	if len(checked) < 150 {
		t.Errorf("only %d rules are checked", len(checked))
	}
}

func covered(found []Finding, at int) bool {
	for _, f := range found {
		if f.Start <= at && at < f.End {
			return true
		}
	}
	return false
}
