package main

// embedded is a third-party component that the program contains and no package manager describes.
type embedded struct {
	name, version string
	licence       string   // MIT, ISC or Apache-2.0: a text in licences or the repository's own LICENSE
	copyright     []string // the lines above the licence's text
}

// grammars are the tree-sitter grammars that github.com/smacker/go-tree-sitter bundles as generated
// C code, by folder of that module. The module contains neither their licences nor their copyright
// notices; versions are those of its _automation/grammars.json.
var grammars = map[string]embedded{
	"c":          {"tree-sitter-c", "v0.21.4", "MIT", []string{"Copyright (c) 2014 Max Brunsfeld"}},
	"cpp":        {"tree-sitter-cpp", "v0.22.3", "MIT", []string{"Copyright (c) 2014 Max Brunsfeld"}},
	"css":        {"tree-sitter-css", "v0.21.1", "MIT", []string{"Copyright (c) 2018 Max Brunsfeld"}},
	"dockerfile": {"tree-sitter-dockerfile", "v0.2.0", "MIT", []string{"Copyright (c) 2021 Camden Cheek"}},
	"golang":     {"tree-sitter-go", "6204b7308a32", "MIT", []string{"Copyright (c) 2014 Max Brunsfeld"}},
	"hcl":        {"tree-sitter-hcl", "9e3ec9848f28", "Apache-2.0", nil},
	"html":       {"tree-sitter-html", "v0.20.4", "MIT", []string{"Copyright (c) 2014 Max Brunsfeld"}},
	"java":       {"tree-sitter-java", "v0.21.0", "MIT", []string{"Copyright (c) 2017 Ayman Nadeem"}},
	"javascript": {"tree-sitter-javascript", "v0.21.4", "MIT", []string{"Copyright (c) 2014 Max Brunsfeld"}},
	"kotlin":     {"tree-sitter-kotlin", "0.3.8", "MIT", []string{"Copyright (c) 2018-2021 Max Brunsfeld", "Copyright (c) 2021 fwcd"}},
	"lua":        {"tree-sitter-lua", "acb3f3666383", "ISC", []string{"By the authors of tree-sitter-lua, whose package names the licence and no copyright holder."}},
	"php": {"tree-sitter-php", "v0.22.8", "MIT", []string{
		"Copyright (c) 2017 Josh Vera, GitHub",
		"Copyright (c) 2019 Max Brunsfeld, Amaan Qureshi, Christian Frøystad, Caleb White",
	}},
	"protobuf": {"tree-sitter-proto", "42d82fa18f8a", "MIT", []string{"Copyright (c) 2021 Mitchell Hashimoto"}},
	"python":   {"tree-sitter-python", "v0.23.0", "MIT", []string{"Copyright (c) 2016 Max Brunsfeld"}},
	"swift":    {"tree-sitter-swift", "0.5.0", "MIT", []string{"Copyright (c) 2021 alex-pinkus"}},
	"toml":     {"tree-sitter-toml", "v0.5.1", "MIT", []string{"Copyright (c) Ika <ikatyang@gmail.com> (https://github.com/ikatyang)"}},
}

// bundled are the other components inside a Go module or a folder of this repository that have no
// licence file of their own.
var bundled = []embedded{
	{"tree-sitter (the parser, in go-tree-sitter)", "", "MIT", []string{"Copyright (c) 2018-2023 Max Brunsfeld"}},
	{"tiktoken (the vocabularies o200k_base and cl100k_base)", "", "MIT", []string{"Copyright (c) 2022 OpenAI, Shantanu Jain"}},
}

// grammarModule is the Go module that contains most grammars.
const grammarModule = "github.com/smacker/go-tree-sitter"
