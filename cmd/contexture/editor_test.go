package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpenEditor checks that an editor with a window is started with its form of arguments, VISUAL
// before EDITOR, and that one that needs a terminal is not offered without one.
func TestOpenEditor(t *testing.T) {
	dir := t.TempDir()
	said := filepath.Join(dir, "said")
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	code := filepath.Join(dir, "bin", "code")
	// The file gets its name when the text is complete.
	script := "#!/bin/sh\nprintf '%s|' \"$@\" >" + said + ".part && mv " + said + ".part " + said + "\n"
	if err := os.WriteFile(code, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	env := func(vars map[string]string) environment {
		return environment{getenv: func(name string) string { return vars[name] }, stdin: io.NopCloser(strings.NewReader("")), stderr: new(bytes.Buffer)}
	}
	open, wait := env(map[string]string{"VISUAL": code + " --wait", "EDITOR": "vi"}).openEditor()
	if open == nil {
		t.Fatal("there is no editor")
	}
	if err := open(t.Context(), "/w/a b.go", 7); err != nil {
		t.Fatal(err)
	}
	wait()
	started := func() bool {
		_, err := os.Stat(said)
		return err == nil
	}
	if !until(started) {
		t.Fatal("the editor was not started")
	}
	if text, err := os.ReadFile(said); err != nil || string(text) != "--wait|-g|/w/a b.go:7|" {
		t.Errorf("arguments %q, %v", text, err)
	}
	for name, vars := range map[string]map[string]string{"no variable": {}, "no terminal": {"EDITOR": "vi"}} {
		if open, _ := env(vars).openEditor(); open != nil {
			t.Errorf("%s: an editor is offered", name)
		}
	}
	gone, _ := env(map[string]string{"EDITOR": filepath.Join(dir, "gone", "code")}).openEditor()
	if err := gone(t.Context(), "/w/a.go", 1); err == nil || !strings.Contains(err.Error(), "start the editor") {
		t.Errorf("an editor that does not exist: %v", err)
	}
}
