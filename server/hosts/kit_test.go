package hosts

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// opt is the program as the tests install it.
var opt = Program{Path: "/opt/bin/contexture"}

// machineAt returns a machine with a home directory and variables.
func machineAt(t *testing.T, home string, variables map[string]string) *Machine {
	t.Helper()
	return &Machine{
		StateDir: filepath.Join(t.TempDir(), "state"),
		Env: Environment{
			OS: "linux", Home: home, Getenv: func(name string) string { return variables[name] },
			ReadFile: os.ReadFile,
			Exists:   func(path string) bool { _, err := os.Lstat(path); return err == nil },
			InPath:   func(string) bool { return false },
			List:     namesIn, Read: func(path string) []byte { data, _ := os.ReadFile(path); return data },
		},
	}
}

// namesIn returns the names in a folder.
func namesIn(folder string) (out []string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// writeTree writes files below a folder.
func writeTree(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// readTree reads everything below a folder: files with their content, folders with a trailing
// slash, links with their target.
func readTree(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		switch {
		case d.IsDir():
			out[name+"/"] = ""
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			out[name+"@"] = target
			return err
		default:
			data, err := os.ReadFile(path)
			out[name] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// host returns a host that must exist.
func host(t *testing.T, name string) Host {
	t.Helper()
	h, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// install installs hosts.
func install(t *testing.T, m *Machine, p Program, names ...string) {
	t.Helper()
	for _, name := range names {
		plan, err := m.PlanInstall(host(t, name), p)
		if err == nil {
			err = plan.Apply()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// uninstall uninstalls hosts.
func uninstall(t *testing.T, m *Machine, names ...string) {
	t.Helper()
	for _, name := range names {
		plan, err := m.PlanUninstall(host(t, name))
		if err == nil {
			err = plan.Apply()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
