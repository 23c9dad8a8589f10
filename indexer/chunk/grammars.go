package chunk

/*
#include "syntax.h"

const TSLanguage *tree_sitter_bash(void);
const TSLanguage *tree_sitter_c(void);
const TSLanguage *tree_sitter_c_sharp(void);
const TSLanguage *tree_sitter_cpp(void);
const TSLanguage *tree_sitter_css(void);
const TSLanguage *tree_sitter_dockerfile(void);
const TSLanguage *tree_sitter_elixir(void);
const TSLanguage *tree_sitter_go(void);
const TSLanguage *tree_sitter_hcl(void);
const TSLanguage *tree_sitter_html(void);
const TSLanguage *tree_sitter_java(void);
const TSLanguage *tree_sitter_javascript(void);
const TSLanguage *tree_sitter_kotlin(void);
const TSLanguage *tree_sitter_lua(void);
const TSLanguage *tree_sitter_php(void);
const TSLanguage *tree_sitter_proto(void);
const TSLanguage *tree_sitter_python(void);
const TSLanguage *tree_sitter_ruby(void);
const TSLanguage *tree_sitter_rust(void);
const TSLanguage *tree_sitter_scala(void);
const TSLanguage *tree_sitter_sql(void);
const TSLanguage *tree_sitter_swift(void);
const TSLanguage *tree_sitter_toml(void);
const TSLanguage *tree_sitter_tsx(void);
const TSLanguage *tree_sitter_typescript(void);
const TSLanguage *tree_sitter_yaml(void);
const TSLanguage *tree_sitter_zig(void);
*/
import "C"

// The grammars are linked for their C code; their Go wrappers are not called.
import (
	_ "github.com/smacker/go-tree-sitter/bash"
	_ "github.com/smacker/go-tree-sitter/c"
	_ "github.com/smacker/go-tree-sitter/cpp"
	_ "github.com/smacker/go-tree-sitter/csharp"
	_ "github.com/smacker/go-tree-sitter/css"
	_ "github.com/smacker/go-tree-sitter/dockerfile"
	_ "github.com/smacker/go-tree-sitter/elixir"
	_ "github.com/smacker/go-tree-sitter/golang"
	_ "github.com/smacker/go-tree-sitter/hcl"
	_ "github.com/smacker/go-tree-sitter/html"
	_ "github.com/smacker/go-tree-sitter/java"
	_ "github.com/smacker/go-tree-sitter/javascript"
	_ "github.com/smacker/go-tree-sitter/kotlin"
	_ "github.com/smacker/go-tree-sitter/lua"
	_ "github.com/smacker/go-tree-sitter/php"
	_ "github.com/smacker/go-tree-sitter/protobuf"
	_ "github.com/smacker/go-tree-sitter/python"
	_ "github.com/smacker/go-tree-sitter/ruby"
	_ "github.com/smacker/go-tree-sitter/rust"
	_ "github.com/smacker/go-tree-sitter/scala"
	_ "github.com/smacker/go-tree-sitter/sql"
	_ "github.com/smacker/go-tree-sitter/swift"
	_ "github.com/smacker/go-tree-sitter/toml"
	_ "github.com/smacker/go-tree-sitter/typescript/tsx"
	_ "github.com/smacker/go-tree-sitter/typescript/typescript"
	_ "github.com/smacker/go-tree-sitter/yaml"
	_ "github.com/tree-sitter-grammars/tree-sitter-zig/bindings/go"
)

// grammarOf returns the grammar for a language, nil without one.
func grammarOf(language string) *grammar {
	if language == "haskell" {
		return haskellGrammar()
	}
	if c := cGrammar(language); c != nil {
		return newGrammar(c)
	}
	return nil
}

// cGrammar returns the grammar compiled in for a language, nil without one.
func cGrammar(language string) *C.TSLanguage {
	if compiled := cGrammars[language]; compiled != nil {
		return compiled()
	}
	return nil
}

// cGrammars are the grammars compiled in, by language.
var cGrammars = map[string]func() *C.TSLanguage{
	"bash":       func() *C.TSLanguage { return C.tree_sitter_bash() },
	"c":          func() *C.TSLanguage { return C.tree_sitter_c() },
	"cpp":        func() *C.TSLanguage { return C.tree_sitter_cpp() },
	"csharp":     func() *C.TSLanguage { return C.tree_sitter_c_sharp() },
	"css":        func() *C.TSLanguage { return C.tree_sitter_css() },
	"dockerfile": func() *C.TSLanguage { return C.tree_sitter_dockerfile() },
	"elixir":     func() *C.TSLanguage { return C.tree_sitter_elixir() },
	"go":         func() *C.TSLanguage { return C.tree_sitter_go() },
	"hcl":        func() *C.TSLanguage { return C.tree_sitter_hcl() },
	"html":       func() *C.TSLanguage { return C.tree_sitter_html() },
	"java":       func() *C.TSLanguage { return C.tree_sitter_java() },
	"javascript": func() *C.TSLanguage { return C.tree_sitter_javascript() },
	"kotlin":     func() *C.TSLanguage { return C.tree_sitter_kotlin() },
	"lua":        func() *C.TSLanguage { return C.tree_sitter_lua() },
	"php":        func() *C.TSLanguage { return C.tree_sitter_php() },
	"protobuf":   func() *C.TSLanguage { return C.tree_sitter_proto() },
	"python":     func() *C.TSLanguage { return C.tree_sitter_python() },
	"ruby":       func() *C.TSLanguage { return C.tree_sitter_ruby() },
	"rust":       func() *C.TSLanguage { return C.tree_sitter_rust() },
	"scala":      func() *C.TSLanguage { return C.tree_sitter_scala() },
	"sql":        func() *C.TSLanguage { return C.tree_sitter_sql() },
	"swift":      func() *C.TSLanguage { return C.tree_sitter_swift() },
	"toml":       func() *C.TSLanguage { return C.tree_sitter_toml() },
	"tsx":        func() *C.TSLanguage { return C.tree_sitter_tsx() },
	"typescript": func() *C.TSLanguage { return C.tree_sitter_typescript() },
	"yaml":       func() *C.TSLanguage { return C.tree_sitter_yaml() },
	"zig":        func() *C.TSLanguage { return C.tree_sitter_zig() },
}
