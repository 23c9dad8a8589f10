package retrieve

import (
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/indexer"
)

// TestTemplateCode checks what of a component's line counts as code.
func TestTemplateCode(t *testing.T) {
	for _, c := range []struct{ language, line, want string }{
		{"vue", `<b @click="pay('x')" class="pay()">`, `<b @click="pay('x')" class="     ">`},
		{"vue", `  :a="pay(1)" v-if="b"`, `  :a="pay(1)" v-if="b"`},
		{"vue", `const a = "pay()"`, `const a = "     "`},
		{"svelte", `<b title="{pay()}">`, `<b title="{pay()}">`},
		{"svelte", `let a = "pay()"`, `let a = "     "`},
		{"typescript", `a="pay()"`, `a="     "`},
	} {
		if got := codeOf(c.line, c.language); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.language, c.line, got, c.want)
		}
	}
	for name, want := range map[string]string{"MyButton": "<my-button", "Button": "", "myButton": "", "": ""} {
		if got := elementOf(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestOtherMembers checks which qualified names mean a function or method.
func TestOtherMembers(t *testing.T) {
	function := indexer.Symbol{Name: "glob", Kind: "function", Path: "src/files.ts"}
	method := indexer.Symbol{Name: "Login", Kind: "method", Container: "*Auth", Path: "auth/auth.go"}
	imports := importedNames(strings.Split("import * as disk from './files'\nimport {\n  tool,\n} from 'tools'\nconst p = import.meta.glob('./*')\nimport.meta.hot()\n", "\n"), "typescript")
	for _, c := range []struct {
		symbol         indexer.Symbol
		language, line string
		want           bool
	}{
		{function, "typescript", "const p = import.meta.glob('./*')", true},
		{function, "typescript", "x = disk.glob('./*')", false},
		{function, "typescript", "x = tool.glob('./*')", false},
		{function, "typescript", "x = files.glob('./*')", false},
		{function, "typescript", "x = glob('./*')", false},
		{function, "typescript", "exports.glob = 1", false},
		{function, "c", "ops->glob(1)", true},
		{function, "kotlin", "x.glob()", false},
		{function, "cpp", "ns::glob(1)", false},
		{method, "go", "if x.Login == name {", true},
		{method, "go", "x.Login(name)", false},
		{method, "go", "Auth.Login", false},
		{method, "go", "auth.Login", false},
		{method, "ruby", "x.Login", false},
		{indexer.Symbol{Name: "Login", Kind: "field", Container: "Form"}, "go", "x.Login", false},
	} {
		got := false
		eachName(c.line, func(name, qualifier, rest string) {
			if name == c.symbol.Name {
				got = newNameUse(c.line, name, qualifier, rest, c.language).isOther(c.symbol, func() bool { return imports[qualifier] })
			}
		})
		if got != c.want {
			t.Errorf("%s, %s: %t, want %t", c.language, c.line, got, c.want)
		}
	}
}
