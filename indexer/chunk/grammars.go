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
	switch language {
	case "bash":
		return C.tree_sitter_bash()
	case "c":
		return C.tree_sitter_c()
	case "cpp":
		return C.tree_sitter_cpp()
	case "csharp":
		return C.tree_sitter_c_sharp()
	case "css":
		return C.tree_sitter_css()
	case "dockerfile":
		return C.tree_sitter_dockerfile()
	case "elixir":
		return C.tree_sitter_elixir()
	case "go":
		return C.tree_sitter_go()
	case "hcl":
		return C.tree_sitter_hcl()
	case "html":
		return C.tree_sitter_html()
	case "java":
		return C.tree_sitter_java()
	case "javascript":
		return C.tree_sitter_javascript()
	case "kotlin":
		return C.tree_sitter_kotlin()
	case "lua":
		return C.tree_sitter_lua()
	case "php":
		return C.tree_sitter_php()
	case "protobuf":
		return C.tree_sitter_proto()
	case "python":
		return C.tree_sitter_python()
	case "ruby":
		return C.tree_sitter_ruby()
	case "rust":
		return C.tree_sitter_rust()
	case "scala":
		return C.tree_sitter_scala()
	case "sql":
		return C.tree_sitter_sql()
	case "swift":
		return C.tree_sitter_swift()
	case "toml":
		return C.tree_sitter_toml()
	case "tsx":
		return C.tree_sitter_tsx()
	case "typescript":
		return C.tree_sitter_typescript()
	case "yaml":
		return C.tree_sitter_yaml()
	case "zig":
		return C.tree_sitter_zig()
	}
	return nil
}
