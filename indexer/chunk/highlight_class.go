package chunk

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// classifier maps the node types of a grammar to kinds. It is derived from the names of the types
// alone, because grammars name similar things similarly; so a grammar needs no query file of its
// own. Immutable.
type classifier struct {
	grammar   *grammar
	keep      []uint8
	kinds     []nodeKind      // by symbol
	functions []bool          // by symbol: a function without a name
	fields    []fieldKind     // by field id
	words     map[string]bool // keywords
	more      map[string]bool // keywords that the grammar also has as names
	capitals  bool            // see capitalTypes
}

// nodeKind is a set of properties of a node's type, as bits.
type nodeKind uint32

const (
	kindWord            nodeKind = 1 << iota // a keyword
	kindOperator                             // a token of signs
	kindComment                              // including everything in it
	kindString                               // including its contents, except code
	kindCode                                 // code within a string
	kindNumber                               // a literal of a number, a date or a colour
	kindConstant                             // true, nil, a symbol of Ruby
	kindType                                 // a type in any position
	kindTypes                                // the names in it are types
	kindName                                 // an identifier
	kindVariable                             // a name with a sigil
	kindProperty                             // a name that is a property in any position
	kindTag                                  // the name of an element
	kindAttribute                            // an attribute of an element, an annotation, a decorator
	kindFunction                             // a function's name in any position
	kindDefinesFunction                      // a definition whose name is a function
	kindDefinesType                          // a definition whose name is a type
	kindCall                                 // a call
	kindMember                               // a name after another one
	kindPair                                 // a key with its value
	kindAccess                               // the last name in it is a property
	kindDefinesProperty                      // a definition whose name is a property
	kindDefinesConstant                      // one of an enumeration's values
	kindElement                              // a tag of an element whose name is an identifier
	kindSuffix                               // a dot with the name of a property
	kindLiteral                              // a string or a number
	kindHead                                 // begins with a word that is not a token
	kindArguments                            // arguments of the name before them
)

// fieldKind is the role of a node in its parent, by the name of its field.
type fieldKind uint8

const (
	fieldOther fieldKind = iota
	fieldName
	fieldCallee
	fieldMember
	fieldType
	fieldKey
	fieldDeclarator
)

var classifiers struct {
	sync.Mutex // guards made
	made       map[string]*classifier
}

// classifierOf returns a language's classifier, nil if it has no grammar.
func classifierOf(language string) *classifier {
	l := languageOf(language)
	if l == nil {
		return nil
	}
	classifiers.Lock()
	defer classifiers.Unlock()
	if p := classifiers.made[language]; p != nil {
		return p
	}
	if classifiers.made == nil {
		classifiers.made = map[string]*classifier{}
	}
	p := newClassifier(language, l.grammar)
	classifiers.made[language] = p
	return p
}

func newClassifier(language string, g *grammar) *classifier {
	p := &classifier{
		grammar: g, keep: make([]uint8, len(g.names)), kinds: make([]nodeKind, len(g.names)), words: map[string]bool{}, more: map[string]bool{},
		functions: make([]bool, len(g.names)), capitals: slices.Contains(capitalTypes, language),
	}
	for _, word := range strings.Fields(moreKeywords[language]) {
		p.words[word], p.more[word] = true, true
	}
	for s, name := range g.names {
		if g.named[s] {
			p.keep[s], p.kinds[s] = flatKeep, namedKind(language, name)
			p.functions[s] = isFunctionValue(language, name)
			continue
		}
		switch p.keep[s] = flatDrop; {
		case language == "r" && name == "special":
			p.kinds[s] = kindOperator // %in%
		case language != "html":
			p.kinds[s] = tokenKind(name)
		}
		if p.kinds[s] != 0 {
			p.keep[s] = flatKeep
		}
		if p.kinds[s] == kindWord {
			p.words[name] = true
		}
	}
	for _, name := range g.fields {
		kind := fieldKindOf(name)
		if language == "r" && name == "lhs" {
			kind = fieldName // of an assignment
		}
		p.fields = append(p.fields, kind)
	}
	return p
}

// isFunctionValue reports whether a node of a type beside a name makes the name a function's.
func isFunctionValue(language, name string) bool {
	switch name {
	case "arrow_function", "function_expression", "func_literal", "lambda", "closure_expression":
		return true
	case "parameter", "fun_expression":
		return language == "ocaml"
	case "function_definition":
		return language == "r"
	}
	return false
}

// capitalTypes are the languages in which, by convention, only names of types begin with a capital.
var capitalTypes = []string{
	"csharp", "dart", "elixir", "java", "javascript", "julia", "kotlin", "php", "python", "ruby", "rust", "scala", "swift", "tsx", "typescript", "zig",
}

// moreKeywords are keywords that a grammar parses as names.
var moreKeywords = map[string]string{
	"elixir": "def defp defmodule defmacro defmacrop defstruct defimpl defprotocol defguard defdelegate defexception use import alias require " +
		"if unless case cond for with quote unquote raise receive try super",
	"ruby": "require require_relative include extend attr_reader attr_writer attr_accessor private protected public raise loop lambda proc",
	"lua":  "if then else elseif end for in do while repeat until function local return break goto and or not",
}

// tokenKind classifies an unnamed token by its text.
func tokenKind(text string) nodeKind {
	switch {
	case slices.Contains(constantNames, text):
		return kindConstant
	case len(text) > 2 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0]:
		return kindString // "proto3"
	case isKeywordText(strings.TrimLeft(text, "#@!-")):
		return kindWord
	case strings.Trim(text, ",;.:") == "" || text == `\` || strings.HasPrefix(text, "</") || text == "/>" || text == "//" || text == "/*" || text == "*/":
		return 0
	case strings.Trim(text, "+-*/%=<>!&|^~?:@.\\") == "":
		return kindOperator
	}
	return 0
}

// isKeywordText reports whether text consists of letters and joining characters.
func isKeywordText(text string) bool {
	letters := 0
	for i, r := range text {
		switch {
		case unicode.IsLetter(r):
			letters++
		case r == '_' || r == '-' || r == ' ' || i > 0 && unicode.IsDigit(r):
		default:
			return false
		}
	}
	return letters > 1
}

func fieldKindOf(name string) fieldKind {
	switch name {
	case "name", "method_name", "pattern":
		return fieldName
	case "function", "callee", "macro", "target", "prefix":
		return fieldCallee
	case "attribute", "property", "field", "member", "method", "suffix":
		return fieldMember
	case "type", "return_type", "returns", "superclass", "trait", "base", "parameter_type", "result", "bound":
		return fieldType
	case "key", "left_key":
		return fieldKey
	case "declarator":
		return fieldDeclarator
	}
	return fieldOther
}
