package repocheck

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// masonPackage has the keys that the schema of Mason's registry allows for a package from files of
// a release, without those that this one has no use for.
type masonPackage struct {
	Name        string
	Description string
	Homepage    string
	Licenses    []string
	Languages   []string // may be empty, but must be there
	Categories  []string
	Source      struct {
		ID    string
		Asset []struct {
			Target    masonTargets
			File, Bin string
		}
	}
	Bin    map[string]string
	Neovim struct{ Lspconfig string }
}

// masonTargets is one platform or several.
type masonTargets []string

// UnmarshalYAML reads a string or a list of them.
func (m *masonTargets) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*m = masonTargets{node.Value}
		return nil
	}
	return node.Decode((*[]string)(m))
}

// masonPlatforms are those of the schema's that a release can have a file for.
var masonPlatforms = []string{
	"darwin_arm64", "darwin_x64", "linux_arm64_gnu", "linux_arm64_musl", "linux_x64_gnu", "linux_x64_musl", "win_arm64", "win_x64",
}

// TestMasonEntry holds what the schema of Mason's registry demands of an entry, and its rules for
// the form of the file.
func TestMasonEntry(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "editors", "nvim", "packaging", "mason.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.Split(text, []byte("\n")) {
		if len(line) > 120 {
			t.Errorf("line %d is longer than 120 characters", i+1)
		}
	}
	var p masonPackage
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&p); err != nil {
		t.Fatal(err)
	}
	if p.Name == "" || p.Description == "" || !strings.HasPrefix(p.Homepage, "https://") || p.Languages == nil {
		t.Errorf("a field that the schema requires is missing: %+v", p)
	}
	if !slices.Equal(p.Licenses, []string{"Apache-2.0"}) || !slices.Equal(p.Categories, []string{"LSP"}) {
		t.Errorf("licenses %v, categories %v", p.Licenses, p.Categories)
	}
	if !regexp.MustCompile(`^pkg:github/[^/]+/[^/]+@v\d+\.\d+\.\d+$`).MatchString(p.Source.ID) {
		t.Errorf("source.id %q names no version of a repository", p.Source.ID)
	}
	seen := map[string]bool{}
	for _, asset := range p.Source.Asset {
		if asset.File == "" || asset.Bin == "" || len(asset.Target) == 0 {
			t.Errorf("an asset lacks its file, its program or its platform: %+v", asset)
		}
		for _, target := range asset.Target {
			if !slices.Contains(masonPlatforms, target) {
				t.Errorf("the schema has no platform %q", target)
			}
			if seen[target] {
				t.Errorf("two assets are for %s", target)
			}
			seen[target] = true
		}
	}
	if p.Bin["contexture"] != "{{source.asset.bin}}" || p.Neovim.Lspconfig != "contexture" {
		t.Errorf("bin %v, neovim %+v", p.Bin, p.Neovim)
	}
}
