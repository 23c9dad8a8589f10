package settings

import (
	"slices"
	"strings"
	"testing"
)

// TestProblemsAreBounded checks that many problems of a file, or a long one, are reported briefly,
// and that the report says where reading stopped.
func TestProblemsAreBounded(t *testing.T) {
	l := repositoryLayer("c", []byte(manyKeys(200)+"order = \"primed\"\n"))
	problems := l.Problems()
	if len(problems) != maxProblems || !strings.Contains(problems[maxProblems-1].Message, "are not read") {
		t.Errorf("%d problems, the last: %v", len(problems), problems[len(problems)-1])
	}
	problems = repositoryLayer("c", []byte(strings.Repeat("k", 60_000)+" = 1\nidentity.file = \"../"+strings.Repeat("x", 4000)+"\"")).Problems()
	for _, p := range problems {
		if len(p.String()) > 400 {
			t.Errorf("%d bytes: %.100s", len(p.String()), p)
		}
	}
	if len(problems) != 2 {
		t.Errorf("%d problems", len(problems))
	}
	if problems := UserTOML("c", []byte("\xff\xfeo\x00")).Problems(); len(problems) != 1 || !strings.Contains(problems[0].Message, "save it as UTF-8") {
		t.Errorf("UTF-16: %v", problems)
	}
}

// TestProblemTexts checks that no message shows the program's types.
func TestProblemTexts(t *testing.T) {
	for _, text := range []string{
		"a = 1e999", "a = 99999999999999999999", "a = 2026-13-40", "secrets.allow = ['(']", "secrets.allow = ['a{1001}']", "index.maxFileBytes = 1e300",
	} {
		problems := UserTOML("c", []byte(text)).Problems()
		if len(problems) != 1 {
			t.Errorf("%q: %v", text, problems)
			continue
		}
		for _, internal := range []string{"strconv", "toml:", "regexp:", "json:"} {
			if strings.Contains(problems[0].Message, internal) {
				t.Errorf("%q: %s", text, problems[0])
			}
		}
	}
}

// TestBadItems checks that an invalid item of a list is named by its text and that the other items
// apply; a list with only invalid items leaves the earlier layer's value.
func TestBadItems(t *testing.T) {
	user := UserTOML("/c/config.toml", []byte("index.exclude = [\"*.gen.go\"]\nsecrets.allow = [\"ok\", \"(\"]\n"))
	for _, tt := range []struct {
		toml  string
		want  []string // of index.exclude
		named []string
	}{
		{`index.exclude = ["["]`, []string{"*.gen.go"}, []string{`item 1, "["`}},
		{`index.exclude = ["docs/**", "[", "*.tmp", "{a,b"]`, []string{"docs/**", "*.tmp"}, []string{`item 2, "["`, `item 4, "{a,b"`}},
		{`index.exclude = [7, "*.tmp"]`, []string{"*.tmp"}, []string{"item 1 must be a string"}},
		{`index.exclude = []`, []string{}, nil},
	} {
		s, problems := Resolve(user, repositoryLayer("/r/.contexture.toml", []byte(tt.toml)))
		if !slices.Equal(s.Index.Exclude, tt.want) || !slices.Equal(s.Secrets.Allow, []string{"ok"}) {
			t.Errorf("%s: %q, %q", tt.toml, s.Index.Exclude, s.Secrets.Allow)
		}
		problems = slices.DeleteFunc(problems, func(p Problem) bool { return p.Key == "secrets.allow" && strings.Contains(p.Message, `"("`) })
		if len(problems) != len(tt.named) {
			t.Fatalf("%s: %v", tt.toml, problems)
		}
		for i, p := range problems {
			if p.Key != "index.exclude" || !strings.Contains(p.Message, tt.named[i]) || strings.Contains(p.Message, "\n") || p.Line != 1 {
				t.Errorf("%s: %+v, want %s", tt.toml, p, tt.named[i])
			}
		}
	}
}
