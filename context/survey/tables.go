package survey

import (
	"regexp"
	"strings"
)

// tables calls do for each line "key = value" of a TOML file, with its table.
func (m *manifest) tables(do func(table, key, value string, e Evidence)) {
	table := ""
	for i, line := range m.lines {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") && !strings.Contains(line, "=") {
			table = strings.Trim(line, "[] ")
			do(table, "", "", m.at(i))
			continue
		}
		if key, value, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			do(table, strings.Trim(strings.TrimSpace(key), `"`), strings.TrimSpace(value), m.at(i))
		}
	}
}

var quotedText = regexp.MustCompile(`["']([^"']+)["']`)

var versionKey = regexp.MustCompile(`version\s*=\s*["']([^"']+)["']`)

// versionIn returns the version in the value of a dependency; in a table it is the value of the key
// version.
func versionIn(value string) string {
	if m := versionKey.FindStringSubmatch(value); m != nil {
		return m[1]
	}
	if strings.HasPrefix(value, "{") {
		return ""
	}
	return firstQuoted(value)
}

// firstQuoted returns the first text in quotation marks, "" without any.
func firstQuoted(text string) string {
	if m := quotedText.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

func (s *survey) cargo(m manifest) {
	m.tables(func(table, key, value string, e Evidence) {
		switch table {
		case "package", "workspace.package":
			if key == "edition" || key == "rust-version" {
				s.version("rust "+strings.TrimPrefix(key, "rust-"), firstQuoted(value), e)
			}
		case "dependencies", "workspace.dependencies":
			if name, _, _ := strings.Cut(key, "."); key != "" && !strings.Contains(value, "path =") {
				s.depend(name, versionIn(value), e, false)
			}
		case "dev-dependencies", "build-dependencies":
			if name, _, _ := strings.Cut(key, "."); key != "" && !strings.Contains(value, "path =") {
				s.depend(name, versionIn(value), e, true)
			}
		}
	})
}

// requirement matches the name and the version of a Python requirement.
var requirement = regexp.MustCompile(`^["']?([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s*([<>=!~^][^;"',]*)?`)

func (s *survey) pyproject(m manifest) {
	tools := map[string]bool{}
	m.tables(func(table, key, value string, e Evidence) {
		switch {
		case strings.HasPrefix(table, "tool."):
			name, _, _ := strings.Cut(strings.TrimPrefix(table, "tool."), ".")
			name = strings.Trim(name, `"`)
			if !tools[name] && name != "poetry" {
				tools[name] = true
				s.add(Fact{Kind: Tool, Name: name, Evidence: []Evidence{e}})
			}
			if strings.HasPrefix(table, "tool.poetry") && strings.HasSuffix(table, "dependencies") && key != "" && key != "python" {
				s.depend(key, versionIn(value), e, table != "tool.poetry.dependencies")
			}
		case table == "project" && key == "requires-python":
			s.version("python", firstQuoted(value), e)
		case table == "build-system" && key == "build-backend":
			s.add(Fact{Kind: Tool, Name: "build-backend", Value: firstQuoted(value), Evidence: []Evidence{e}})
		}
	})
	s.pythonLists(m)
}

// pythonLists reads the lists of requirements of a pyproject.toml, which span several lines.
func (s *survey) pythonLists(m manifest) {
	table, list := "", ""
	for i, line := range m.lines {
		line = strings.TrimSpace(line)
		if list == "" && strings.HasPrefix(line, "[") {
			table = strings.Trim(line, "[] ")
		}
		key, value, ok := strings.Cut(line, "=")
		key = strings.TrimSpace(key)
		begins := ok && strings.HasPrefix(strings.TrimSpace(value), "[") && !strings.HasPrefix(line, `"`)
		if begins && (table == "project" && key == "dependencies" || table == "project.optional-dependencies" || table == "dependency-groups") {
			list, line = table+"."+key, strings.TrimPrefix(strings.TrimSpace(value), "[")
		}
		if list == "" {
			continue
		}
		for _, q := range quotedText.FindAllStringSubmatch(line, -1) {
			if r := requirement.FindStringSubmatch(q[1]); r != nil {
				s.depend(r[1], r[2], m.at(i), list != "project.dependencies")
			}
		}
		if strings.HasSuffix(strings.TrimSuffix(line, ","), "]") && !strings.Contains(line, "[") || strings.HasSuffix(line, "]") && begins {
			list = ""
		}
	}
}

func (s *survey) requirements(m manifest) {
	development := strings.Contains(m.path, "dev") || strings.Contains(m.path, "test") || strings.Contains(m.path, "doc")
	for i, line := range m.lines {
		line = strings.TrimSpace(line)
		if r := requirement.FindStringSubmatch(line); r != nil && !strings.HasPrefix(line, "-") && !strings.Contains(line, "://") {
			s.depend(r[1], r[2], m.at(i), development)
		}
	}
}

var (
	gem            = regexp.MustCompile(`^(?:gem|\w+\.add_(?:runtime_|development_)?dependency)[\s(]+["']([^"']+)["'](?:,\s*["']([^"']+)["'])?`)
	gemVersion     = regexp.MustCompile(`required_ruby_version\s*=\s*["']([^"']+)["']|^ruby\s+["']([^"']+)["']`)
	mavenArtifact  = regexp.MustCompile(`<artifactId>([^<$]+)</artifactId>`)
	mavenJava      = regexp.MustCompile(`<(?:java\.version|maven\.compiler\.(?:release|source|target))>([^<$]+)<`)
	gradleDepends  = regexp.MustCompile(`^(\w*(?:[iI]mplementation|api|[cC]ompileOnly|[rR]untimeOnly|kapt|ksp))[\s(]+["']([^"':]+):([^"':]+)(?::([^"']+))?["']`)
	catalogModule  = regexp.MustCompile(`module\s*=\s*"([^":]+):([^"]+)"`)
	dotnetPackage  = regexp.MustCompile(`<Package(?:Reference|Version)\s+(?:Include|Update)="([^"]+)"(?:\s+Version="([^"]+)")?`)
	dotnetPlatform = regexp.MustCompile(`<TargetFrameworks?>([^<]+)<`)
	mixDepends     = regexp.MustCompile(`^\{:(\w+),\s*"([^"]+)"`)
	mixElixir      = regexp.MustCompile(`elixir:\s*"([^"]+)"`)
	cmakeNeeds     = regexp.MustCompile(`(?i)^(find_package|cmake_minimum_required|project)\s*\(\s*(\S+)(?:\s+VERSION\s+([0-9.]+))?`)
	cmakeStandard  = regexp.MustCompile(`(?i)(CMAKE_C(?:XX)?_STANDARD)\s+(\d+)`)
)

func (s *survey) gems(m manifest) {
	for i, line := range m.lines {
		line = strings.TrimSpace(line)
		if v := gemVersion.FindStringSubmatch(line); v != nil {
			s.version("ruby", v[1]+v[2], m.at(i))
		}
		if d := gem.FindStringSubmatch(line); d != nil {
			s.depend(d[1], d[2], m.at(i), strings.Contains(line, "development"))
		}
	}
}

func (s *survey) maven(m manifest) {
	inside, test := "", false
	for i, line := range m.lines {
		switch {
		case strings.Contains(line, "<dependency>"):
			inside, test = "?", false
		case inside != "" && strings.Contains(line, "<scope>test"):
			test = true
		case strings.Contains(line, "</dependency>") && inside != "":
			s.depend(inside, "", m.find("<artifactId>"+inside+"<"), test)
			inside = ""
		}
		if a := mavenArtifact.FindStringSubmatch(line); a != nil && inside == "?" {
			inside = a[1]
		}
		if v := mavenJava.FindStringSubmatch(line); v != nil {
			s.version("java", v[1], m.at(i))
		}
	}
}

func (s *survey) gradle(m manifest) {
	for i, line := range m.lines {
		line = strings.TrimSpace(line)
		if d := gradleDepends.FindStringSubmatch(line); d != nil {
			s.depend(d[3], d[4], m.at(i), strings.HasPrefix(d[1], "test"))
		}
		if d := catalogModule.FindStringSubmatch(line); d != nil {
			s.depend(d[2], "", m.at(i), false)
		}
	}
}

func (s *survey) dotnet(m manifest) {
	for i, line := range m.lines {
		if d := dotnetPackage.FindStringSubmatch(line); d != nil {
			s.depend(d[1], d[2], m.at(i), false)
		}
		if v := dotnetPlatform.FindStringSubmatch(line); v != nil && !strings.Contains(v[1], "$") {
			s.version("dotnet", v[1], m.at(i))
		}
	}
}

func (s *survey) mix(m manifest) {
	for i, line := range m.lines {
		line = strings.TrimSpace(line)
		if d := mixDepends.FindStringSubmatch(line); d != nil {
			s.depend(d[1], d[2], m.at(i), strings.Contains(line, "only:"))
		}
		if v := mixElixir.FindStringSubmatch(line); v != nil {
			s.version("elixir", v[1], m.at(i))
		}
	}
}

func (s *survey) cmake(m manifest) {
	for i, line := range m.lines {
		line = strings.TrimSpace(line)
		if d := cmakeNeeds.FindStringSubmatch(line); d != nil && strings.EqualFold(d[1], "find_package") && !strings.Contains(d[2], "$") {
			s.depend(strings.Trim(d[2], ")"), "", m.at(i), false)
		}
		if v := cmakeStandard.FindStringSubmatch(line); v != nil {
			s.version(v[1], v[2], m.at(i))
		}
	}
}
