package chunk

import (
	"bytes"
	"path"
	"strings"
)

// byExtension maps lower-case file extensions to languages.
var byExtension = map[string]string{
	".go": "go",
	".py": "python", ".pyi": "python", ".pyw": "python", ".pyx": "python", ".bzl": "python", ".star": "python",
	".js": "javascript", ".jsx": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".es6": "javascript",
	".ts": "typescript", ".mts": "typescript", ".cts": "typescript",
	".tsx":  "tsx",
	".java": "java",
	".c":    "c", ".h": "c",
	".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".c++": "cpp", ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp", ".h++": "cpp",
	".ipp": "cpp", ".inl": "cpp", ".tpp": "cpp", ".cu": "cpp", ".cuh": "cpp", ".ino": "cpp",
	".cs": "csharp", ".csx": "csharp",
	".rs": "rust",
	".rb": "ruby", ".rake": "ruby", ".gemspec": "ruby", ".ru": "ruby", ".podspec": "ruby",
	".php": "php", ".phtml": "php", ".php5": "php", ".php7": "php",
	".kt": "kotlin", ".kts": "kotlin",
	".swift": "swift",
	".scala": "scala", ".sc": "scala", ".sbt": "scala",
	".lua": "lua",
	".sh":  "bash", ".bash": "bash", ".zsh": "bash", ".ksh": "bash", ".bats": "bash", ".ebuild": "bash",
	".sql": "sql", ".ddl": "sql", ".dml": "sql", ".pgsql": "sql", ".psql": "sql",
	".html": "html", ".htm": "html", ".xhtml": "html",
	".css": "css",
	".yml": "yaml", ".yaml": "yaml",
	".toml": "toml",
	".hcl":  "hcl", ".tf": "hcl", ".tfvars": "hcl", ".nomad": "hcl",
	".proto":      "protobuf",
	".dockerfile": "dockerfile",
	".md":         "markdown", ".markdown": "markdown", ".mdown": "markdown", ".mkd": "markdown", ".mdx": "markdown", ".qmd": "markdown",
	".rst": "rst", ".rest": "rst",
	".json": "json", ".jsonc": "json", ".json5": "json", ".jsonl": "json", ".ndjson": "json", ".webmanifest": "json",
	".geojson": "json", ".ipynb": "json", ".code-workspace": "json",
	".mk": "make", ".mak": "make",
	".txt": "text", ".text": "text", ".log": "text", ".adoc": "text", ".asciidoc": "text", ".org": "text", ".tex": "text",
	".vue": "vue", ".svelte": "svelte", ".astro": "astro",
	".s": "assembly", ".asm": "assembly", ".nasm": "assembly",
	".m": "objectivec", ".mm": "objectivec",
	".ex": "elixir", ".exs": "elixir", ".erl": "erlang", ".hrl": "erlang",
	".hs": "haskell", ".lhs": "haskell", ".ml": "ocaml", ".mli": "ocaml", ".fs": "fsharp", ".fsx": "fsharp",
	".clj": "clojure", ".cljs": "clojure", ".cljc": "clojure", ".edn": "clojure",
	".el": "elisp", ".lisp": "lisp", ".scm": "scheme", ".rkt": "racket",
	".dart": "dart", ".zig": "zig", ".nim": "nim", ".jl": "julia", ".r": "r", ".pl": "perl", ".pm": "perl", ".t": "perl",
	".vim": "vim", ".ps1": "powershell", ".psm1": "powershell", ".bat": "batch", ".cmd": "batch", ".fish": "fish",
	".groovy": "groovy", ".gradle": "groovy", ".cmake": "cmake", ".nix": "nix", ".bzlmod": "python",
	".scss": "scss", ".sass": "sass", ".less": "less", ".xml": "xml", ".svg": "xml", ".xsd": "xml", ".xsl": "xml", ".plist": "xml",
	".ini": "ini", ".cfg": "ini", ".conf": "ini", ".properties": "ini", ".env": "ini", ".editorconfig": "ini",
	".graphql": "graphql", ".gql": "graphql", ".thrift": "thrift", ".sol": "solidity", ".v": "verilog", ".sv": "verilog",
	".vhd": "vhdl", ".vhdl": "vhdl", ".f90": "fortran", ".f": "fortran", ".pas": "pascal", ".d": "d", ".cr": "crystal",
	".csv": "csv", ".tsv": "csv", ".diff": "diff", ".patch": "diff", ".y": "yacc", ".l": "lex", ".cue": "cue", ".elm": "elm",
}

// byName maps lower-case file names to languages.
var byName = map[string]string{
	"makefile": "make", "gnumakefile": "make", "bsdmakefile": "make", "kbuild": "make",
	"dockerfile": "dockerfile", "containerfile": "dockerfile",
	"gemfile": "ruby", "rakefile": "ruby", "guardfile": "ruby", "podfile": "ruby", "vagrantfile": "ruby", "fastfile": "ruby",
	"capfile": "ruby", "brewfile": "ruby", "appraisals": "ruby", "dangerfile": "ruby", ".irbrc": "ruby", ".pryrc": "ruby",
	"build": "python", "build.bazel": "python", "workspace": "python", "workspace.bazel": "python", "module.bazel": "python",
	"sconstruct": "python", "sconscript": "python", "wscript": "python", "tiltfile": "python", "snakefile": "python",
	"cmakelists.txt": "cmake", "jenkinsfile": "groovy", "justfile": "make", "go.mod": "gomod", "go.sum": "text", "go.work": "gomod",
	"cargo.lock": "toml", "pipfile": "toml", "poetry.lock": "toml", "uv.lock": "toml", ".clang-format": "yaml", ".clang-tidy": "yaml",
	".bashrc": "bash", ".bash_profile": "bash", ".bash_aliases": "bash", ".profile": "bash", ".zshrc": "bash", ".zshenv": "bash",
	"pkgbuild": "bash", "apkbuild": "bash", "configure.ac": "m4",
	".babelrc": "json", ".eslintrc": "json", ".prettierrc": "json", ".swcrc": "json", "composer.lock": "json", "flake.lock": "json",
	".gitignore": "text", ".gitattributes": "text", ".dockerignore": "text", ".gitmodules": "ini", ".gitconfig": "ini", ".npmrc": "ini",
	"license": "text", "licence": "text", "copying": "text", "authors": "text", "contributors": "text", "maintainers": "text",
	"readme": "text", "changelog": "text", "changes": "text", "news": "text", "todo": "text", "install": "text", "notice": "text",
	"codeowners": "text", "version": "text", "procfile": "text",
}

// byInterpreter maps the program of a #! line, without digits, to its language.
var byInterpreter = map[string]string{
	"sh": "bash", "bash": "bash", "dash": "bash", "zsh": "bash", "ksh": "bash", "ash": "bash", "bats": "bash",
	"python": "python", "pypy": "python", "node": "javascript", "nodejs": "javascript", "bun": "typescript",
	"deno": "typescript", "ts-node": "typescript", "tsx": "typescript", "ruby": "ruby", "jruby": "ruby", "php": "php",
	"lua": "lua", "luajit": "lua", "perl": "perl", "make": "make", "scala": "scala", "kotlin": "kotlin", "swift": "swift",
	"elixir": "elixir", "escript": "erlang", "fish": "fish", "rscript": "r", "julia": "julia", "groovy": "groovy",
	"pwsh": "powershell", "rust-script": "rust", "dotnet-script": "csharp", "awk": "awk", "gawk": "awk", "tclsh": "tcl",
}

// Language returns the language of a file, in lower case, by its extension, its well-known name or
// its #! line; "" when none of them determines it. head is the beginning of the file, at least 512
// bytes if it has as many.
func Language(file string, head []byte) string {
	base := strings.ToLower(path.Base(strings.ReplaceAll(file, `\`, "/")))
	ext := path.Ext(base)
	if ext == "" { // a script may be named build or install
		if language := interpreter(head); language != "" {
			return language
		}
	}
	if language, ok := byName[base]; ok {
		return language
	}
	switch {
	case ext == ".h":
		return header(head)
	case ext == ".ipynb":
		return notebook(head)
	case ext == ".m" && bytes.Contains(head[:min(len(head), 4096)], []byte("function ")):
		return "matlab"
	}
	if language, ok := byExtension[ext]; ok && ext != base {
		return language
	}
	if language := interpreter(head); language != "" {
		return language
	}
	// Dockerfile.dev, Makefile.am, README.de, .env.local
	if strings.HasSuffix(base, "ignore") {
		return "text" // Dockerfile.dockerignore
	}
	stem, _, _ := strings.Cut(strings.TrimPrefix(base, "."), ".")
	switch stem {
	case "dockerfile", "containerfile", "makefile", "gnumakefile", "readme", "license", "changelog":
		return byName[stem]
	case "env":
		return "ini"
	}
	return ""
}

// notebookMark precedes the language in the first line of a notebook's cells, as source.Extract
// returns them.
const notebookMark = " notebook: "

// notebook returns the language of a notebook's cells; a text without cells is JSON.
func notebook(head []byte) string {
	line, _, _ := bytes.Cut(head[:min(len(head), 512)], []byte("\n"))
	mark, name, ok := strings.Cut(string(line), notebookMark)
	if !ok || len(mark) > 2 {
		return "json"
	}
	name = strings.TrimSpace(name)
	if language := NamedLanguage(name); language != "" {
		return language
	}
	if language := byInterpreter[strings.TrimRight(name, "0123456789.")]; language != "" {
		return language
	}
	if language := NamedLanguage(strings.TrimRight(name, "0123456789.")); language != "" {
		return language
	}
	return name
}

// header distinguishes a C++ header from a C one by words that C does not have.
func header(head []byte) string {
	head = head[:min(len(head), 64<<10)]
	for _, word := range []string{"namespace ", "template <", "template<", "class ", "public:", "private:", "virtual ", "std::", "constexpr ", "using "} {
		for at := 0; ; {
			n := bytes.Index(head[at:], []byte(word))
			if n < 0 {
				break
			}
			at += n
			line := head[bytes.LastIndexByte(head[:at], '\n')+1 : at]
			at += len(word)
			if text := trimBlank(line); len(text) == 0 || word == "std::" && !comment(text) {
				return "cpp"
			}
		}
	}
	if bytes.Contains(head, []byte("@interface ")) || bytes.Contains(head, []byte("@protocol ")) {
		return "objectivec"
	}
	return "c"
}

// comment reports whether a line of C begins a comment.
func comment(line []byte) bool {
	return bytes.Contains(line, []byte("//")) || bytes.Contains(line, []byte("/*")) || line[0] == '*'
}

func interpreter(head []byte) string {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	if !bytes.HasPrefix(head, []byte("#!")) {
		return ""
	}
	line, _, _ := bytes.Cut(head[2:min(len(head), 512)], []byte("\n"))
	words := strings.Fields(string(line))
	for i, word := range words {
		name := path.Base(word)
		if name == "env" || i > 0 && (strings.HasPrefix(word, "-") || strings.Contains(word, "=")) {
			continue
		}
		name = strings.ToLower(strings.TrimRight(name, "0123456789."))
		return byInterpreter[name]
	}
	return ""
}
