package main

import "strings"

// Model is the contract in the form that the generators use.
type Model struct {
	Root     string // the module's root folder
	Version  int
	Commands []Command // in the order of the interface
	Types    []*Struct // in the order of the files and, within one, of the declarations
	Settings []Setting // in the order of the declarations

	byName map[string]*Struct
}

// Type returns the struct of that name, or nil.
func (m *Model) Type(name string) *Struct { return m.byName[name] }

// Command is one command of the contract.
type Command struct {
	ID     string // contexture.conversation.append
	Method string // ConversationAppend
	Args   string // name of the argument type
	Result string // name of the result type
	Doc    string
	Directives
}

// Group returns the first word of the id after the program's name, which groups related commands.
func (c Command) Group() string {
	rest := strings.TrimPrefix(c.ID, "contexture.")
	group, _, _ := strings.Cut(rest, ".")
	return group
}

// Struct is an object type.
type Struct struct {
	Name   string
	Doc    string
	Fields []Field // with those of embedded types in place
}

// Field is a member of an object.
type Field struct {
	Name      string // in JSON
	GoName    string
	Doc       string
	Type      Type
	OmitEmpty bool
	Rules     Rules // of the value
	Each      Rules // of a list's elements
	Keys      Rules // of a map's names
}

// Type is the type of a value.
type Type struct {
	Kind Kind
	Name string // of a Ref
	Elem *Type  // of a List or Map
}

// Kind is the kind of a type.
type Kind string

// Kinds of types in the contract.
const (
	String  Kind = "string"
	Bool    Kind = "boolean"
	Integer Kind = "integer"
	Number  Kind = "number"
	Time    Kind = "time"
	Any     Kind = "any"
	Ref     Kind = "ref"
	List    Kind = "list"
	Map     Kind = "map"
)

// Rules are the rules of a check tag, see the package comment of server/command; a rule without a
// value maps to "".
type Rules map[string]string

// Has reports whether there is such a rule.
func (r Rules) Has(rule string) bool { _, ok := r[rule]; return ok }

// Enum returns the allowed values, or nil if any value is allowed.
func (r Rules) Enum() []string {
	if !r.Has("enum") {
		return nil
	}
	return strings.Split(r["enum"], "|")
}

// Span returns the two limits of a rule like bytes=1..200.
func (r Rules) Span(rule string) (low, high string, ok bool) {
	if !r.Has(rule) {
		return "", "", false
	}
	return strings.Cut(r[rule], "..")
}

func parseRules(tag string) Rules {
	rules := Rules{}
	if tag == "" {
		return rules
	}
	for rule := range strings.SplitSeq(tag, ",") {
		key, value, _ := strings.Cut(rule, "=")
		rules[key] = value
	}
	return rules
}

// Setting is one setting of the program.
type Setting struct {
	Key     string
	GoName  string
	Type    Type
	Doc     string
	Default string // in the notation of the tag
	Rules   Rules
	Each    Rules
	// Repository restricts what a repository's file may set, see package settings: any, inRoot,
	// onlyOff or never.
	Repository string
	FilesOnly  bool // an editor's section does not set it
}
