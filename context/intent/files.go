package intent

import "strings"

// extensions are those of source, configuration and document files.
var extensions = set(`go mod sum py pyi pyx ipynb js mjs cjs jsx ts mts cts tsx java kt kts scala sc groovy gradle c h cc cpp cxx c++ hpp hh hxx
	inl mm cs csproj sln fs vb rs rb erb rake gemspec php swift lua luau sh bash zsh fish ps1 bat cmd sql html htm css scss sass less vue svelte astro
	xml xsd xsl yaml yml toml json json5 jsonc jsonl ini cfg conf properties env proto graphql gql tf hcl tfvars md mdx rst adoc txt tex csv tsv
	lock ex exs erl hrl hs ml mli clj cljs edn dart zig nim jl rmd pl pm el lisp scm vim cmake mk make dockerfile log diff patch svg snap ejs
	hbs pug twig jinja j2 tmpl tpl gotmpl asm cu wgsl glsl sv vhd sol pas f90 bzl bazel nix service plist http rules template cr`)

// memberExtensions are also ordinary members ("self.log", "app.conf"), so that a file name with one
// needs a folder, or an owner that is not a receiver.
var memberExtensions = set(`log lock env json conf properties make html text css sql csv xml sc pl pm cr sum mod h c diff patch service http rules
	template txt map fs el vim ini cmd tf ex sh snap dart go`)

// receivers own members, not files.
var receivers = set(`self this console process math req res request response app ctx obj arr logger r w e i x it that super window document json
	os sys http net fmt settings config options opts args params data result event session client server db conn cls np pd`)

// bareFiles are files without an extension, and files with an unusual one.
var bareFiles = set(`Makefile Dockerfile README LICENSE CHANGELOG CONTRIBUTING CODEOWNERS Gemfile Rakefile Jenkinsfile Vagrantfile Procfile Brewfile
	Podfile Justfile justfile makefile GNUmakefile Containerfile Pipfile NOTICE AUTHORS CMakeLists Caddyfile Tiltfile Fastfile`)

var dotFiles = set(`.env .gitignore .gitattributes .gitmodules .dockerignore .editorconfig .bashrc .zshrc .profile .npmrc .nvmrc .prettierrc .eslintrc
	.babelrc .clang-format .clang-tidy .golangci .pylintrc .flake8 .coveragerc .rspec .rubocop .htaccess .vimrc .tmux .mailmap .zshenv
	.ignore .rgignore .contextureignore .contexture.toml .cursorrules`)

// brands look like files and are not.
var brands = set(`node.js next.js nuxt.js vue.js react.js express.js angular.js ember.js backbone.js three.js d3.js socket.io discord.js knockout.js
	asp.net docs.rs crates.io chart.js moment.js p5.js alpine.js`)

// folders begin the path of a folder.
var folders = set(`src lib internal pkg cmd app apps test tests docs doc packages crates scripts examples vendor include modules components testdata
	third_party migrations .github .vscode`)

// fileOf returns the path that a field names, with '/' and without its position.
func fileOf(f field) (string, bool) {
	if f.before == '*' && !f.inCode || f.before == '<' {
		return "", false
	}
	path := strings.TrimLeft(stripPosition(cleanPath(f.text)), "@")
	folder, base := cutBase(path)
	if len(path) < 3 || len(path) > 260 || strings.ContainsAny(path[1:], "@") || strings.Contains(path[2:], ":") {
		return "", false
	}
	if folder == "" && brands[strings.ToLower(base)] {
		return "", false
	}
	switch {
	case hasCodeExtension(base) && (folder != "" || isPlainFile(base, f)):
	case bareFiles[base]:
	case len(base) > 1 && base[0] == '.' && isLower(base[1]) && isDotFile(base, folder, f):
	case folder != "" && isFolder(path, f):
	default:
		return "", false
	}
	return path, true
}

// cutBase splits a path after its last slash.
func cutBase(path string) (folder, base string) {
	i := strings.LastIndexByte(path, '/')
	return path[:i+1], path[i+1:]
}

// isPlainFile distinguishes "server.json" from "response.json()" and "self.log".
func isPlainFile(base string, f field) bool {
	stem, ext := splitExtension(base)
	if f.after == '(' && (len(f.rest) < 2 || !isDigit(f.rest[1])) {
		return false
	}
	if stem == "" || strings.HasPrefix(stem, ".") && !dotFiles[stem] {
		return false
	}
	quoted := f.before == f.after && (f.before == '"' || f.before == '\'')
	return quoted || !memberExtensions[ext] || !receivers[strings.ToLower(stem)] && len(stem) > 1
}

func isDotFile(base, folder string, f field) bool {
	stem, _ := splitExtension(base)
	if dotFiles[base] || stem != "" && dotFiles[stem] {
		return true
	}
	if extensions[base[1:]] || languageWords[base[1:]] {
		return false
	}
	return folder != "" && f.before != ')' || strings.HasSuffix(base, "rc") || strings.HasSuffix(base, "ignore") || strings.HasSuffix(base, "env")
}

// isFolder distinguishes a folder ("internal/store", "./build", "/api/users") from words separated
// by slashes ("read/write", "he/she/they").
func isFolder(path string, f field) bool {
	if strings.HasPrefix(path, "//") || strings.Trim(path, "0123456789/.-") == "" {
		return false
	}
	first, rest, _ := strings.Cut(path, "/")
	rest = strings.Trim(rest, "/")
	switch {
	case first == "." || first == ".." || first == "~":
		return rest != ""
	case first == "":
		return strings.Contains(rest, "/")
	case !isWordPath(path):
		return false
	case strings.HasSuffix(path, "/"):
		return true
	}
	return rest != "" && folders[first]
}

func isWordPath(path string) bool {
	for i := range len(path) {
		if c := path[i]; !isIdent(c) && c != '/' && c != '.' && c != '-' && c < 0x80 {
			return false
		}
	}
	return true
}

// splitExtension splits at the last dot; the extension is in lower case.
func splitExtension(base string) (stem, ext string) {
	i := strings.LastIndexByte(base, '.')
	if i < 0 {
		return base, ""
	}
	return base[:i], strings.ToLower(base[i+1:])
}

func hasCodeExtension(path string) bool {
	stem, ext := splitExtension(path[strings.LastIndexByte(path, '/')+1:])
	return extensions[ext] && stem != ""
}

// stripPosition removes ":12", ":12:3", ":10-20" and "#L12-L20" from a path's end.
func stripPosition(path string) string {
	if i := strings.Index(path, "#L"); i > 0 {
		return path[:i]
	}
	for range 2 {
		i := strings.LastIndexByte(path, ':')
		if i <= 0 || i+1 == len(path) || strings.Trim(path[i+1:], "0123456789-") != "" {
			break
		}
		path = path[:i]
	}
	return path
}

// domains end a host's name.
var domains = set("com org net io dev sh co in app ai us uk de edu gov rs xyz cloud")

// packageOf returns the package that a field names: an import path with a host ("github.com/a/b",
// and the identifier after it in "github.com/a/b.Name"), a scoped one ("@scope/name"), or one with
// a slash in backticks ("net/http").
func packageOf(f field) (path, identifier string, ok bool) {
	if c := f.text[0]; !isIdent(c) && c != '@' {
		return "", "", false
	}
	first, rest, found := strings.Cut(f.text, "/")
	rest = strings.TrimRight(rest, "/")
	if !found || rest == "" || strings.Contains(f.text, ":") {
		return "", "", false
	}
	if isScope(first) && isWordPath(first[1:]+rest) && !strings.Contains(rest, "/") {
		return f.text, "", true
	}
	if i := strings.LastIndexByte(first, '.'); i > 0 && domains[first[i+1:]] {
		return packageOfHost(first, rest)
	}
	if f.inCode && first != "" && !folders[first] && isWordPath(f.text) && !strings.Contains(f.text, ".") && strings.ToLower(f.text) == f.text {
		return strings.TrimRight(f.text, "/"), "", true
	}
	return "", "", false
}

// isScope reports whether the first part of a package's name is a scope: @scope.
func isScope(first string) bool { return strings.HasPrefix(first, "@") && len(first) > 1 }

// packageOfHost returns the package at a host, and the identifier after it. ok is false for a file.
func packageOfHost(host, rest string) (path, identifier string, ok bool) {
	path = host + "/" + rest
	last := rest[strings.LastIndexByte(rest, '/')+1:]
	if pkg, name, ok := strings.Cut(last, "."); ok && name != "" && isUpper(name[0]) {
		return strings.TrimSuffix(path, "."+name), pkg + "." + name, true
	}
	return path, "", !hasCodeExtension(path)
}
