package chunk

import (
	"maps"
	"slices"
)

// Languages returns the names of the languages that are cut at the borders of their syntax, in
// alphabetical order: those with a grammar, and Markdown.
func Languages() []string {
	names := slices.AppendSeq([]string{"markdown"}, maps.Keys(specs))
	slices.Sort(names)
	return names
}

// specs are the languages with a grammar. Markdown and reStructuredText have none here: headings
// are found faster and more reliably by line (prose.go).
var specs = map[string]*spec{
	"bash":       &bashSpec,
	"c":          &cSpec,
	"cpp":        &cppSpec,
	"csharp":     &csharpSpec,
	"css":        &cssSpec,
	"dart":       &dartSpec,
	"dockerfile": &dockerfileSpec,
	"elixir":     &elixirSpec,
	"go":         &goSpec,
	"haskell":    &haskellSpec,
	"hcl":        &hclSpec,
	"html":       &htmlSpec,
	"java":       &javaSpec,
	"javascript": &javascriptSpec,
	"julia":      &juliaSpec,
	"kotlin":     &kotlinSpec,
	"lua":        &luaSpec,
	"ocaml":      &ocamlSpec,
	"php":        &phpSpec,
	"protobuf":   &protobufSpec,
	"python":     &pythonSpec,
	"r":          &rSpec,
	"ruby":       &rubySpec,
	"rust":       &rustSpec,
	"scala":      &scalaSpec,
	"sql":        &sqlSpec,
	"swift":      &swiftSpec,
	"toml":       &tomlSpec,
	"tsx":        &typescriptSpec,
	"typescript": &typescriptSpec,
	"yaml":       &yamlSpec,
	"zig":        &zigSpec,
}

// HasSymbols reports whether the functions of a language are known: those in the scripts of HTML
// are not.
func HasSymbols(language string) bool {
	return language != "html" && specs[language] != nil || componentLanguages[language] != "" || linedLanguages[language] != nil
}
