package main

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestBOM checks that the bill of a program lists every module recorded in its build, and that two
// bills of it are equal.
func TestBOM(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var texts [2]string
	for i := range texts {
		file := filepath.Join(t.TempDir(), "sbom.json")
		if err := bomArguments([]string{program, file, "1.2.3"}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	if texts[0] != texts[1] {
		t.Error("two bills of one program differ")
	}
	var got bom
	if err := json.Unmarshal([]byte(texts[0]), &got); err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, c := range got.Components {
		listed[c.Name] = c.Version
	}
	if len(info.Deps) == 0 {
		t.Fatal("the test was built without modules")
	}
	for _, m := range info.Deps {
		if listed[m.Path] != m.Version {
			t.Errorf("%s is listed with %q, want %s", m.Path, listed[m.Path], m.Version)
		}
	}
	if h := got.Metadata.Component.Hashes; got.Metadata.Component.Version != "1.2.3" || len(h) != 1 || len(h[0].Content) != 64 {
		t.Errorf("the program is %+v", got.Metadata.Component)
	}
	if err := bomArguments([]string{program}); err == nil {
		t.Error("too few arguments are accepted")
	}
}
