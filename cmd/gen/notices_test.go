package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// noticesTree writes a module whose program links example.com/a and, on Windows, example.com/b, and
// a module cache with both. It returns the module's folder.
func noticesTree(t *testing.T) string {
	t.Helper()
	root, cache := t.TempDir(), t.TempDir()
	t.Setenv("GOMODCACHE", cache)
	write := func(dir, name, text string) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const mit = "MIT License\n\nCopyright (c) A\n\nPermission is hereby granted, free of charge, to all.\n"
	write(root, "go.mod", "module example.com/own\n\ngo 1.26.0\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.0.0\n\texample.com/unused v1.0.0\n)\n")
	write(root, "LICENSE", "Apache License Version 2.0")
	write(root, "server/secrets/LICENSE.gitleaks", mit)
	write(root, "editors/workbench/package-lock.json", `{"packages": {"": {}, "node_modules/dev": {"version": "1.0.0", "dev": true}, "node_modules/x": {"version": "2.0.0"}}}`)
	write(root, "editors/workbench/node_modules/x/package.json", `{"version": "2.0.0"}`)
	write(root, "editors/workbench/node_modules/x/LICENSE", mit)
	write(root, "cmd/contexture/main.go", "package main\n\nimport _ \"example.com/a/inner\"\n")
	write(root, "cmd/contexture/main_windows.go", "package main\n\nimport _ \"example.com/b\"\n")
	write(cache, "example.com/a@v1.0.0/LICENSE", mit)
	write(cache, "example.com/a@v1.0.0/inner/a.go", "package inner\n")
	write(cache, "example.com/a@v1.0.0/inner/COPYING", "Redistribution and use in source and binary forms")
	write(cache, "example.com/a@v1.0.0/other/LICENSE", "Mozilla Public License of a folder that is not linked")
	write(cache, "example.com/b@v1.0.0/LICENSE", "Permission to use, copy, modify, and sell")
	write(cache, "example.com/b@v1.0.0/b.go", "package b\n")
	return root
}

func notices(t *testing.T, root, present string) string {
	t.Helper()
	text, err := renderNotices(root, []byte(present))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestNoticesListWhatIsLinked(t *testing.T) {
	got := notices(t, noticesTree(t), "")
	for _, want := range []string{
		"| example.com/a v1.0.0 | BSD-2-Clause, MIT |", "| example.com/b v1.0.0 | ISC |", "| npm: x 2.0.0 | MIT |", "- example.com/a v1.0.0\n", "- npm: x 2.0.0\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	for _, not := range []string{"unused", "npm: dev", "Mozilla"} {
		if strings.Contains(got, not) {
			t.Errorf("%q is listed", not)
		}
	}
	if n := strings.Count(got, "Copyright (c) A"); n != 1 {
		t.Errorf("a text that several components share is there %d times", n)
	}
}

// TestNoticesElsewhere checks that another machine, with neither the modules of other platforms nor
// npm packages, renders the same bytes.
func TestNoticesElsewhere(t *testing.T) {
	root := noticesTree(t)
	want := notices(t, root, "")
	for _, dir := range []string{filepath.Join(os.Getenv("GOMODCACHE"), "example.com", "b@v1.0.0"), filepath.Join(root, "editors", "workbench", "node_modules")} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	if got := notices(t, root, want); got != want {
		t.Errorf("differs:\n%s", got)
	}
	if _, err := renderNotices(root, []byte(strings.ReplaceAll(want, "example.com/b v1.0.0", "example.com/b v0.9.0"))); err == nil || !strings.Contains(err.Error(), "go mod download") {
		t.Errorf("another version that is not in the cache: %v", err)
	}
	if _, err := renderNotices(root, []byte(strings.ReplaceAll(want, "npm: x 2.0.0", "npm: x 1.0.0"))); err == nil || !strings.Contains(err.Error(), "npm ci") {
		t.Errorf("another npm version: %v", err)
	}
}

// TestNoticesRefuse checks that an unknown and a missing licence are errors.
func TestNoticesRefuse(t *testing.T) {
	root := noticesTree(t)
	licence := filepath.Join(os.Getenv("GOMODCACHE"), "example.com", "b@v1.0.0", "LICENSE")
	if err := os.WriteFile(licence, []byte("All rights reserved."), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := renderNotices(root, nil); err == nil || !strings.Contains(err.Error(), "example.com/b v1.0.0") {
		t.Errorf("an unknown licence: %v", err)
	}
	if err := os.Remove(licence); err != nil {
		t.Fatal(err)
	}
	if _, err := renderNotices(root, nil); err == nil || !strings.Contains(err.Error(), "no licence file") {
		t.Errorf("no licence: %v", err)
	}
}
