package survey

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
)

// dependency is a dependency of a manifest.
type dependency struct {
	name, version string
	evidence      Evidence
	development   bool
	files         []string // that import it
	n             int
}

// maxManifests bounds the manifests of one kind that are read: those nearest to the root.
const maxManifests = 12

// manifests reads manifests and configuration files.
func (s *survey) manifests() {
	n := map[string]int{}
	for _, f := range s.files {
		base := strings.ToLower(path.Base(f.path))
		form := formOf(f.path, base)
		if form.read == nil {
			s.configured(f.path, base)
			continue
		}
		if n[form.kind]++; n[form.kind] > maxManifests {
			continue
		}
		if text, ok := s.in.Read(f.path); ok {
			form.read(s, manifest{f.path, text, strings.Split(text, "\n")})
		}
	}
}

// manifest is a file that declares what a workspace needs or does.
type manifest struct {
	path, text string
	lines      []string
}

func (m *manifest) at(i int) Evidence {
	return Evidence{Path: m.path, Line: i + 1, Text: strings.TrimSpace(m.lines[i])}
}

// find returns the line that contains a text.
func (m *manifest) find(texts ...string) Evidence {
	for i, line := range m.lines {
		if !slices.ContainsFunc(texts, func(t string) bool { return !strings.Contains(line, t) }) {
			return m.at(i)
		}
	}
	return Evidence{Path: m.path}
}

// manifestForm is a kind of manifest. Manifests of one kind share a bound.
type manifestForm struct {
	kind string
	read func(*survey, manifest)
}

// manifestNames are the forms of manifests with a name of their own, in lower case.
var manifestNames = map[string]manifestForm{
	"go.mod":                   {"go.mod", (*survey).goModule},
	"package.json":             {"package.json", (*survey).nodePackage},
	"composer.json":            {"composer.json", (*survey).composer},
	"cargo.toml":               {"cargo.toml", (*survey).cargo},
	"pyproject.toml":           {"pyproject.toml", (*survey).pyproject},
	"gemfile":                  {"gems", (*survey).gems},
	"pom.xml":                  {"pom.xml", (*survey).maven},
	"build.gradle":             {"gradle", (*survey).gradle},
	"build.gradle.kts":         {"gradle", (*survey).gradle},
	"libs.versions.toml":       {"gradle", (*survey).gradle},
	"directory.packages.props": {"dotnet", (*survey).dotnet},
	"mix.exs":                  {"mix.exs", (*survey).mix},
	"cmakelists.txt":           {"cmakelists.txt", (*survey).cmake},
	"makefile":                 {"makefile", (*survey).make},
	"gnumakefile":              {"gnumakefile", (*survey).make},
	"justfile":                 {"justfile", (*survey).make},
	"dockerfile":               {"docker", (*survey).docker},
	"containerfile":            {"docker", (*survey).docker},
	"azure-pipelines.yml":      {"pipeline", (*survey).pipeline},
	".travis.yml":              {"pipeline", (*survey).pipeline},
}

// manifestPatterns are the forms of manifests whose names vary: the base name, in lower case,
// begins with head and ends with tail. The first match decides.
var manifestPatterns = []struct {
	head, tail string
	manifestForm
}{
	{"requirements", ".txt", manifestForm{"requirements", (*survey).requirements}},
	{"", ".gemspec", manifestForm{"gems", (*survey).gems}},
	{"", ".csproj", manifestForm{"dotnet", (*survey).dotnet}},
	{"", ".fsproj", manifestForm{"dotnet", (*survey).dotnet}},
	{"", ".dockerfile", manifestForm{"docker", (*survey).docker}},
	{"dockerfile.", "", manifestForm{"docker", (*survey).docker}},
	{"compose.", "ml", manifestForm{"compose", (*survey).images}},
	{"docker-compose", "ml", manifestForm{"compose", (*survey).images}},
	{".gitlab-ci", "", manifestForm{"pipeline", (*survey).pipeline}},
}

// formOf returns the form of a manifest; its read is nil for any other file. base is the path's
// last part, in lower case.
func formOf(p, base string) manifestForm {
	if form, ok := manifestNames[base]; ok {
		return form
	}
	for _, pattern := range manifestPatterns {
		if strings.HasPrefix(base, pattern.head) && strings.HasSuffix(base, pattern.tail) {
			return pattern.manifestForm
		}
	}
	if strings.Contains(p, ".github/workflows/") || strings.HasPrefix(p, ".circleci/") {
		return manifestForm{"pipeline", (*survey).pipeline}
	}
	return manifestForm{}
}

// depend records a dependency.
func (s *survey) depend(name, version string, e Evidence, development bool) {
	name = strings.TrimSpace(name)
	k := importKey(name)
	if name == "" || k == "" {
		return
	}
	if old := s.wanted[k]; old != nil {
		old.development = old.development && development
		return
	}
	s.wanted[k] = &dependency{name: name, version: strings.TrimSpace(version), evidence: e, development: development}
	s.order = append(s.order, k)
}

func (s *survey) version(of, version string, e Evidence) {
	if version = strings.Trim(strings.TrimSpace(version), `"'`); version != "" {
		s.add(Fact{Kind: Version, Name: of, Value: version, Evidence: []Evidence{e}})
	}
}

func (s *survey) goModule(m manifest) {
	block := false
	for i, line := range m.lines {
		line, comment, _ := strings.Cut(strings.TrimSpace(line), "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 2 && (words[0] == "go" || words[0] == "toolchain"):
			s.version("go", strings.TrimPrefix(words[1], "go"), m.at(i))
		case strings.HasPrefix(line, "require ("):
			block = true
		case strings.HasPrefix(line, ")"):
			block = false
		case strings.Contains(comment, "indirect"):
		case block && len(words) == 2:
			s.depend(words[0], words[1], m.at(i), false)
		case len(words) == 3 && words[0] == "require":
			s.depend(words[1], words[2], m.at(i), false)
		}
	}
}

func (s *survey) nodePackage(m manifest) {
	var p struct {
		Dependencies, PeerDependencies, DevDependencies, Scripts, Engines map[string]string
		PackageManager                                                    string
	}
	if json.Unmarshal([]byte(m.text), &p) != nil {
		return
	}
	for i, line := range m.lines { // in the order of the file
		name, value, ok := jsonPair(line)
		switch {
		case !ok:
		case name == "packageManager" && p.PackageManager == value:
			s.add(Fact{Kind: Version, Name: name, Value: value, Evidence: []Evidence{m.at(i)}})
		case p.Engines[name] == value && value != "" && p.Dependencies[name] == "" && p.DevDependencies[name] == "":
			s.version(name, value, m.at(i))
		case p.Scripts[name] != "" && strings.Contains(line, ":"):
			if p.Dependencies[name] == value || p.DevDependencies[name] == value {
				s.depend(name, value, m.at(i), p.Dependencies[name] == "")
				continue
			}
			s.command(scriptOf(m.path, name), p.Scripts[name], m.at(i))
		case p.Dependencies[name] == value && value != "", p.PeerDependencies[name] == value && value != "":
			s.depend(name, value, m.at(i), false)
		case p.DevDependencies[name] == value && value != "":
			s.depend(name, value, m.at(i), true)
		}
	}
}

// scriptOf prefixes the name of a script with the folder of its manifest, unless that is the root.
func scriptOf(p, name string) string {
	if dir := path.Dir(p); dir != "." {
		return "script " + name + " (" + dir + ")"
	}
	return "script " + name
}

var jsonLine = regexp.MustCompile(`^\s*"((?:[^"\\]|\\.)+)"\s*:\s*"((?:[^"\\]|\\.)*)",?\s*\}?,?\s*$`)

func jsonPair(line string) (name, value string, ok bool) {
	m := jsonLine.FindStringSubmatch(line)
	if m == nil {
		return "", "", false
	}
	if json.Unmarshal([]byte(`"`+m[2]+`"`), &value) != nil {
		value = m[2]
	}
	return m[1], value, true
}

func (s *survey) composer(m manifest) {
	var p struct {
		Require    map[string]string
		RequireDev map[string]string          `json:"require-dev"`
		Scripts    map[string]json.RawMessage // a text or a list of texts
	}
	if json.Unmarshal([]byte(m.text), &p) != nil {
		return
	}
	for i, line := range m.lines {
		name, value, ok := jsonPair(line)
		switch {
		case !ok:
		case name == "php" && p.Require[name] == value:
			s.version(name, value, m.at(i))
		case p.Require[name] == value && value != "" && strings.Contains(name, "/"):
			s.depend(name, value, m.at(i), false)
		case p.RequireDev[name] == value && value != "":
			s.depend(name, value, m.at(i), true)
		case p.Scripts[name] != nil:
			s.command(scriptOf(m.path, name), value, m.at(i))
		}
	}
}

// command records a command that a person can run.
func (s *survey) command(name, value string, e Evidence) {
	const most = 160
	value = strings.Join(strings.Fields(value), " ")
	if len(value) > most {
		value = strings.ToValidUTF8(value[:most], "") + " …"
	}
	s.add(Fact{Kind: Command, Name: name, Value: value, Evidence: []Evidence{e}})
}
