package survey

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	makeTarget = regexp.MustCompile(`^([A-Za-z0-9][\w.-]*)(?:\s+[\w="'*+.-]+)*\s*:([^=]|$)`)
	imageLine  = regexp.MustCompile(`^-?\s*image:\s*["']?([^\s"'#]+)`)
	fromLine   = regexp.MustCompile(`(?i)^FROM\s+(?:--\S+\s+)*(\S+)`)
	runLine    = regexp.MustCompile(`^-?\s*(?:run|script):\s*(\S.*)$`)
	setupLine  = regexp.MustCompile(`^(\w+)-version:\s*["']?([\w.*^~-]+)["']?\s*$`)
)

// make reads the targets of a Makefile or the recipes of a justfile, each with the first line of
// its commands.
func (s *survey) make(m manifest) {
	name := "make"
	if strings.EqualFold(path.Base(m.path), "justfile") {
		name = "just"
	}
	if dir := path.Dir(m.path); dir != "." {
		name += " -C " + dir
	}
	for i, line := range m.lines {
		t := makeTarget.FindStringSubmatch(line)
		if t == nil || t[1] == "help" || strings.ContainsAny(t[1], "%$/") || strings.Contains(t[1], ".") {
			continue
		}
		for _, next := range m.lines[i+1:] {
			recipe := strings.TrimLeft(strings.TrimSpace(next), "@-")
			if next == "" || next[0] != '\t' && next[0] != ' ' {
				break
			}
			if recipe != "" && recipe[0] != '#' && !strings.HasPrefix(recipe, "echo ") {
				s.command(name+" "+t[1], recipe, m.at(i))
				break
			}
		}
	}
}

func (s *survey) service(image string, e Evidence) {
	if image == "scratch" || strings.ContainsAny(image, "${") {
		return
	}
	name, version, _ := strings.Cut(image, ":")
	if i := strings.IndexByte(version, '@'); i >= 0 {
		version = version[:i]
	}
	s.add(Fact{Kind: Service, Name: name, Value: version, Evidence: []Evidence{e}})
}

// docker reads the base images of a Dockerfile, without its own stages.
func (s *survey) docker(m manifest) {
	var stages []string
	for i, line := range m.lines {
		line = strings.TrimSpace(line)
		f := fromLine.FindStringSubmatch(line)
		if f == nil {
			continue
		}
		if !slices.Contains(stages, strings.ToLower(f[1])) {
			s.service(f[1], m.at(i))
		}
		if words := strings.Fields(line); len(words) > 2 && strings.EqualFold(words[len(words)-2], "as") {
			stages = append(stages, strings.ToLower(words[len(words)-1]))
		}
	}
}

func (s *survey) images(m manifest) {
	for i, line := range m.lines {
		if f := imageLine.FindStringSubmatch(strings.TrimSpace(line)); f != nil {
			s.service(f[1], m.at(i))
		}
	}
}

// pipeline reads the contents of a pipeline: one-line commands, images, and the versions that it
// installs.
func (s *survey) pipeline(m manifest) {
	for i, line := range m.lines {
		line = strings.TrimSpace(line)
		if r := runLine.FindStringSubmatch(line); r != nil && !strings.ContainsAny(r[1][:1], "|>") && !strings.Contains(r[1], "${{") && !strings.Contains(r[1], ">> ") && !strings.HasPrefix(r[1], "echo ") {
			s.command("pipeline "+path.Base(m.path), r[1], m.at(i))
		}
		if v := setupLine.FindStringSubmatch(line); v != nil && !strings.Contains(line, "$") {
			s.version(v[1]+" (pipeline)", v[2], m.at(i))
		}
		if f := imageLine.FindStringSubmatch(line); f != nil {
			s.service(f[1], m.at(i))
		}
	}
}

// configurations are the files that configure tools for checking, formatting, building or testing,
// by their names or prefixes of those, with the tools.
var configurations = []struct{ begins, tool string }{
	{".golangci", "golangci-lint"}, {"biome.json", "biome"}, {".eslintrc", "eslint"}, {"eslint.config.", "eslint"}, {".prettierrc", "prettier"}, {"prettier.config.", "prettier"},
	{"ruff.toml", "ruff"}, {".ruff.toml", "ruff"}, {".flake8", "flake8"}, {".pylintrc", "pylint"}, {"mypy.ini", "mypy"}, {"tox.ini", "tox"}, {"noxfile.py", "nox"},
	{"pytest.ini", "pytest"}, {".pre-commit-config.", "pre-commit"}, {".rubocop.yml", "rubocop"}, {".rspec", "rspec"}, {"rustfmt.toml", "rustfmt"},
	{".rustfmt.toml", "rustfmt"}, {"clippy.toml", "clippy"}, {".clippy.toml", "clippy"}, {"deny.toml", "cargo-deny"}, {".clang-format", "clang-format"},
	{".clang-tidy", "clang-tidy"}, {".editorconfig", "editorconfig"}, {"tsconfig.json", "typescript"}, {"jest.config.", "jest"}, {"vitest.config.", "vitest"},
	{"vite.config.", "vite"}, {"webpack.config.", "webpack"}, {"rollup.config.", "rollup"}, {"playwright.config.", "playwright"}, {"cypress.config.", "cypress"},
	{"tailwind.config.", "tailwind"}, {"next.config.", "next"}, {"nuxt.config.", "nuxt"}, {"svelte.config.", "svelte"}, {"turbo.json", "turborepo"},
	{"nx.json", "nx"}, {"lerna.json", "lerna"}, {"pnpm-workspace.yaml", "pnpm"}, {"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"uv.lock", "uv"}, {"poetry.lock", "poetry"},
	{"phpunit.xml", "phpunit"}, {"phpstan.neon", "phpstan"}, {".php-cs-fixer", "php-cs-fixer"}, {"pint.json", "pint"}, {".credo.exs", "credo"},
	{".formatter.exs", "mix format"}, {"detekt.yml", "detekt"}, {"checkstyle.xml", "checkstyle"}, {".swiftlint.yml", "swiftlint"}, {".swift-format", "swift-format"},
	{".goreleaser.", "goreleaser"}, {".scalafmt.conf", "scalafmt"}, {".luacheckrc", "luacheck"}, {"stylua.toml", "stylua"}, {".stylua.toml", "stylua"},
	{".hlint.yaml", "hlint"}, {"renovate.json", "renovate"}, {".stylelintrc", "stylelint"}, {"commitlint.config.", "commitlint"},
	{"sonar-project.properties", "sonar"}, {"codecov.yml", "codecov"}, {".codecov.yml", "codecov"}, {"buf.yaml", "buf"}, {"sqlc.yaml", "sqlc"},
	{".markdownlint", "markdownlint"}, {".shellcheckrc", "shellcheck"}, {"taskfile.yml", "task"}, {"magefile.go", "mage"}, {"build.zig", "zig build"},
	{"workspace.bazel", "bazel"}, {"module.bazel", "bazel"}, {"meson.build", "meson"}, {"stack.yaml", "stack"}, {"cabal.project", "cabal"}, {"build.sbt", "sbt"},
}

// configured records the tool that a file configures, if it is at the root or one folder below.
func (s *survey) configured(p, base string) {
	if strings.Count(p, "/") > 1 {
		return
	}
	for _, c := range configurations {
		if strings.HasPrefix(base, c.begins) {
			s.add(Fact{Kind: Tool, Name: c.tool, Evidence: []Evidence{{Path: p}}})
			if c.tool == "editorconfig" {
				s.editor(p)
			}
			return
		}
	}
}

// editor reads the indentation in an .editorconfig.
func (s *survey) editor(p string) {
	text, ok := s.in.Read(p)
	if !ok {
		return
	}
	m := manifest{p, text, strings.Split(text, "\n")}
	section := ""
	for i, line := range m.lines {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = line
		}
		key, value, ok := strings.Cut(line, "=")
		if key = strings.TrimSpace(key); ok && slices.Contains([]string{"indent_style", "indent_size", "max_line_length"}, key) {
			s.add(Fact{Kind: Convention, Name: key + " of " + section, Value: strings.TrimSpace(value), Evidence: []Evidence{m.at(i)}})
		}
	}
}
