package repocheck

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// releaseConfig is what the release tool's file says of names.
type releaseConfig struct {
	Project string `yaml:"project_name"`
	Builds  []struct {
		ID           string
		Goos, Goarch []string
	}
	Archives []struct {
		IDs, Formats []string
		Name         string `yaml:"name_template"`
		Wrapped      bool   `yaml:"wrap_in_directory"`
	}
}

// masonEntry is what Mason's registry reads.
type masonEntry struct {
	Source struct {
		Asset []struct {
			Target    any
			File, Bin string
		}
	}
}

// read decodes a file of the repository's top as YAML, of which JSON is a part.
func read(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".json") {
		err = json.Unmarshal(text, into)
	} else {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// platforms returns the archives that a release consists of, by Go's name of the platform; VERSION
// stands for the version.
func platforms(t *testing.T, config releaseConfig) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, build := range config.Builds {
		if strings.HasPrefix(build.ID, "team") { // the program of who runs a team's server: no store has it
			continue
		}
		for _, archive := range config.Archives {
			if !slices.Contains(archive.IDs, build.ID) {
				continue
			}
			if !archive.Wrapped || len(archive.Formats) != 1 {
				t.Errorf("%s: an archive has one folder and one format", build.ID)
			}
			for _, goos := range build.Goos {
				for _, goarch := range build.Goarch {
					name := strings.NewReplacer("{{ .ProjectName }}", config.Project, "{{ .Version }}", "VERSION", "{{ .Os }}", goos, "{{ .Arch }}", goarch).Replace(archive.Name)
					out[goos+"/"+goarch] = name + "." + archive.Formats[0]
				}
			}
		}
	}
	return out
}

// others returns the name that npm and VS Code have for a platform of Go.
func others(platform string) string {
	return strings.NewReplacer("windows", "win32", "amd64", "x64", "/", "-").Replace(platform)
}

// TestReleaseNames holds that everything that fetches or packs a release's files names those that
// the release tool makes, and all of them.
func TestReleaseNames(t *testing.T) {
	var config releaseConfig
	read(t, ".goreleaser.yaml", &config)
	archives := platforms(t, config)
	if len(archives) != 5 {
		t.Fatalf("%d archives: %v", len(archives), archives)
	}

	var mason masonEntry
	read(t, "editors/nvim/packaging/mason.yaml", &mason)
	named := map[string]bool{}
	for _, asset := range mason.Source.Asset {
		version := strings.NewReplacer(`{{ version | strip_prefix "v" }}`, "VERSION")
		file := version.Replace(asset.File)
		named[file] = true
		folder := strings.TrimSuffix(strings.TrimSuffix(file, ".tar.xz"), ".zip")
		program := "contexture"
		if strings.Contains(file, "windows") {
			program += ".exe"
		}
		if got := version.Replace(asset.Bin); got != folder+"/"+program {
			t.Errorf("mason.yaml: %s has its program as %s/%s, not %s", file, folder, program, got)
		}
	}
	var npm struct {
		Optional map[string]string `json:"optionalDependencies"`
	}
	read(t, "editors/npm/cli/package.json", &npm)
	targets, err := os.ReadFile(filepath.Join("..", "..", "editors", "vscode", "package-target.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	packing, err := os.ReadFile(filepath.Join("..", "..", ".ci", "editors"))
	if err != nil {
		t.Fatal(err)
	}
	for platform, archive := range archives {
		if !named[archive] {
			t.Errorf("mason.yaml lacks %s", archive)
		}
		delete(named, archive)
		other := others(platform)
		if npm.Optional["@contexture/cli-"+other] == "" {
			t.Errorf("npm has no package for %s", other)
		}
		if !strings.Contains(string(targets), fmt.Sprintf("%q: ", other)) {
			t.Errorf("package-target.mjs has no target %s", other)
		}
		line := "packed " + strings.ReplaceAll(platform, "/", " ") + " " + other + " " + other
		if !regexp.MustCompile(`(?m)^` + line + `\b`).Match(packing) {
			t.Errorf(".ci/editors has no line %q", line)
		}
	}
	for name := range named {
		t.Errorf("mason.yaml names %s, which no release has", name)
	}
	if len(npm.Optional) != len(archives) {
		t.Errorf("npm has %d platforms for %d archives", len(npm.Optional), len(archives))
	}
}

// TestReleaseWorkflow holds that the workflow makes the release by the repository's own commands,
// checks on every Mac, and lets no job write more than it must. `make lint` runs actionlint on it.
func TestReleaseWorkflow(t *testing.T) {
	var flow struct {
		Permissions map[string]string
		Jobs        map[string]struct {
			Permissions map[string]string
			Strategy    struct {
				Matrix struct {
					Include []struct{ Runner, Arch string }
				}
			}
			Steps []struct{ Uses, Run string }
		}
	}
	read(t, ".github/workflows/release.yml", &flow)
	if len(flow.Permissions) != 0 {
		t.Error("a job has rights that it does not ask for")
	}
	for job, wants := range map[string][]string{
		"macos":   {"make check", "go build -trimpath"},
		"release": {"make release", ".ci/editors bin/release", "actions/attest-build-provenance@", "gh release create"},
	} {
		var does strings.Builder
		for _, step := range flow.Jobs[job].Steps {
			does.WriteString(step.Uses + "\n" + step.Run + "\n")
		}
		for _, want := range wants {
			if !strings.Contains(does.String(), want) {
				t.Errorf("the job %s has no step %q", job, want)
			}
		}
	}
	var macs []string
	for _, mac := range flow.Jobs["macos"].Strategy.Matrix.Include {
		macs = append(macs, mac.Arch)
	}
	var config releaseConfig
	read(t, ".goreleaser.yaml", &config)
	for _, build := range config.Builds {
		if slices.Contains(build.Goos, "darwin") && !slices.Equal(build.Goarch, macs) {
			t.Errorf("the workflow builds for Macs with %v, a release has %v", macs, build.Goarch)
		}
	}
	if p := flow.Jobs["macos"].Permissions; len(p) != 1 || p["contents"] != "read" {
		t.Errorf("the job macos may %v", p)
	}
}

// TestOpenVSX holds what the registry Open VSX refuses in an extension's manifest; what the
// Marketplace refuses, its own packager does when the extension is packed.
func TestOpenVSX(t *testing.T) {
	var m struct {
		Publisher, Name, Version, DisplayName, License string
		Categories, Keywords                           []string
		Repository                                     struct{ URL string }
	}
	read(t, "editors/vscode/package.json", &m)
	var texts map[string]string
	read(t, "editors/vscode/package.nls.json", &texts)
	for field, limited := range map[string]struct {
		value, form string
	}{
		"publisher":      {m.Publisher, `^[\w\-+$~]{1,255}$`},
		"name":           {m.Name, `^[\w\-+$~]{1,255}$`},
		"version":        {m.Version, `^[0-9A-Za-z$+\-,.:;_]+$`},
		"displayName":    {m.DisplayName, `^[^\pC]{1,255}$`},
		"description":    {texts["description"], `^[^\pC]{1,255}$`},
		"license":        {m.License, `^Apache-2\.0$`},
		"repository.url": {m.Repository.URL, `^https://[^/]+/.{1,240}$`},
		"categories":     {strings.Join(m.Categories, ","), `^[^\pC]{1,255}$`},
		"keywords":       {strings.Join(m.Keywords, ","), `^[^\pC]{1,255}$`},
	} {
		if !regexp.MustCompile(limited.form).MatchString(limited.value) {
			t.Errorf("%s is %q, which the registry refuses", field, limited.value)
		}
	}
}
