package packed

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/css"
	"github.com/smacker/go-tree-sitter/golang"
	"github.com/smacker/go-tree-sitter/html"
	"github.com/smacker/go-tree-sitter/toml"
)

// originals are some of the grammars as the module compiles them, without a scanner and with one.
var originals = map[string]func() *sitter.Language{
	"css": css.GetLanguage, "go": golang.GetLanguage, "html": html.GetLanguage, "toml": toml.GetLanguage,
}

// TestLanguages: every file of tables is that of a language, whose symbols have names and which
// parses.
func TestLanguages(t *testing.T) {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".tables")
		language := sitter.NewLanguage(Language(name))
		if n := language.SymbolCount(); n < 10 || language.SymbolName(0) != "end" {
			t.Errorf("%s has %d symbols, the first is %q", name, n, language.SymbolName(0))
		}
		if tree := parsed(t, language, []byte("a (b)\n")); tree == "" {
			t.Errorf("%s parses nothing", name)
		}
	}
	for name, grammar := range names {
		if Language(name) == nil {
			t.Errorf("%s, which is %s, is not packed", name, grammar)
		}
	}
	if Language("fortran") != nil {
		t.Error("a language that is not packed has a grammar")
	}
}

// TestAsCompiled: a packed grammar makes the trees of the grammar that the module compiles, also of
// texts that are none of its language, not UTF-8, or cut off anywhere.
func TestAsCompiled(t *testing.T) {
	for name, original := range originals {
		want, got := original(), sitter.NewLanguage(Language(name))
		text, err := os.ReadFile(filepath.Join("..", "testdata", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(1, 2))
		odd := []string{"\x00", "\xff", "é", "λ", "\u00a0", "語", "\U0001f600", "\ufeff", "\r\n", "\"", "'", "`", "/*", "<!--", "#", "\\"}
		for round := range 300 {
			changed := []byte(text)
			for range round % 8 {
				at, with := random.IntN(len(changed)), odd[random.IntN(len(odd))]
				changed = append(changed[:at:at], append([]byte(with), changed[at+random.IntN(2):]...)...)
			}
			from := random.IntN(len(changed))
			changed = changed[from:min(len(changed), from+random.IntN(2000))]
			if g, w := parsed(t, got, changed), parsed(t, want, changed); g != w {
				t.Fatalf("%s parses %q as\n%s\nwant\n%s", name, changed, g, w)
			}
		}
	}
}

// parsed returns the tree of a text, with where each node is.
func parsed(t *testing.T, language *sitter.Language, text []byte) string {
	t.Helper()
	root, err := sitter.ParseCtx(context.Background(), text, language)
	if err != nil {
		t.Fatal(err)
	}
	cursor := sitter.NewTreeCursor(root)
	defer cursor.Close()
	var out strings.Builder
	var list func()
	list = func() {
		for {
			n := cursor.CurrentNode()
			fmt.Fprintf(&out, "%s %s %d-%d\n", cursor.CurrentFieldName(), n.Type(), n.StartByte(), n.EndByte())
			if cursor.GoToFirstChild() {
				list()
				cursor.GoToParent()
			}
			if !cursor.GoToNextSibling() {
				return
			}
		}
	}
	list()
	return out.String()
}

func TestDamaged(t *testing.T) {
	for _, file := range []string{"", "grammar 1\n", "grammar 1\n\x01\x00", "grammar 1\n\x08\x00\x00\x00not compressed"} {
		if tables, err := unpack([]byte(file)); err == nil || tables != unsafe.Pointer(nil) {
			t.Errorf("%q is unpacked", file)
		}
	}
}

func BenchmarkLanguage(b *testing.B) {
	for b.Loop() {
		Language("csharp")
	}
}
