//go:build nightly

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestGoInstall checks that `go install …@latest` works from only the module's zip: a proxy in a
// folder serves it, and the modules that it requires come from this machine's cache.
func TestGoInstall(t *testing.T) {
	const path = "github.com/contexture-dev/contexture"
	top, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	proxy, bin := t.TempDir(), t.TempDir()
	versions := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(versions, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mod, err := os.ReadFile(filepath.Join(top, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write("v0.0.1.mod", mod)
	write("v0.0.1.info", []byte(`{"Version": "v0.0.1", "Time": "2026-01-01T00:00:00Z"}`))
	write("list", []byte("v0.0.1\n"))
	packed, err := os.Create(filepath.Join(versions, "v0.0.1.zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromVCS(packed, module.Version{Path: path, Version: "v0.0.1"}, top, "HEAD", ""); err != nil {
		t.Fatal(err)
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := t.TempDir()
	install := exec.Command("go", "install", path+"/cmd/contexture@latest")
	install.Dir = t.TempDir() // in no module
	served := fmt.Sprintf("file://%s,file://%s", proxy, filepath.Join(strings.TrimSpace(string(cache)), "cache", "download"))
	install.Env = append(os.Environ(), "GOBIN="+bin, "GOMODCACHE="+modules, "GOFLAGS=-modcacherw", "GOWORK=off", "GOPROXY="+served,
		"GONOSUMDB=*") // the cache was verified when it was filled
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := filepath.Join(bin, "contexture")
	version, err := exec.Command(program, "version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(version), "contexture v0.0.1 ") {
		t.Errorf("%v: %s", err, version)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "pool.go"), []byte("package pool\n\n// Acquire waits for a free connection.\nfunc Acquire() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	answer, err := exec.Command(program, "bundle", "--offline", "--state-dir", t.TempDir(), "--root", folder, "who waits in Acquire?").Output()
	if err != nil || !strings.Contains(string(answer), "pool.go:4  func Acquire") {
		t.Errorf("%v: %s", err, answer)
	}
}
