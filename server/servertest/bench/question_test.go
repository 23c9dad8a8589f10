//go:build linux

package bench

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode"
)

// topic is a documented function from which questions are made.
type topic struct{ name, sentence string }

// topics returns the functions of a file whose comment describes them in a sentence.
func topics(file string, text []byte) []topic {
	f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var out []topic
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Doc == nil {
			continue
		}
		sentence := new(doc.Package).Synopsis(fn.Doc.Text())
		if rest, ok := strings.CutPrefix(sentence, fn.Name.Name+" "); ok && len(strings.Fields(rest)) > 3 {
			out = append(out, topic{fn.Name.Name, strings.TrimSuffix(rest, ".")})
		}
	}
	return out
}

// forms are forms of questions; the verbs are the name, its words, and the sentence.
var forms = []func(t topic) string{
	func(t topic) string { return fmt.Sprintf("what %s?", t.sentence) },
	func(t topic) string { return fmt.Sprintf("where is %s used?", t.name) },
	func(t topic) string { return fmt.Sprintf("how does %s work?", t.name) },
	func(t topic) string {
		return fmt.Sprintf("Which function %s, and what happens when it fails?", t.sentence)
	},
	func(t topic) string { return fmt.Sprintf("fix: %s should not panic on empty input", t.name) },
	func(t topic) string { return fmt.Sprintf("where do we handle %s?", strings.Join(split(t.name), " ")) },
	func(t topic) string {
		return fmt.Sprintf("I want to change the code that %s. Where do I start?", t.sentence)
	},
}

// split splits a name at its capitals: parseHTTPVersion is parse http version.
func split(name string) []string {
	var out []string
	runes := []rune(name)
	begin := 0
	for i := 1; i <= len(runes); i++ {
		if i < len(runes) && (!unicode.IsUpper(runes[i]) || unicode.IsUpper(runes[i-1]) && (i+1 == len(runes) || unicode.IsUpper(runes[i+1]))) {
			continue
		}
		out = append(out, strings.ToLower(string(runes[begin:i])))
		begin = i
	}
	return out
}

// questions returns n different questions about a tree, always the same ones for the same tree.
func (t *tree) questions(n int) ([]string, error) {
	r := rand.New(rand.NewPCG(7, 0))
	var out []string
	seen := map[string]bool{}
	for _, file := range t.pick(len(t.sources), 7) {
		text, err := os.ReadFile(t.path(file))
		if err != nil {
			return nil, err
		}
		all := topics(file, text)
		if len(all) == 0 {
			continue
		}
		about := all[r.IntN(len(all))]
		if q := forms[len(out)%len(forms)](about); !seen[q] {
			seen[q] = true
			out = append(out, q)
		}
		if len(out) == n {
			return out, nil
		}
	}
	return nil, fmt.Errorf("make questions: the tree has documented functions for %d of %d", len(out), n)
}

func TestTopics(t *testing.T) {
	got := topics("a.go", []byte(`package a

// parseHTTPVersion reads the version from a request line. It fails on others.
func parseHTTPVersion() {}

// Short does.
func Short() {}

func Bare() {}
`))
	if len(got) != 1 || got[0] != (topic{"parseHTTPVersion", "reads the version from a request line"}) {
		t.Fatalf("topics %q", got)
	}
	if q := forms[5](got[0]); q != "where do we handle parse http version?" {
		t.Errorf("question %q", q)
	}
	if got := topics("a.go", []byte("package")); got != nil {
		t.Errorf("topics of a broken file %q", got)
	}
}
