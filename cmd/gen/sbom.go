package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"runtime/debug"
	"strings"
)

// bom is a bill of materials in the format of CycloneDX 1.6.
type bom struct {
	Format     string    `json:"bomFormat"`
	Spec       string    `json:"specVersion"`
	Version    int       `json:"version"`
	Metadata   bomAbout  `json:"metadata"`
	Components []bomPart `json:"components"`
}

type bomAbout struct {
	Component bomPart `json:"component"`
}

type bomPart struct {
	Type    string    `json:"type"`
	Name    string    `json:"name"`
	Version string    `json:"version,omitempty"`
	PURL    string    `json:"purl,omitempty"`
	Hashes  []bomHash `json:"hashes,omitempty"`
}

type bomHash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// writeBOM writes the bill of materials of a built program: the modules that its build has recorded
// in it, and the embedded components that are listed in cmd/gen. It has no time and no serial
// number, so that the same program has the same bill.
func writeBOM(program, out, version string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("list the parts of %s: %w", program, err)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	b := renderBOM(info, version)
	sum := sha256.Sum256(data)
	b.Metadata.Component.Hashes = []bomHash{{"SHA-256", hex.EncodeToString(sum[:])}}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(text, '\n'), 0o644)
}

func renderBOM(info *debug.BuildInfo, version string) bom {
	b := bom{Format: "CycloneDX", Spec: "1.6", Version: 1}
	name := path.Base(cmp.Or(info.Path, "contexture"))
	b.Metadata.Component = bomPart{Type: "application", Name: name, Version: version}
	b.Components = append(b.Components, bomPart{Type: "platform", Name: "Go", Version: strings.TrimPrefix(info.GoVersion, "go")})
	for _, m := range info.Deps {
		b.Components = append(b.Components, bomPart{Type: "library", Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path + "@" + m.Version})
	}
	if name == serverProgram { // it embeds nothing
		return b
	}
	for _, e := range bundled {
		b.Components = append(b.Components, bomPart{Type: "library", Name: e.name, Version: e.version})
	}
	return b
}

// serverProgram is the program of who runs a team's server.
const serverProgram = "contexture-team"

// bomArguments runs the command sbom with its arguments.
func bomArguments(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: go run ./cmd/gen sbom PROGRAM FILE VERSION")
	}
	return writeBOM(args[0], args[1], args[2])
}
