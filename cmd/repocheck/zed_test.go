package repocheck

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// zedManifest has the fields of Zed's manifest that an extension with a server for its agent uses.
// Slash commands are none of them: Zed shows none any longer, and its registry refuses them.
type zedManifest struct {
	ID             string              `toml:"id"`
	Name           string              `toml:"name"`
	Version        string              `toml:"version"`
	Schema         int                 `toml:"schema_version"`
	Description    string              `toml:"description"`
	Repository     string              `toml:"repository"`
	Authors        []string            `toml:"authors"`
	ContextServers map[string]struct{} `toml:"context_servers"`
	Capabilities   []zedCapability     `toml:"capabilities"`
}

// zedCapability is a command that the extension may run; "*" is any command, or any one argument.
type zedCapability struct {
	Kind    string   `toml:"kind"`
	Command string   `toml:"command"`
	Args    []string `toml:"args"`
}

// zedCrate is the part of Cargo.toml that Zed's packager and the registry rely on.
type zedCrate struct {
	Package struct {
		Version string `toml:"version"`
		License string `toml:"license"`
	} `toml:"package"`
	Lib struct {
		Types []string `toml:"crate-type"`
	} `toml:"lib"`
	Dependencies map[string]string `toml:"dependencies"`
}

// zedFile returns a file of the extension.
func zedFile(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "editors", "zed", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// decodeTOML decodes a file of the extension; where strict, an unknown key is an error.
func decodeTOML(t *testing.T, path string, strict bool, into any) {
	t.Helper()
	d := toml.NewDecoder(bytes.NewReader(zedFile(t, path)))
	if strict {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// TestZedManifest holds what Zed and its registry demand of a manifest, and that its version is
// that of the other packages.
func TestZedManifest(t *testing.T) {
	var m zedManifest
	decodeTOML(t, "extension.toml", true, &m)
	var others struct{ Version string }
	read(t, "editors/vscode/package.json", &others)
	if m.Version != others.Version {
		t.Errorf("version %s, other packages have %s", m.Version, others.Version)
	}
	if m.Schema != 1 {
		t.Errorf("schema_version %d, not 1", m.Schema)
	}
	if !regexp.MustCompile(`^[a-z0-9-]+$`).MatchString(m.ID) {
		t.Errorf("the id %q has other characters than the registry takes", m.ID)
	}
	for _, name := range []string{m.ID, m.Name} {
		for _, never := range []string{"zed", "extension"} {
			if strings.Contains(strings.ToLower(name), never) {
				t.Errorf("the registry refuses %q in %q", never, name)
			}
		}
	}
	if m.Name == "" || m.Description == "" || len(m.Authors) == 0 || !strings.HasPrefix(m.Repository, "https://") {
		t.Errorf("a field is missing: %+v", m)
	}
	if _, ok := m.ContextServers["contexture"]; !ok || len(m.ContextServers) != 1 {
		t.Errorf("servers %v: an extension has one server", m.ContextServers)
	}

	var crate zedCrate
	decodeTOML(t, "Cargo.toml", false, &crate)
	if crate.Package.Version != m.Version || crate.Package.License != "Apache-2.0" {
		t.Errorf("Cargo.toml has version %s and license %s", crate.Package.Version, crate.Package.License)
	}
	if !slices.Equal(crate.Lib.Types, []string{"cdylib"}) || crate.Dependencies["zed_extension_api"] == "" {
		t.Errorf("Zed does not build %+v", crate)
	}
	// The registry looks for the license in the extension's own folder.
	top, err := os.ReadFile(filepath.Join("..", "..", "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(zedFile(t, "LICENSE"), top) {
		t.Error("LICENSE is not the repository's")
	}
}

// TestZedCommand holds that the extension starts what `contexture install zed` writes, and runs
// nothing that its manifest does not name.
func TestZedCommand(t *testing.T) {
	code := string(zedFile(t, "src/lib.rs"))
	installed, err := os.ReadFile(filepath.Join("..", "..", "server", "hosts", "testdata", "golden", "zed.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	args := regexp.MustCompile(`"args": \[("[^\]]*)\]`).FindSubmatch(installed)
	if args == nil {
		t.Fatal("the golden file of the host zed has no arguments")
	}
	var starts []string
	if list := regexp.MustCompile(`args: vec!\[([^\]]*)\]`).FindStringSubmatch(code); list != nil {
		for _, arg := range regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(list[1], -1) {
			starts = append(starts, `"`+arg[1]+`"`)
		}
	}
	if got := strings.Join(starts, ", "); got != string(args[1]) {
		t.Errorf("the extension starts the program with %s, contexture install with %s", got, args[1])
	}

	var m zedManifest
	decodeTOML(t, "extension.toml", true, &m)
	var allowed []string
	for _, c := range m.Capabilities {
		allowed = append(allowed, c.Command+" "+strings.Join(c.Args, " "))
	}
	var runs []string
	for _, call := range regexp.MustCompile(`(?s)process::Command::new\(("?\w+"?)\)\s*\.args?\(\[?([^)\]]*)`).FindAllStringSubmatch(code, -1) {
		words := []string{call[1]}
		for _, arg := range strings.Split(call[2], ",") {
			words = append(words, strings.TrimSpace(arg))
		}
		for i, word := range words {
			text, isConstant := strings.CutPrefix(word, `"`)
			if words[i] = "*"; isConstant {
				words[i] = strings.TrimSuffix(text, `"`)
			}
		}
		runs = append(runs, strings.Join(words, " "))
	}
	slices.Sort(allowed)
	slices.Sort(runs)
	if len(runs) != strings.Count(code, "Command::new(") || !slices.Equal(allowed, runs) {
		t.Errorf("the manifest allows %q, the code runs %q", allowed, runs)
	}
}

// TestZedSettings holds that the files of the dialog are there and that each setting is read.
func TestZedSettings(t *testing.T) {
	code := string(zedFile(t, "src/lib.rs"))
	for _, include := range regexp.MustCompile(`include_str!\(\s*"\.\./([^"]*)"`).FindAllStringSubmatch(code, -1) {
		if len(zedFile(t, include[1])) == 0 {
			t.Errorf("%s is empty", include[1])
		}
	}
	var schema struct {
		Properties map[string]struct{ Type, Description string }
		Others     *bool `json:"additionalProperties"`
	}
	if err := json.Unmarshal(zedFile(t, "configuration/settings_schema.json"), &schema); err != nil {
		t.Fatal(err)
	}
	if schema.Others == nil || *schema.Others {
		t.Error("the schema takes settings that do not exist")
	}
	comments := regexp.MustCompile(`(?m)^\s*//.*$`)
	var defaults map[string]string
	if err := json.Unmarshal(comments.ReplaceAll(zedFile(t, "configuration/default_settings.jsonc"), nil), &defaults); err != nil {
		t.Fatal(err)
	}
	for name, property := range schema.Properties {
		if _, ok := defaults[name]; !ok || property.Type != "string" || !strings.Contains(code, `get("`+name+`")`) {
			t.Errorf("the setting %s has no default, is no string, or is not read", name)
		}
	}
	for name := range defaults {
		if _, ok := schema.Properties[name]; !ok {
			t.Errorf("the default of %s is for no setting", name)
		}
	}
}
