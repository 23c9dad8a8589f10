package chunk

/*
#include "syntax.h"

const TSLanguage *tree_sitter_c(void);
const TSLanguage *tree_sitter_css(void);
const TSLanguage *tree_sitter_dockerfile(void);
const TSLanguage *tree_sitter_go(void);
const TSLanguage *tree_sitter_hcl(void);
const TSLanguage *tree_sitter_html(void);
const TSLanguage *tree_sitter_java(void);
const TSLanguage *tree_sitter_javascript(void);
const TSLanguage *tree_sitter_lua(void);
const TSLanguage *tree_sitter_proto(void);
const TSLanguage *tree_sitter_python(void);
const TSLanguage *tree_sitter_toml(void);
const TSLanguage *tree_sitter_yaml(void);
const TSLanguage *tree_sitter_zig(void);
*/
import "C"

import (
	"github.com/contexture-dev/contexture/indexer/chunk/packed"
	// The grammars are linked for their C code; their Go wrappers are not called.
	_ "github.com/smacker/go-tree-sitter/c"
	_ "github.com/smacker/go-tree-sitter/css"
	_ "github.com/smacker/go-tree-sitter/dockerfile"
	_ "github.com/smacker/go-tree-sitter/golang"
	_ "github.com/smacker/go-tree-sitter/hcl"
	_ "github.com/smacker/go-tree-sitter/html"
	_ "github.com/smacker/go-tree-sitter/java"
	_ "github.com/smacker/go-tree-sitter/javascript"
	_ "github.com/smacker/go-tree-sitter/lua"
	_ "github.com/smacker/go-tree-sitter/protobuf"
	_ "github.com/smacker/go-tree-sitter/python"
	_ "github.com/smacker/go-tree-sitter/toml"
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
	return (*C.TSLanguage)(packed.Language(language))
}

// cGrammars are the grammars that are linked with their tables, by language. Package packed has the
// others.
var cGrammars = map[string]func() *C.TSLanguage{
	"c":          func() *C.TSLanguage { return C.tree_sitter_c() },
	"css":        func() *C.TSLanguage { return C.tree_sitter_css() },
	"dockerfile": func() *C.TSLanguage { return C.tree_sitter_dockerfile() },
	"go":         func() *C.TSLanguage { return C.tree_sitter_go() },
	"hcl":        func() *C.TSLanguage { return C.tree_sitter_hcl() },
	"html":       func() *C.TSLanguage { return C.tree_sitter_html() },
	"java":       func() *C.TSLanguage { return C.tree_sitter_java() },
	"javascript": func() *C.TSLanguage { return C.tree_sitter_javascript() },
	"lua":        func() *C.TSLanguage { return C.tree_sitter_lua() },
	"protobuf":   func() *C.TSLanguage { return C.tree_sitter_proto() },
	"python":     func() *C.TSLanguage { return C.tree_sitter_python() },
	"toml":       func() *C.TSLanguage { return C.tree_sitter_toml() },
	"yaml":       func() *C.TSLanguage { return C.tree_sitter_yaml() },
	"zig":        func() *C.TSLanguage { return C.tree_sitter_zig() },
}
